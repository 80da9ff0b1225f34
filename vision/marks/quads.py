"""Square patterns in a picture: their edges found exactly, their modules measured, whole batches at a time.

A quad is (4, 2) float32, its corners in pixels, clockwise as seen; a batch is (N, 4, 2).
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Grey = npt.NDArray[np.uint8]

_ALONG: Final = np.linspace(0.12, 0.88, 9, dtype=np.float32)
"""Where on an edge it is looked for, corners left out: there two edges mix."""
_ACROSS: Final = np.linspace(-1, 1, 15, dtype=np.float32)


def side_lengths(quads: Floats) -> Floats:
    """(N, 4) pixels: from each corner to the next."""
    return np.asarray(np.linalg.norm(np.roll(quads, -1, axis=1) - quads, axis=2), dtype=np.float32)


def refine(grey: Grey, quads: Floats, modules: int) -> Floats:
    """The quads with each edge laid where dark turns to light, within a tenth of a pixel or so.

    `modules`: how many modules a side has, the dark border included. On each edge nine profiles across it are
    taken, and a line fitted through the places of their steepest rise.
    """
    following = np.roll(quads, -1, axis=1)
    sides = np.maximum(side_lengths(quads), 1e-3)
    along = (following - quads) / sides[..., None]
    outward = np.stack([along[..., 1], -along[..., 0]], axis=-1)
    module = sides.mean(axis=1) / modules
    reach = np.clip(0.9 * module, 1.5, 4.0)[:, None, None]

    base = quads[:, :, None] + (following - quads)[:, :, None] * _ALONG[None, None, :, None]
    offsets = outward[:, :, None, None] * (reach[..., None, None] * _ACROSS[None, None, None, :, None])
    profiles = _sample(grey, base[:, :, :, None] + offsets)
    rise = np.maximum(np.diff(profiles, axis=-1), 0) ** 2
    middle = (_ACROSS[1:] + _ACROSS[:-1]) / 2
    place = (rise * middle).sum(axis=-1) / np.maximum(rise.sum(axis=-1), 1e-3) * reach

    # A line through the places that agree: what covers a piece of the edge does not bend it.
    usual = np.median(place, axis=-1, keepdims=True)
    weight = (np.abs(place - usual) < np.maximum(0.6, 0.25 * module)[:, None, None]).astype(np.float32)
    total = np.maximum(weight.sum(axis=-1), 1)
    mean_s, mean_p = (weight * _ALONG).sum(axis=-1) / total, (weight * place).sum(axis=-1) / total
    spread = (weight * (_ALONG - mean_s[..., None]) ** 2).sum(axis=-1)
    slope = (weight * (_ALONG - mean_s[..., None]) * place).sum(axis=-1) / np.maximum(spread, 1e-3)
    start = mean_p - slope * mean_s
    first = quads + outward * start[..., None]
    last = following + outward * (start + slope)[..., None]

    lines = np.cross(_homogeneous(first), _homogeneous(last))
    corners = np.cross(np.roll(lines, 1, axis=1), lines)
    scale = np.where(np.abs(corners[..., 2:]) < 1e-6, 1e-6, corners[..., 2:])
    fine = corners[..., :2] / scale
    # Where no edge was found the lines meet anywhere: such a quad stays as it was.
    wild = np.abs(fine - quads).max(axis=(1, 2)) > 2 * np.maximum(reach[:, 0, 0], 2)
    return np.where(wild[:, None, None], quads, fine).astype(np.float32)


def sample_modules(grey: Grey, quads: Floats, modules: int, rim: int = 1, points: int = 3) -> Floats:
    """(N, modules + 2 rim, modules + 2 rim): the mean grey level in each module, and in a rim about the quad.

    Each is the mean of `points` × `points` places about the module's middle.
    """
    count = modules + 2 * rim
    middles = np.arange(count) - rim + 0.5
    about = (np.arange(points) - (points - 1) / 2) * 0.27
    grid = ((middles[:, None] + about) / modules).ravel()
    x, y = np.meshgrid(grid, grid)
    unit = np.stack([x.ravel(), y.ravel(), np.ones(x.size)])
    mapped = _from_unit_square(quads) @ unit
    places = np.stack([mapped[:, 0] / mapped[:, 2], mapped[:, 1] / mapped[:, 2]], axis=-1)
    values = _sample(grey, places.astype(np.float32))
    return np.asarray(values.reshape(-1, count, points, count, points).mean(axis=(2, 4)), dtype=np.float32)


def _sample(grey: Grey, points: Floats) -> Floats:
    """Grey levels, interpolated, at points (..., 2)."""
    # One row a quad: remap's pictures may not be wider or higher than 32767.
    rows = np.ascontiguousarray(points.reshape(len(points), -1, 2), dtype=np.float32)
    values = np.empty(rows.shape[:2], np.float32)
    for start in range(0, len(rows), 4096):
        part = rows[start : start + 4096]
        values[start : start + 4096] = cv2.remap(
            grey, part[..., 0], part[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        )
    return values.reshape(points.shape[:-1])


def _homogeneous(points: Floats) -> npt.NDArray[np.float64]:
    return np.concatenate([points, np.ones((*points.shape[:-1], 1))], axis=-1)


def _from_unit_square(quads: Floats) -> npt.NDArray[np.float64]:
    """(N, 3, 3): the homographies that map (0, 0), (1, 0), (1, 1), (0, 1) to the corners (Heckbert 1989, section 2)."""
    corners = quads.astype(np.float64)
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = (corners[:, i].T for i in range(4))
    ax, bx, sx = x1 - x2, x3 - x2, x0 - x1 + x2 - x3
    ay, by, sy = y1 - y2, y3 - y2, y0 - y1 + y2 - y3
    area = ax * by - bx * ay
    area = np.where(np.abs(area) < 1e-9, 1e-9, area)
    g, h = (sx * by - bx * sy) / area, (ax * sy - sx * ay) / area
    rows = [x1 - x0 + g * x1, x3 - x0 + h * x3, x0, y1 - y0 + g * y1, y3 - y0 + h * y3, y0, g, h, np.ones_like(g)]
    return np.stack(rows, axis=-1).reshape(-1, 3, 3)
