"""Square codes in a picture: refine their edges and measure their modules, in batches.

A quad is (4, 2) float32, its corners in pixels, clockwise as seen; a batch is (N, 4, 2). A module is one of the small
squares of which a code consists.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

EDGE_PART: Final = (0.12, 0.88)
"""Part of each edge that is measured, as shares of its length. Wider: the corners, where two edges mix, tilt it."""
EDGE_SAMPLES: Final = 9
"""Profiles taken across each edge. Higher: more accurate, slower."""
PROFILE_SAMPLES: Final = 15
"""Points of each profile. Higher: more accurate, slower."""
REACH_MODULES: Final = 0.9
REACH_PX: Final = (1.5, 4.0)
"""Distance within which an edge is moved, in modules, but at least and at most these pixels. Higher: rougher quads are
refined, and the modules inside may be taken for the edge."""
OUTLIER_PX: Final = 0.6
OUTLIER_MODULES: Final = 0.25
"""A point farther than both from the typical position of its edge is ignored, pixels and modules. Higher: something
that covers part of an edge bends it; lower: noise decides which points count."""
MAX_MOVE_REACHES: Final = 2.0
"""Largest movement of a corner, in reaches; a quad that would move farther stays as it was. Higher: quads without edges
become wild; lower: rough ones are not refined."""
MIN_MOVE_REACH_PX: Final = 2.0
"""Smallest reach that counts there, pixels. Higher: as above for small codes."""
SAMPLE_SPACING_MODULES: Final = 0.27
"""Distance between the points at which a module is measured, in modules. Higher: neighbouring modules mix in."""

_ROWS_AT_ONCE: Final = 4096
"""Quads that are sampled at a time: `cv2.remap` accepts at most 32,767 rows and columns."""

Floats = npt.NDArray[np.float32]
Grey = npt.NDArray[np.uint8]


def side_lengths(quads: Floats) -> Floats:
    """Return the distance from each corner to the next, (N, 4) pixels."""
    return np.asarray(np.linalg.norm(np.roll(quads, -1, axis=1) - quads, axis=2), dtype=np.float32)


def refine(grey: Grey, quads: Floats, modules: int) -> Floats:
    """Return the quads with each edge moved to the transition from dark to light, to about a tenth of a pixel.

    `modules`: number of modules per side, including the dark border. Profiles are sampled across each edge, and a
    line is fitted through the positions of their steepest rise.
    """
    positions = np.linspace(*EDGE_PART, EDGE_SAMPLES, dtype=np.float32)
    across = np.linspace(-1, 1, PROFILE_SAMPLES, dtype=np.float32)
    following = np.roll(quads, -1, axis=1)
    sides = np.maximum(side_lengths(quads), 1e-3)
    along = (following - quads) / sides[..., None]
    outward = np.stack([along[..., 1], -along[..., 0]], axis=-1)
    module = sides.mean(axis=1) / modules
    reach = np.clip(REACH_MODULES * module, *REACH_PX)[:, None, None]

    base = quads[:, :, None] + (following - quads)[:, :, None] * positions[None, None, :, None]
    offsets = outward[:, :, None, None] * (reach[..., None, None] * across[None, None, None, :, None])
    profiles = _sample(grey, base[:, :, :, None] + offsets)
    rise = np.maximum(np.diff(profiles, axis=-1), 0) ** 2
    middle = (across[1:] + across[:-1]) / 2
    place = (rise * middle).sum(axis=-1) / np.maximum(rise.sum(axis=-1), 1e-3) * reach

    # Outliers are ignored, so that something covering part of the edge does not bend the line.
    typical = np.median(place, axis=-1, keepdims=True)
    limit = np.maximum(OUTLIER_PX, OUTLIER_MODULES * module)[:, None, None]
    weight = (np.abs(place - typical) < limit).astype(np.float32)
    total = np.maximum(weight.sum(axis=-1), 1)
    mean_s, mean_p = (weight * positions).sum(axis=-1) / total, (weight * place).sum(axis=-1) / total
    spread = (weight * (positions - mean_s[..., None]) ** 2).sum(axis=-1)
    slope = (weight * (positions - mean_s[..., None]) * place).sum(axis=-1) / np.maximum(spread, 1e-3)
    start = mean_p - slope * mean_s
    first = quads + outward * start[..., None]
    last = following + outward * (start + slope)[..., None]

    lines = np.cross(_homogeneous(first), _homogeneous(last))
    corners = np.cross(np.roll(lines, 1, axis=1), lines)
    scale = np.where(np.abs(corners[..., 2:]) < 1e-6, 1e-6, corners[..., 2:])
    fine = corners[..., :2] / scale
    # Without an edge the lines may meet anywhere; such a quad stays as it was.
    farthest = MAX_MOVE_REACHES * np.maximum(reach[:, 0, 0], MIN_MOVE_REACH_PX)
    wild = np.abs(fine - quads).max(axis=(1, 2)) > farthest
    return np.where(wild[:, None, None], quads, fine).astype(np.float32)


def sample_modules(
    grey: Grey,
    quads: Floats,
    modules: int,
    rim: int = 1,
    points: int = 3,
) -> Floats:
    """Return the mean grey level of each module, and of `rim` modules around the quad.

    The result is (N, modules + 2 rim, modules + 2 rim). Each value is the mean of `points` × `points` samples around
    the module's middle.
    """
    count = modules + 2 * rim
    middles = np.arange(count) - rim + 0.5
    about = (np.arange(points) - (points - 1) / 2) * SAMPLE_SPACING_MODULES
    grid = ((middles[:, None] + about) / modules).ravel()
    x, y = np.meshgrid(grid, grid)
    unit = np.stack([x.ravel(), y.ravel(), np.ones(x.size)])
    mapped = _from_unit_square(quads) @ unit
    places = np.stack([mapped[:, 0] / mapped[:, 2], mapped[:, 1] / mapped[:, 2]], axis=-1)
    values = _sample(grey, places.astype(np.float32))
    return np.asarray(values.reshape(-1, count, points, count, points).mean(axis=(2, 4)), dtype=np.float32)


def _sample(grey: Grey, points: Floats) -> Floats:
    """Return interpolated grey levels at points (..., 2)."""
    rows = np.ascontiguousarray(points.reshape(len(points), -1, 2), dtype=np.float32)
    values = np.empty(rows.shape[:2], np.float32)
    for start in range(0, len(rows), _ROWS_AT_ONCE):
        part = rows[start : start + _ROWS_AT_ONCE]
        values[start : start + _ROWS_AT_ONCE] = cv2.remap(
            grey, part[..., 0], part[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        )
    return values.reshape(points.shape[:-1])


def _homogeneous(points: Floats) -> npt.NDArray[np.float64]:
    return np.concatenate([points, np.ones((*points.shape[:-1], 1))], axis=-1)


def _from_unit_square(quads: Floats) -> npt.NDArray[np.float64]:
    """Return the homographies (N, 3, 3) from (0, 0), (1, 0), (1, 1), (0, 1) to the corners (Heckbert 1989, sec. 2)."""
    corners = quads.astype(np.float64)
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = (corners[:, i].T for i in range(4))
    ax, bx, sx = x1 - x2, x3 - x2, x0 - x1 + x2 - x3
    ay, by, sy = y1 - y2, y3 - y2, y0 - y1 + y2 - y3
    area = ax * by - bx * ay
    area = np.where(np.abs(area) < 1e-9, 1e-9, area)
    g, h = (sx * by - bx * sy) / area, (ax * sy - sx * ay) / area
    rows = [x1 - x0 + g * x1, x3 - x0 + h * x3, x0, y1 - y0 + g * y1, y3 - y0 + h * y3, y0, g, h, np.ones_like(g)]
    return np.stack(rows, axis=-1).reshape(-1, 3, 3)
