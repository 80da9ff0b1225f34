"""Cards as quadrilaterals: outlines of four straight sides with a card's proportions, whatever lies on them.

No single threshold shows every card, so several masks propose contours (levels of the darkest colour channel, local
thresholds, closed edges); a contour that fills a convex quadrilateral is a proposal; proposals of one card are
merged; the sides are then moved onto the strongest edge in the full picture, which gives the corners to sub-pixel.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from vision.faces.crops import Quad
from vision.faces.edges import darkest, edge_support, steepness
from vision.faces.geometry import clockwise, inside, overlap, plausible
from vision.frames import Image

Floats = npt.NDArray[np.float32]

WORK_SIZE = 1000
"""Long side of the picture that contours are looked for in, pixels, about."""
MIN_LONG_SIDE = 34.0
"""Shortest long side of a card in the working picture, pixels; its index cannot be read below."""
LEVELS = tuple(range(60, 241, 20))
FILL = 0.91
"""Least share of a quadrilateral that the contour's hull fills; a card's round corners cost 1 to 3 %."""
_EDGE = 40.0
"""A step of so many grey levels is an edge for sure, where the picture has no stronger ones."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A quadrilateral that may be a card: `quad` clockwise in pixels of the picture, within some; `score` 0 to 1."""

    quad: Quad
    score: float
    within: int | None
    """The place in the list of a proposal around this one."""


def masks(image: Image) -> Iterable[Image]:
    """Binary pictures in which a card may be one blob."""
    soft = cv2.GaussianBlur(darkest(image), (5, 5), 1.0)
    yield np.asarray(cv2.threshold(soft, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)[1], np.uint8)
    for level in LEVELS:
        yield np.asarray(cv2.threshold(soft, level, 255, cv2.THRESH_BINARY)[1], np.uint8)
    for window, margin in ((15, 6), (61, -4)):
        local = cv2.adaptiveThreshold(soft, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY, window, margin)
        yield np.asarray(local, np.uint8)
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    for plane in (soft, cv2.GaussianBlur(grey, (5, 5), 1.0)):
        edges = cv2.dilate(cv2.Canny(plane, 20, 60), np.ones((3, 3), np.uint8))
        yield np.asarray(cv2.bitwise_not(edges), np.uint8)


def _quad_of(contour: npt.NDArray[np.int32], least: float, most: float) -> Quad | None:
    """The quadrilateral that a contour fills, or None."""
    hull = cv2.convexHull(contour)
    area = cv2.contourArea(hull)
    if area < least or area > most or len(hull) < 4 or cv2.contourArea(contour) < 0.8 * area:
        return None
    corners = np.asarray(cv2.approxPolyN(hull, 4), np.float32).reshape(4, 2)
    if area < FILL * cv2.contourArea(corners) or not plausible(corners, MIN_LONG_SIDE):
        return None
    return clockwise(corners)


def proposals(image: Image) -> Floats:
    """Quadrilaterals in the working picture, (N, 4, 2), several for one card as a rule."""
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
    return np.array(found, np.float32).reshape(-1, 4, 2)


def best_of_each(quads: Floats, scores: Floats, least: float, alike: float) -> list[Proposal]:
    """The best first, without those scored below `least` and those that overlap a better one by more than `alike`."""
    middles = quads.mean(axis=1)
    kept: list[int] = []
    for k in np.argsort(-scores, kind="stable").tolist():
        if scores[k] < least:
            break
        reach = 0.5 * math.sqrt(abs(cv2.contourArea(quads[k])))
        near = (j for j in kept if abs(middles[k] - middles[j]).max() < reach)
        if not any(overlap(quads[k], quads[j]) > alike for j in near):
            kept.append(k)
    area = [cv2.contourArea(quads[k]) for k in kept]
    around = [
        next((j for j in range(len(kept)) if area[j] > area[i] and inside(quads[k], quads[kept[j]]) > 0.9), None)
        for i, k in enumerate(kept)
    ]
    return [Proposal(quads[k], float(scores[k]), outer) for k, outer in zip(kept, around, strict=True)]


def working(levels: list[Image]) -> Image:
    """The picture at about `WORK_SIZE`, from the level of its pyramid that is nearest above."""
    image = next((level for level in reversed(levels) if max(level.shape[:2]) >= 0.92 * WORK_SIZE), levels[0])
    scale = WORK_SIZE / max(image.shape[:2])
    if scale > 0.8:
        return image
    size = (round(image.shape[1] * scale), round(image.shape[0] * scale))
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_LINEAR), np.uint8)


def find_quads(levels: list[Image]) -> list[Proposal]:
    """Quadrilaterals that may be cards, one for each, best first.

    `levels`: the picture, and each time halved.
    """
    work = working(levels)
    found = proposals(work)
    if not len(found):
        return []
    slope = steepness([darkest(work), np.asarray(cv2.cvtColor(work, cv2.COLOR_BGR2GRAY), np.uint8)])
    strong = max(_EDGE, float(np.percentile(slope[::4, ::4], 97)) * 0.6)
    mean, worst = edge_support(slope, found, strong)
    kept = best_of_each(found, np.asarray((4 * mean + worst) / 5, np.float32), 0.3, 0.72)
    stretch = np.array([levels[0].shape[1] / work.shape[1], levels[0].shape[0] / work.shape[0]], np.float32)
    half = np.float32(0.5)
    return [Proposal((p.quad + half) * stretch - half, p.score, p.within) for p in kept]
