"""Quadrilaterals: order of corners, lengths, and whether a card can look so."""

from __future__ import annotations

import math
from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

from vision.faces.crops import Quad

MAX_ASPECT = 2.9
"""Long by short side: 1.4 for a poker card, 1.54 for bridge size, more where the camera looks from the side."""
MAX_TAPER = 1.9
"""Opposite sides may differ by this factor, in perspective."""
MAX_SKEW = 0.72
"""Largest cosine of an angle."""


def clockwise(quad: npt.NDArray[np.floating]) -> Quad:
    """The corners clockwise as seen in the picture (y down)."""
    x, y = quad[:, 0], quad[:, 1]
    area = float((x * y[[1, 2, 3, 0]] - y * x[[1, 2, 3, 0]]).sum())
    return np.asarray(quad if area > 0 else quad[::-1], np.float32)


def sides(quad: npt.NDArray[np.floating]) -> tuple[float, float, float, float]:
    """Lengths of the four sides, from corner 0 to 1 and so on."""
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = quad.tolist()
    return (
        math.hypot(bx - ax, by - ay),
        math.hypot(cx - bx, cy - by),
        math.hypot(dx - cx, dy - cy),
        math.hypot(ax - dx, ay - dy),
    )


def overlap(first: Quad, second: Quad) -> float:
    """Intersection over union of two convex quadrilaterals."""
    low, high = np.maximum(first.min(axis=0), second.min(axis=0)), np.minimum(first.max(axis=0), second.max(axis=0))
    if (low >= high).any():
        return 0.0
    common, _ = cv2.intersectConvexConvex(first, second)
    both = cv2.contourArea(first) + cv2.contourArea(second) - common
    return float(common / max(both, 1e-6))


def inside(first: Quad, second: Quad) -> float:
    """The share of `first` that lies in `second`."""
    common, _ = cv2.intersectConvexConvex(first, second)
    return float(common / max(cv2.contourArea(first), 1e-6))


def portrait(quad: Quad) -> Quad:
    """The corners so that the first side is a short one."""
    length = sides(quad)
    return quad if length[0] + length[2] <= length[1] + length[3] else turned(quad, 1)


def turned(quad: Quad, quarters: int) -> Quad:
    """The same outline, named from another corner."""
    return np.ascontiguousarray(quad[[(k + quarters) % 4 for k in range(4)]])


def plausible(quad: npt.NDArray[np.floating], least: float) -> bool:
    """Whether a card with a long side of at least `least` pixels can look so: sides, proportions, angles."""
    a, b, c, d = sides(quad)
    if min(a, b, c, d) < least / 3:
        return False
    across, along = (a + c) / 2, (b + d) / 2
    if max(across, along) < least or max(across, along) > MAX_ASPECT * min(across, along):
        return False
    if max(a, c) > MAX_TAPER * min(a, c) or max(b, d) > MAX_TAPER * min(b, d):
        return False
    return _most_skew(quad.tolist(), (a, b, c, d)) < MAX_SKEW


def _most_skew(corners: Sequence[Sequence[float]], length: Sequence[float]) -> float:
    worst = 0.0
    for k in range(4):
        (px, py), (qx, qy), (rx, ry) = corners[k - 1], corners[k], corners[(k + 1) % 4]
        dot = (qx - px) * (rx - qx) + (qy - py) * (ry - qy)
        worst = max(worst, abs(dot) / (length[k - 1] * length[k]))
    return worst
