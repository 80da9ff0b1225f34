"""Indices found by themselves become cards: the two of one card together, and an outline where it must be."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from engine.cards import Card
from vision.faces.crops import Quad
from vision.faces.index_classifier import RANKS, SUITS
from vision.faces.index_detector import Place
from vision.faces.score_fusion import alternatives, fuse
from vision.readings import CARD_MM

Floats = npt.NDArray[np.float32]

USUAL_HEIGHT = 16.0
"""Height of an index, millimetres, where nothing tells: decks have 10 to 22."""
FROM_LEFT, FROM_TOP = 6.0, 3.4
"""An index's middle from the card's left side, and its rank's top from the card's upper side, millimetres."""
SAME_HEIGHT = 1.7
"""The indices of one card differ in height by no more than this factor, in perspective."""
OPPOSITE = -0.8
"""Largest cosine of the angle between the two indices of a card."""
ALONG = 0.85
"""Least cosine between two indices that stand side by side at one end of a card."""
SAME_INDEX = 0.3
"""Two sights so near to each other, in heights, are of one index."""


@dataclass(frozen=True, slots=True, eq=False)
class Sight:
    """An index seen at a place: `rank` (14,) and `suit` (5,) probabilities, the last of each `no index`."""

    place: Place
    rank: Floats
    suit: Floats

    @property
    def card(self) -> Card:
        """The likeliest card."""
        return Card(RANKS[int(self.rank[:13].argmax())], SUITS[int(self.suit[:4].argmax())])

    @property
    def confidence(self) -> float:
        """How likely it is that card."""
        return float(self.rank[:13].max() * self.suit[:4].max())


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """A card told by its indices alone: the sights that show it, the best first."""

    card: Card
    confidence: float
    sights: tuple[Sight, ...]

    @property
    def alternatives(self) -> tuple[tuple[Card, float], ...]:
        """What else it may be, as far as the best sight tells, each with its confidence."""
        first = self.sights[0]
        return alternatives((first.rank[:13, None] * first.suit[None, :4]).reshape(-1))


def across(first: Place, second: Place) -> bool:
    """Whether the two may be opposite indices of one card: each reads the other way and lies below to the right."""
    if not _alike(first, second) or _cosine(first, second) > OPPOSITE:
        return False
    return _diagonal(first, second) and _diagonal(second, first)


def beside(first: Place, second: Place) -> bool:
    """Whether the two may be indices at one end, or on one side, of a card with an index in every corner."""
    if not _alike(first, second):
        return False
    right, down = _from(first, second)
    if _cosine(first, second) > ALONG:
        return 1.8 < abs(right) < 4.6 and abs(down) < 0.45 * abs(right)
    return _cosine(first, second) < -ALONG and 1.7 < down < 6.5 and abs(right) < 0.45 * down


def _alike(first: Place, second: Place) -> bool:
    ratio = first.height / max(second.height, 1e-6)
    return 1 / SAME_HEIGHT < ratio < SAME_HEIGHT


def _cosine(first: Place, second: Place) -> float:
    dot = first.down_x * second.down_x + first.down_y * second.down_y
    return float(dot / max(first.height * second.height, 1e-6))


def _from(first: Place, second: Place) -> tuple[float, float]:
    """How far `second` lies right of and below `first`, as `first` reads, in its heights."""
    x, y, square = second.x - first.x, second.y - first.y, max(first.height**2, 1e-6)
    right = (x * first.down_y - y * first.down_x) / square
    down = (x * first.down_x + y * first.down_y) / square
    return right, down


def _diagonal(first: Place, second: Place) -> bool:
    right, down = _from(first, second)
    return 0.9 < right < 7.5 and 1.4 < down < 9 and 0.3 < right / down < 2.2


def cards_of(sights: list[Sight]) -> list[Found]:
    """The cards that the sights show, the surest first; each sight belongs to one card."""
    waiting = sorted(sights, key=lambda s: -s.confidence)
    found: list[Found] = []
    while waiting:
        group = [waiting.pop(0)]
        for known in group:  # grows while it is gone through: what belongs to one of them belongs to the card
            more = [s for s in waiting if s.card is known.card and _of_one_card(known.place, s.place)]
            across_from = [s for s in more if across(known.place, s.place)][:1]
            more = [s for s in more if s in across_from or not across(known.place, s.place)]
            group += more
            waiting = [s for s in waiting if s not in more]
        waiting = [s for s in waiting if not any(_overlaps(s.place, one.place) for one in group)]
        found.append(Found(group[0].card, _together(group), tuple(group)))
    return sorted(found, key=lambda f: -f.confidence)


def _of_one_card(first: Place, second: Place) -> bool:
    return across(first, second) or beside(first, second)


def _overlaps(first: Place, second: Place) -> bool:
    reach = SAME_INDEX * max(first.height, second.height)
    return bool((first.x - second.x) ** 2 + (first.y - second.y) ** 2 < reach**2 and _cosine(first, second) > 0.5)


def _together(group: list[Sight]) -> float:
    """How sure the card is that all of the group show; the first is the surest."""
    if len(group) == 1:
        return group[0].confidence
    first, second = sorted(group, key=lambda s: -s.confidence)[:2]
    verdict = fuse(np.stack([first.rank, second.rank]), np.stack([first.suit, second.suit]))
    return max(verdict.confidence if verdict.card is first.card else 0.0, group[0].confidence)


def outline(found: Found, px_per_height: tuple[float, float] | None = None) -> Quad:
    """The card's corners where they must be, clockwise from its own top left.

    `px_per_height`: width and height of a card in heights of its index, where the picture tells; else a usual deck's.
    """
    first = found.sights[0].place
    second = next((s.place for s in found.sights[1:] if across(first, s.place)), None)
    wide, tall = px_per_height or (CARD_MM[0] / USUAL_HEIGHT, CARD_MM[1] / USUAL_HEIGHT)
    left, middle = FROM_LEFT / USUAL_HEIGHT, FROM_TOP / USUAL_HEIGHT + 0.5
    corners = np.array([[0, 0], [wide, 0], [wide, tall], [0, tall]], np.float64) - (left, middle)
    down = np.array([first.down_x, first.down_y])
    right = np.array([first.down_y, -first.down_x])
    if second is not None:
        # The two middles tell turn and size better than one index's own direction and height.
        span = np.array([second.x - first.x, second.y - first.y])
        own = np.array([wide - 2 * left, tall - 2 * middle])
        scale, turn = np.linalg.norm(span) / np.linalg.norm(own), np.arctan2(*span[::-1]) - np.arctan2(*own[::-1])
        right = scale * np.array([np.cos(turn), np.sin(turn)])
        down = scale * np.array([-np.sin(turn), np.cos(turn)])
    return np.asarray(np.array([first.x, first.y]) + corners @ np.stack([right, down]), np.float32)


def spanned(found: Found) -> Quad | None:
    """The card's corners as two opposite indices tell them; None where none were seen."""
    first = found.sights[0].place
    return outline(found) if any(across(first, sight.place) for sight in found.sights[1:]) else None


def within(place: Place, quad: Quad, margin: float = 0.25) -> bool:
    """Whether the place lies in the outline, or beside it by no more than `margin` of the index's height."""
    return cv2.pointPolygonTest(quad, (place.x, place.y), True) > -margin * place.height
