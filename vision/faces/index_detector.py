"""Locate printed indices without any outline: of a covered card only the index may be visible.

A small net gives for each cell of the picture the probability that the middle of an index lies there, the direction in
which it reads, and its height. It knows heights of 13 to 34 pixels: larger ones are found in halved pictures, smaller
ones in an enlarged picture.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from vision.faces.detector_gate import SIDES, DetectorGate, grey_levels
from vision.faces.index_settings import DetectorSettings
from vision.faces.onnx_session import open_net
from vision.faces.pyramid import halved
from vision.faces.settings import DEFAULTS
from vision.frames import Image

DETECTOR_MODEL: Final = "index_detector.onnx"
CELL: Final = 4
"""Pixels of the picture per cell of the net's output; the net was trained with it, and with `UNIT`."""
UNIT: Final = 20.0
"""The net gives log2 of the height over this many pixels."""
_GRID: Final = 64.0
"""Poses are rounded to this part of a pixel: processors differ in the last digits, and crops would differ with them."""
_MOST_LOG_HEIGHT: Final = 2.0
"""Limit of that output, up and down: the net was trained on heights of 13 to 34 pixels, which are within 0.8."""


@dataclass(frozen=True, slots=True)
class IndexPose:
    """Position, direction and size of an index, pixels.

    `x`, `y`: its middle. `down_x`, `down_y`: the vector from the rank's top to the suit's foot. `score`: how likely
    an index is there, 0 to 1.
    """

    x: float
    y: float
    down_x: float
    down_y: float
    score: float

    @property
    def height(self) -> float:
        """From the rank's top to the suit's foot, pixels."""
        return math.hypot(self.down_x, self.down_y)

    @property
    def ends(self) -> npt.NDArray[np.float64]:
        """The middle of the rank's top and of the suit's foot, (2, 2) pixels."""
        middle, half = np.array([self.x, self.y]), np.array([self.down_x, self.down_y]) / 2
        return np.stack([middle - half, middle + half])


class IndexDetector:
    """The net of `index_detector.onnx`."""

    def __init__(self, net: str | Path = DETECTOR_MODEL, settings: DetectorSettings = DEFAULTS.detector) -> None:
        self._session = open_net(net, memory_arena=False)
        self._gate = DetectorGate(settings)
        self._settings = settings

    def __call__(self, levels: Sequence[Image], heights: tuple[float, float] = (0, np.inf)) -> list[IndexPose]:
        """Return the poses in a picture at which an index may be, best first.

        `levels`: its image pyramid, or the picture alone, (H, W, 3) uint8 BGR. `heights`: least and greatest height of
        an index, pixels.
        """
        settings = self._settings
        rows = [self._detect(*level) for level in _levels(levels, heights, settings)]
        found = np.concatenate(rows) if rows else np.zeros((0, 6), np.float32)
        found = found[np.argsort(-found[:, 0], kind="stable")].astype(np.float64)
        x, y, near = found[:, 1], found[:, 2], settings.min_distance * found[:, 5]
        free = np.ones(len(found), bool)
        kept: list[IndexPose] = []
        for k, (score, at_x, at_y, down_x, down_y, _) in enumerate(found.tolist()):
            if len(kept) == settings.max_detections:
                break
            if free[k]:
                kept.append(IndexPose(at_x, at_y, down_x, down_y, score))
                away = (x[k:] - x[k]) ** 2 + (y[k:] - y[k]) ** 2
                free[k:] &= away >= np.maximum(near[k:], near[k]) ** 2
        return kept

    def _detect(self, picture: Image, half: Image, scale: float) -> npt.NDArray[np.float32]:
        """Return the local maxima in one level: (N, 6) score, x, y, down x, down y, height in full-picture pixels.

        `half`: the level in half its size.
        """
        tall, wide = (side + -side % SIDES for side in picture.shape[:2])
        answer = self._run(_padded(picture, tall, wide), _padded(half, tall // 2, wide // 2))
        heat = answer[0]
        peak = (heat >= self._settings.min_score) & (heat >= cv2.dilate(heat, np.ones((3, 3), np.uint8)))
        rows, columns = np.nonzero(peak)
        score = heat[rows, columns]
        off_x, off_y, log_height, down_x, down_y = answer[1:, rows, columns]
        height = UNIT * np.exp2(np.clip(log_height, -_MOST_LOG_HEIGHT, _MOST_LOG_HEIGHT))
        length = np.maximum(np.hypot(down_x, down_y), 1e-6)
        x = ((columns + off_x + 0.5) * CELL) / scale - 0.5
        y = ((rows + off_y + 0.5) * CELL) / scale - 0.5
        full = height / scale
        found = np.stack([score, x, y, down_x / length * full, down_y / length * full, full], axis=1)
        found[:, 1:] = np.rint(found[:, 1:] * _GRID) / _GRID
        known = (height >= self._settings.min_height) & (height <= self._settings.max_height)
        return np.asarray(found[known], np.float32)

    def _run(self, picture: Image, half: Image) -> npt.NDArray[np.float32]:
        """Return the net's output (6, H / 4, W / 4) where its gate expects something; the score is 0 elsewhere.

        `half`: the picture in half its size.
        """
        parts = self._gate(half)
        if parts is None:
            return self._run_everywhere(picture)
        tall, wide = picture.shape[:2]
        margin = self._settings.gate_margin
        answer = np.zeros((6, tall // CELL, wide // CELL), np.float32)
        for left, top, right, foot in parts:
            from_x, from_y = max(left - margin, 0), max(top - margin, 0)
            seen = picture[from_y : foot + margin, from_x : right + margin]
            (found,) = self._session.run(["places"], {"picture": grey_levels(seen)})
            inner = found[0][:, (top - from_y) // CELL : (foot - from_y) // CELL, (left - from_x) // CELL :]
            answer[:, top // CELL : foot // CELL, left // CELL : right // CELL] = inner[..., : (right - left) // CELL]
        return answer

    def _run_everywhere(self, picture: Image) -> npt.NDArray[np.float32]:
        """Return the net's output (6, H / 4, W / 4), computed in bands of rows."""
        rows, margin = picture.shape[0], self._settings.band_margin
        count = max(1, round(rows / self._settings.band_rows))
        edges = [round(k * rows / count / 8) * 8 for k in range(count + 1)]
        parts = []
        for top, bottom in pairwise(edges):
            low, high = max(top - margin, 0), min(bottom + margin, rows)
            (answer,) = self._session.run(["places"], {"picture": grey_levels(picture[low:high])})
            parts.append(answer[0][:, (top - low) // CELL : (bottom - low) // CELL])
        return np.asarray(np.concatenate(parts, axis=1), np.float32)


def _padded(picture: Image, tall: int, wide: int) -> Image:
    below, beside = tall - picture.shape[0], wide - picture.shape[1]
    if not below and not beside:
        return picture
    return np.asarray(cv2.copyMakeBorder(picture, 0, below, 0, beside, cv2.BORDER_REPLICATE), np.uint8)


def _levels(
    levels: Sequence[Image], heights: tuple[float, float], settings: DetectorSettings
) -> Iterator[tuple[Image, Image, float]]:
    """Yield the picture at the scales at which indices of `heights` have a size that the net knows.

    Each is given as it is and in half its size, with the scale. If the net knows a size at two scales, only the smaller
    picture is searched. `levels`: as for `IndexDetector.__call__`.
    """
    image, *known = levels
    tall, wide = image.shape[:2]
    most = 2.0 if heights[0] <= 0 else float(np.clip(settings.enlarge_margin * settings.min_height / heights[0], 1, 2))
    scale = float(np.clip(np.sqrt(settings.enlarge_to / (tall * wide)), 1, most))
    scale = 1.0 if scale < settings.min_enlargement else scale
    low, high = settings.search_range
    if scale > 1:
        enlarged = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_LINEAR)
        image, known = np.asarray(enlarged, np.uint8), []
    level = image
    while min(level.shape[:2]) >= settings.min_level_side:
        half = known.pop(0) if known else halved(level)
        if heights[0] * scale < high * settings.min_height and heights[1] * scale > low * settings.max_height:
            yield level, half, scale
        level, scale = half, scale / 2
