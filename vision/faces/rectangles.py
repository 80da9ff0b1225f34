"""Rectangles of known size from straight edges: white cards on white cards, which no threshold separates.

A card's corner is where two line segments meet at a right angle, neither longer than the card's side, or than two of
them where cards lie in line. With the size known, each such corner gives two positions of the whole card: sideways or
upright. Those with edges along all four sides are proposed. The far sides may shift a little, because the camera need
not look straight down.
"""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import numpy.typing as npt

from vision.faces.geometry import Box, Floats, Quad, clockwise, iou
from vision.faces.rectangle_settings import RectangleSettings
from vision.faces.settings import DEFAULTS
from vision.frames import Image


def find_rectangles(
    grey: Image,
    slope: Image,
    strong: float,
    size: tuple[float, float],
    settings: RectangleSettings = DEFAULTS.rectangles,
    within: Box | None = None,
) -> list[tuple[Quad, float]]:
    """Return rectangles of about `size` (width, height of a card, pixels) with their edge scores, best first.

    `grey`: (H, W), in which segments are detected. `slope`: `edges.gradient` of the picture. `strong`: gradient that
    scores 1, as in `edges.edge_scores`. `within`: the part of the picture in which segments are detected, by default
    all of it.
    """
    left, top, right, foot = within or (0, 0, *grey.shape[::-1])
    part = np.ascontiguousarray(grey[top:foot, left:right])
    segments = _segments(part, settings.min_segment * size[1], settings.max_segments)
    segments += np.array([left, top, left, top], np.float32)
    corners, one, two = _corners(segments, size[1], settings)
    if not len(corners):
        return []
    width, height = np.float32(size[0]), np.float32(size[1])
    found: list[tuple[Quad, float]] = []
    exact = replace(settings, side_tolerance=settings.in_line_tolerance)
    for first, second in ((width, height), (height, width)):
        sides = one[:, :2] * first, two[:, :2] * second
        longer = np.maximum(one[:, 2] / first, two[:, 2] / second)
        # Sides of one card, and edges along two cards in line, which need their exact size.
        in_line = (longer >= settings.max_overlong) & (longer < settings.max_in_line)
        for fits, limits in ((longer < settings.max_overlong, settings), (in_line, exact)):
            found += _rectangles_at(slope, strong, corners[fits], sides[0][fits], sides[1][fits], limits)
    kept: list[tuple[Quad, float]] = []
    for quad, score in sorted(found, key=lambda each: -each[1]):
        if len(kept) == settings.max_rectangles:
            break
        if not any(iou(quad, other) > settings.max_iou for other, _ in kept):
            kept.append((quad, score))
    return kept


def _segments(grey: Image, min_length: float, max_count: int) -> Floats:
    """Return straight edges, longest first: (N, 4) x0 y0 x1 y1. `min_length`: pixels."""
    lines = cv2.createLineSegmentDetector(cv2.LSD_REFINE_NONE).detect(grey)[0] if grey.size else None
    if lines is None:
        return np.zeros((0, 4), np.float32)
    segments = np.asarray(lines, np.float32).reshape(-1, 4)
    length = np.hypot(segments[:, 2] - segments[:, 0], segments[:, 3] - segments[:, 1])
    order = np.argsort(-length, kind="stable")[:max_count]
    return np.asarray(segments[order[length[order] >= min_length]], np.float32)


def _corners(segments: Floats, long_side: float, settings: RectangleSettings) -> tuple[Floats, Floats, Floats]:
    """Return the points at which two segments meet as a card's sides do.

    The points are (N, 2); for each of the two segments (N, 3): the direction away from the point (x, y), and how far
    the segment reaches, pixels.
    """
    i, j = np.triu_indices(len(segments), 1)
    a, b = segments[:, :2], segments[:, 2:]
    span = (b - a) / np.maximum(np.linalg.norm(b - a, axis=1, keepdims=True), 1e-6)
    cross = span[i, 0] * span[j, 1] - span[i, 1] * span[j, 0]
    right = np.abs(cross) > np.sqrt(1 - settings.max_corner_cosine**2)
    i, j, cross = i[right], j[right], cross[right]
    offset = a[j] - a[i]
    along = (offset[:, 0] * span[j, 1] - offset[:, 1] * span[j, 0]) / cross
    points = a[i] + span[i] * along[:, None]
    arms = []
    good = np.ones(len(points), bool)
    for k in (i, j):
        to_a, to_b = np.linalg.norm(a[k] - points, axis=1), np.linalg.norm(b[k] - points, axis=1)
        far = np.where((to_a > to_b)[:, None], a[k], b[k]) - points
        near, reach = np.minimum(to_a, to_b), np.maximum(to_a, to_b)
        beyond = ((a[k] - points) * (b[k] - points)).sum(axis=1) < 0
        good &= (near < np.where(beyond, settings.max_crossing, settings.max_gap) * long_side) & (reach > 1e-3)
        arms.append(np.hstack([far / np.maximum(reach, 1e-6)[:, None], reach[:, None]]).astype(np.float32))
    return points[good].astype(np.float32), arms[0][good], arms[1][good]


def _rectangles_at(
    slope: Image, strong: float, corner: Floats, one: Floats, two: Floats, settings: RectangleSettings
) -> list[tuple[Quad, float]]:
    """Return the rectangles at `corner` with sides `one` and `two` (each (N, 2)) that lie on edges all round."""
    near_one = _line_scores(slope, strong, corner, one, settings)
    near_two = _line_scores(slope, strong, corner, two, settings)
    near = np.minimum(near_one, near_two) > settings.min_near_side
    likely = np.flatnonzero(near & _in_picture(slope, corner, one, two, settings.border_px))
    if not len(likely):
        return []
    corner, one, two = corner[likely], one[likely], two[likely]
    tolerance = settings.side_tolerance
    change = np.linspace(-tolerance, tolerance, settings.side_steps, dtype=np.float32)
    stretch = 1 + change
    far_two = _line_scores(slope, strong, corner[:, None] + one[:, None] * stretch[:, None], two[:, None], settings)
    far_one = _line_scores(slope, strong, corner[:, None] + two[:, None] * stretch[:, None], one[:, None], settings)
    preference = 1 - settings.size_preference * np.abs(change)
    best_one, best_two = (far_two * preference).argmax(axis=1), (far_one * preference).argmax(axis=1)
    rows = np.arange(len(corner))
    scores = np.stack([near_one[likely], near_two[likely], far_two[rows, best_one], far_one[rows, best_two]])
    found = []
    weight = settings.worst_side_weight
    for k in np.flatnonzero((scores.min(axis=0) > settings.min_side) & (scores.mean(axis=0) > settings.min_mean)):
        x, y = one[k] * stretch[best_one[k]], two[k] * stretch[best_two[k]]
        quad = np.stack([corner[k], corner[k] + x, corner[k] + x + y, corner[k] + y])
        score = (1 - weight) * scores[:, k].mean() + weight * scores[:, k].min()
        found.append((clockwise(quad), float(score)))
    return found


def _line_scores(slope: Image, strong: float, start: Floats, span: Floats, settings: RectangleSettings) -> Floats:
    """Return the edge scores of the lines from `start` (…, 2) along `span` (…, 2), without their rounded ends."""
    part = np.linspace(*settings.line_part, settings.line_samples, dtype=np.float32)
    tall, wide = slope.shape
    x, y = (np.rint(start[..., k, None] + span[..., k, None] * part).astype(np.intp) for k in (0, 1))
    inside = (x >= 0) & (x < wide) & (y >= 0) & (y < tall)
    place = np.where(inside, y * wide + x, 0)
    values = np.minimum(slope.ravel()[place].astype(np.float32) / strong, 1) * inside
    return np.asarray(values.mean(axis=-1), np.float32)


def _in_picture(slope: Image, corner: Floats, one: Floats, two: Floats, border: float) -> npt.NDArray[np.bool_]:
    """Return whether the whole rectangle lies in the picture, within `border` pixels."""
    corners = np.stack([corner, corner + one, corner + two, corner + one + two])
    size = np.array([slope.shape[1], slope.shape[0]], np.float32)
    return np.asarray(((corners > -border) & (corners < size + border)).all(axis=(0, 2)), bool)
