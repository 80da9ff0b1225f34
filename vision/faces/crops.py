"""The corner of a card as the index model sees it."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from vision.frames import Image
from vision.readings import CARD_MM

CROP = (48, 80)
"""Width and height of a crop, pixels."""
PX_PER_MM = 2.8
"""Scale of a crop: the upper left 17 x 29 mm of a card."""

Quad = npt.NDArray[np.float32]
"""(4, 2) float32: corners in pixels, clockwise; the first is the card's own top left where that is known."""


def card_homography(quad: Quad) -> npt.NDArray[np.float64]:
    """The (3, 3) matrix that takes card millimetres (origin at `quad[0]`, x to `quad[1]`) to pixels."""
    width, height = CARD_MM
    card = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    return np.asarray(cv2.getPerspectiveTransform(card, quad.astype(np.float32)), np.float64)


def corner_crop(levels: list[Image], quad: Quad) -> Image:
    """The (80, 48, 3) crop of the corner at `quad[0]`, upright, from the fitting level of a picture pyramid.

    `levels`: the picture, and each time halved. The level taken has at least the crop's own resolution where the
    picture has, so that thin strokes do not alias.
    """
    side = float(np.linalg.norm(quad[0] - quad[3]) + np.linalg.norm(quad[1] - quad[2])) / 2
    px_per_mm = side / CARD_MM[1]
    level = 0
    while level + 1 < len(levels) and px_per_mm / PX_PER_MM > 1.7:
        px_per_mm /= 2
        level += 1
    scaled = (quad + 0.5) / 2**level - 0.5
    to_crop = np.diag([1 / PX_PER_MM, 1 / PX_PER_MM, 1.0])
    matrix = card_homography(np.asarray(scaled, np.float32)) @ to_crop
    crop = cv2.warpPerspective(
        levels[level], matrix, CROP, flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(crop, np.uint8)


def normalised(crop: Image) -> npt.NDArray[np.float32]:
    """What the net gets of a crop (80, 48, 3): (3, 80, 48) float32."""
    return np.asarray(all_normalised(crop[None])[0], np.float32)


def all_normalised(crops: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
    """Of (N, 80, 48, 3) crops (N, 3, 80, 48) float32: each colour divided by that of the paper, so that light does not
    count.

    The paper is taken as the brightest fifth's lower bound: most of a card's corner is paper.
    """
    colours = crops.transpose(0, 3, 1, 2)
    some = np.ascontiguousarray(colours[:, :, ::2, ::2]).reshape(len(crops), 3, -1)
    fifth = some.shape[2] * 4 // 5
    paper = np.maximum(np.partition(some, fifth, axis=2)[:, :, fifth], 24).astype(np.float32)
    scaled = colours.astype(np.float32, order="C")
    scaled /= paper[:, :, None, None]
    np.minimum(scaled, 1.25, out=scaled)
    scaled -= 0.7
    scaled *= 3
    return scaled
