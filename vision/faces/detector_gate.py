"""Where in a picture the index detector has to look: a small net says so, from a picture of half the size.

The net was trained with what the detector itself finds (`lab/training/gate.py`).
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from vision.faces.geometry import Box
from vision.faces.index_settings import DetectorSettings
from vision.faces.onnx_session import open_net
from vision.frames import Image

GATE_MODEL: Final = "detector_gate.onnx"
CELL: Final = 8
"""Pixels of the full picture per cell of the net's output; the net was trained with it."""
SIDES: Final = 16
"""The sides of a picture are multiples of it: the net works on cells of 16 pixels and divides them in four at the end.
"""
Cells = npt.NDArray[np.bool_]


def grey_levels(picture: Image) -> npt.NDArray[np.uint8]:
    """Return the input of the gate and of the detector, (1, H, W, 4) uint8, for (H, W, 3) uint8 BGR.

    The nets ignore the fourth channel: processors multiply four bytes at a time.
    """
    return np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2BGRA), np.uint8)[None]


class DetectorGate:
    """The net of `detector_gate.onnx`."""

    def __init__(self, settings: DetectorSettings, net: str | Path = GATE_MODEL) -> None:
        self._session = open_net(net, memory_arena=False)
        self._settings = settings

    def __call__(self, half: Image) -> list[Box] | None:
        """Return the parts of a picture in which indices may be, pixels; None if they are most of it, or for score 0.

        `half`: the picture in half its size, (H, W, 3) uint8 BGR, sides divisible by `SIDES` / 2. The ends of the parts
        are divisible by 8. With a margin around each of them they cost less than the whole picture.
        """
        if self._settings.gate_score <= 0:
            return None
        (answer,) = self._session.run(["gate"], {"picture": grey_levels(half)})
        score = cv2.dilate(answer[0, 0], np.ones((3, 3), np.uint8))
        margin = self._settings.gate_margin // CELL
        found = boxes(score >= self._settings.gate_score, margin, self._settings.part_cost // CELL**2)
        area = sum((right - left + 2 * margin) * (foot - top + 2 * margin) for left, top, right, foot in found)
        if area > self._settings.most_in_parts * score.size:
            return None
        return [(CELL * left, CELL * top, CELL * right, CELL * foot) for left, top, right, foot in found]


def boxes(cells: Cells, margin: int, cost: int) -> list[Box]:
    """Return rectangles that contain all true cells, as cheap as cutting a rectangle in two again and again makes them.

    A rectangle costs its area with `margin` cells around it, plus `cost`.

    >>> cells = np.zeros((20, 30), bool)
    >>> cells[2:4, 1:3] = cells[15:18, 25:29] = True
    >>> boxes(cells, 1, 5)
    [(1, 2, 3, 4), (25, 15, 29, 18)]
    """
    waiting, found = [(0, 0, cells)], []
    least = 2 * (1 + 2 * margin) ** 2 + cost  # of two rectangles of one cell each
    while waiting:
        left, top, part = waiting.pop()
        columns, rows = np.flatnonzero(part.any(axis=0)), np.flatnonzero(part.any(axis=1))
        if not len(columns):
            continue
        left, top = left + int(columns[0]), top + int(rows[0])
        part = part[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
        tall, wide = part.shape
        whole = (tall + 2 * margin) * (wide + 2 * margin)
        across, price = _best_cut(part, margin) if whole > least else (0, np.inf)
        down, other = _best_cut(part.T, margin) if whole > least else (0, np.inf)
        if min(price, other) + cost >= whole:
            found.append((left, top, left + wide, top + tall))
        elif price <= other:
            waiting += [(left + across, top, part[:, across:]), (left, top, part[:, :across])]
        else:
            waiting += [(left, top + down, part[down:]), (left, top, part[:down])]
    return found


def _best_cut(part: Cells, margin: int) -> tuple[int, float]:
    """Return before which column to cut, and the area of both pieces with their margins; infinite without a cut.

    The first and the last column have a true cell.
    """
    tall, wide = part.shape
    if wide < 2:
        return 0, np.inf
    filled, columns = part.any(axis=0), np.arange(wide)
    first = np.where(filled, part.argmax(axis=0), tall)
    last = np.where(filled, tall - 1 - part[::-1].argmax(axis=0), -1)
    least, most = np.minimum.accumulate, np.maximum.accumulate
    ends = most(np.where(filled, columns, 0))[:-1] + 1
    begins = least(np.where(filled, columns, wide)[::-1])[::-1][1:]
    before = (ends + 2 * margin) * (most(last)[:-1] - least(first)[:-1] + 1 + 2 * margin)
    high, low = least(first[::-1])[::-1][1:], most(last[::-1])[::-1][1:]
    after = (wide - begins + 2 * margin) * (low - high + 1 + 2 * margin)
    total = before + after
    best = int(total.argmin())
    return best + 1, float(total[best])
