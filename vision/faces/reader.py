"""Reads ordinary cards by their printed indices, whatever the deck."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import cv2
import numpy as np

from engine.cards import Card
from vision.faces.card_assembly import Found, Sight, cards_of, spanned, within
from vision.faces.covered import HEIGHT_MM, Indices, heights, outline_of
from vision.faces.crops import Quad, card_homography, corner_crop
from vision.faces.edges import refined
from vision.faces.geometry import inside, overlap, portrait, sides, turned
from vision.faces.index_classifier import IndexModel
from vision.faces.quads import Quads
from vision.faces.score_fusion import Verdict, fuse
from vision.frames import Image
from vision.readings import CARD_MM, Reading

SIZE_MAY_BE = 1.2
"""A card's sides may be so many times larger or smaller than the table's scale says."""
LEAST_CONFIDENCE = 0.8
"""Below it a card is unknown and not reported."""
LEAST_ALONE = 0.9
"""Least confidence of a card told by its indices alone."""
LEAST_EDGES = 0.5
"""At the table a card told by its indices alone has an outline with so much support: it is followed by its place."""
AT_CORNER, SAME_RANK = 0.35, 0.8
"""An index is a corner's if it is no farther from where that corner's index should be, in heights: one of another rank,
and one of the same rank."""
INDEX_MM = (6.0, 11.0)
"""About the middle of an index, from the card's corner."""
SAME_PLACE = 0.6
"""A card that shares so much with the one on it of what both cover shows no index."""
ONE_CARD = 0.8
"""Outlines that share so much of what both cover are of one card."""
WITHIN, PRINT, MIDDLE = 0.9, 0.75, 0.1
"""What lies in a card by this part of its area, is smaller than the card by this factor, and no farther from its middle
than this part of its height, is printed on it."""
BESIDE_MM = 8.0
"""Two indices nearer to each other than this are taken for one."""


@dataclass(frozen=True, slots=True)
class _Seen:
    """An outline that shows a card: `support`: how far it lies on edges; `worth`: what decides between two."""

    reading: Reading
    verdict: Verdict
    support: float

    @property
    def worth(self) -> tuple[int, float]:
        return len(self.verdict.corners), self.verdict.confidence * (0.3 + self.support)


class _Look:
    """A picture that is being read: `outlines`: those in which an index was looked for."""

    def __init__(self, levels: list[Image], mm_per_px: float | None) -> None:
        self.levels, self.mm_per_px = levels, mm_per_px
        self.quads = Quads(levels)
        self.outlines: list[Quad] = []


class FaceReader:
    """A `Reader` of the cards of any ordinary deck: apart, on one another, or covered up to an index."""

    least_px_per_mm: ClassVar[float] = 1.25
    """An index would be too small to be told apart with certainty: `python -m benchmarks.faces` shows it at 1.1."""

    def __init__(self) -> None:
        self._model = IndexModel()
        self._indices = Indices()

    def read(self, image: Image, mm_per_px: float | None = None) -> list[Reading]:
        """All cards whose outline and index are found; what is not sure, or too small to be, is left out."""
        if mm_per_px is not None and mm_per_px * self.least_px_per_mm > 1:
            return []
        look = _Look(pyramid(image), mm_per_px)
        whole = _one_each(self._any_size(look) if mm_per_px is None else self._of_size(look))
        sure = [one.reading.outline for one in whole if len(one.verdict.corners) == 2]
        sights = self._indices.sights(look.levels, heights(mm_per_px, sure))
        left = [sight for sight in sights if not any(_belongs(sight, one) for one in whole)]
        found = cards_of(left)
        if mm_per_px is None:  # else whatever is not of a card's size has been refused
            spans = [span for each in found if (span := _span(each)) is not None]
            whole = [one for one in whole if not any(_printed_on(one.reading.outline, span) for span in spans)]
        covered = self._covered(look, whole, found)
        if mm_per_px is not None:  # else an outline may be reckoned only
            whole = [one for one in whole if not any(_outdone(one, reading) for reading in covered)]
        return [one.reading for one in whole] + covered

    def _covered(self, look: _Look, whole: list[_Seen], cards: list[Found]) -> list[Reading]:
        """Those of the cards told by their indices alone that are sure, and not among the outlined ones."""
        readings = [one.reading for one in whole]
        shown = [(turned(one.reading.outline, k), one.verdict.card) for one in whole for k in one.verdict.corners]
        support = look.quads.support(look.outlines) if cards else []
        for found in cards:
            if found.confidence < LEAST_ALONE:
                break
            outline, edges = outline_of(found, look.outlines, support, look.mm_per_px)
            if look.mm_per_px is not None and edges < LEAST_EDGES:
                continue
            again = (one.face is found.card and overlap(one.outline, outline) > 0.1 for one in readings)
            # Without a scale an outline may be that of two cards that lie side by side.
            refuted = look.mm_per_px is not None and _contradicts(outline, found.card, shown)
            if not any(again) and not refuted:
                shown.append((outline, found.card))
                readings.append(Reading(found.card, found.confidence, "face", outline, found.alternatives))
        return readings[len(whole) :]

    def _any_size(self, look: _Look) -> list[_Seen]:
        """From the outside in: what lies within a card that was read is its print."""
        proposals = look.quads.contours()
        seen: list[_Seen] = []
        waiting = list(range(len(proposals)))
        while waiting:
            now = [k for k in waiting if proposals[k].within not in waiting]
            waiting = [k for k in waiting if k not in now]
            open_ = [proposals[k].quad for k in now if not _within_one(proposals[k].quad, seen)]
            upright = [portrait(refined(look.levels, quad)) for quad in open_]
            found = self._seen(look, upright)
            sideways = [turned(quad, 1) for quad in upright if _may_be_landscape(quad) and not _within_one(quad, found)]
            seen += found + self._seen(look, sideways)
        sizes = [_size_of(one.reading.outline) for one in seen if len(one.verdict.corners) == 2]
        known = [one.reading.outline for one in seen]
        if sizes and look.quads.paper_left(known, min(w * h for w, h in sizes)):
            width, height = np.median(np.array(sizes), axis=0).tolist()
            rectangles = [p.quad for p in look.quads.rectangles((width, height)) if not _within_one(p.quad, seen)]
            seen += self._sized(look, rectangles, (width, height))
        return seen

    def _of_size(self, look: _Look) -> list[_Seen]:
        """Outlines of a card's size, whether they fill a contour or only have edges all round."""
        assert look.mm_per_px is not None
        size = (CARD_MM[0] / look.mm_per_px, CARD_MM[1] / look.mm_per_px)
        proposals = [p.quad for p in look.quads.contours() if _fits(p.quad, size)]
        return self._sized(look, proposals + [p.quad for p in look.quads.rectangles(size)], size)

    def _sized(self, look: _Look, proposals: list[Quad], size: tuple[float, float]) -> list[_Seen]:
        """What those of a card's size show, each different one looked at once."""
        different: list[Quad] = []
        for quad in proposals:
            moved = portrait(refined(look.levels, quad))
            if _fits(moved, size) and not any(overlap(moved, other) > 0.94 for other in different):
                different.append(moved)
        return self._seen(look, different)

    def _seen(self, look: _Look, outlines: list[Quad]) -> list[_Seen]:
        """The outlines in whose corners there is an index, upright."""
        look.outlines += outlines
        crops = [corner_crop(look.levels, turned(quad, turn)) for quad in outlines for turn in (0, 2)]
        ranks, suits = self._model(crops)
        found = []
        for k, (quad, support) in enumerate(zip(outlines, look.quads.support(outlines), strict=True)):
            verdict = fuse(ranks[2 * k : 2 * k + 2], suits[2 * k : 2 * k + 2])
            if verdict.confidence >= LEAST_CONFIDENCE:
                reading = Reading(verdict.card, verdict.confidence, "face", quad, verdict.alternatives)
                found.append(_Seen(reading, verdict, support))
        return found


def _belongs(sight: Sight, one: _Seen) -> bool:
    """Whether the sight is of an index of the card whose outline was read.

    One in a corner of that card that seems to show another face is believed less than the card's own reading.
    """
    if not within(sight.place, one.reading.outline):
        return False
    if sight.card is one.verdict.card:
        return True
    reach = SAME_RANK if sight.card.rank == one.verdict.card.rank else AT_CORNER
    both = len(one.verdict.corners) == 2
    if not both and sight.confidence >= one.verdict.confidence:
        return False
    # Its other two corners may show an index as well, unless it lies under the next card of a row or a fan.
    ends = (INDEX_MM[0], CARD_MM[0] - INDEX_MM[0]) if both else (INDEX_MM[0],)
    for corner in one.verdict.corners:
        matrix = card_homography(turned(one.reading.outline, corner))
        for left in ends:
            place = matrix @ np.array([left, INDEX_MM[1], 1.0])
            x, y = (place[:2] / place[2]).tolist()
            if np.hypot(sight.place.x - x, sight.place.y - y) < reach * sight.place.height:
                return True
    return False


def _span(found: Found) -> Quad | None:
    """The outline of a card surely told by two opposite indices, if they are no farther apart than on a card."""
    quad = spanned(found) if found.confidence >= LEAST_ALONE else None
    most = CARD_MM[1] / HEIGHT_MM[0] * found.sights[0].place.height
    return quad if quad is not None and max(sides(quad)) < most else None


def _outdone(one: _Seen, other: Reading) -> bool:
    """Whether an outline of which one corner was read lies where another card was read more surely."""
    surer = len(one.verdict.corners) == 1 and other.confidence > one.verdict.confidence
    return surer and other.face is not one.verdict.card and overlap(one.reading.outline, other.outline) > SAME_PLACE


def _printed_on(quad: Quad, card: Quad) -> bool:
    """Whether what was taken for a card is a frame in the middle of another: all cards of a table are of one size."""
    away = float(np.hypot(*(quad.mean(axis=0) - card.mean(axis=0))))
    smaller = cv2.contourArea(quad) < PRINT * cv2.contourArea(card)
    return smaller and inside(quad, card) > WITHIN and away < MIDDLE * max(sides(card))


def _contradicts(outline: Quad, card: Card, shown: list[tuple[Quad, Card]]) -> bool:
    """Whether a surer index, in the opposite corner of the same outline, says that it is another card.

    Both outlines begin at the index that was read. Half an index beside another card looks like many a thing.
    """
    return any(
        other is not card and overlap(outline, place) > ONE_CARD and _opposite(outline, place) for place, other in shown
    )


def _opposite(first: Quad, second: Quad) -> bool:
    """Whether one is upside down where the other is upright."""
    return bool(np.dot(first[1] - first[0], second[1] - second[0]) < 0)


def pyramid(image: Image) -> list[Image]:
    """The picture, and each time halved, down to some 200 pixels."""
    levels = [image]
    while min(levels[-1].shape[:2]) >= 400:
        height, width = (side // 2 for side in levels[-1].shape[:2])
        half = cv2.resize(levels[-1][: 2 * height, : 2 * width], (width, height), interpolation=cv2.INTER_AREA)
        levels.append(np.asarray(half, np.uint8))
    return levels


def _size_of(quad: Quad) -> tuple[float, float]:
    """Width and height of a card, pixels."""
    length = sides(quad)
    return (length[0] + length[2]) / 2, (length[1] + length[3]) / 2


def _fits(quad: Quad, size: tuple[float, float]) -> bool:
    """Whether a card of that size, in pixels, may look so, a little nearer or farther, a little tilted."""
    across, along = (own / other for own, other in zip(_size_of(portrait(quad)), size, strict=True))
    return 1 / SIZE_MAY_BE < across < SIZE_MAY_BE and 1 / SIZE_MAY_BE < along < SIZE_MAY_BE


def _may_be_landscape(quad: Quad) -> bool:
    """Whether perspective may make a card's long side look the shorter."""
    length = sides(quad)
    return bool((length[1] + length[3]) < 1.9 * (length[0] + length[2]))


def _within_one(quad: Quad, seen: list[_Seen]) -> bool:
    """Whether `quad` lies in a card that was read."""
    return any(inside(quad, one.reading.outline) > 0.6 for one in seen)


def _one_each(seen: list[_Seen]) -> list[_Seen]:
    """Each physical card once, by its best outline: two indices before one, then what lies on edges.

    An outline whose index lies on a better card shows that card's index; one that shares its face with a better
    card, and lies partly on it, is the same card badly outlined.
    """
    kept: list[_Seen] = []
    for one in sorted(seen, key=lambda each: each.worth, reverse=True):
        outline = one.reading.outline
        if not any(
            overlap(outline, other.reading.outline) > (0.05 if one.verdict.card is other.verdict.card else 0.8)
            or _shows_index_of(one, other)
            for other in kept
        ):
            kept.append(one)
    return kept


def _shows_index_of(one: _Seen, other: _Seen) -> bool:
    """Whether an index that `one` was read by lies within the outline of `other`, or is the one `other` was read by.

    A bad outline shows part of a good one's index, which is then beside both.
    """
    ends = [_index_place(other, corner) for corner in other.verdict.corners]
    near = BESIDE_MM * max(sides(other.reading.outline)) / CARD_MM[1]
    for corner in one.verdict.corners:
        x, y = _index_place(one, corner)
        if cv2.pointPolygonTest(other.reading.outline, (x, y), False) > 0:
            return True
        if len(one.verdict.corners) == 1 and any(np.hypot(x - ex, y - ey) < near for ex, ey in ends):
            return True
    return False


def _index_place(one: _Seen, corner: int) -> tuple[float, float]:
    """About the middle of the index in that corner, pixels."""
    place = card_homography(turned(one.reading.outline, corner)) @ np.array([*INDEX_MM, 1.0])
    x, y = (place[:2] / place[2]).tolist()
    return x, y
