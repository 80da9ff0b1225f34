"""Photographs for `lab.benchmarks.degradations`: as they are, or scaled to a given height of their indices."""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Collection, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import cv2
import numpy as np

from tests.drawing.degrading import Photo
from vision.faces.index_reader import IndexReader
from vision.faces.pyramid import image_pyramid
from vision.frames import Image
from vision.image_files import load_picture


class Labelled(NamedTuple):
    """A photograph, (H, W, 3) uint8 BGR, and its labels, as in `truth.json`."""

    image: Image
    entry: dict[str, Any]

    def photo(self, height: float = math.nan) -> Photo:
        """Return the photograph to be degraded. `height`: of its indices, pixels, if it is known."""
        return Photo(self.image, self.entry["cards"], np.zeros((0, 2)), height)


class Measured(NamedTuple):
    """A photograph with its labels, and the median height of the indices in it, pixels."""

    labelled: Labelled
    height: float

    def photo(self, height: float) -> Photo:
        """Return the photograph scaled down so that its indices have this `height`, pixels."""
        factor = height / self.height
        image = cv2.resize(self.labelled.image, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
        return self.labelled._replace(image=np.asarray(image, np.uint8)).photo(height)


def photographs(folder: Path, most: int, sets: Collection[str] = ()) -> Iterator[Labelled]:
    """Yield at most `most` photographs of each set in `folder`, or of these `sets`.

    Raises `SystemExit`, which says which sets there are, if one is missing.
    """
    for place in _sets(folder, sets):
        yield from islice(_in_set(place), most)


def measured(folder: Path, most: int, least_height: float, sets: Collection[str] = ()) -> Iterator[Measured]:
    """Yield the same, but only photographs with complete labels and indices of at least `least_height` pixels."""
    reader = IndexReader()
    for each in _sets(folder, sets):
        some = (_measured(labelled, reader) for labelled in _in_set(each) if labelled.entry.get("complete", True))
        yield from islice((photo for photo in some if photo.height >= least_height), most)


def _sets(folder: Path, wanted: Collection[str]) -> list[Path]:
    """Return the folders of the sets, or of those that are `wanted`."""
    there = sorted(truth.parent for truth in folder.glob("*/truth.json"))
    names = [place.name for place in there]
    missing = [name for name in wanted if name not in names]
    if missing or not there:
        raise SystemExit(
            f"no set {', '.join(missing) or 'at all'} in {folder}; there are: {', '.join(names) or 'none'}"
        )
    return [place for place in there if not wanted or place.name in wanted]


def _in_set(folder: Path) -> Iterator[Labelled]:
    """Yield the photographs of a set in an order that does not depend on what they show."""
    entries = json.loads((folder / "truth.json").read_text("utf-8"))
    for entry in sorted(entries, key=lambda each: zlib.crc32(each["image"].encode())):
        yield Labelled(load_picture(folder / "images" / entry["image"]), entry)


def _measured(labelled: Labelled, reader: IndexReader) -> Measured:
    """Return the photograph with the height of its indices, 0 if there are none."""
    heights = [index.pose.height for index in reader.find(image_pyramid(labelled.image), (0.0, math.inf))]
    return Measured(labelled, float(np.median(heights)) if heights else 0.0)
