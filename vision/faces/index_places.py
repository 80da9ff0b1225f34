"""Where a deck prints its indices: learned from the first cards, so that a single index then shows where its card lies.

Places are in card units: millimetres on a card that is scaled to poker size, from its own top left.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from engine.cards import Card
from engine.texts import text
from vision.faces.card_assembly import AssembledCard, IndexReading, direction_cosine, joint_confidence
from vision.faces.crops import on_card, pixel_homography
from vision.faces.fusion_settings import FusionSettings
from vision.faces.geometry import Quad, iou, starting_at
from vision.faces.index_detector import IndexPose
from vision.faces.index_settings import IndexReaderSettings, PlaceSettings
from vision.faces.settings import DEFAULTS
from vision.readings import CARD_MM

_FAR: Final = 1.5
"""An index this many times as far from the middle of an outline as its farthest corner is not on that card."""


@dataclass(frozen=True, slots=True)
class IndexPlace:
    """The middle (`right` and `down` from the card's top left) and the height of an index, in card units."""

    right: float
    down: float
    height: float

    @property
    def on_the_right(self) -> bool:
        """Whether it is in the right half of the card."""
        return self.right > CARD_MM[0] / 2


@dataclass(frozen=True, slots=True, eq=False)
class PlacedCard:
    """A card whose indices stand in its outline, (4, 2) pixels, from its own top left.

    `edge_score`: how well the outline lies on edges, 0 to 1. `places`: where the indices stand: one place, or two for
    each pair of opposite indices.
    """

    card: AssembledCard
    outline: Quad
    edge_score: float
    places: tuple[IndexPlace, ...]


def ends_on(pose: IndexPose, card: Quad) -> tuple[tuple[float, float], tuple[float, float]] | None:
    """Return the upper and the lower end of the index on a card with this outline, millimetres from its top left.

    None if the index lies far outside the outline, or the outline is seen so flat that they have no place on the card.
    """
    if is_far(pose, card):
        return None
    (a, b, c), (d, e, f), (g, h, i) = pixel_homography(card).tolist()
    half_x, half_y = pose.down_x / 2, pose.down_y / 2
    found = []
    for x, y in ((pose.x - half_x, pose.y - half_y), (pose.x + half_x, pose.y + half_y)):
        depth = g * x + h * y + i
        if abs(depth) < 1e-9:
            return None
        found.append(((a * x + b * y + c) / depth, (d * x + e * y + f) / depth))
    return found[0], found[1]


def is_far(pose: IndexPose, card: Quad) -> bool:
    """Return whether the pose is farther from the outline's middle than half as far again as its farthest corner."""
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = card.tolist()
    x, y = (ax + bx + cx + dx) / 4, (ay + by + cy + dy) / 4
    hypot = math.hypot
    reach = max(hypot(ax - x, ay - y), hypot(bx - x, by - y), hypot(cx - x, cy - y), hypot(dx - x, dy - y))
    return hypot(pose.x - x, pose.y - y) > _FAR * reach


def place_on(
    pose: IndexPose, card: Quad, settings: PlaceSettings = DEFAULTS.places, min_cosine: float | None = None
) -> IndexPlace | None:
    """Return where the index stands on a card with this outline; None if not upright in the card's upper half.

    `card`: from its own top left, pixels. `min_cosine`: least cosine of the angle between the index and the card's long
    side; by default that of the settings.
    """
    if (ends := ends_on(pose, card)) is None:
        return None
    (top_x, top_y), (foot_x, foot_y) = ends
    right, down, height = (top_x + foot_x) / 2, (top_y + foot_y) / 2, math.hypot(foot_x - top_x, foot_y - top_y)
    upright = foot_y - top_y > (settings.min_upright_cosine if min_cosine is None else min_cosine) * height
    inside = 0 < right < CARD_MM[0] and top_y > -settings.margin_mm and down < CARD_MM[1] / 2
    return IndexPlace(right, down, height) if upright and inside else None


def pose_on(place: IndexPlace, card: Quad) -> IndexPose:
    """Return the pose, pixels, of an index in that place of a card with this outline, from its own top left."""
    ends = np.array([[place.right, place.down + half * place.height] for half in (-0.5, 0.5)])
    (top_x, top_y), (foot_x, foot_y) = on_card(card, ends).tolist()
    return IndexPose((top_x + foot_x) / 2, (top_y + foot_y) / 2, foot_x - top_x, foot_y - top_y, 1.0)


def pairs_in(
    indices: Sequence[IndexReading],
    outlines: Sequence[tuple[Quad, float]],
    min_confidence: float,
    settings: PlaceSettings = DEFAULTS.places,
    fusion: FusionSettings = DEFAULTS.fusion,
) -> list[PlacedCard]:
    """Return the cards that two equal indices prove: opposite each other in an outline, wherever they are printed.

    `outlines`: with their edge scores, best first. Every index counts once. `min_confidence`: of the two together.
    """
    found: list[PlacedCard] = []
    waiting = list(indices)
    for outline, score in outlines:
        uprights = (starting_at(outline, corner) for corner in (0, 2))
        ends = [
            [(one, place) for one in waiting if (place := place_on(one.pose, upright, settings, settings.pair_cosine))]
            for upright in uprights
        ]
        for first, place in ends[0]:
            other, across = next(
                ((two, at) for two, at in ends[1] if two.card is first.card and _agree(place, at, settings)),
                (None, place),
            )
            if other is None or first not in waiting or other not in waiting:
                continue
            confidence = joint_confidence([first, other], fusion)
            if confidence >= min_confidence:
                best, second = sorted((first, other), key=lambda one: -one.confidence)
                card = AssembledCard(first.card, confidence, (best, second))
                _add(found, PlacedCard(card, outline, score, (place, across)), settings)
                waiting = [one for one in waiting if one is not first and one is not other]
    return found


def _add(found: list[PlacedCard], card: PlacedCard, settings: PlaceSettings) -> None:
    """Add the card, or the places of its indices if it has been found already: it has an index in every corner."""
    for k, other in enumerate(found):
        if other.card.card is card.card.card and iou(other.outline, card.outline) > settings.same_card_iou:
            found[k] = replace(other, places=other.places + card.places)
            return
    found.append(card)


def _agree(first: IndexPlace, second: IndexPlace, settings: PlaceSettings) -> bool:
    """Return whether two indices stand in the same place of their corners."""
    ratio = first.height / max(second.height, 1e-6)
    limit = settings.pair_mm
    return (
        abs(first.right - second.right) < limit
        and abs(first.down - second.down) < limit
        and 1 / settings.height_ratio < ratio < settings.height_ratio
    )


@dataclass(slots=True)
class _Cluster:
    """Indices that stand in about the same place, with the cards they show."""

    places: list[IndexPlace] = field(default_factory=list)
    cards: set[Card] = field(default_factory=set)
    mean: IndexPlace = IndexPlace(0.0, 0.0, 0.0)
    spread: tuple[float, float] = (0.0, 0.0)
    """The standard deviation of `right` and `down`."""

    def add(self, place: IndexPlace) -> None:
        """Count an index that stands here."""
        self.places.append(place)
        right, down, height = np.array([(one.right, one.down, one.height) for one in self.places]).T
        self.mean = IndexPlace(float(right.mean()), float(down.mean()), float(height.mean()))
        self.spread = float(right.std()), float(down.std())


class IndexPlaces:
    """Where this table's deck prints its indices, learned from cards that are sure. It may be several places.

    >>> places, ace = IndexPlaces(), Card("A", "S")
    >>> for card in (ace, Card("2", "H")):
    ...     places.learn(card, [IndexPlace(7.0, 20.0, 16.0)], 2)
    >>> places.fits(IndexPlace(7.5, 19.0, 15.0)), places.fits(IndexPlace(7.5, 11.0, 15.0))
    (True, False)
    """

    def __init__(self, settings: PlaceSettings = DEFAULTS.places) -> None:
        self._settings = settings
        self._clusters: list[_Cluster] = []
        self._ends: dict[Card, int] = defaultdict(int)
        """The most indices that were seen on each card."""

    def learn(self, card: Card, places: Iterable[IndexPlace], ends: int) -> None:
        """Count the indices that one card shows. `ends`: how many opposite ones, 1 or 2."""
        for place in places:
            cluster = next((one for one in self._clusters if self._near(one, place)), None)
            if cluster is None:
                cluster = _Cluster()
                self._clusters.append(cluster)
            if len(cluster.places) < self._settings.max_samples:
                cluster.add(place)
            cluster.cards.add(card)
        self._ends[card] = max(self._ends[card], ends)

    def fits(self, place: IndexPlace) -> bool:
        """Return whether the deck prints an index there: seen on at least `min_cards` different cards.

        Of a deck with an index in every corner only the left ones count: each of them fixes one outline.
        """
        return any(self._near(one, place) for one in self._counted())

    def fits_height(self, pose: IndexPose, card: Quad) -> bool:
        """Return whether the deck prints indices about as high as this one is on a card with this outline.

        The height does not depend on where exactly the outline lies.
        """
        limit = self._settings.exact_height_ratio
        return (place := place_on(pose, card, self._settings)) is not None and any(
            1 / limit < place.height / max(known.height, 1e-6) < limit for known in self.expected
        )

    def away_from_corners(self, usual: IndexReaderSettings) -> bool:
        """Return whether some indices that count stand where ordinary decks, as `usual` says, print none."""
        return any(
            place.right >= usual.middle_mm[1] or place.down - place.height / 2 >= usual.top_mm[1]
            for place in self.expected
        )

    def is_on_the_right(self, pose: IndexPose, card: Quad) -> bool:
        """Return whether the index is one of the two on the right of a card with this outline, in a deck with four."""
        printed = self.printed
        right = [place for place in printed if place.on_the_right]
        if len(right) == len(printed):
            return False
        return any(
            math.hypot(pose.x - own.x, pose.y - own.y) < self._settings.right_reach * own.height
            and direction_cosine(pose, own) > self._settings.pair_cosine
            for own in (pose_on(place, end) for place in right for end in (card, starting_at(card, 2)))
        )

    @property
    def expected(self) -> list[IndexPlace]:
        """Where the deck prints the indices that count, the mean of each place."""
        return [one.mean for one in self._counted()]

    @property
    def printed(self) -> list[IndexPlace]:
        """Where the deck prints indices, the mean of each place; of one with four also those on the right."""
        return [one.mean for one in self._known()]

    def _known(self) -> list[_Cluster]:
        return [one for one in self._clusters if len(one.cards) >= self._settings.min_cards]

    def _counted(self) -> list[_Cluster]:
        known = self._known()
        return [one for one in known if not one.mean.on_the_right] or known

    @property
    def in_pairs(self) -> bool:
        """Whether cards of this deck were seen to have two indices."""
        return sum(ends > 1 for ends in self._ends.values()) >= self._settings.min_cards

    def drawback(self) -> str:
        """Return why the deck suits a table badly, and what to do; empty if it does not, or if too little is known."""
        settings = self._settings
        if len(self._ends) < settings.min_cards_judged:
            return ""
        if not self.in_pairs:
            return text(
                "This deck suits the camera badly: its cards have only one index. Lay every card so that its "
                "index stays visible."
            )
        if any(place.right > settings.deep_mm[0] and place.down > settings.deep_mm[1] for place in self.printed):
            return text(
                "This deck suits the camera badly: its indices stand far from the edges of the cards. Lay the "
                "cards so that they do not cover one another."
            )
        return ""

    def _near(self, cluster: _Cluster, place: IndexPlace) -> bool:
        settings, mean = self._settings, cluster.mean
        limits = [min(max(settings.near_mm, settings.deviations * one), settings.max_near_mm) for one in cluster.spread]
        ratio = place.height / max(mean.height, 1e-6)
        return (
            abs(place.right - mean.right) < limits[0]
            and abs(place.down - mean.down) < limits[1]
            and 1 / settings.height_ratio < ratio < settings.height_ratio
        )
