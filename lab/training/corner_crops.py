"""Training data of the corner classifier: drawn corners as a camera would see them.

The simulation covers geometry, optics, light, sensor and compression.
"""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
import numpy.typing as npt

from engine.cards import RANKS
from lab.training.artwork import SCALE
from lab.training.corners import NONE, ORIGIN, Decks, artwork_corner, font_corner, negative_corner
from lab.training.hardships import worsened
from vision.faces.crops import CROP, PX_PER_MM, normalized
from vision.frames import Image

SUITS = "SHDC"
REPEAT_AFTER = 8
"""Steps after which crops are repeated: drawing them takes longer than training on them."""
HARD_SHARE = 0.42
"""Fraction of the corners with a hardship (`hardships`)."""
STRANGE_SHARE = 0.09
"""Fraction of the corners that show a rank with the sign of a fifth suit."""
PX_PER_MM_SEEN = (0.6, 4.2)
"""Least and greatest scale of a photographed corner."""


def _window(canvas: Image, px_per_mm: float, rng: np.random.Generator) -> Image:
    """Return the crop's part of the canvas at `px_per_mm`, with errors like those of the outline finder."""
    width, height = CROP[0] / PX_PER_MM * SCALE, CROP[1] / PX_PER_MM * SCALE
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]]) + ORIGIN
    middle = corners.mean(axis=0)
    turn = np.deg2rad(rng.normal(0, 2.2))
    scale = 1 + rng.normal(0, 0.035, 2)
    spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    moved = ((corners - middle) * scale) @ spin.T + middle + rng.normal(0, 0.8 * SCALE * 0.7, 2)
    moved += rng.normal(0, 0.3 * SCALE, (4, 2))
    size = (max(6, round(CROP[0] / PX_PER_MM * px_per_mm)), max(10, round(CROP[1] / PX_PER_MM * px_per_mm)))
    target = np.array([[0, 0], [size[0], 0], [size[0], size[1]], [0, size[1]]], np.float32) - 0.5
    if px_per_mm < 0.6 * SCALE:  # blur before downscaling, as a lens and a pixel's area do
        canvas = np.asarray(cv2.GaussianBlur(canvas, (0, 0), 0.4 * SCALE / px_per_mm), np.uint8)
    matrix = cv2.getPerspectiveTransform(moved.astype(np.float32), target)
    return np.asarray(
        cv2.warpPerspective(canvas, matrix, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.uint8
    )


def _light(crop: npt.NDArray[np.float32], rng: np.random.Generator) -> npt.NDArray[np.float32]:
    """Apply lamp colour, exposure, shading, glare and contrast."""
    height, width = crop.shape[:2]
    crop = crop * (rng.uniform(0.25, 1.1) * (1 + rng.normal(0, 0.08, 3))).astype(np.float32)
    if rng.random() < 0.1:
        crop *= np.array([rng.uniform(0.5, 0.8), rng.uniform(0.75, 0.95), 1.0], np.float32)
    if rng.random() < 0.4:
        ramp = (
            1
            + np.linspace(-1, 1, width)[None, :] * rng.normal(0, 0.15)
            + np.linspace(-1, 1, height)[:, None] * rng.normal(0, 0.15)
        )
        crop *= ramp[..., None].astype(np.float32)
    if rng.random() < 0.12:
        y, x = np.mgrid[:height, :width]
        radius = rng.uniform(0.1, 0.5) * height
        spot = np.exp(-((x - rng.uniform(0, width)) ** 2 + (y - rng.uniform(0, height)) ** 2) / (2 * radius**2))
        crop = crop + (spot[..., None] * rng.uniform(20, 150)).astype(np.float32)
    if rng.random() < 0.15:
        crop = crop * rng.uniform(0.5, 0.95) + rng.uniform(10, 70)
    if rng.random() < 0.12:  # the edge of a shadow
        dark = np.ones((height, width), np.float32)
        edge = rng.integers(-height, 2 * height, 4)
        polygon = np.array([[edge[0], 0], [width * 2, 0], [width * 2, height], [edge[1], height]], np.int32)
        cv2.fillPoly(dark, [polygon], float(rng.uniform(0.4, 0.9)))
        crop *= cv2.GaussianBlur(dark, (0, 0), rng.uniform(0.5, 3))[..., None]
    return crop.astype(np.float32)


def photographed(canvas: Image, rng: np.random.Generator) -> Image:
    """Return the (80, 48, 3) crop of a canvas as a camera would see it."""
    px_per_mm = float(np.exp(rng.uniform(*np.log(PX_PER_MM_SEEN))))
    picture = exposed(_window(canvas, px_per_mm, rng), px_per_mm, rng, HARD_SHARE)
    return np.asarray(cv2.resize(picture, CROP, interpolation=cv2.INTER_LINEAR), np.uint8)


def exposed(scene: Image, px_per_mm: float, rng: np.random.Generator, hard_share: float = 0.0) -> Image:
    """Return the scene in random light, seen through a lens and a sensor, and compressed; blur grows with the scale.

    `hard_share`: probability of a hardship instead.
    """
    crop = _light(scene.astype(np.float32), rng)
    if hard_share and rng.random() < hard_share:
        return worsened(crop, px_per_mm, rng)
    if rng.random() < 0.6:
        crop = cv2.GaussianBlur(crop, (0, 0), rng.uniform(0.3, 0.5 + 0.25 * px_per_mm)).astype(np.float32)
    if rng.random() < 0.12:
        length = int(rng.integers(2, 3 + round(1.2 * px_per_mm)))
        kernel = np.zeros((length, length), np.float32)
        cv2.line(kernel, (0, int(rng.integers(length))), (length - 1, int(rng.integers(length))), 1.0)
        crop = cv2.filter2D(crop, -1, kernel / kernel.sum()).astype(np.float32)
    if rng.random() < 0.2:  # a camera's sharpening
        crop += rng.uniform(0.3, 1.2) * (crop - cv2.GaussianBlur(crop, (0, 0), 1.0))
    if rng.random() < 0.7:
        crop += rng.normal(0, rng.uniform(1, 9), crop.shape).astype(np.float32)
    picture = np.clip(crop, 0, 255).astype(np.uint8)
    if rng.random() < 0.4:
        _, packed = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(25, 95))])
        picture = np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.uint8)
    if rng.random() < 0.06:
        picture = np.asarray(cv2.cvtColor(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR), np.uint8)
    return picture


def _covered(crop: Image, rng: np.random.Generator) -> Image:
    """Cover the crop's outer edge, as a finger, a sleeve or another card does, but not the middle of the index."""
    crop = crop.copy()
    side, reach = rng.integers(2), rng.uniform(0.03, 0.12)
    colour = tuple(float(v) for v in rng.uniform(0, 255, 3))
    if side == 0:
        cv2.rectangle(crop, (round(CROP[0] * (1 - 2 * reach)), 0), (CROP[0], CROP[1]), colour, -1)
    else:
        cv2.rectangle(crop, (0, round(CROP[1] * (1 - 2 * reach))), (CROP[0], CROP[1]), colour, -1)
    return crop


def drawn_crop(decks: Decks, rng: np.random.Generator) -> tuple[Image, int, int]:
    """Return a crop and its labels: rank 0 to 12, or 13 for none; suit 0 to 3, or 4 for none."""
    kind = rng.random()
    if kind < 0.06 and decks.photos:
        canvas, (rank, suit) = decks.photos[int(rng.integers(len(decks.photos)))]
    elif kind < 0.36:
        canvas, (rank, suit) = artwork_corner(decks, rng)
    elif kind < 0.72:
        canvas, (rank, suit) = font_corner(decks, rng, strange=kind > 0.72 - STRANGE_SHARE)
    else:
        canvas, (rank, suit) = negative_corner(decks, rng)
    crop = photographed(canvas, rng)
    if rng.random() < 0.08:
        crop = _covered(crop, rng)
    return crop, 13 if rank == NONE else RANKS.index(rank), 4 if suit == NONE else SUITS.index(suit)


Batch = tuple[npt.NDArray[np.float32], npt.NDArray[np.int64], npt.NDArray[np.int64]]


class CornerCrops:
    """Crops of corners, `size` per batch: half of them new, half drawn `REPEAT_AFTER` steps before.

    Drawing a crop takes longer than training on it. The crops depend on the seed and the step only.
    """

    lookback = REPEAT_AFTER

    def __init__(self, decks: Decks, size: int, seed: int) -> None:
        self._decks, self._size, self._seed = decks, size // 2, seed

    def draw(self, step: int) -> Batch:
        """Return the crops that are new at a step."""
        rng = np.random.default_rng((self._seed, step))
        crops = np.empty((self._size, 3, CROP[1], CROP[0]), np.float32)
        ranks, suits = np.empty(self._size, np.int64), np.empty(self._size, np.int64)
        for k in range(self._size):
            crop, ranks[k], suits[k] = drawn_crop(self._decks, rng)
            crops[k] = normalized(crop)
        return crops, ranks, suits

    def batch(self, step: int, drawn: Callable[[int], Batch]) -> Batch:
        """Return crops (N, 3, 80, 48), ranks (N,) and suits (N,) of a step."""
        new, old = (drawn(max(at, 0)) for at in (step, step - REPEAT_AFTER))
        return np.concatenate([new[0], old[0]]), np.concatenate([new[1], old[1]]), np.concatenate([new[2], old[2]])
