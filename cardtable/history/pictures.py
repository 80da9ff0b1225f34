"""Camera pictures that a table keeps if `table.toml` asks for them; only their owner may read them (mode 0600).

`KeptPictures` stores a small JPEG file with each action of a game, in a folder beside the journal.

`CorrectedCrops` stores pictures of cards whose reading was corrected, under their right names. Its folder is a photo
set for `python -m lab.training --photos` (`truth.json`, `images/`), and has the newest picture of each card for
`cardtable deck learn --from` (`QS.png`, `brown-1.png`).
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np

from cardtable.table.snapshot import Corners
from cardtable.web.serving import small_jpeg
from engine.cards import STANDARD_DECK, Card
from engine.referee.observed_cards import SightingId
from vision.atomic_files import store
from vision.camera_pipeline import CameraPipeline
from vision.frames import Frame, Image
from vision.readings import CARD_MM

MAX_WIDTH_PX: Final = 800
MAX_BYTES: Final = 100_000
"""Size limit of a picture. A larger one is compressed more, or dropped."""
_QUALITIES: Final = (75, 55, 35, 20)
"""JPEG qualities to try, best first."""
_MAX_QUEUED: Final = 4
"""Pictures that may wait to be written. If the disk is too slow, further ones are dropped."""
MAX_CROP_BYTES: Final = 64_000_000
"""Size limit of all pictures of corrected cards together; the oldest are deleted first."""
_CROP_PX_PER_MM: Final = 6
_CROP_MARGIN: Final = 0.25
"""Margin around a corrected card, as a share of its longer side."""

_LOG: Final = logging.getLogger(__name__)


def folder_of(journal: Path) -> Path:
    """Return the folder of the pictures of the games in this journal."""
    return journal.with_name(f"{journal.name}-pictures")


def picture_path(folder: Path, number: int, started: float, line: int) -> Path:
    """Return the path of the picture of an action: `line` of the record of game `number`, which began at `started`.

    The file name contains the start time because another journal may have a game with the same number.
    """
    return folder / f"{number}-{int(started * 1000)}-{line}.jpg"


class KeptPictures:
    """Keep up to `limit` pictures in `folder`, and delete the oldest first. A separate thread encodes and writes them.

    No error is raised: a picture that cannot be written is dropped, and the reason is logged.
    """

    def __init__(self, folder: Path, limit: int) -> None:
        self._folder = folder
        self._limit = limit
        self._pool = ThreadPoolExecutor(1, "pictures")
        self._queued = 0
        self._kept: list[Path] | None = None
        self._failed = False

    def keep(self, number: int, started: float, line: int, frame: Frame) -> None:
        """Keep a frame as the picture of an action (see `picture_path`), without blocking."""
        if self._queued < _MAX_QUEUED:
            self._queued += 1
            self._pool.submit(self._write, picture_path(self._folder, number, started, line), frame)

    def close(self) -> None:
        """Write the queued pictures, then end the thread."""
        self._pool.shutdown()

    def _write(self, path: Path, frame: Frame) -> None:
        try:
            data = picture_of(frame)
            if data is not None:
                kept = self._files()
                _write_private(path, data)
                kept.append(path)
                while len(kept) > self._limit:
                    kept.pop(0).unlink(missing_ok=True)
            self._failed = False
        except (OSError, cv2.error) as error:
            self._kept = None  # the folder may have been deleted
            if not self._failed:
                _LOG.warning("%s cannot be written: %s", path, error)
            self._failed = True
        finally:
            self._queued -= 1

    def _files(self) -> list[Path]:
        """Return the pictures in the folder, oldest first. Create the folder if it does not exist."""
        if self._kept is None:
            self._folder.mkdir(mode=0o700, exist_ok=True)
            self._kept = sorted(self._folder.glob("*.jpg"), key=lambda path: path.stat().st_mtime_ns)
        return self._kept


def picture_of(frame: Frame) -> bytes | None:
    """Return the frame as a JPEG of up to `MAX_WIDTH_PX` and `MAX_BYTES`; None if that is not possible."""
    sizes = (small_jpeg(frame.image, MAX_WIDTH_PX, quality) for quality in _QUALITIES)
    return next((data for data in sizes if data is not None and len(data) <= MAX_BYTES), None)


def _write_private(path: Path, data: bytes) -> None:
    new = path.with_suffix(".new")
    with suppress(FileNotFoundError):
        new.unlink()
    with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as file:
        file.write(data)
    new.replace(path)


class CorrectedCrops:
    """Keep pictures of corrected cards in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep_from(self, cameras: Sequence[CameraPipeline], sighting: SightingId, card: Card) -> None:
        """Keep a picture of the card if one of `cameras` sees it.

        An error while writing is logged, because it must not stop a game.
        """
        source, card_id = sighting
        camera = next((camera for camera in cameras if camera.name == source), None)
        if camera is None or camera.frame is None or (corners := camera.places.get(card_id)) is None:
            return
        try:
            self.keep(camera.frame.image, corners, card)
        except (OSError, ValueError) as error:
            _LOG.warning("%s cannot be written: %s", self._folder, error)

    def keep(self, image: Image, corners: Corners, card: Card) -> None:
        """Keep a picture of `card`, which lies at `corners` in `image`. Raises `OSError`."""
        height, width = image.shape[:2]
        quad = np.array(corners, np.float32) * np.array((width, height), np.float32)
        images = self._folder / "images"
        images.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._folder.chmod(0o700)
        store(self._folder / f"{card}.png", _png(_face(image, quad)), 0o600)
        entries = self._entries()
        number = max((int(entry["image"].split("-")[0]) for entry in entries), default=0) + 1
        name = f"{number:06d}-{card}.png"
        surroundings, box = _surroundings(image, quad)
        store(images / name, _png(surroundings), 0o600)
        boxes = [{"label": str(card), "xyxy": box, "kind": "card"}] if card in STANDARD_DECK else []
        entries.append({"image": name, "cards": [str(card)], "complete": False, "boxes": boxes})
        self._store(self._within_limit(entries))

    def _entries(self) -> list[dict[str, Any]]:
        try:
            entries = json.loads((self._folder / "truth.json").read_text("utf-8"))
            return [entry for entry in entries if (self._folder / "images" / entry["image"]).is_file()]
        except (FileNotFoundError, ValueError, TypeError, KeyError):
            return []

    def _within_limit(self, entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
        sizes = [(self._folder / "images" / entry["image"]).stat().st_size for entry in entries]
        first = 0
        while sum(sizes[first:]) > MAX_CROP_BYTES and first < len(entries) - 1:
            first += 1
        self._store(entries[first:])
        for entry in entries[:first]:
            (self._folder / "images" / entry["image"]).unlink(missing_ok=True)
        return entries[first:]

    def _store(self, entries: list[dict[str, Any]]) -> None:
        store(self._folder / "truth.json", json.dumps(entries, indent=1).encode(), 0o600)


def _face(image: Image, quad: np.ndarray[Any, np.dtype[np.float32]]) -> Image:
    """Return the card alone, upright."""
    width, height = (round(side * _CROP_PX_PER_MM) for side in CARD_MM)
    target = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    return np.asarray(cv2.warpPerspective(image, cv2.getPerspectiveTransform(quad, target), (width, height)), np.uint8)


def _surroundings(image: Image, quad: np.ndarray[Any, np.dtype[np.float32]]) -> tuple[Image, list[float]]:
    """Return the card with a margin, and its box in that picture: left, top, right, bottom."""
    height, width = image.shape[:2]
    low, high = quad.min(axis=0), quad.max(axis=0)
    margin = float((high - low).max()) * _CROP_MARGIN
    left, top = (max(int(value - margin), 0) for value in low)
    right, bottom = min(int(high[0] + margin) + 1, width), min(int(high[1] + margin) + 1, height)
    box = [float(low[0] - left), float(low[1] - top), float(high[0] - left), float(high[1] - top)]
    return np.ascontiguousarray(image[top:bottom, left:right]), box


def _png(image: Image) -> bytes:
    done, data = cv2.imencode(".png", image)
    if not done:
        raise ValueError("the picture cannot be encoded")
    return data.tobytes()
