"""The table's surface as the tracker sees it: the small picture, what it shows where nothing lies, and millimetres."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from vision.frames import Frame
from vision.table.homography import TableFrame
from vision.tracking.background import BackgroundModel
from vision.tracking.boxes import Box
from vision.tracking.motion import Mask, Motion, halvings
from vision.tracking.track import Footprint, Outline

_INSIDE_MM: Final = 2.5
"""A card's place ends this far inside its edge, and what it may hide this far outside: outlines are not exact."""
ROOM_MM: Final = 97.0
"""What has changed may be a corner of a card: so far about it the card may reach."""


class WorkingFrame:
    """One camera's view of the table. `hand`: where hands are, or whatever moves."""

    def __init__(self, frame: Frame, table: TableFrame) -> None:
        self.size: Final = (frame.image.shape[1], frame.image.shape[0])
        self.table = table
        self.motion: Final = Motion(halvings(table.mm_per_px))
        self.motion.update(frame.image, frame.time)
        self.ground: Final = BackgroundModel(self.motion.look)
        self.hand: Mask = np.zeros_like(self.motion.age)
        self.frame = frame
        height, width = self.motion.shape
        self._scale: Final = np.array((width / self.size[0], height / self.size[1]), np.float32)
        self._measure()

    def _measure(self) -> None:
        self.mm: float = self.table.mm_per_px / float(self._scale[0])
        """Millimetres in a pixel of the small picture."""

    def update(self, frame: Frame) -> None:
        """Takes the next frame."""
        self.frame = frame
        self.motion.update(frame.image, frame.time)

    def retable(self, table: TableFrame) -> npt.NDArray[np.float64]:
        """The camera sees the table from a new place. Gives the way of a pixel of the small picture, (3, 3)."""
        scale = np.diag([*self._scale.tolist(), 1.0])
        across = scale @ np.linalg.inv(table.homography) @ self.table.homography @ np.linalg.inv(scale)
        self.table = table
        self._measure()
        self.motion.warp(across)
        self.ground.warp(across)
        return np.asarray(across, dtype=np.float64)

    def to_mm(self, corners: npt.NDArray[np.float32]) -> Outline:
        """(N, 2) pixels of the frame to millimetres."""
        return np.asarray(self.table.to_mm(corners), dtype=np.float32)

    def small_to_mm(self, points: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """(N, 2) pixels of the small picture, x and y, to millimetres."""
        return self.to_mm((points + np.float32(0.5)) / self._scale - np.float32(0.5))

    def to_small(self, points: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """(N, 2) millimetres to pixels of the small picture."""
        corners = np.asarray(self.table.to_px(points), dtype=np.float32)
        return np.asarray((corners + np.float32(0.5)) * self._scale - np.float32(0.5), dtype=np.float32)

    def footprint(self, outline: Outline) -> Footprint:
        """The pixels of the small picture that a card with this outline takes."""
        height, width = self.motion.shape
        corners = self.to_small(outline)
        grow = _INSIDE_MM / self.mm
        middle = corners.mean(axis=0)
        low = np.floor(corners.min(axis=0) - grow - 2).astype(int)
        high = np.ceil(corners.max(axis=0) + grow + 2).astype(int)
        left, top = (int(v) for v in np.clip(low, 0, (width - 1, height - 1)))
        right, bottom = (int(v) for v in np.clip(high, (left + 1, top + 1), (width, height)))
        reach = np.linalg.norm(corners - middle, axis=1, keepdims=True)
        shapes = []
        for change in (-grow, grow):
            resized = middle + (corners - middle) * (1 + change * 1.4 / np.maximum(reach, 1))
            shape = np.zeros((bottom - top, right - left), np.uint8)
            cv2.fillConvexPoly(shape, np.rint((resized - (left, top)) * 16).astype(np.int32), (255,), shift=4)
            shapes.append(shape > 0)
        box = (slice(top, bottom), slice(left, right))
        return Footprint(box, shapes[0], shapes[1], self.motion.look[box].copy(), np.zeros_like(shapes[0]))

    def roomy(self, box: Box) -> Box:
        """The part of the frame, rows and columns, that holds every card that shows in `box` of the small picture."""
        spans = []
        for axis in (1, 0):
            span, scale, limit = box[1 - axis], float(self._scale[axis]), self.size[axis]
            side = (span.stop - span.start) * self.mm
            margin = max(12.0, ROOM_MM - side) / self.mm
            start = max(int((span.start - margin) / scale), 0)
            spans.append(slice(start, min(int((span.stop + margin) / scale) + 1, limit)))
        return spans[0], spans[1]

    @property
    def everything(self) -> Box:
        """The whole frame."""
        return slice(0, self.size[1]), slice(0, self.size[0])
