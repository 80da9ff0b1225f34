"""Quadrilaterals: corner order, side lengths, overlap, and whether a card can look like one.

A quadrilateral is a (4, 2) float32 array of corners in pixels (x right, y down), clockwise as seen.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

from vision.faces.outline_settings import OutlineSettings

Floats = npt.NDArray[np.float32]
Quad = npt.NDArray[np.float32]
"""(4, 2) float32: corners in pixels, clockwise; the first is the card's own top left where that is known."""
Box = tuple[int, int, int, int]
"""A part of a picture, in pixels: its first column and row, and the first ones beyond it."""


def clockwise(quad: npt.NDArray[np.floating]) -> Quad:
    """Return the corners in clockwise order as seen in the picture (y down).

    >>> clockwise(np.array([[0, 0], [0, 2], [1, 2], [1, 0]], np.float32)).tolist()
    [[1.0, 0.0], [1.0, 2.0], [0.0, 2.0], [0.0, 0.0]]
    """
    corners = np.asarray(quad, np.float32)
    return corners if cv2.contourArea(corners, oriented=True) > 0 else corners[::-1]


def side_lengths(quad: npt.NDArray[np.floating]) -> tuple[float, float, float, float]:
    """Return the lengths of the four sides in pixels: corner 0 to 1, 1 to 2, 2 to 3, 3 to 0."""
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = quad.tolist()
    return (
        math.hypot(bx - ax, by - ay),
        math.hypot(cx - bx, cy - by),
        math.hypot(dx - cx, dy - cy),
        math.hypot(ax - dx, ay - dy),
    )


def dimensions(quad: Quad) -> tuple[float, float]:
    """Return width and height in pixels: the mean of the first and third side, and of the other two."""
    a, b, c, d = side_lengths(quad)
    return (a + c) / 2, (b + d) / 2


def fits_size(quad: Quad, size: tuple[float, float], tolerance: float) -> bool:
    """Return whether width and height are within the factor `tolerance` of `size` (width, height, pixels)."""
    across, along = (own / other for own, other in zip(dimensions(quad), size, strict=True))
    return 1 / tolerance < across < tolerance and 1 / tolerance < along < tolerance


def unevenness(quad: Quad) -> float:
    """Return the greatest ratio of two opposite sides, longer by shorter; 1 for a rectangle.

    >>> unevenness(np.array([[0, 0], [2, 0], [2, 4], [0, 5]], np.float32))
    1.25
    """
    top, right, foot, left = side_lengths(quad)
    pairs = (sorted(pair) for pair in ((top, foot), (left, right)))
    return max(longer / max(shorter, 1e-9) for shorter, longer in pairs)


def iou(first: Quad, second: Quad) -> float:
    """Return the intersection over union of two convex quadrilaterals, 0 to 1.

    >>> square = np.array([[0, 0], [2, 0], [2, 2], [0, 2]], np.float32)
    >>> round(iou(square, square + np.float32([1, 0])), 3)
    0.333
    """
    (left, right, top, foot), (other_left, other_right, other_top, other_foot) = _extent(first), _extent(second)
    if max(left, other_left) >= min(right, other_right) or max(top, other_top) >= min(foot, other_foot):
        return 0.0
    common, _ = cv2.intersectConvexConvex(first, second)
    both = cv2.contourArea(first) + cv2.contourArea(second) - common
    return float(common / max(both, 1e-6))


def _extent(quad: Quad) -> tuple[float, float, float, float]:
    """Return the least and greatest x, and the least and greatest y."""
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = quad.tolist()
    return min(ax, bx, cx, dx), max(ax, bx, cx, dx), min(ay, by, cy, dy), max(ay, by, cy, dy)


def containment(inner: Quad, outer: Quad) -> float:
    """Return the fraction of the area of `inner` that lies inside `outer`, 0 to 1."""
    common, _ = cv2.intersectConvexConvex(inner, outer)
    return float(common / max(cv2.contourArea(inner), 1e-6))


def portrait(quad: Quad) -> Quad:
    """Return the same outline with a short side first."""
    length = side_lengths(quad)
    return quad if length[0] + length[2] <= length[1] + length[3] else starting_at(quad, 1)


def starting_at(quad: Quad, corner: int) -> Quad:
    """Return the same outline with `corner` (0 to 3) as its first corner."""
    return np.ascontiguousarray(quad[[(k + corner) % 4 for k in range(4)]])


def turned(points: npt.NDArray[np.floating], angle: float) -> npt.NDArray[np.float64]:
    """Return the points, (N, 2), turned clockwise around the origin by `angle`, radians (y down)."""
    cosine, sine = math.cos(angle), math.sin(angle)
    return np.asarray(points @ np.array([[cosine, sine], [-sine, cosine]]), np.float64)


def is_plausible_card(quad: npt.NDArray[np.floating], min_long_side: float, settings: OutlineSettings) -> bool:
    """Return whether sides, aspect ratio and angles can be those of a card seen in perspective.

    `min_long_side`: shortest long side to accept, pixels.
    """
    a, b, c, d = side_lengths(quad)
    if min(a, b, c, d) < min_long_side / settings.max_narrowness:
        return False
    across, along = (a + c) / 2, (b + d) / 2
    if max(across, along) < min_long_side or max(across, along) > settings.max_aspect * min(across, along):
        return False
    if max(a, c) > settings.max_taper * min(a, c) or max(b, d) > settings.max_taper * min(b, d):
        return False
    return _largest_cosine(quad.tolist(), (a, b, c, d)) < settings.max_corner_cosine


def _largest_cosine(corners: Sequence[Sequence[float]], length: Sequence[float]) -> float:
    """Return the largest absolute cosine of the four corner angles: 0 for a rectangle."""
    worst = 0.0
    for k in range(4):
        (px, py), (qx, qy), (rx, ry) = corners[k - 1], corners[k], corners[(k + 1) % 4]
        dot = (qx - px) * (rx - qx) + (qy - py) * (ry - qy)
        worst = max(worst, abs(dot) / (length[k - 1] * length[k]))
    return worst


def may_be_landscape(quad: Quad, max_ratio: float) -> bool:
    """Return whether perspective may make a card's long side appear as the shorter one.

    `max_ratio`: of its sides, height by width.
    """
    length = side_lengths(quad)
    return bool((length[1] + length[3]) < max_ratio * (length[0] + length[2]))
