"""An index cropped by its own position, direction and height, as the glyph classifier sees it."""

from __future__ import annotations

import math

import cv2
import numpy as np

from vision.faces.crops import CROP
from vision.faces.index_detector import IndexPose
from vision.frames import Image

CROP_HEIGHT = 1.5
"""Height of the crop in index heights."""


def closeup(levels: list[Image], pose: IndexPose) -> Image:
    """Return the (80, 48, 3) crop with the index in its middle, upright.

    `levels`: an image pyramid. `pose`: in pixels of its first level; the crop is sampled from the matching level.
    """
    px = CROP_HEIGHT * pose.height / CROP[1]
    level = int(np.clip(math.floor(math.log2(max(px, 1e-6) / 0.85)), 0, len(levels) - 1))
    half = 2.0**-level
    x, y = (pose.x + 0.5) * half - 0.5, (pose.y + 0.5) * half - 0.5
    down_x, down_y = (value * half * CROP_HEIGHT / CROP[1] for value in (pose.down_x, pose.down_y))
    middle_x, middle_y = (CROP[0] - 1) / 2, (CROP[1] - 1) / 2
    matrix = np.array([
        [down_y, down_x, x - middle_x * down_y - middle_y * down_x],
        [-down_x, down_y, y + middle_x * down_x - middle_y * down_y],
    ])  # fmt: skip
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    return np.asarray(
        cv2.warpAffine(levels[level], matrix, CROP, flags=flags, borderMode=cv2.BORDER_REPLICATE), np.uint8
    )
