"""Cards among cards: rectangles of known size from straight edges, where white lies on white and no blob is a card.

A card's corner is where two line segments meet at a right angle, neither longer than the card's side. With the size
known each such corner says where the whole card would lie: sideways or upright. What has edges along all four sides
is proposed; the far sides may give way a little, for the camera need not look straight down.
"""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from vision.faces.crops import Quad
from vision.faces.edges import Floats
from vision.faces.geometry import clockwise, overlap
from vision.frames import Image

LEAST_SEEN = 0.16
"""A segment is at least this part of the card's long side."""
LEAST_NEAR = 0.45
LEAST_SIDE = 0.4
LEAST_MEAN = 0.62
"""Least support by edges of a side through a segment, of any side, and of the four together, 0 to 1."""
GAP = 0.22
"""A segment may end so far before the corner, as a part of the long side: corners are round, or in a shadow."""
RIGHT = 0.16
"""Largest cosine of a corner's angle."""
GIVE = np.linspace(-0.12, 0.12, 25, dtype=np.float32)
"""How far a far side may lie from where the size puts it, as a part of the side across."""
MOST_SEGMENTS = 160
MOST = 10
"""At most so many proposals come back."""


def find_rectangles(grey: Image, slope: Image, strong: float, size: tuple[float, float]) -> list[tuple[Quad, float]]:
    """Rectangles of about `size` (width, height of a card, pixels), with their support, best first.

    `grey`, `slope`: the plane to look for segments in, and `steepness` of the picture; `strong` as in `edge_support`.
    """
    segments = _segments(grey, LEAST_SEEN * size[1])
    corners, one, two = _corners(segments, size[1])
    if not len(corners):
        return []
    width, height = np.float32(size[0]), np.float32(size[1])
    found: list[tuple[Quad, float]] = []
    for first, second in ((width, height), (height, width)):
        fits = (one[:, 2] < 1.1 * first) & (two[:, 2] < 1.1 * second)
        found += _supported(slope, strong, corners[fits], one[fits, :2] * first, two[fits, :2] * second)
    kept: list[tuple[Quad, float]] = []
    for quad, support in sorted(found, key=lambda each: -each[1]):
        if len(kept) == MOST:
            break
        if not any(overlap(quad, other) > 0.8 for other, _ in kept):
            kept.append((quad, support))
    return kept


def _segments(grey: Image, least: float) -> Floats:
    """Straight edges at least so long: (N, 4) x0 y0 x1 y1, the longest first."""
    lines = cv2.createLineSegmentDetector(cv2.LSD_REFINE_NONE).detect(grey)[0]
    if lines is None:
        return np.zeros((0, 4), np.float32)
    segments = np.asarray(lines, np.float32).reshape(-1, 4)
    length = np.hypot(segments[:, 2] - segments[:, 0], segments[:, 3] - segments[:, 1])
    order = np.argsort(-length, kind="stable")[:MOST_SEGMENTS]
    return np.asarray(segments[order[length[order] >= least]], np.float32)


def _corners(segments: Floats, long_side: float) -> tuple[Floats, Floats, Floats]:
    """Where two segments meet as a card's sides do.

    The points (N, 2), and for each of the two segments (N, 3): the direction away from the point (x, y), and how far
    the segment reaches.
    """
    i, j = np.triu_indices(len(segments), 1)
    a, b = segments[:, :2], segments[:, 2:]
    span = (b - a) / np.maximum(np.linalg.norm(b - a, axis=1, keepdims=True), 1e-6)
    cross = span[i, 0] * span[j, 1] - span[i, 1] * span[j, 0]
    right = np.abs(cross) > np.sqrt(1 - RIGHT**2)
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
        good &= (near < np.where(beyond, 0.06, GAP) * long_side) & (reach > 1e-3)
        arms.append(np.hstack([far / np.maximum(reach, 1e-6)[:, None], reach[:, None]]).astype(np.float32))
    return points[good].astype(np.float32), arms[0][good], arms[1][good]


def _supported(slope: Image, strong: float, corner: Floats, one: Floats, two: Floats) -> list[tuple[Quad, float]]:
    """The rectangles at `corner` with sides `one` and `two` (each (N, 2)) that lie on edges all round."""
    near_one, near_two = _along(slope, strong, corner, one), _along(slope, strong, corner, two)
    likely = np.flatnonzero((np.minimum(near_one, near_two) > LEAST_NEAR) & _in_sight(slope, corner, one, two))
    if not len(likely):
        return []
    corner, one, two = corner[likely], one[likely], two[likely]
    stretch = 1 + GIVE
    far_two = _along(slope, strong, corner[:, None] + one[:, None] * stretch[:, None], two[:, None])
    far_one = _along(slope, strong, corner[:, None] + two[:, None] * stretch[:, None], one[:, None])
    fond = 1 - 0.8 * np.abs(GIVE)
    best_one, best_two = (far_two * fond).argmax(axis=1), (far_one * fond).argmax(axis=1)
    rows = np.arange(len(corner))
    support = np.stack([near_one[likely], near_two[likely], far_two[rows, best_one], far_one[rows, best_two]])
    found = []
    for k in np.flatnonzero((support.min(axis=0) > LEAST_SIDE) & (support.mean(axis=0) > LEAST_MEAN)):
        x, y = one[k] * stretch[best_one[k]], two[k] * stretch[best_two[k]]
        quad = np.stack([corner[k], corner[k] + x, corner[k] + x + y, corner[k] + y])
        score = 0.75 * support[:, k].mean() + 0.25 * support[:, k].min()
        found.append((clockwise(quad), float(score)))
    return found


def _along(slope: Image, strong: float, start: Floats, span: Floats) -> Floats:
    """The support of the lines from `start` (…, 2) along `span` (…, 2), their ends left out: corners are round."""
    part = np.linspace(0.1, 0.9, 20, dtype=np.float32)[:, None]
    points = np.rint(start[..., None, :] + span[..., None, :] * part).astype(np.intp)
    inside = (points >= 0).all(axis=-1) & (points[..., 0] < slope.shape[1]) & (points[..., 1] < slope.shape[0])
    x, y = np.clip(points[..., 0], 0, slope.shape[1] - 1), np.clip(points[..., 1], 0, slope.shape[0] - 1)
    values = np.minimum(slope[y, x].astype(np.float32) / strong, 1) * inside
    return np.asarray(values.mean(axis=-1), np.float32)


def _in_sight(slope: Image, corner: Floats, one: Floats, two: Floats) -> npt.NDArray[np.bool_]:
    """Whether the whole rectangle lies in the picture."""
    others = np.stack([corner, corner + one, corner + two, corner + one + two])
    size = np.array([slope.shape[1], slope.shape[0]], np.float32)
    return np.asarray(((others > -4) & (others < size + 4)).all(axis=(0, 2)), bool)
