"""Image pyramids: a picture and its halvings, and outlines in the pixels of a level."""

from __future__ import annotations

import cv2
import numpy as np

from vision.faces.geometry import Quad
from vision.faces.settings import DEFAULTS, PyramidSettings
from vision.frames import Image


def image_pyramid(image: Image, settings: PyramidSettings = DEFAULTS.pyramid) -> list[Image]:
    """Return the picture and its halvings, largest first, until the shorter side is below 400 pixels (`min_side`).

    `image`: (H, W, 3) uint8 BGR.
    """
    levels = [image]
    while min(levels[-1].shape[:2]) >= settings.min_side:
        levels.append(halved(levels[-1]))
    return levels


def halved(picture: Image) -> Image:
    """Return the picture in half its size: each pixel is the mean of four. A last odd row or column is left out."""
    tall, wide = (side // 2 for side in picture.shape[:2])
    half = cv2.resize(picture[: 2 * tall, : 2 * wide], (wide, tall), interpolation=cv2.INTER_AREA)
    return np.asarray(half, np.uint8)


def level_for(levels: list[Image], downscale: float, settings: PyramidSettings = DEFAULTS.pyramid) -> int:
    """Return the level from which a crop is neither enlarged needlessly nor aliased.

    `downscale`: pixels of the first level per pixel of the crop.
    """
    level = 0
    while level + 1 < len(levels) and downscale > settings.max_downscale:
        downscale /= 2
        level += 1
    return level


def to_level(quad: Quad, level: int) -> Quad:
    """Return `quad`, in pixels of the full picture, in pixels of the picture halved `level` times.

    Pixel centres have integer coordinates, so that the picture's top left is at (-0.5, -0.5) on every level.
    """
    return np.asarray((quad + 0.5) / 2**level - 0.5, np.float32)


def from_level(quad: Quad, level: int) -> Quad:
    """Return `quad`, in pixels of the picture halved `level` times, in pixels of the full picture."""
    return np.asarray((quad + 0.5) * 2**level - 0.5, np.float32)
