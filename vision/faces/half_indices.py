"""Half of an index, which looks like another one: another card covers the rest. The whole one stands opposite it."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from itertools import combinations, product
from typing import NamedTuple

import numpy as np

from engine.cards import Card
from engine.observations import ActionCard
from vision.faces.card_assembly import AssembledCard, IndexReading, direction_cosine, is_near
from vision.faces.fitted_cards import own_indices
from vision.faces.geometry import Quad, iou, starting_at
from vision.faces.index_detector import IndexPose
from vision.faces.index_places import ends_on
from vision.faces.settings import DEFAULTS, ReaderSettings
from vision.readings import CARD_MM, Reading


def comes_first(card: AssembledCard, outlines: Sequence[Quad], settings: ReaderSettings = DEFAULTS) -> bool:
    """Return whether the card counts before others: it has two indices, or is sure and no card can cover its index.

    Half an index may look like another one, and be read with more confidence than the whole one opposite it.
    `outlines`: those of the cards that were read, (4, 2) pixels each.
    """
    if len(card.indices) > 1:
        return True
    sure = card.confidence >= settings.min_confidence_free
    return sure and not _may_be_covered(card.indices[0].pose, outlines, settings)


class CornerReading(NamedTuple):
    """A card that was read in a corner of an outline.

    `outline`: pixels, from the left corner of the end at which the index stands. `on_the_right`: whether it stands in
    the right corner of that end, as in decks with four indices.
    """

    outline: Quad
    card: Card
    confidence: float
    on_the_right: bool = False


def conflicts(own: CornerReading, read: Sequence[CornerReading], settings: ReaderSettings = DEFAULTS) -> bool:
    """Return whether another corner of the card was read as another card.

    A wrong reading of an index that is half covered often lands in the outline of a neighbouring card, or in a rough
    outline of the card itself: of opposite corners in outlines that are only about the same the surer one counts. At
    one end of a card only what may be half of the other index conflicts: in a row, the left index of a card stands
    where the right one of the next might. A different card in the same corner is a second reading of the same index,
    and does not conflict.
    """
    return any(_refutes(other, own, settings) for other in read if other.card is not own.card)


def _refutes(other: CornerReading, own: CornerReading, settings: ReaderSettings) -> bool:
    shared = iou(own.outline, other.outline)
    if _upside_down(own.outline, other.outline):
        return shared > (settings.covered_iou if other.confidence >= own.confidence else settings.same_card_iou)
    may_be_half = own.confidence < settings.min_confidence_same_end and _share_suit_or_rank(own.card, other.card)
    return own.on_the_right != other.on_the_right and may_be_half and shared > settings.same_card_iou


def _upside_down(first: Quad, second: Quad) -> bool:
    """Return whether one outline is rotated by about half a turn against the other."""
    return bool(np.dot(first[1] - first[0], second[1] - second[0]) < 0)


def is_misread(
    card: AssembledCard, outline: Quad, surer: Sequence[AssembledCard], settings: ReaderSettings = DEFAULTS
) -> bool:
    """Return whether the only index of a `surer` other card stands opposite in the outline of the card.

    If that card lay on this one, it would cover the index that this one was read by: so there is only one card, and
    that index was misread. Only an unsure one counts as such: the outline may span two cards.
    """
    if card.confidence >= settings.min_confidence_opposite or len(card.indices) > 1:
        return False
    others = [other.indices[0].pose for other in surer if other.card is not card.card and len(other.indices) == 1]
    return any(_has_index(outline, 2, pose, settings) for pose in others)


def without_half_indices(
    readings: Sequence[Reading],
    indices: Sequence[IndexReading],
    proven: Collection[Card | ActionCard] = (),
    settings: ReaderSettings = DEFAULTS,
) -> list[Reading]:
    """Return the readings, but of two whose indices are opposite in one outline only one.

    They must share the suit or the rank: half an index still shows one of the two. An index beside a card that shows
    both of its own may be half covered, and counts less than one that is free. Otherwise the surer one counts, and last
    a reading of which no index was found without the outline, as of a cut corner. The outlines of jumbo indices and of
    half indices are inaccurate: they may differ more if one index stands in a corner of the other outline. How much
    they differ does not matter if that index may be half covered, is less sure than the other one, which is free, and
    its outline was extrapolated from it.

    `indices`: those found in the picture. `proven`: cards of which two corners were read; they count first, but after
    those that show two opposite indices. These always stay, and no card without a sure index is in their place.
    """
    own = [own_indices(one, indices, settings) for one in readings]
    in_full = [_are_of_both_ends(shown, settings) for shown in own]
    full = [one.outline for one, shows_both in zip(readings, in_full, strict=True) if shows_both]
    covered = [bool(shown) and _may_be_covered(shown[0].pose, full, settings) for shown in own]
    # A card is as sure as its surest index: a misread one makes the card itself less sure.
    sure = [
        max([one.confidence, *(index.confidence for index in shown)]) for one, shown in zip(readings, own, strict=True)
    ]

    def rank(k: int) -> tuple[bool, bool, bool, bool, float]:
        """Return a key that sorts the likelier readings first."""
        return not in_full[k], readings[k].face not in proven, not own[k], covered[k], -sure[k]

    def stands_in(first: int, k: int, beyond_mm: float = 0.0) -> bool:
        """Return whether the surest index of the second stands in one of two corners of the first's outline."""
        outline = readings[first].outline
        return any(_has_index(outline, end, one.pose, settings, beyond_mm) for one in own[k][:1] for end in (0, 2))

    def refutes(first: int, k: int) -> bool:
        """Return whether both show one card, which is the first."""
        one, other = readings[first], readings[k]
        if not own[first] or in_full[k] or not _share_suit_or_rank(one.face, other.face):
            return False
        opposite = all(_are_of_both_ends(pair, settings) for pair in product(own[first], own[k]))
        has_sure_index = any(each.confidence >= settings.min_confidence_alone for each in own[k])
        if not opposite and (has_sure_index or not in_full[first]):
            return False
        extrapolated = other.outline_from == "index"  # from half an index: it may lie anywhere
        less_sure = covered[k] and not covered[first] and sure[k] < sure[first]
        if extrapolated and less_sure and stands_in(first, k):
            return True
        same = stands_in(first, k, settings.half_index_margin_mm)
        return iou(one.outline, other.outline) > (settings.covered_iou if same else settings.same_card_iou)

    kept: list[int] = []
    for k in sorted(range(len(readings)), key=rank):
        if not any(refutes(first, k) for first in kept):
            kept.append(k)
    return [readings[k] for k in sorted(kept)]


def _are_of_both_ends(indices: Sequence[IndexReading], settings: ReaderSettings) -> bool:
    """Return whether two of the indices are upside down to each other."""
    most = settings.assembly.max_opposite_cosine
    return any(direction_cosine(one.pose, other.pose) < most for one, other in combinations(indices, 2))


def _may_be_covered(pose: IndexPose, outlines: Sequence[Quad], settings: ReaderSettings) -> bool:
    """Return whether a card with one of the outlines is so near that it may cover half of the index."""
    return any(is_near(pose, outline, settings.assembly) for outline in outlines)


def _share_suit_or_rank(one: Card | ActionCard, other: Card | ActionCard) -> bool:
    """Return whether the suits are the same, or the ranks, but not both."""
    if not isinstance(one, Card) or not isinstance(other, Card):
        return False
    return (one.suit == other.suit) != (one.rank == other.rank)


def _has_index(outline: Quad, corner: int, pose: IndexPose, settings: ReaderSettings, beyond_mm: float = 0.0) -> bool:
    """Return whether the middle of an upright index lies in the quarter of the outline at one of its corners.

    The pose of half an index is inaccurate: it may be inclined, and its middle may lie beyond the outline, by up to
    `beyond_mm`, millimetres on a card of poker size.
    """
    if (ends := ends_on(pose, starting_at(outline, corner))) is None:
        return False
    (top_x, top_y), (foot_x, foot_y) = ends
    right, down = (top_x + foot_x) / 2, (top_y + foot_y) / 2
    upright = foot_y - top_y > -settings.assembly.max_opposite_cosine * math.hypot(foot_x - top_x, foot_y - top_y)
    return upright and -beyond_mm < right < CARD_MM[0] / 2 and -beyond_mm < down < CARD_MM[1] / 2
