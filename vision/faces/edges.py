"""Edges: how well an outline lies on them, and moving an outline onto them."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

from vision.faces.geometry import Floats, Quad, side_lengths
from vision.faces.outline_settings import EdgeSettings, OutlineSettings
from vision.faces.pyramid import from_level, to_level
from vision.faces.settings import DEFAULTS
from vision.frames import Image


def darkest_channel(image: Image) -> Image:
    """Return the minimum of the three channels, (H, W): paper is light in all of them, cloth and wood are not."""
    blue, green, red = cv2.split(image)
    return np.asarray(cv2.min(cv2.min(blue, green), red), np.uint8)


Derivatives = tuple[npt.NDArray[np.int16], npt.NDArray[np.int16]]
"""Of the grey levels of a plane, (H, W), to the right and downwards (Sobel)."""


def derivatives(planes: Sequence[Image]) -> list[Derivatives]:
    """Return the derivatives of the (H, W) planes, which continue beyond their border with the same grey levels."""
    found = (cv2.spatialGradient(plane, borderType=cv2.BORDER_REPLICATE) for plane in planes)
    return [(np.asarray(across, np.int16), np.asarray(along, np.int16)) for across, along in found]


def gradient(slopes: Sequence[Derivatives]) -> Image:
    """Return the largest gradient of the planes with these derivatives at each pixel, 0 to 255.

    It is dilated by one pixel, so that an outline may miss an edge by one.
    """
    strongest: Image | None = None
    for across, along in slopes:
        slope = cv2.addWeighted(cv2.convertScaleAbs(across), 0.5, cv2.convertScaleAbs(along), 0.5, 0)
        strongest = np.asarray(slope if strongest is None else cv2.max(strongest, slope), np.uint8)
    assert strongest is not None
    return np.asarray(cv2.dilate(strongest, np.ones((3, 3), np.uint8)), np.uint8)


def side_scores(slope: Image, quads: Floats, strong: float, settings: EdgeSettings = DEFAULTS.outlines.edges) -> Floats:
    """Return how well each side of each quadrilateral lies on an edge, (N, 4), 0 to 1.

    `slope`: from `gradient`. `quads`: (N, 4, 2) pixels. `strong`: gradient that scores 1.
    """
    return np.asarray(_sample_scores(slope, quads, strong, settings)[0].mean(axis=2), np.float32)


def seen_scores(slope: Image, quads: Floats, strong: float, settings: EdgeSettings = DEFAULTS.outlines.edges) -> Floats:
    """Return how well each quadrilateral lies on edges where it lies in the picture, (N,), 0 to 1.

    0 if less than `min_seen_share` of its sides lies in the picture.
    """
    score, inside = _sample_scores(slope, quads, strong, settings)
    seen = (score * inside).sum(axis=(1, 2)) / np.maximum(inside.sum(axis=(1, 2)), 1)
    return np.asarray(np.where(inside.mean(axis=(1, 2)) < settings.min_seen_share, 0, seen), np.float32)


def _sample_scores(
    slope: Image, quads: Floats, strong: float, settings: EdgeSettings
) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Return how strong the edge is at points along each side, (N, 4, samples), and which of them are in the picture.

    Points beyond the picture have the value at its border.
    """
    along = np.linspace(*settings.score_part, settings.score_samples, dtype=np.float32)[None, None, :, None]
    start, end = quads[:, :, None, :], np.roll(quads, -1, axis=1)[:, :, None, :]
    points = np.rint(start + (end - start) * along).astype(np.intp)
    x = np.clip(points[..., 0], 0, slope.shape[1] - 1)
    y = np.clip(points[..., 1], 0, slope.shape[0] - 1)
    inside = (x == points[..., 0]) & (y == points[..., 1])
    return np.minimum(slope[y, x].astype(np.float32) / strong, 1), inside


def edge_scores(
    slope: Image, quads: Floats, strong: float, settings: EdgeSettings = DEFAULTS.outlines.edges
) -> tuple[Floats, Floats]:
    """Return the `side_scores` of each quadrilateral: mean of the sides (N,), worst side (N,)."""
    score = side_scores(slope, quads, strong, settings)
    return score.mean(axis=1), score.min(axis=1)


def refine_outline(levels: list[Image], quad: Quad, settings: OutlineSettings = DEFAULTS.outlines) -> Quad:
    """Return `quad` moved onto edges, in the level of the pyramid in which the card is 200 to 400 pixels long.

    `levels`: an image pyramid. `quad`: in pixels of its first level.
    """
    long_side = max(side_lengths(quad))
    level = int(np.clip(np.floor(np.log2(max(long_side, 1) / settings.refine_side)), 0, len(levels) - 1))
    small = to_level(quad, level)
    reach = max(settings.edges.min_reach_px, settings.refine_reach * min(side_lengths(small)))
    return from_level(snap_to_edges(levels[level], small, reach, settings.edges), level)


def snap_to_edges(image: Image, quad: Quad, reach: float, settings: EdgeSettings = DEFAULTS.outlines.edges) -> Quad:
    """Return the quadrilateral with each side moved onto the strongest edge within `reach` pixels.

    `image`: (H, W, 3) uint8 BGR. `quad`: in its pixels. Each side is sampled across at 24 points (`samples`). A line is
    fitted to the steepest points by iteratively reweighted least squares with Cauchy weights, three rounds. The corners
    are where the lines meet. A side without an edge stays.
    """
    count = max(3, int(np.ceil(reach)))
    offsets = np.linspace(-reach, reach, 2 * count + 1, dtype=np.float32)
    samples = settings.samples
    along = np.linspace(*settings.sample_part, samples, dtype=np.float32)
    start = quad
    span = quad[[1, 2, 3, 0]] - quad
    normal = np.stack([span[:, 1], -span[:, 0]], axis=1) / np.maximum(np.array(side_lengths(quad))[:, None], 1e-6)
    base = start[:, None, :] + span[:, None, :] * along[None, :, None]
    grid = (base[:, :, None, :] + normal[:, None, None, :] * offsets[None, None, :, None]).astype(np.float32)
    grid = grid.reshape(4 * samples, -1, 2)
    sampled = cv2.remap(image, grid[..., 0], grid[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    profile = sampled.astype(np.float32).reshape(4, samples, len(offsets), 3)
    steps = np.abs(profile[:, :, 2:] - profile[:, :, :-2])
    slope = np.maximum(np.maximum(steps[..., 0], steps[..., 1]), steps[..., 2])
    slope *= 1 - settings.far_penalty * (offsets[1:-1] / reach) ** 2  # near edges are preferred
    distance = offsets[1:-1][slope.argmax(axis=2)]
    shift, tilt = _fit_lines(along - 0.5, distance, np.minimum(slope.max(axis=2), settings.max_strength), settings)
    first = start + normal * (shift - 0.5 * tilt)[:, None]
    second = start + span + normal * (shift + 0.5 * tilt)[:, None]
    moved = meeting_points(first, second)
    if moved is None:
        return quad
    times, more = settings.max_move
    return moved if float(np.abs(moved - quad).max()) < times * reach + more else quad


def meeting_points(first: npt.NDArray[np.floating], second: npt.NDArray[np.floating]) -> Quad | None:
    """Return where each side meets the one before it, (4, 2); None if two neighbours are parallel.

    `first`, `second`: two points of each side, (4, 2). Cross products of homogeneous coordinates, written out.
    """
    (x1, y1), (x2, y2) = first.T.astype(np.float64), second.T.astype(np.float64)
    a, b, c = y1 - y2, x2 - x1, x1 * y2 - y1 * x2
    before_a, before_b, before_c = a[[3, 0, 1, 2]], b[[3, 0, 1, 2]], c[[3, 0, 1, 2]]
    depth = before_a * b - before_b * a
    if np.abs(depth).min() < 1e-9:
        return None
    x, y = (before_b * c - before_c * b) / depth, (before_c * a - before_a * c) / depth
    return np.asarray(np.stack([x, y], axis=1), np.float32)


def _fit_lines(t: Floats, distance: Floats, strength: Floats, settings: EdgeSettings) -> tuple[Floats, Floats]:
    """Fit `distance = shift + tilt * t` on each of the four sides; return shift (4,) and tilt (4,).

    `t` (N,): position along a side, -0.4 to 0.4. `distance` (4, N): of the edge from the side, pixels. `strength`
    (4, N): of the edge; a side that has hardly any keeps shift and tilt 0.
    """
    weight = strength
    shift, tilt = np.zeros(4, np.float32), np.zeros(4, np.float32)
    has_edge = strength.sum(axis=1) > settings.min_strength * len(t)
    for _ in range(settings.fit_rounds):
        total = np.maximum(weight.sum(axis=1), 1e-6)
        mean_t, mean_d = (weight * t).sum(axis=1) / total, (weight * distance).sum(axis=1) / total
        away = t - mean_t[:, None]
        spread = np.maximum((weight * away**2).sum(axis=1), 1e-6)
        tilt = (weight * away * (distance - mean_d[:, None])).sum(axis=1) / spread
        shift = mean_d - tilt * mean_t
        weight = strength / (1 + ((distance - shift[:, None] - tilt[:, None] * t) / settings.outlier_px) ** 2)
    return np.where(has_edge, shift, 0), np.where(has_edge, tilt, 0)
