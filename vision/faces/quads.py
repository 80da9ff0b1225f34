"""Cards as quadrilaterals: outlines of four straight sides with a card's proportions, whatever lies on them.

No single threshold shows every card, so several masks propose contours (levels of the darkest colour channel, a local
threshold, closed edges); a contour that fills a convex quadrilateral is a proposal; of the proposals for one card
the one whose sides lie best on edges is kept. Where the size is known, `vision.faces.rectangles` adds its own.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from vision.faces.crops import Quad
from vision.faces.edges import darkest, edge_support, steepness
from vision.faces.geometry import clockwise, inside, overlap, plausible
from vision.faces.rectangles import find_rectangles
from vision.frames import Image

Floats = npt.NDArray[np.float32]

WORK_SIZE = 1000
"""Contours are looked for in the level of the pyramid with no longer side than this, pixels."""
LEAST_SIDE = 34.0
"""Shortest long side of a card there; an index cannot be read below."""
LEVELS = tuple(range(70, 231, 32))
FILL = 0.91
"""Least share of a quadrilateral that the contour's hull fills; a card's round corners cost 1 to 3 %."""
WEAK_EDGE = 12.0
"""Slope of the edge between a white card and the white card below it."""
ALIKE_PART = 0.72
"""Two that share so much of what both cover are taken for one card …"""
FRAME_PART = 0.9
"""… and so much, where both may be its edge: a frame two millimetres inside it."""
ALIKE = 3
"""So many contours with nearly the same upright box are looked at, of all masks."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A quadrilateral that may be a card.

    `quad`: clockwise, pixels of the full picture, within some. `support`: how far its sides lie on edges, 0 to 1.
    `within`: the place, in the list of proposals, of one that it lies in; None where it lies in no other.
    """

    quad: Quad
    support: float
    within: int | None = None


class Quads:
    """The quadrilaterals of one picture, given as its pyramid."""

    def __init__(self, levels: list[Image]) -> None:
        self._step = next((k for k, level in enumerate(levels) if max(level.shape[:2]) <= WORK_SIZE), len(levels) - 1)
        work = levels[self._step]
        self._grey = np.asarray(cv2.cvtColor(work, cv2.COLOR_BGR2GRAY), np.uint8)
        self._planes = [np.asarray(cv2.GaussianBlur(p, (5, 5), 1.0), np.uint8) for p in (darkest(work), self._grey)]
        self._slope = steepness(self._planes)

    def contours(self, frames: bool = False) -> list[Proposal]:
        """Those that fill a contour, one for each card, larger ones first.

        `frames`: also those a little inside or around one, whose sides lie as well on edges: a frame that is printed
        near a card's edge, or the card about it.
        """
        found = _proposals(self._planes)
        if not len(found):
            return []
        strong = max(WEAK_EDGE, 0.5 * float(np.percentile(self._slope[::4, ::4], 97)))
        mean, worst = edge_support(self._slope, found, strong)
        kept = sorted(_best_of_each(found, mean, worst, frames), key=lambda k: -cv2.contourArea(found[k]))
        proposals: list[Proposal] = []
        for place, k in enumerate(kept):
            around = next((n for n in range(place - 1, -1, -1) if inside(found[k], found[kept[n]]) > 0.85), None)
            proposals.append(Proposal(self._in_full(found[k]), float(mean[k]), around))
        return proposals

    def rectangles(self, size: tuple[float, float]) -> list[Proposal]:
        """Those of about `size` (width and height of a card, pixels of the picture) whose sides lie on edges."""
        smaller = (size[0] / 2**self._step, size[1] / 2**self._step)
        found = find_rectangles(self._grey, self._slope, WEAK_EDGE, smaller)
        return [Proposal(self._in_full(quad), support) for quad, support in found]

    def paper_left(self, known: list[Quad], area: float) -> bool:
        """Whether something as bright as the `known` cards lies beside them, of half a card's `area` or more."""
        cards = np.zeros_like(self._grey)
        for quad in known:
            cv2.fillConvexPoly(cards, np.rint((quad + 0.5) / 2**self._step - 0.5).astype(np.int32), 255)
        paper = float(np.percentile(self._planes[0][cards > 0], 75)) if cards.any() else 255.0
        bright = cv2.threshold(self._planes[0], 0.75 * paper, 255, cv2.THRESH_BINARY)[1]
        left = cv2.bitwise_and(bright, cv2.bitwise_not(cv2.dilate(cards, np.ones((5, 5), np.uint8))))
        _, _, stats, _ = cv2.connectedComponentsWithStats(left)
        return bool((stats[1:, cv2.CC_STAT_AREA] > 0.3 * area / 4**self._step).any())

    def support(self, quads: list[Quad]) -> list[float]:
        """How far the sides of each of `quads`, in pixels of the picture, lie on edges, be they weak."""
        if not quads:
            return []
        small = np.asarray((np.array(quads) + 0.5) / 2**self._step - 0.5, np.float32)
        mean, worst = edge_support(self._slope, small, WEAK_EDGE)
        return [float(value) for value in 0.75 * mean + 0.25 * worst]

    def _in_full(self, quad: Quad) -> Quad:
        return np.asarray((quad + 0.5) * 2**self._step - 0.5, np.float32)


def _best_of_each(quads: Floats, mean: Floats, worst: Floats, frames: bool) -> list[int]:
    """The places of those with enough support, without those that overlap a better one too much."""
    middles = quads.mean(axis=1)
    kept: list[int] = []
    for k in np.argsort(-(mean + 0.25 * worst), kind="stable").tolist():
        if mean[k] <= 0.35:
            continue
        reach = 0.5 * math.sqrt(cv2.contourArea(quads[k]))
        near = (n for n in kept if float(np.abs(middles[k] - middles[n]).max()) < reach)
        one = FRAME_PART if frames and mean[k] > 0.9 and worst[k] > 0.75 else ALIKE_PART
        if not any(overlap(quads[k], quads[n]) > one for n in near):
            kept.append(k)
    return kept


def _masks(planes: list[Image]) -> Iterator[Image]:
    """Binary pictures in which a card may be one blob."""
    soft = planes[0]
    yield np.asarray(cv2.threshold(soft, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)[1], np.uint8)
    for level in LEVELS:
        yield np.asarray(cv2.threshold(soft, level, 255, cv2.THRESH_BINARY)[1], np.uint8)
    local = cv2.adaptiveThreshold(soft, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY, 15, 6)
    yield np.asarray(local, np.uint8)
    for plane in planes:
        edges = cv2.dilate(cv2.Canny(plane, 20, 60), np.ones((3, 3), np.uint8))
        yield np.asarray(cv2.bitwise_not(edges), np.uint8)


def _proposals(planes: list[Image]) -> Floats:
    """Quadrilaterals in the working picture, (N, 4, 2), some for one card as a rule."""
    height, width = planes[0].shape
    seen: Counter[tuple[int, ...]] = Counter()
    found: list[Quad] = []
    for mask in _masks(planes):
        contours, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
        for contour in contours:
            if len(contour) < 4:
                continue
            x, y, w, h = cv2.boundingRect(contour)
            if max(w, h) < 0.7 * LEAST_SIDE or min(w, h) < LEAST_SIDE / 3 or w * h > 0.97 * width * height:
                continue
            key = (x // 4, y // 4, w // 4, h // 4)
            seen[key] += 1
            if seen[key] <= ALIKE:
                quad = _quad_of(np.asarray(contour, np.int32), float(w * h))
                if quad is not None:
                    found.append(quad)
    return np.array(found, np.float32).reshape(-1, 4, 2)


def _quad_of(contour: npt.NDArray[np.int32], box: float) -> Quad | None:
    """The quadrilateral that a contour fills, or None. `box`: area of its upright bounding box."""
    area = cv2.contourArea(contour)
    if area < 0.25 * box:
        return None
    hull = cv2.convexHull(contour)
    full = cv2.contourArea(hull)
    if len(hull) < 4 or area < 0.8 * full:
        return None
    corners = np.asarray(cv2.approxPolyN(hull, 4), np.float32).reshape(-1, 2)
    if len(corners) != 4 or full < FILL * cv2.contourArea(corners) or not plausible(corners, LEAST_SIDE):
        return None
    return clockwise(corners)
