"""Edges: how well an outline lies on them, and moving it there."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from vision.faces.crops import Quad
from vision.faces.geometry import sides
from vision.frames import Image

Floats = npt.NDArray[np.float32]

SAMPLES = 24
FINE_SIDE = 200.0
"""The outline is refined where a card is this long or up to twice as long, pixels: more adds time, not accuracy."""


def darkest(image: Image) -> Image:
    """The least of the three channels: paper is light in all of them, cloth and wood are not."""
    blue, green, red = cv2.split(image)
    return np.asarray(cv2.min(cv2.min(blue, green), red), np.uint8)


def steepness(planes: list[Image]) -> Image:
    """The strongest slope of the planes, 0 to 255, widened by a pixel so that an edge may be missed by one."""
    strongest: Image | None = None
    for plane in planes:
        across, along = cv2.spatialGradient(plane)
        slope = cv2.addWeighted(cv2.convertScaleAbs(across), 0.5, cv2.convertScaleAbs(along), 0.5, 0)
        strongest = np.asarray(slope if strongest is None else cv2.max(strongest, slope), np.uint8)
    assert strongest is not None
    return np.asarray(cv2.dilate(strongest, np.ones((3, 3), np.uint8)), np.uint8)


def edge_support(slope: Image, quads: Floats, strong: float) -> tuple[Floats, Floats]:
    """How far the sides of each quadrilateral lie on edges, 0 to 1: the mean over the sides, and the worst side.

    `slope`: from `steepness`. `quads`: (N, 4, 2). `strong`: a slope that is an edge for sure.
    """
    along = np.linspace(0.12, 0.88, 20, dtype=np.float32)[None, None, :, None]
    start, end = quads[:, :, None, :], np.roll(quads, -1, axis=1)[:, :, None, :]
    points = np.rint(start + (end - start) * along).astype(np.intp)
    x = np.clip(points[..., 0], 0, slope.shape[1] - 1)
    y = np.clip(points[..., 1], 0, slope.shape[0] - 1)
    support = np.minimum(slope[y, x].astype(np.float32) / strong, 1).mean(axis=2)
    return support.mean(axis=1), support.min(axis=1)


def refined(levels: list[Image], quad: Quad) -> Quad:
    """`onto_edges` on the level of the picture pyramid in which the card is some 200 to 400 pixels long."""
    long_side = max(sides(quad))
    level = int(np.clip(np.floor(np.log2(max(long_side, 1) / FINE_SIDE)), 0, len(levels) - 1))
    small = np.asarray((quad + 0.5) / 2**level - 0.5, np.float32)
    moved = onto_edges(levels[level], small, max(2.5, 0.035 * min(sides(small))))
    return np.asarray((moved + 0.5) * 2**level - 0.5, np.float32)


def onto_edges(image: Image, quad: Quad, reach: float) -> Quad:
    """The quadrilateral with each side moved onto the strongest edge within `reach` pixels.

    Each side is sampled across at 24 places; a line is fitted to the steepest points, far ones weighing less at each
    of three rounds; the corners are where the lines meet. A side whose edge cannot be told keeps its place.
    """
    count = max(3, int(np.ceil(reach)))
    offsets = np.linspace(-reach, reach, 2 * count + 1, dtype=np.float32)
    along = np.linspace(0.1, 0.9, SAMPLES, dtype=np.float32)
    start = quad
    span = quad[[1, 2, 3, 0]] - quad
    normal = np.stack([span[:, 1], -span[:, 0]], axis=1) / np.maximum(np.array(sides(quad))[:, None], 1e-6)
    base = start[:, None, :] + span[:, None, :] * along[None, :, None]
    grid = (base[:, :, None, :] + normal[:, None, None, :] * offsets[None, None, :, None]).astype(np.float32)
    grid = grid.reshape(4 * SAMPLES, -1, 2)
    sampled = cv2.remap(image, grid[..., 0], grid[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    profile = sampled.astype(np.float32).reshape(4, SAMPLES, len(offsets), 3)
    slope = np.abs(profile[:, :, 2:] - profile[:, :, :-2]).max(axis=3)
    slope *= 1 - 0.35 * (offsets[1:-1] / reach) ** 2
    place = offsets[1:-1][slope.argmax(axis=2)]
    shift, tilt = _lines(along - 0.5, place, np.minimum(slope.max(axis=2), 60))
    first = start + normal * (shift - 0.5 * tilt)[:, None]
    second = start + span + normal * (shift + 0.5 * tilt)[:, None]
    ones = np.ones((4, 1))
    lines = np.cross(np.hstack([first, ones]), np.hstack([second, ones]))
    corners = np.cross(lines[[3, 0, 1, 2]], lines)
    if np.abs(corners[:, 2]).min() < 1e-9:
        return quad
    moved = np.asarray(corners[:, :2] / corners[:, 2:], np.float32)
    return moved if float(np.abs(moved - quad).max()) < 3 * reach + 2 else quad


def _lines(t: Floats, place: Floats, strength: Floats) -> tuple[Floats, Floats]:
    """Lines `shift + tilt * t` through the places found on each of the four sides; 0 where there is no edge."""
    weight = strength
    shift, tilt = np.zeros(4, np.float32), np.zeros(4, np.float32)
    seen = strength.sum(axis=1) > 4 * SAMPLES
    for _ in range(3):
        total = np.maximum(weight.sum(axis=1), 1e-6)
        mean_t, mean_d = (weight * t).sum(axis=1) / total, (weight * place).sum(axis=1) / total
        away = t - mean_t[:, None]
        spread = np.maximum((weight * away**2).sum(axis=1), 1e-6)
        tilt = (weight * away * (place - mean_d[:, None])).sum(axis=1) / spread
        shift = mean_d - tilt * mean_t
        weight = strength / (1 + ((place - shift[:, None] - tilt[:, None] * t) / 0.8) ** 2)
    return np.where(seen, shift, 0), np.where(seen, tilt, 0)
