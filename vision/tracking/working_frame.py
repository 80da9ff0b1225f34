"""The current frame as the tracker works on it: the picture at working scale, the background, and the geometry."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from vision.frames import Frame
from vision.mat.homography import Homography
from vision.readings import CARD_MM
from vision.tracking.background import BackgroundModel
from vision.tracking.boxes import Box
from vision.tracking.footprint import Footprint, Outline
from vision.tracking.motion import Mask, Motion, halvings
from vision.tracking.settings import DEFAULTS, TrackingSettings


class WorkingFrame:
    """One camera's view of the table.

    `frame`: the camera's frame. `size`: its width and height, pixels. `table`: where the mat lies in it. `motion`: the
    picture at working scale. `background`: the bare table. `hands`: (h, w), 255 where a hand is or something moves.
    """

    def __init__(self, frame: Frame, table: Homography, settings: TrackingSettings = DEFAULTS) -> None:
        self.size: Final = (frame.image.shape[1], frame.image.shape[0])
        self.table = table
        self.motion: Final = Motion(halvings(table.mm_per_px, settings.motion), settings.motion)
        self.motion.update(frame.image, frame.time)
        self.background: Final = BackgroundModel(self.motion.current, settings.background)
        self.hands: Mask = np.zeros_like(self.motion.age)
        self.frame = frame
        self._settings: Final = settings.scale
        height, width = self.motion.shape
        self._scale: Final = np.array((width / self.size[0], height / self.size[1]), np.float32)
        """Pixels at working scale per pixel of the frame, x and y."""
        self.mm_per_px = self._working_scale()
        """Millimetres per pixel at working scale."""
        self.card_mm = CARD_MM
        """Width and height of a printed card, millimetres, as the readers know it."""

    def update(self, frame: Frame) -> None:
        """Take the next frame, which must have the same size."""
        self.frame = frame
        self.motion.update(frame.image, frame.time)

    def move_camera(self, table: Homography) -> npt.NDArray[np.float64]:
        """Take a new position of the camera; return the matrix, (3, 3), from old to new pixels at working scale."""
        scale = np.diag([*self._scale.tolist(), 1.0])
        matrix = scale @ np.linalg.inv(table.matrix) @ self.table.matrix @ np.linalg.inv(scale)
        self.table = table
        self.mm_per_px = self._working_scale()
        self.motion.warp(matrix)
        self.background.warp(matrix)
        return np.asarray(matrix, dtype=np.float64)

    def to_mm(self, corners: npt.NDArray[np.float32]) -> Outline:
        """Convert (N, 2) pixels of the frame to millimetres on the mat."""
        return np.asarray(self.table.to_mm(corners), dtype=np.float32)

    def working_to_mm(self, points: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Convert (N, 2) pixels at working scale, x and y, to millimetres on the mat."""
        return self.to_mm((points + np.float32(0.5)) / self._scale - np.float32(0.5))

    def mm_to_working(self, points: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Convert (N, 2) millimetres on the mat to pixels at working scale, x and y."""
        corners = np.asarray(self.table.to_px(points), dtype=np.float32)
        return np.asarray((corners + np.float32(0.5)) * self._scale - np.float32(0.5), dtype=np.float32)

    def mm_per_px_in(self, box: Box) -> float:
        """Return the scale in the middle of a part of the picture at working scale, millimetres per pixel."""
        rows, columns = box
        x, y = (np.array([columns.start + columns.stop, rows.start + rows.stop]) / 2 / self._scale).tolist()
        return self.table.mm_per_px_at((x, y)) / float(self._scale[0])

    def footprint(self, outline: Outline) -> Footprint:
        """Return the pixels at working scale of a card with this `outline`, in millimetres."""
        height, width = self.motion.shape
        corners = self.mm_to_working(outline)
        edge = self._settings.edge_mm / self.mm_per_px
        centre = corners.mean(axis=0)
        low = np.floor(corners.min(axis=0) - edge - 2).astype(int)
        high = np.ceil(corners.max(axis=0) + edge + 2).astype(int)
        left, top = (int(v) for v in np.clip(low, 0, (width - 1, height - 1)))
        right, bottom = (int(v) for v in np.clip(high, (left + 1, top + 1), (width, height)))
        reach = np.linalg.norm(corners - centre, axis=1, keepdims=True)
        shapes = []
        for change in (-edge, edge):
            resized = centre + (corners - centre) * (1 + change * self._settings.corner_factor / np.maximum(reach, 1))
            shape = np.zeros((bottom - top, right - left), np.uint8)
            cv2.fillConvexPoly(shape, np.rint((resized - (left, top)) * 16).astype(np.int32), (255,), shift=4)
            shapes.append(shape > 0)
        box = (slice(top, bottom), slice(left, right))
        return Footprint(box, shapes[0], shapes[1], self.motion.current[box].copy(), np.zeros_like(shapes[0]))

    def reach(self, box: Box) -> Box:
        """Return the part of the frame, in pixels of the frame, that contains a card of which `box` shows a corner.

        `box` is in pixels at working scale. A card that lies askew may reach a little beyond.
        """
        rows, columns = box
        ends = np.array([[columns.start, rows.start], [columns.stop, rows.stop]]) / self._scale
        slope = self.table.slope((float(ends[:, 0].mean()), float(ends[:, 1].mean())))
        mm_per_px = np.linalg.norm(slope, axis=0)
        reach = self._settings.reach_mm * max(1.0, self.card_mm[1] / CARD_MM[1])
        margins = np.maximum(self._settings.margin_mm, reach - (ends[1] - ends[0]) * mm_per_px)
        across, down = (slope * (margins / mm_per_px)).T
        (left, top), (right, foot) = ends
        corners = self.table.to_mm([(left, top), (right, top), (right, foot), (left, foot)])
        reached = self.table.to_px(corners + np.stack([-across - down, across - down, across + down, down - across]))
        low = np.maximum(np.floor(reached.min(axis=0)).astype(int), 0)
        high = np.minimum(np.ceil(reached.max(axis=0)).astype(int), self.size)
        return slice(int(low[1]), int(high[1])), slice(int(low[0]), int(high[0]))

    @property
    def whole(self) -> Box:
        """The whole frame, in pixels of the frame."""
        return slice(0, self.size[1]), slice(0, self.size[0])

    def _working_scale(self) -> float:
        return self.table.mm_per_px / float(self._scale[0])
