"""An index cut out by its own place, direction and height, as the glyph model sees it."""

from __future__ import annotations

import math

import cv2
import numpy as np

from vision.faces.crops import CROP
from vision.faces.index_detector import Place
from vision.frames import Image

AROUND = 1.5
"""The crop is so many times as high as the index."""


def closeup(levels: list[Image], place: Place) -> Image:
    """The (80, 48, 3) crop with the index in its middle, upright, from the fitting level of a picture pyramid."""
    px = AROUND * place.height / CROP[1]
    level = int(np.clip(math.floor(math.log2(max(px, 1e-6) / 0.85)), 0, len(levels) - 1))
    half = 2.0**-level
    x, y = (place.x + 0.5) * half - 0.5, (place.y + 0.5) * half - 0.5
    down_x, down_y = (value * half * AROUND / CROP[1] for value in (place.down_x, place.down_y))
    middle_x, middle_y = (CROP[0] - 1) / 2, (CROP[1] - 1) / 2
    matrix = np.array([
        [down_y, down_x, x - middle_x * down_y - middle_y * down_x],
        [-down_x, down_y, y + middle_x * down_x - middle_y * down_y],
    ])  # fmt: skip
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    return np.asarray(
        cv2.warpAffine(levels[level], matrix, CROP, flags=flags, borderMode=cv2.BORDER_REPLICATE), np.uint8
    )
