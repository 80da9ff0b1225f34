"""Crops as the classifiers see them: the corner of a card with a known outline, or an index at its pose.

The nets were trained on crops made with the constants of this module. They are not settings: if one of them changes,
the nets must be trained again (`python -m lab.training`).
"""

from __future__ import annotations

import math
from typing import Any, Final

import cv2
import numpy as np
import numpy.typing as npt

from vision.faces.geometry import Quad
from vision.faces.index_detector import IndexPose
from vision.faces.pyramid import level_for, to_level
from vision.faces.settings import DEFAULTS, PyramidSettings
from vision.frames import Image
from vision.percentiles import plane_percentile
from vision.readings import CARD_MM

CROP: Final = (48, 80)
"""Width and height of a crop, pixels."""
PX_PER_MM: Final = 2.8
"""Scale of a crop: the upper left 17 x 29 mm of a card."""
CROP_HEIGHT: Final = 1.5
"""Height of the crop of an index, in index heights."""
_LEAST_DOWNSCALE: Final = 0.85
"""A crop is sampled from a pyramid level with this many pixels, up to twice as many, for each pixel of the crop."""
PAPER_PERCENTILE: Final = 80
"""Percentile of a channel that is taken as its paper: most of a card's corner is paper."""
DARKEST_PAPER: Final = 24
"""Grey level that the paper has at least, so that noise in the dark is not amplified."""
BRIGHTEST: Final = 1.25
"""Brightness, relative to the paper, at which a channel is clipped."""
MIDDLE: Final = 0.7
"""Brightness, relative to the paper, that is 0 for a net in training."""
GAIN: Final = 3
"""Factor from relative brightness to what a net is trained on."""
PAPER: Final = 255 / BRIGHTEST
"""Level of the paper in the bytes that a net's file is given; `BRIGHTEST` is 255 there."""
_LEVELS: Final = np.arange(256, dtype=np.float32)[:, None]

CORNERS_MM: Final = np.array([[0, 0], [CARD_MM[0], 0], [*CARD_MM], [0, CARD_MM[1]]], np.float32)
"""Corners of a card, millimetres, clockwise from its own top left."""


def card_homography(quad: Quad) -> npt.NDArray[np.float64]:
    """Return the (3, 3) matrix from card millimetres (origin at `quad[0]`, x to `quad[1]`) to pixels."""
    return np.asarray(cv2.getPerspectiveTransform(CORNERS_MM, quad.astype(np.float32)), np.float64)


def pixel_homography(quad: Quad) -> npt.NDArray[np.float64]:
    """Return the (3, 3) matrix from pixels to card millimetres, the inverse of `card_homography`."""
    return np.asarray(cv2.getPerspectiveTransform(quad.astype(np.float32), CORNERS_MM), np.float64)


def on_card(quad: Quad, places: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
    """Return where `places` on the card, (..., 2) millimetres, lie in the picture, (..., 2) pixels."""
    return _mapped(places, card_homography(quad))


def in_millimetres(quad: Quad, points: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
    """Return where `points` of the picture, (..., 2) pixels, lie on the card and beside it, (..., 2) millimetres."""
    return _mapped(points, pixel_homography(quad))


def _mapped(points: npt.NDArray[np.floating], matrix: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    flat = cv2.perspectiveTransform(np.asarray(points, np.float64).reshape(-1, 1, 2), matrix)
    return np.asarray(flat, np.float64).reshape(points.shape)


def corner_crop(levels: list[Image], quad: Quad, settings: PyramidSettings = DEFAULTS.pyramid) -> Image:
    """Return the (80, 48, 3) uint8 BGR crop of the corner at `quad[0]`, upright.

    `levels`: an image pyramid. `quad`: the card in pixels of its first level.
    """
    return card_crop(levels, quad, CROP, (1 / PX_PER_MM, 1 / PX_PER_MM), settings)


def card_crop(
    levels: list[Image],
    quad: Quad,
    size: tuple[int, int],
    mm_per_px: tuple[float, float],
    settings: PyramidSettings = DEFAULTS.pyramid,
) -> Image:
    """Return what lies on the card from `quad[0]` on, upright: (height, width, 3) uint8 BGR.

    `levels`: an image pyramid. `quad`: the card in pixels of its first level. `size`: width and height of the crop,
    pixels. `mm_per_px`: its scale on the card, across and down.
    """
    side = float(np.linalg.norm(quad[0] - quad[3]) + np.linalg.norm(quad[1] - quad[2])) / 2
    level = level_for(levels, side / CARD_MM[1] * mm_per_px[1], settings)
    matrix = card_homography(to_level(quad, level)) @ np.diag([*mm_per_px, 1.0])
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    crop = cv2.warpPerspective(levels[level], matrix, size, flags=flags, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(crop, np.uint8)


def index_crop(levels: list[Image], pose: IndexPose) -> Image:
    """Return the (80, 48, 3) uint8 BGR crop with the index at `pose` in its middle, upright.

    `levels`: an image pyramid. `pose`: in pixels of its first level; the crop is sampled from the matching level.
    """
    px = CROP_HEIGHT * pose.height / CROP[1]
    level = int(np.clip(math.floor(math.log2(max(px, 1e-6) / _LEAST_DOWNSCALE)), 0, len(levels) - 1))
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


def paper_levels(card: Image) -> list[float]:
    """Return the grey levels of the paper of a card's picture in blue, green and red, `DARKEST_PAPER` at least."""
    return [
        max(plane_percentile(np.asarray(plane, np.uint8), PAPER_PERCENTILE), DARKEST_PAPER) for plane in cv2.split(card)
    ]


def normalized(crop: Image) -> npt.NDArray[np.float32]:
    """Return one (80, 48, 3) uint8 BGR crop as a net is trained on it: (3, 80, 48) float32."""
    return np.asarray(normalized_batch(crop[None])[0], np.float32)


def normalized_batch(crops: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
    """Return (N, H, W, 3) uint8 crops or cards as a net is trained on them: (N, 3, H, W) float32, -2.1 to 1.65.

    Each channel is divided by that of the paper, so that the colour of the light has no effect.
    """
    scaled = crops.transpose(0, 3, 1, 2).astype(np.float32, order="C")
    scaled /= _papers(crops)[:, :, None, None]
    np.minimum(scaled, BRIGHTEST, out=scaled)
    scaled -= MIDDLE
    scaled *= GAIN
    return scaled


def net_levels(crops: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Return (N, H, W, 3) uint8 crops or cards as the input of a net's file: (N, H, W, 4) uint8.

    Each channel is relative to the paper, whose level is `PAPER`. The fourth one is ignored: processors multiply four
    bytes at a time.
    """
    found = np.empty((*crops.shape[:3], 4), np.uint8)
    for crop, table, out in zip(crops, paper_tables(_papers(crops)), found, strict=True):
        cv2.cvtColor(cv2.LUT(crop, table[None]), cv2.COLOR_BGR2BGRA, dst=out)
    return found


def paper_tables(papers: npt.NDArray[np.floating]) -> npt.NDArray[np.uint8]:
    """Return what each grey level becomes if the paper becomes `PAPER`: (..., 256, 3) for `papers`, (..., 3)."""
    return np.minimum(np.rint(_LEVELS / papers[..., None, :] * PAPER), 255).astype(np.uint8)


def from_levels(levels: Any) -> Any:
    """Return what a net is trained on for such bytes, as floats in an array or a tensor."""
    return (levels - MIDDLE * PAPER) * (GAIN / PAPER)


def _papers(crops: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
    """Return the grey levels of the paper of (N, H, W, 3) crops, (N, 3), `DARKEST_PAPER` at least."""
    sampled = np.ascontiguousarray(crops[:, ::2, ::2].transpose(0, 3, 1, 2)).reshape(len(crops), 3, -1)
    rank = sampled.shape[2] * PAPER_PERCENTILE // 100
    ordered = np.partition(sampled.astype(np.uint16), rank, axis=2)  # numpy is faster with two bytes than with one
    return np.maximum(ordered[:, :, rank], DARKEST_PAPER).astype(np.float32)
