"""Join indices that were found alone to cards: the two of one card together, and an outline estimated from them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import cv2
import numpy as np

from engine.cards import RANKS, SUITS, Card
from vision.faces.fusion_settings import FusionSettings
from vision.faces.geometry import Floats, Quad
from vision.faces.index_detector import IndexPose
from vision.faces.index_settings import AssemblySettings
from vision.faces.score_fusion import card_probabilities, fuse, number_of
from vision.faces.settings import DEFAULTS
from vision.readings import CARD_MM


@dataclass(frozen=True, eq=False)
class IndexReading:
    """An index read at a pose: `rank` (14,) and `suit` (5,) probabilities, the last class of each "no index"."""

    pose: IndexPose
    rank: Floats
    suit: Floats

    @property
    def probabilities(self) -> Floats:
        """Probability of each card, (52,), ordered by rank, then by suit."""
        return np.asarray(card_probabilities(self.rank[None], self.suit[None])[0], np.float32)

    @cached_property
    def card(self) -> Card:
        """The most likely card."""
        return Card(RANKS[int(self.rank[:13].argmax())], SUITS[int(self.suit[:4].argmax())])

    @cached_property
    def confidence(self) -> float:
        """Probability of that card, 0 to 1."""
        return float(self.rank[:13].max() * self.suit[:4].max())


@dataclass(frozen=True, slots=True, eq=False)
class AssembledCard:
    """A card known by its indices alone: the readings that show it, best first."""

    card: Card
    confidence: float
    indices: tuple[IndexReading, ...]

    @property
    def probabilities(self) -> Floats:
        """Probability of each card by the best reading, (52,), ordered by rank, then by suit."""
        return self.indices[0].probabilities


def are_opposite(first: IndexPose, second: IndexPose, settings: AssemblySettings = DEFAULTS.assembly) -> bool:
    """Return whether the two may be the opposite indices of one card.

    Each then reads the other way round and lies to the lower right, as the other one reads.
    """
    if not _similar_height(first, second, settings) or direction_cosine(first, second) > settings.max_opposite_cosine:
        return False
    return _is_diagonal(first, second, settings) and _is_diagonal(second, first, settings)


def are_adjacent(first: IndexPose, second: IndexPose, settings: AssemblySettings = DEFAULTS.assembly) -> bool:
    """Return whether the two may be at one end, or on one side, of a card with an index in every corner."""
    if not _similar_height(first, second, settings):
        return False
    right, down = offset(first, second)
    cosine, skew = direction_cosine(first, second), settings.max_skew
    if cosine > settings.min_parallel_cosine:
        return _between(abs(right), settings.beside) and abs(down) < skew * abs(right)
    return cosine < -settings.min_parallel_cosine and _between(down, settings.below) and abs(right) < skew * down


def _similar_height(first: IndexPose, second: IndexPose, settings: AssemblySettings) -> bool:
    ratio = first.height / max(second.height, 1e-6)
    return 1 / settings.max_height_ratio < ratio < settings.max_height_ratio


def direction_cosine(first: IndexPose, second: IndexPose) -> float:
    """Return the cosine of the angle between the two directions down."""
    dot = first.down_x * second.down_x + first.down_y * second.down_y
    return float(dot / max(first.height * second.height, 1e-6))


def offset(first: IndexPose, second: IndexPose) -> tuple[float, float]:
    """Return how far `second` lies right of and below `first`, as `first` reads, in heights of `first`."""
    x, y, square = second.x - first.x, second.y - first.y, max(first.height**2, 1e-6)
    right = (x * first.down_y - y * first.down_x) / square
    down = (x * first.down_x + y * first.down_y) / square
    return right, down


def _is_diagonal(first: IndexPose, second: IndexPose, settings: AssemblySettings) -> bool:
    """Return whether `second` lies to the lower right of `first`, as `first` reads."""
    right, down = offset(first, second)
    if not (_between(right, settings.opposite_right) and _between(down, settings.opposite_down)):
        return False
    return _between(right / down, settings.opposite_slope)


def _between(value: float, limits: tuple[float, float]) -> bool:
    return limits[0] < value < limits[1]


def assemble_cards(
    readings: list[IndexReading],
    settings: AssemblySettings = DEFAULTS.assembly,
    fusion: FusionSettings = DEFAULTS.fusion,
) -> list[AssembledCard]:
    """Return the cards that the readings show, most confident first; each reading belongs to at most one card."""

    def of_one_card(first: IndexPose, second: IndexPose) -> bool:
        return are_opposite(first, second, settings) or are_adjacent(first, second, settings)

    waiting = sorted(readings, key=lambda s: -s.confidence)
    cards: list[AssembledCard] = []
    while waiting:
        group = [waiting.pop(0)]
        for member in group:  # grows during iteration: what belongs to a member belongs to the card
            more = [s for s in waiting if s.card is member.card and of_one_card(member.pose, s.pose)]
            opposite = [s for s in more if are_opposite(member.pose, s.pose, settings)][:1]
            more = [s for s in more if s in opposite or not are_opposite(member.pose, s.pose, settings)]
            group += more
            waiting = [s for s in waiting if s not in more]
        waiting = [s for s in waiting if not any(_are_same(s.pose, one.pose, settings) for one in group)]
        cards.append(AssembledCard(group[0].card, joint_confidence(group, fusion, settings), tuple(group)))
    return sorted(cards, key=lambda card: -card.confidence)


def surest(readings: Iterable[IndexReading], settings: AssemblySettings = DEFAULTS.assembly) -> list[IndexReading]:
    """Return the readings, the surest first, but of several at poses of one index only the surest."""
    kept: list[IndexReading] = []
    for one in sorted(readings, key=lambda each: -each.confidence):
        if not any(_are_same(one.pose, other.pose, settings) for other in kept):
            kept.append(one)
    return kept


def _are_same(first: IndexPose, second: IndexPose, settings: AssemblySettings) -> bool:
    """Return whether both are poses of one index: nearer to each other than two are printed, and read alike."""
    reach = settings.same_index * max(first.height, second.height)
    near = (first.x - second.x) ** 2 + (first.y - second.y) ** 2 < reach**2
    return bool(near and direction_cosine(first, second) > settings.same_index_cosine)


def joint_confidence(
    group: list[IndexReading], fusion: FusionSettings, settings: AssemblySettings = DEFAULTS.assembly
) -> float:
    """Return the confidence of the card that the readings, most confident first, show together.

    It is the highest of these: that of the surest reading alone, of the two surest together, and, if there are more,
    of all together.
    """
    if len(group) == 1:
        return group[0].confidence
    first, second = sorted(group, key=lambda s: -s.confidence)[:2]
    both = replace(fusion, agreement=fusion.agreement_alone)
    verdict = fuse(np.stack([first.rank, second.rank]), np.stack([first.suit, second.suit]), both)
    joint = verdict.confidence if verdict.card is first.card else 0.0
    distinct = surest(group, settings)
    return max(joint, group[0].confidence, _pooled(distinct, fusion) if len(distinct) > 2 else 0.0)


def _pooled(group: list[IndexReading], fusion: FusionSettings) -> float:
    """Return the confidence of the card that more than two readings show together.

    The product of their probabilities, of each card and of none, raised to a power because they err together in part.
    """
    every = np.array([[*one.probabilities, 1 - one.probabilities.sum()] for one in group])
    logarithm = fusion.agreement_of_many * np.log(np.maximum(every, fusion.least_probability)).sum(axis=0)
    weight = np.exp(logarithm - logarithm.max())
    return float(weight[number_of(group[0].card)] / weight.sum())


def estimate_outline(
    card: AssembledCard,
    size_in_heights: tuple[float, float] | None = None,
    settings: AssemblySettings = DEFAULTS.assembly,
) -> Quad:
    """Return the card's corners, extrapolated from its indices, clockwise from its own top left, pixels.

    `size_in_heights`: width and height of a card in heights of its index, if the scale is known; else those of a usual
    deck.
    """
    first, second = _opposite_pair(card, settings) or (card.indices[0].pose, None)
    wide, tall = size_in_heights or (CARD_MM[0] / settings.height_mm, CARD_MM[1] / settings.height_mm)
    left, middle = settings.left_mm / settings.height_mm, settings.top_mm / settings.height_mm + 0.5
    corners = np.array([[0, 0], [wide, 0], [wide, tall], [0, tall]], np.float64) - (left, middle)
    down = np.array([first.down_x, first.down_y])
    right = np.array([first.down_y, -first.down_x])
    if second is not None:
        # The two middles give rotation and scale more accurately than one index's own direction and height.
        span = np.array([second.x - first.x, second.y - first.y])
        own = np.array([wide - 2 * left, tall - 2 * middle])
        scale, turn = np.linalg.norm(span) / np.linalg.norm(own), np.arctan2(*span[::-1]) - np.arctan2(*own[::-1])
        right = scale * np.array([np.cos(turn), np.sin(turn)])
        down = scale * np.array([-np.sin(turn), np.cos(turn)])
    return np.asarray(np.array([first.x, first.y]) + corners @ np.stack([right, down]), np.float32)


def _opposite_pair(card: AssembledCard, settings: AssemblySettings) -> tuple[IndexPose, IndexPose] | None:
    """Return the two surest opposite indices of a card; None if no two were found.

    With an index in every corner, the surest one may stand in the upper right corner, where it is opposite to none.
    """
    pairs = combinations([each.pose for each in card.indices], 2)
    return next((pair for pair in pairs if are_opposite(*pair, settings)), None)


def outline_from_both(card: AssembledCard, settings: AssemblySettings = DEFAULTS.assembly) -> Quad | None:
    """Return the card's corners as two opposite indices give them; None if no two were found."""
    return estimate_outline(card, settings=settings) if _opposite_pair(card, settings) else None


def is_within(pose: IndexPose, quad: Quad, settings: AssemblySettings = DEFAULTS.assembly) -> bool:
    """Return whether the index lies in the outline, (4, 2) pixels, or outside by at most `index_margin` heights."""
    return cv2.pointPolygonTest(quad, (pose.x, pose.y), True) > -settings.index_margin * pose.height


def is_near(pose: IndexPose, quad: Quad, settings: AssemblySettings = DEFAULTS.assembly) -> bool:
    """Return whether a part of the index lies in the outline, or so near that the card may cover some of it."""
    points = [(pose.x + end * pose.down_x, pose.y + end * pose.down_y) for end in (-0.5, 0.0, 0.5)]
    return any(cv2.pointPolygonTest(quad, point, True) > -settings.near_card * pose.height for point in points)
