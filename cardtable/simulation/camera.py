"""The simulated camera: a pinhole camera above the mat, slightly tilted and turned."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

Points = npt.NDArray[np.float64]
WIDTH: Final = 1920
HEIGHT: Final = 1080
MARGIN_PX: Final = 26
"""Smallest distance between the mat and the border of the picture."""


@dataclass(frozen=True, slots=True, eq=False)
class Camera:
    """A camera. `to_px`: (3, 3) homography from mm on the mat to pixels of the picture."""

    to_px: npt.NDArray[np.float64]

    @classmethod
    def above(cls, mat_mm: tuple[float, float], rng: np.random.Generator, tilt: float = 0.0) -> Camera:
        """Return a camera above the centre of the mat, tilted and turned by random angles of a few degrees.

        Its distance is 1.15 times the longer side of the mat. Its picture is moved and enlarged so that it contains the
        whole mat. `tilt`: degrees by which it is inclined towards the long side y = 0, as on an arm at that side.
        """
        width, height = mat_mm
        roll = math.radians(rng.uniform(-1.6, 1.6))
        pitch, yaw = (math.radians(angle) for angle in (rng.uniform(-3.2, 3.2) + tilt, rng.uniform(-3.2, 3.2)))
        away = 1.15 * max(width, height)
        turn = _about(2, roll) @ _about(0, pitch) @ _about(1, yaw)
        middle = np.array([[1.0, 0.0, -width / 2], [0.0, 1.0, -height / 2], [0.0, 0.0, 1.0]])
        plane = np.column_stack([turn[:, 0], turn[:, 1], turn @ np.array([0.0, 0.0, 0.0]) + [0.0, 0.0, away]])
        raw = plane @ middle
        corners = _apply(raw, np.array([[0.0, 0.0], [width, 0.0], [width, height], [0.0, height]]))
        low, high = corners.min(axis=0), corners.max(axis=0)
        room = np.array([WIDTH, HEIGHT]) - 2 * MARGIN_PX
        zoom = float((room / (high - low)).min())
        slack = room - zoom * (high - low)
        shift = MARGIN_PX + slack * rng.uniform(0.35, 0.65, 2) - zoom * low
        view = np.array([[zoom, 0.0, shift[0]], [0.0, zoom, shift[1]], [0.0, 0.0, 1.0]])
        whole = view @ raw
        return cls(whole / whole[2, 2])

    def pixels(self, points_mm: npt.ArrayLike) -> Points:
        """Return the (N, 2) pixels of (N, 2) points in mm."""
        return _apply(self.to_px, np.asarray(points_mm, np.float64).reshape(-1, 2))

    def scale(self, at_mm: tuple[float, float]) -> float:
        """Return the scale at one point of the table, pixels per mm."""
        x, y = at_mm
        a, b, c = self.pixels([(x, y), (x + 1, y), (x, y + 1)])
        (ux, uy), (vx, vy) = b - a, c - a
        return math.sqrt(abs(ux * vy - uy * vx))


def _apply(homography: npt.NDArray[np.float64], points: Points) -> Points:
    ends = np.column_stack([points, np.ones(len(points))]) @ homography.T
    return np.asarray(ends[:, :2] / ends[:, 2:], np.float64)


def _about(axis: int, angle: float) -> npt.NDArray[np.float64]:
    """Return the rotation matrix by `angle` (radians) about the x (0), y (1) or z (2) axis."""
    i, j = ((1, 2), (2, 0), (0, 1))[axis]
    out = np.eye(3)
    out[i, i] = out[j, j] = math.cos(angle)
    out[i, j], out[j, i] = -math.sin(angle), math.sin(angle)
    return out
