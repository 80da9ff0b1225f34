"""Cards of which an index can be seen, whether or not anything else can: found by that index alone."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from vision.faces.card_assembly import Floats, Found, Sight, outline
from vision.faces.closeup import closeup
from vision.faces.crops import Quad, card_homography
from vision.faces.geometry import sides, turned
from vision.faces.index_classifier import MODEL, IndexModel
from vision.faces.index_detector import APART, LEAST, MOST, Place, PlaceModel
from vision.frames import Image
from vision.readings import CARD_MM

GLYPHS = MODEL.with_name("glyphs.onnx")
LEAST_SHOWN = 0.3
"""A place that shows an index with less probability is not looked at any more."""
HEIGHT_MM = (10.0, 24.0)
"""Heights of printed indices, from the rank's top to the suit's foot, millimetres."""
NEARER = 1.5
"""Cards whose outline was not found are at most so many times larger or smaller than those whose outline was."""
COARSE, FINE = 2.4 * LEAST, 0.9 * MOST
"""Where nothing tells the scale, indices of so many pixels and more are looked for first: that is quick."""
LOOKS, NEARER_LOOK = (0.11, -0.11), 0.92
"""An index is looked at again turned by so much, radians, and as if it were so much less high: its place is not told
exactly, and what is no index seldom looks the same three times."""
SURE = 0.95
"""An index read so surely there tells how high the others may be; at one read less surely another place is tried."""
ELSEWHERE = ((1.3, 0.0), (0.77, 0.0), (1.0, 0.17), (1.0, -0.17))
"""Where an index may be instead: so many times as high, and by so much of its height further down. Of an unusual index,
very large or of a long rank and a small suit, the place is not told well."""
WORTH = 0.3
"""Least heat of a place for which others are tried."""
LIKELIER = 0.5
"""Least probability at first sight with which another place shows an index; less than that may be corrected by it."""
MIDDLE_MM = (2.5, 11.5)
TOP_MM = (0.0, 9.0)
"""Where on a card an index stands: its middle from the left side, its rank's top from the upper side, millimetres."""
MOST_SLANTED = 1.6
"""Seen from the side a card looks so many times shorter, or narrower, at most."""
MISSED = 1.35
"""An index's height may be told wrongly by this factor."""
UPRIGHT = 0.96
"""Least cosine of the angle between an index and the card's long side."""


class Indices:
    """Finds and reads the indices of a picture."""

    def __init__(self) -> None:
        self._places = PlaceModel()
        self._glyphs = IndexModel(GLYPHS)

    def sights(self, levels: list[Image], heights: tuple[float, float]) -> list[Sight]:
        """What is seen at each place that may show an index of `heights` (least, most, pixels).

        Without a least height large indices are looked for first, in the smaller levels; what is surely one tells
        whether the full picture, which takes longest, can show others.
        """
        if heights[0] > 0:
            return self.read(levels, self._places(levels[0], heights))
        large = self.read(levels, self._places(levels[0], (COARSE, heights[1])))
        sure = [sight.place.height for sight in large if sight.confidence >= SURE]
        least = min(sure) * HEIGHT_MM[0] / HEIGHT_MM[1] if sure else 0.0
        small = self.read(levels, self._places(levels[0], (least, FINE)))
        return large + [sight for sight in small if not any(_same(sight.place, other.place) for other in large)]

    def read(self, levels: list[Image], places: list[Place]) -> list[Sight]:
        """What is seen at the places, or near by where that shows an index more surely."""
        seen = self._looked(levels, places)
        unsure = [k for k, sight in enumerate(seen) if places[k].heat >= WORTH and _confidence(sight) < SURE]
        near = [_moved(places[k], *way) for k in unsure for way in ELSEWHERE]
        chances = _shown(*self._glyphs([closeup(levels, place) for place in near])).reshape(-1, len(ELSEWHERE))
        tried = {
            k: near[row * len(ELSEWHERE) + int(some.argmax())]
            for row, (k, some) in enumerate(zip(unsure, chances, strict=True))
            if some.max() > LIKELIER
        }
        for k, sight in zip(tried, self._looked(levels, list(tried.values())), strict=True):
            before = seen[k]
            alike = before is None or before.confidence <= LIKELIER or (sight is not None and sight.card is before.card)
            if alike and _confidence(sight) > _confidence(before):
                seen[k] = sight
        return [sight for sight in seen if sight is not None]

    def _looked(self, levels: list[Image], places: list[Place]) -> list[Sight | None]:
        """What each place shows by three looks, if it shows an index at first sight."""
        ranks, suits = self._glyphs([closeup(levels, place) for place in places])
        shown = np.flatnonzero(_shown(ranks, suits) > LEAST_SHOWN).tolist()
        again = [closeup(levels, _turned(places[k], turn)) for k in shown for turn in LOOKS]
        more_ranks, more_suits = self._glyphs(again)
        seen: list[Sight | None] = [None] * len(places)
        for k, some in zip(shown, range(0, len(again), len(LOOKS)), strict=True):
            rank = _agreed(ranks[k], more_ranks[some : some + len(LOOKS)])
            suit = _agreed(suits[k], more_suits[some : some + len(LOOKS)])
            sight = Sight(places[k], rank, suit)
            seen[k] = sight if sight.confidence > LEAST_SHOWN else None
        return seen


def _shown(ranks: Floats, suits: Floats) -> Floats:
    """How likely each of the crops (N, 14) and (N, 5) shows the index that it shows most likely, (N,)."""
    return np.asarray(ranks[:, :13].max(axis=1) * suits[:, :4].max(axis=1), np.float32)


def _confidence(sight: Sight | None) -> float:
    return 0.0 if sight is None else sight.confidence


def _moved(place: Place, larger: float, down: float) -> Place:
    """The place as if the index were so many times as high, and by `down` of its height further down."""
    x, y = place.x + down * place.down_x, place.y + down * place.down_y
    return Place(x, y, larger * place.down_x, larger * place.down_y, place.heat)


def _turned(place: Place, turn: float) -> Place:
    """The place as if it were told a little otherwise: turned by `turn`, and less high."""
    cos, sin = NEARER_LOOK * math.cos(turn), NEARER_LOOK * math.sin(turn)
    down = cos * place.down_x - sin * place.down_y, sin * place.down_x + cos * place.down_y
    return Place(place.x, place.y, *down, place.heat)


def _agreed(first: Floats, others: Floats) -> Floats:
    """What several looks at one index say together: the geometric mean, (N,), so that each may object."""
    every = np.concatenate([first[None], others])
    mean = np.exp(np.log(np.maximum(every, 1e-6)).mean(axis=0))
    return np.asarray(mean / mean.sum(), np.float32)


def _same(one: Place, other: Place) -> bool:
    return math.hypot(one.x - other.x, one.y - other.y) < APART * max(one.height, other.height)


def heights(mm_per_px: float | None, cards: Sequence[Quad]) -> tuple[float, float]:
    """Least and most height of an index in the picture, pixels: by the table's scale, or by cards already read."""
    if mm_per_px is not None:
        return HEIGHT_MM[0] / mm_per_px, HEIGHT_MM[1] / mm_per_px
    if not cards:
        return 0.0, math.inf
    scales = [max(sides(card)) / CARD_MM[1] for card in cards]
    return HEIGHT_MM[0] * min(scales) / NEARER, HEIGHT_MM[1] * max(scales) * NEARER


def outline_of(
    found: Found, outlines: Sequence[Quad], support: Sequence[float], mm_per_px: float | None
) -> tuple[Quad, float]:
    """Where the card lies, and how far that outline is supported by edges: 0 where it is only where it must be.

    The best supported of `outlines` in whose corner the index stands; else one reckoned from the index.
    """
    best, most = None, 0.0
    for quad, edges in zip(outlines, support, strict=True):
        for turn in (0, 2):
            upright = turned(quad, turn)
            if edges > most and _like_a_card(upright) and stands_in(found.sights[0].place, upright):
                best, most = upright, edges
    if best is not None:
        return best, most
    if mm_per_px is None:
        return outline(found), 0.0
    unit = mm_per_px * found.sights[0].place.height
    return outline(found, (CARD_MM[0] / unit, CARD_MM[1] / unit)), 0.0


def _like_a_card(upright: Quad) -> bool:
    """Whether the sides, the upper one first, may be a card's, seen from the side if need be."""
    upper, right, lower, left = sides(upright)
    ratio = (upper + lower) / CARD_MM[0] * CARD_MM[1] / max(right + left, 1e-6)
    return 1 / MOST_SLANTED < ratio < MOST_SLANTED


def stands_in(place: Place, card: Quad) -> bool:
    """Whether the place is where a card with this outline, first corner its own top left, has its index."""
    back = np.linalg.inv(card_homography(card))
    half = np.array([place.down_x, place.down_y]) / 2
    ends = np.array([[place.x - half[0], place.y - half[1], 1], [place.x + half[0], place.y + half[1], 1]])
    moved = ends @ back.T
    if np.abs(moved[:, 2]).min() < 1e-9:
        return False
    (top_x, top_y), (foot_x, foot_y) = (moved[:, :2] / moved[:, 2:]).tolist()
    height = math.hypot(foot_x - top_x, foot_y - top_y)
    return (
        HEIGHT_MM[0] / MISSED < height < MISSED * HEIGHT_MM[1]
        and (foot_y - top_y) > UPRIGHT * height
        and MIDDLE_MM[0] < (top_x + foot_x) / 2 < MIDDLE_MM[1]
        and TOP_MM[0] < top_y < TOP_MM[1]
    )
