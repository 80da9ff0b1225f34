"""Cards as quadrilaterals: outlines of four straight sides with a card's proportions, whatever lies on them.

No single threshold shows every card, so several masks propose contours (levels of the darkest colour channel, local
thresholds, closed edges); a contour that fills a convex quadrilateral is a proposal; proposals of one card are
merged; the sides are then moved onto the strongest edge in the full picture, which gives the corners to sub-pixel.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from vision.faces.crops import Quad
from vision.frames import Image

Floats = npt.NDArray[np.float32]

WORK_SIZE = 1000
"""Long side of the picture that contours are looked for in, pixels."""
MIN_LONG_SIDE = 34.0
"""Shortest long side of a card in the working picture, pixels; its index cannot be read below."""
MAX_ASPECT = 2.9
LEVELS = tuple(range(60, 241, 20))
FILL = 0.91
"""Least share of a quadrilateral that the contour's hull fills; a card's round corners cost 1 to 3 %."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A quadrilateral that may be a card: `quad` clockwise in pixels of the picture, `score` 0 to 1."""

    quad: Quad
    score: float


def clockwise(quad: npt.NDArray[np.floating]) -> Quad:
    """The corners clockwise as seen in the picture (y down)."""
    x, y = quad[:, 0], quad[:, 1]
    area = float(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1)))
    return np.asarray(quad if area > 0 else quad[::-1], np.float32)


def sides(quad: Quad) -> Floats:
    """Lengths of the four sides, from corner 0 to 1 and so on."""
    return np.asarray(np.linalg.norm(np.roll(quad, -1, axis=0) - quad, axis=1), np.float32)


def overlap(first: Quad, second: Quad) -> float:
    """Intersection over union of two convex quadrilaterals."""
    common, _ = cv2.intersectConvexConvex(first, second)
    both = cv2.contourArea(first) + cv2.contourArea(second) - common
    return float(common / max(both, 1e-6))


def plausible(quad: Quad) -> bool:
    """Whether a card can look so: sides, proportions, angles."""
    length = sides(quad)
    if length.min() < MIN_LONG_SIDE / 3:
        return False
    across, along = (length[0] + length[2]) / 2, (length[1] + length[3]) / 2
    if max(across, along) < MIN_LONG_SIDE or max(across, along) / min(across, along) > MAX_ASPECT:
        return False
    if max(length[0] / length[2], length[2] / length[0], length[1] / length[3], length[3] / length[1]) > 1.9:
        return False
    directions = (np.roll(quad, -1, axis=0) - quad) / length[:, None]
    turns = np.abs(np.sum(directions * np.roll(directions, 1, axis=0), axis=1))
    return bool(turns.max() < 0.72)


def masks(image: Image) -> Iterable[Image]:
    """Binary pictures in which a card may be one blob."""
    darkest = image.min(axis=2)
    soft = cv2.GaussianBlur(darkest, (0, 0), 1.0)
    otsu, mask = cv2.threshold(soft, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    yield np.asarray(mask, np.uint8)
    for level in LEVELS:
        yield np.asarray(cv2.threshold(soft, level, 255, cv2.THRESH_BINARY)[1], np.uint8)
    for window, margin in ((15, 6), (61, -4)):
        local = cv2.adaptiveThreshold(soft, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY, window, margin)
        yield np.asarray(local, np.uint8)
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    for plane in (soft, cv2.GaussianBlur(grey, (0, 0), 1.0)):
        edges = cv2.dilate(cv2.Canny(plane, 20, 60), np.ones((3, 3), np.uint8))
        yield np.asarray(255 - edges, np.uint8)


def _quad_of(contour: npt.NDArray[np.int32], least: float, most: float) -> Quad | None:
    """The quadrilateral that a contour fills, or None."""
    hull = cv2.convexHull(contour)
    area = cv2.contourArea(hull)
    if area < least or area > most or len(hull) < 4 or cv2.contourArea(contour) < 0.8 * area:
        return None
    corners = cv2.approxPolyN(hull, 4)
    quad = clockwise(corners.reshape(4, 2))
    if area < FILL * cv2.contourArea(quad) or not plausible(quad):
        return None
    return quad


def proposals(image: Image) -> list[Quad]:
    """Quadrilaterals in the working picture, several for one card as a rule."""
    least = MIN_LONG_SIDE * MIN_LONG_SIDE / 3
    most = 0.9 * image.shape[0] * image.shape[1]
    found: list[Quad] = []
    for mask in masks(image):
        contours, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)
        for contour in contours:
            if len(contour) > 2 * MIN_LONG_SIDE:
                quad = _quad_of(np.asarray(contour, np.int32), least, most)
                if quad is not None:
                    found.append(quad)
    return found


def edge_support(gradient: Floats, quads: Floats, strong: float) -> Floats:
    """How far the sides of each quadrilateral lie on edges, 0 to 1: the mean over sides, the worst side counted twice.

    `gradient`: (height, width) magnitude. `quads`: (N, 4, 2). `strong`: a magnitude that is an edge for sure.
    """
    along = np.linspace(0.12, 0.88, 20, dtype=np.float32)[None, None, :, None]
    start, end = quads[:, :, None, :], np.roll(quads, -1, axis=1)[:, :, None, :]
    points = np.rint(start + (end - start) * along).astype(np.intp)
    x = np.clip(points[..., 0], 0, gradient.shape[1] - 1)
    y = np.clip(points[..., 1], 0, gradient.shape[0] - 1)
    support = np.minimum(gradient[y, x] / strong, 1).mean(axis=2)
    return np.asarray((support.sum(axis=1) + support.min(axis=1)) / 5, np.float32)


def gradient_of(image: Image) -> Floats:
    """Magnitude of the strongest channel's gradient, widened by a pixel so that an edge may be missed by one."""
    soft = cv2.GaussianBlur(image, (0, 0), 0.8)
    magnitude = np.zeros(image.shape[:2], np.float32)
    for channel in cv2.split(soft):
        across, along = cv2.Sobel(channel, cv2.CV_32F, 1, 0), cv2.Sobel(channel, cv2.CV_32F, 0, 1)
        magnitude = np.maximum(magnitude, cv2.magnitude(across, along))
    return np.asarray(cv2.dilate(magnitude, np.ones((3, 3), np.uint8)), np.float32)


def refined(image: Image, quad: Quad, reach: float) -> Quad:
    """The quadrilateral with each side moved onto the strongest edge within `reach` pixels.

    Each side is sampled across at 24 places; a line is fitted to the steepest points, far ones weighing less at each
    of three rounds; the corners are where the lines meet. A side whose edge cannot be told keeps its place.
    """
    count = max(3, int(np.ceil(reach)))
    offsets = np.linspace(-reach, reach, 2 * count + 1, dtype=np.float32)
    along = np.linspace(0.1, 0.9, 24, dtype=np.float32)
    start, end = quad, np.roll(quad, -1, axis=0)
    direction = (end - start) / np.maximum(sides(quad)[:, None], 1e-6)
    normal = np.stack([direction[:, 1], -direction[:, 0]], axis=1)
    base = start[:, None, :] + (end - start)[:, None, :] * along[None, :, None]
    points = base[:, :, None, :] + normal[:, None, None, :] * offsets[None, None, :, None]
    grid = points.reshape(4 * 24, -1, 2).astype(np.float32)
    sampled = cv2.remap(image, grid[..., 0], grid[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    profile = sampled.astype(np.float32).reshape(4, 24, len(offsets), 3)
    slope = np.abs(profile[:, :, 2:] - profile[:, :, :-2]).max(axis=3)
    slope *= 1 - 0.35 * (offsets[1:-1] / reach) ** 2
    best = slope.argmax(axis=2)
    strength = slope.max(axis=2)
    place = offsets[1:-1][best]
    lines = []
    for side in range(4):
        t, d, weight = along - 0.5, place[side], np.minimum(strength[side], 60)
        fit = np.zeros(2)
        for _ in range(3):
            total = weight.sum()
            if total < 24 * 4:
                fit = np.zeros(2)
                break
            mean_t, mean_d = (weight * t).sum() / total, (weight * d).sum() / total
            spread = (weight * (t - mean_t) ** 2).sum()
            tilt = (weight * (t - mean_t) * (d - mean_d)).sum() / max(spread, 1e-6)
            fit = np.array([mean_d - tilt * mean_t, tilt])
            weight = np.minimum(strength[side], 60) / (1 + ((d - fit[0] - fit[1] * t) / 0.8) ** 2)
        first = start[side] + normal[side] * (fit[0] - 0.5 * fit[1])
        second = end[side] + normal[side] * (fit[0] + 0.5 * fit[1])
        lines.append(np.cross([*first, 1.0], [*second, 1.0]))
    corners = np.array([np.cross(lines[k - 1], lines[k]) for k in range(4)])
    if np.abs(corners[:, 2]).min() < 1e-9:
        return quad
    moved = np.asarray(corners[:, :2] / corners[:, 2:], np.float32)
    return moved if np.linalg.norm(moved - quad, axis=1).max() < 3 * reach + 2 else quad


def find_quads(image: Image, levels: list[Image]) -> list[Proposal]:
    """Quadrilaterals of `image` that may be cards, one for each, best first; corners to sub-pixel."""
    scale = min(1.0, WORK_SIZE / max(image.shape[:2]))
    size = (round(image.shape[1] * scale), round(image.shape[0] * scale))
    work = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA) if scale < 1 else image, np.uint8)
    found = proposals(work)
    if not found:
        return []
    gradient = gradient_of(work)
    strong = max(40.0, float(np.percentile(gradient[::4, ::4], 97)) * 0.6)
    scores = edge_support(gradient, np.array(found), strong)
    kept: list[Proposal] = []
    for k in np.argsort(-scores, kind="stable"):
        if scores[k] < 0.3 or any(overlap(found[k], other.quad) > 0.72 for other in kept):
            continue
        kept.append(Proposal(found[k], float(scores[k])))
    stretch = np.array([image.shape[1] / size[0], image.shape[0] / size[1]], np.float32)
    return [Proposal(refined_in(levels, (p.quad + 0.5) * stretch - 0.5), p.score) for p in kept]


def refined_in(levels: list[Image], quad: Floats) -> Quad:
    """`refined` on the level of the picture pyramid in which the card is some 200 pixels long."""
    long_side = float(sides(np.asarray(quad, np.float32)).max())
    level = int(np.clip(np.floor(np.log2(max(long_side, 1) / 200)), 0, len(levels) - 1))
    small = np.asarray((quad + 0.5) / 2**level - 0.5, np.float32)
    moved = refined(levels[level], small, max(2.5, 0.035 * float(sides(small).min())))
    return np.asarray((moved + 0.5) * 2**level - 0.5, np.float32)
