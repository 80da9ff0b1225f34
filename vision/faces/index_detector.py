"""Where indices are printed, found without any outline: what of a covered card can be seen is its index.

A small net says for each place of the picture how likely the middle of an index lies there, which way down it reads
and how high it is. It knows heights of 13 to 34 pixels; the picture is looked at again and again halved for larger
ones, and a small picture enlarged for smaller ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import onnxruntime

from vision.frames import Image

MODEL = Path(__file__).with_name("index_detector.onnx")
CELL = 4
"""Pixels of the picture for one of the net's map."""
UNIT = 20.0
"""The net tells the logarithm of the height over this."""
LEAST, MOST = 12.0, 38.0
"""Heights, pixels, in which the net's answers count."""
LEAST_HEAT = 0.15
MOST_PLACES = 160
"""So many of the likeliest come back."""
APART = 0.22
"""Two indices are at least this part of their height apart."""
ENLARGE_TO = 1_500_000
"""A picture of fewer pixels is enlarged, up to twice, before it is looked at."""
BAND, HALO = 360, 48
"""So many rows are looked at at a time, and so many more on either side: the net sees 40 pixels around each."""
LEAST_LEVEL = 64
"""A level with a shorter side than this, pixels, shows nothing."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where an index may be: `x`, `y` its middle, `down_x`, `down_y` from the rank's top to the suit's foot, pixels."""

    x: float
    y: float
    down_x: float
    down_y: float
    heat: float

    @property
    def height(self) -> float:
        """From the rank's top to the suit's foot, pixels."""
        return float(np.hypot(self.down_x, self.down_y))


class PlaceModel:
    """The net of `places.onnx` on one thread."""

    def __init__(self, path: Path = MODEL) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        options.enable_cpu_mem_arena = False
        self._session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])

    def __call__(self, image: Image, heights: tuple[float, float] = (0, np.inf)) -> list[Place]:
        """The places in `image` (BGR) where an index of `heights` (least, most, pixels) may be, likeliest first."""
        rows = [self._level(picture, scale) for picture, scale in _levels(image, heights)]
        found = np.concatenate(rows) if rows else np.zeros((0, 6), np.float32)
        found = found[np.argsort(-found[:, 0], kind="stable")]
        kept: list[Place] = []
        for heat, x, y, down_x, down_y, height in found.tolist():
            if len(kept) == MOST_PLACES:
                break
            near = APART * height
            if not any((x - p.x) ** 2 + (y - p.y) ** 2 < max(near, APART * p.height) ** 2 for p in kept):
                kept.append(Place(x, y, down_x, down_y, heat))
        return kept

    def _level(self, picture: Image, scale: float) -> npt.NDArray[np.float32]:
        """What the net finds in a level: (N, 6) heat, x, y, down x, down y, height in pixels of the full picture."""
        padded = cv2.copyMakeBorder(picture, 0, -picture.shape[0] % 8, 0, -picture.shape[1] % 8, cv2.BORDER_REPLICATE)
        answer = self._answer(np.asarray(padded, np.uint8))
        heat = answer[0]
        peak = (heat >= LEAST_HEAT) & (heat >= cv2.dilate(heat, np.ones((3, 3), np.uint8)))
        rows, columns = np.nonzero(peak)
        chance = heat[rows, columns]
        off_x, off_y, log_height, down_x, down_y = answer[1:, rows, columns]
        height = UNIT * np.exp2(np.clip(log_height, -2, 2))
        length = np.maximum(np.hypot(down_x, down_y), 1e-6)
        x = ((columns + off_x + 0.5) * CELL) / scale - 0.5
        y = ((rows + off_y + 0.5) * CELL) / scale - 0.5
        full = height / scale
        found = np.stack([chance, x, y, down_x / length * full, down_y / length * full, full], axis=1)
        return np.asarray(found[(height >= LEAST) & (height <= MOST)], np.float32)

    def _answer(self, picture: Image) -> npt.NDArray[np.float32]:
        """The net's map (6, H / 4, W / 4), made band by band: what it remembers meanwhile then fits in the cache."""
        rows = picture.shape[0]
        count = -(-rows // BAND)
        edges = [round(k * rows / count / 8) * 8 for k in range(count + 1)]
        parts = []
        for top, bottom in pairwise(edges):
            low, high = max(top - HALO, 0), min(bottom + HALO, rows)
            (answer,) = self._session.run(["places"], {"picture": picture[None, low:high]})
            parts.append(answer[0][:, (top - low) // CELL : (bottom - low) // CELL])
        return np.asarray(np.concatenate(parts, axis=1), np.float32)


def _levels(image: Image, heights: tuple[float, float]) -> Iterator[tuple[Image, float]]:
    """The picture at the scales at which indices of such heights are of a size that the net knows.

    Of two scales at which it knows them the smaller picture is enough.
    """
    tall, wide = image.shape[:2]
    most = 2.0 if heights[0] <= 0 else float(np.clip(1.3 * LEAST / heights[0], 1, 2))
    scale = float(np.clip(np.sqrt(ENLARGE_TO / (tall * wide)), 1, most))
    scale = 1.0 if scale < 1.2 else scale
    level = image if scale == 1 else cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_LINEAR)
    while min(level.shape[:2]) >= LEAST_LEVEL:
        if heights[0] * scale < 2.2 * LEAST and heights[1] * scale > 0.45 * MOST:
            yield np.asarray(level, np.uint8), scale
        size = (max(1, level.shape[1] // 2), max(1, level.shape[0] // 2))
        level = cv2.resize(level[: 2 * size[1], : 2 * size[0]], size, interpolation=cv2.INTER_AREA)
        scale /= 2
