"""Outlines of cards: quadrilaterals with a card's proportions, whatever is printed on them.

No single threshold shows every card, so several masks propose contours (levels of the darkest channel, a local
threshold, closed edges). A contour that fills a convex quadrilateral is a proposal; of the proposals for one card the
one whose sides lie best on edges is kept. If the size is known, `vision.faces.rectangles` adds its own.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

import cv2
import numpy as np
import numpy.typing as npt

from vision.faces.edges import Derivatives, darkest_channel, derivatives, edge_scores, gradient, seen_scores
from vision.faces.geometry import Box, Floats, Quad, clockwise, containment, iou, is_plausible_card
from vision.faces.outline_fitting import OutlineFitter
from vision.faces.outline_settings import OutlineSettings
from vision.faces.pyramid import from_level, to_level
from vision.faces.rectangle_settings import RectangleSettings
from vision.faces.rectangles import find_rectangles
from vision.faces.settings import DEFAULTS
from vision.frames import Image
from vision.percentiles import plane_percentile


@dataclass(frozen=True, slots=True)
class Proposal:
    """A quadrilateral that may be a card.

    `quad`: in pixels of the full picture, accurate to a few pixels. `edge_score`: how well its sides lie on edges, 0
    to 1. `parent`: position in the list of proposals of one that contains it, or None.
    """

    quad: Quad
    edge_score: float
    parent: int | None = None


class OutlineFinder:
    """Finds card outlines in one picture.

    `levels`: its image pyramid. `smallest`: the long side of the smallest cards to find, pixels; 0 if it is not known.
    """

    def __init__(
        self,
        levels: list[Image],
        settings: OutlineSettings = DEFAULTS.outlines,
        rectangles: RectangleSettings = DEFAULTS.rectangles,
        smallest: float = 0.0,
    ) -> None:
        size = settings.work_size
        self._level = next((k for k, level in enumerate(levels) if max(level.shape[:2]) <= size), len(levels) - 1)
        shortest = max(settings.min_long_side, smallest / 2**self._level)
        self._settings = replace(settings, min_long_side=shortest)
        self._rectangles = rectangles
        work = levels[self._level]
        self._grey = np.asarray(cv2.cvtColor(work, cv2.COLOR_BGR2GRAY), np.uint8)
        planes = (darkest_channel(work), self._grey)
        window = (settings.blur_window_px, settings.blur_window_px)
        self._planes = [np.asarray(cv2.GaussianBlur(plane, window, settings.blur_px), np.uint8) for plane in planes]
        slopes = derivatives(self._planes)
        self._slopes = slopes[0]
        self._slope = gradient(slopes)
        self._found: Floats | None = None
        self._work = work

    def contours(self, borders: bool = False) -> list[Proposal]:
        """Return quadrilaterals that fill a contour, one per card, larger ones first.

        `borders`: also return those a little inside or around another whose sides lie on edges as well: a border
        printed near a card's edge, or the card around it.
        """
        found = self._quads()
        if not len(found):
            return []
        settings = self._settings
        sampled = np.ascontiguousarray(self._slope[::4, ::4])
        typical = plane_percentile(sampled, settings.strong_percentile)
        strong = max(settings.weak_edge, settings.strong_share * typical)
        mean, worst = edge_scores(self._slope, found, strong, settings.edges)
        kept = _non_max_suppression(found, mean, worst, borders, settings)
        kept = sorted(kept, key=lambda k: -cv2.contourArea(found[k]))
        nested = settings.nested_containment
        proposals: list[Proposal] = []
        for place, k in enumerate(kept):
            parent = next((n for n in range(place - 1, -1, -1) if containment(found[k], found[kept[n]]) > nested), None)
            proposals.append(Proposal(from_level(found[k], self._level), float(mean[k]), parent))
        return proposals

    def fitter(self) -> tuple[OutlineFitter, int]:
        """Return what fits outlines to the edges of their paper, and the level of the pyramid in which it does."""
        return OutlineFitter(self._work, self._slope, self._quads(), self._settings), self._level

    def _quads(self) -> Floats:
        """Return the quadrilaterals that fill a contour in the working picture, (N, 4, 2), several for each card."""
        if self._found is None:
            self._found = _proposals(self._planes[0], self._slopes, self._settings)
        return self._found

    def rectangles(
        self, size: tuple[float, float], near: Floats | None = None, paper: Box | None = None
    ) -> list[Proposal]:
        """Return rectangles of about `size` (width and height of a card, pixels) whose sides lie on edges.

        `near`: (N, 2) pixels; only in the part of the picture with these points and the cards that may lie on them.
        `paper`: a box in the working picture, from `unread_paper`; only from segments in it. Sides may lie outside it.
        """
        smaller = (size[0] / 2**self._level, size[1] / 2**self._level)
        first, last = np.zeros(2, np.intp), np.array(self._grey.shape[::-1])
        if near is not None:
            points, reach = to_level(near, self._level), self._settings.around_point * math.hypot(*smaller)
            first = np.clip(np.floor(points.min(axis=0) - reach), 0, last - 1).astype(np.intp)
            last = np.clip(np.ceil(points.max(axis=0) + reach), first + 1, last).astype(np.intp)
        part = np.s_[first[1] : last[1], first[0] : last[0]]
        grey, slope = (np.ascontiguousarray(plane[part]) for plane in (self._grey, self._slope))
        within: Box | None = None
        if paper is not None:
            (left, top), (right, foot) = np.clip(np.reshape(paper, (2, 2)) - first, 0, last - first).tolist()
            within = left, top, right, foot
        found = find_rectangles(grey, slope, self._settings.weak_edge, smaller, self._rectangles, within)
        return [Proposal(from_level(quad + np.float32(first), self._level), score) for quad, score in found]

    def unread_paper(self, known: list[Quad], area: float, least_share: float) -> Box | None:
        """Return the box around the larger pieces of paper outside the `known` cards, in the working picture.

        It has a margin. Paper is at least nearly as bright as these cards, which are widened a little. None if no piece
        has more than `least_share` of `area`, that of a card in square pixels. Pieces with less than `paper_piece` of
        that are left out.
        """
        settings = self._settings
        cards = np.zeros_like(self._grey)
        for quad in known:
            cv2.fillConvexPoly(cards, np.rint(to_level(quad, self._level)).astype(np.int32), 255)
        brightness = plane_percentile(self._planes[0], settings.paper_percentile, cards) if known else 255.0
        bright = cv2.threshold(self._planes[0], settings.paper_level * brightness, 255, cv2.THRESH_BINARY)[1]
        window = np.ones((2 * settings.card_margin_px + 1,) * 2, np.uint8)
        left = cv2.bitwise_and(bright, cv2.bitwise_not(cv2.dilate(cards, window)))
        least = least_share * area / 4**self._level
        if cv2.countNonZero(left) <= least:
            return None
        _, _, pieces, _ = cv2.connectedComponentsWithStats(left)
        pieces = pieces[1:]
        if not (pieces[:, cv2.CC_STAT_AREA] > least).any():
            return None
        x, y, wide, tall, _ = pieces[pieces[:, cv2.CC_STAT_AREA] > self._rectangles.paper_piece * least].T
        margin, (tallest, widest) = self._rectangles.paper_margin_px, left.shape
        first = max(int(x.min()) - margin, 0), max(int(y.min()) - margin, 0)
        return *first, min(int((x + wide).max()) + margin, widest), min(int((y + tall).max()) + margin, tallest)

    def edge_scores(self, quads: list[Quad]) -> list[float]:
        """Return how well the sides of each of `quads` (full-picture pixels) lie on edges, even weak ones, 0 to 1."""
        if not quads:
            return []
        settings = self._settings
        small = to_level(np.array(quads), self._level)
        mean, worst = edge_scores(self._slope, small, settings.weak_edge, settings.edges)
        return [float(value) for value in (1 - settings.worst_side_weight) * mean + settings.worst_side_weight * worst]

    def seen_scores(self, quads: list[Quad]) -> Floats:
        """Return how well each of `quads` (full-picture pixels) lies on edges where it is in the picture, (N,).

        0 if less than `min_seen_share` of the sides is in the picture.
        """
        small = to_level(np.array(quads), self._level)
        return seen_scores(self._slope, small, self._settings.weak_edge, self._settings.edges)


def _non_max_suppression(
    quads: Floats, mean: Floats, worst: Floats, borders: bool, settings: OutlineSettings
) -> list[int]:
    """Return the positions of those with enough edge score, without those that overlap a better one too much."""
    middles = quads.mean(axis=1).tolist()
    kept: list[int] = []
    for k in np.argsort(-(mean + settings.worst_side_bonus * worst), kind="stable").tolist():
        if mean[k] <= settings.min_edge_score:
            continue
        reach = settings.near * math.sqrt(cv2.contourArea(quads[k]))
        x, y = middles[k]
        near = (n for n in kept if abs(x - middles[n][0]) < reach and abs(y - middles[n][1]) < reach)
        strong_mean, strong_worst = settings.border_edge_scores
        is_border = borders and mean[k] > strong_mean and worst[k] > strong_worst
        limit = settings.border_iou if is_border else settings.same_card_iou
        if not any(iou(quads[k], quads[n]) > limit for n in near):
            kept.append(k)
    return kept


def _masks(soft: Image, slopes: Derivatives, settings: OutlineSettings) -> Iterator[Image]:
    """Yield binary pictures in which a card may be one connected region.

    `soft`: the darkest channel. `slopes`: its derivatives.
    """
    yield np.asarray(cv2.threshold(soft, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)[1], np.uint8)
    for level in settings.threshold_levels:
        yield np.asarray(cv2.threshold(soft, level, 255, cv2.THRESH_BINARY)[1], np.uint8)
    window, offset = settings.local_window_px, settings.local_offset
    local = cv2.adaptiveThreshold(soft, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY, window, offset)
    yield np.asarray(local, np.uint8)
    weak, strong = settings.edge_levels
    edges = cv2.dilate(cv2.Canny(*slopes, weak, strong), np.ones((3, 3), np.uint8))
    yield np.asarray(cv2.bitwise_not(edges), np.uint8)


def _proposals(soft: Image, slopes: Derivatives, settings: OutlineSettings) -> Floats:
    """Return quadrilaterals in the working picture, (N, 4, 2), usually several per card; the rest as for `_masks`."""
    height, width = soft.shape
    least_long = settings.min_box_side * settings.min_long_side
    least_short = settings.min_long_side / settings.max_narrowness
    most_area, step = settings.max_box_share * width * height, settings.box_step
    boxes: Counter[tuple[int, ...]] = Counter()
    found: list[Quad] = []
    for mask in _masks(soft, slopes, settings):
        contours, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
        for contour in contours:
            if len(contour) < 4:
                continue
            x, y, w, h = cv2.boundingRect(contour)
            if w < least_short or h < least_short or (w < least_long and h < least_long) or w * h > most_area:
                continue
            box = (x // step, y // step, w // step, h // step)
            boxes[box] += 1
            if boxes[box] <= settings.max_similar_boxes:
                quad = _fit_quad(np.asarray(contour, np.int32), float(w * h), settings)
                if quad is not None:
                    found.append(quad)
    return np.array(found, np.float32).reshape(-1, 4, 2)


def _fit_quad(contour: npt.NDArray[np.int32], box_area: float, settings: OutlineSettings) -> Quad | None:
    """Return the quadrilateral that a contour fills, or None. `box_area`: of its bounding box, square pixels."""
    area = cv2.contourArea(contour)
    if area < settings.min_contour_fill * box_area:
        return None
    hull = cv2.convexHull(contour)
    full = cv2.contourArea(hull)
    if len(hull) < 4 or area < settings.min_hull_fill * full:
        return None
    corners = np.asarray(cv2.approxPolyN(hull, 4), np.float32).reshape(-1, 2)
    if len(corners) != 4 or full < settings.min_fill * cv2.contourArea(corners):
        return None
    return clockwise(corners) if is_plausible_card(corners, settings.min_long_side, settings) else None
