"""Training data of the glyph classifier from photographs whose licence allows it: printed indices in hard light.

A net trained on drawn indices only misreads small or compressed spades in photographs as clubs. One picture in four of
each set is held out for evaluation.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Final, NamedTuple

import cv2
import numpy as np

from engine.cards import Card
from lab.training.corner_crops import exposed
from lab.training.photos import labelled_photographs
from lab.training.scenes import USUAL_HEIGHT
from vision.faces.card_assembly import IndexReading
from vision.faces.index_detector import IndexPose
from vision.faces.index_reader import IndexReader
from vision.faces.pyramid import image_pyramid
from vision.frames import Image

MIN_CONFIDENCE: Final = 0.9
"""Confidence from which a reading of the photograph labels its index, if the picture shows such a card."""
MIN_HEIGHT: Final = 16.0
"""Least height of an index in the photograph, pixels."""
AROUND: Final = 2.2
"""Half of the side of the part that is kept around an index, in heights of the index."""
HEIGHTS: Final = (8.0, 64.0)
"""Least and greatest height of an index once its part is scaled, pixels. No part is enlarged by more than a tenth."""
HARD_SHARE: Final = 0.6
"""Fraction of the parts with a hardship (`hardships`)."""


class PhotoIndex(NamedTuple):
    """A printed index: the part of a photograph around it, (H, W, 3) uint8 BGR, where it is in it, and its card."""

    picture: Image
    pose: IndexPose
    card: Card


def photo_indices(folder: Path) -> list[PhotoIndex]:
    """Return the indices in the photographs of a set that are not held out.

    The reader finds and reads them; what the labels do not confirm is left out. Raises `OSError` if a file cannot be
    read.
    """
    reader = IndexReader()
    found = []
    for entry, image in labelled_photographs(folder):
        for index in reader.find(image_pyramid(image), (0.0, math.inf)):
            if index.pose.height >= MIN_HEIGHT and index.confidence >= MIN_CONFIDENCE and _is_labelled(index, entry):
                found.append(_part(image, index))
    return found


def seen_again(index: PhotoIndex, rng: np.random.Generator) -> tuple[Image, IndexPose]:
    """Return the part at a random scale in worse light, and where the index is in it."""
    pose = index.pose
    largest = min(1.1 * pose.height, HEIGHTS[1])
    height = float(np.exp(rng.uniform(math.log(HEIGHTS[0]), math.log(largest))))
    factor = height / pose.height
    sides = (max(1, round(side * factor)) for side in index.picture.shape[1::-1])
    way = cv2.INTER_AREA if factor < 1 else cv2.INTER_LINEAR
    small = np.asarray(cv2.resize(index.picture, tuple(sides), interpolation=way), np.uint8)
    x, y = ((value + 0.5) * factor - 0.5 for value in (pose.x, pose.y))
    moved = IndexPose(x, y, factor * pose.down_x, factor * pose.down_y, pose.score)
    return exposed(small, min(height / USUAL_HEIGHT, 4.0), rng, HARD_SHARE), moved


def _is_labelled(index: IndexReading, entry: dict[str, Any]) -> bool:
    """Return whether the picture's labels confirm the reading: the box around it, or, without boxes, its cards."""
    boxes = [
        box["label"]
        for box in entry.get("boxes", [])
        if box["xyxy"][0] <= index.pose.x <= box["xyxy"][2] and box["xyxy"][1] <= index.pose.y <= box["xyxy"][3]
    ]
    return str(index.card) in (boxes if entry.get("boxes") else entry["cards"])


def _part(image: Image, index: IndexReading) -> PhotoIndex:
    pose, reach = index.pose, AROUND * index.pose.height
    left, top = (max(0, math.floor(middle - reach)) for middle in (pose.x, pose.y))
    right, bottom = (math.ceil(middle + reach) for middle in (pose.x, pose.y))
    moved = IndexPose(pose.x - left, pose.y - top, pose.down_x, pose.down_y, pose.score)
    return PhotoIndex(np.ascontiguousarray(image[top:bottom, left:right]), moved, index.card)
