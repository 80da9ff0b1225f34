"""Cards read inside an outline, and which of several contradictory readings counts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np

from engine.cards import COURT_RANKS
from vision.faces.card_assembly import AssembledCard, IndexReading, is_within, outline_from_both
from vision.faces.card_size import CardSize
from vision.faces.crops import on_card
from vision.faces.geometry import Floats, Quad, containment, iou, side_lengths, starting_at
from vision.faces.index_places import IndexPlaces
from vision.faces.index_reader import is_in_place, is_index_of
from vision.faces.score_fusion import NO_EVIDENCE, Verdict
from vision.faces.settings import DEFAULTS, ReaderSettings
from vision.frames import Image
from vision.readings import CARD_MM, Reading


@dataclass(frozen=True, slots=True)
class OutlinedCard:
    """An outline in whose corners an index was read.

    `edge_score`: how well it lies on edges, 0 to 1. `whole`: what the whole card says, (53,) logarithms of
    likelihoods.
    """

    reading: Reading
    verdict: Verdict
    edge_score: float
    whole: Floats = field(default_factory=NO_EVIDENCE.copy, compare=False)

    def priority(self, settings: ReaderSettings) -> tuple[int, float]:
        """Return the key by which the greater of two is kept: two visible indices, then confidence and edges."""
        return len(self.verdict.corners), self.verdict.confidence * (settings.edge_offset + self.edge_score)


def non_max_suppression(cards: list[OutlinedCard], settings: ReaderSettings = DEFAULTS) -> list[OutlinedCard]:
    """Return each physical card once, by its best outline.

    An outline is dropped if it overlaps a better one, already at a small IoU if both show the same face, or if the
    indices it was read by all belong to a better one.
    """
    kept: list[tuple[OutlinedCard, list[tuple[float, float]]]] = []
    for card in sorted(cards, key=lambda each: each.priority(settings), reverse=True):
        outline = card.reading.outline
        ends = [_index_position(card, corner, settings) for corner in card.verdict.corners]
        if not any(
            iou(outline, other.reading.outline)
            > (settings.same_face_iou if card.verdict.card is other.verdict.card else settings.same_card_iou)
            or _shows_index_of(ends, other, other_ends, settings)
            for other, other_ends in kept
        ):
            kept.append((card, ends))
    return [card for card, _ in kept]


def _shows_index_of(
    own: Sequence[tuple[float, float]],
    other: OutlinedCard,
    ends: Sequence[tuple[float, float]],
    settings: ReaderSettings,
) -> bool:
    """Return whether all indices that a card was read by lie inside `other`, or its only one is one of that card's.

    `own`, `ends`: where the indices of the card and of `other` are. A wrong outline may include part of a card's index,
    which then lies just beside the right outline.
    """
    near = settings.same_index_mm * max(side_lengths(other.reading.outline)) / CARD_MM[1]
    inside = [cv2.pointPolygonTest(other.reading.outline, end, False) > 0 for end in own]
    if len(own) > 1:
        return all(inside)
    return inside[0] or any(math.hypot(own[0][0] - x, own[0][1] - y) < near for x, y in ends)


def _index_position(card: OutlinedCard, corner: int, settings: ReaderSettings) -> tuple[float, float]:
    """Return the approximate middle of the index in that corner, pixels."""
    x, y = on_card(starting_at(card.reading.outline, corner), np.array(settings.index_mm)).tolist()
    return x, y


def has_credible_size(
    card: OutlinedCard, size: CardSize, mm_per_px: float, settings: ReaderSettings = DEFAULTS
) -> bool:
    """Return whether the card's outline is as large as the deck's cards, or the card shows two indices, which prove it.

    `size`: that of the deck's cards; while it is not known, any size is credible. An outline of another size may have a
    side on a printed frame or on another card. A single index in it may be what is left of a covered one, and look like
    that of another card.
    """
    return len(card.verdict.corners) > 1 or size.error(card.reading.outline, mm_per_px) <= settings.exact_size_one_index


def is_cut(outline: Quad, image: Image, settings: ReaderSettings = DEFAULTS) -> bool:
    """Return whether a side at the outline's first corner lies on the picture's border.

    A card that reaches beyond the picture seems to end there, and what is left of its index may look like another one.
    """
    tall, wide = image.shape[:2]
    near = max(2.0, settings.border_share * max(side_lengths(outline)))
    limits = np.array([wide - 1 - near, tall - 1 - near])
    at_border = np.concatenate([outline <= near, outline >= limits], axis=1)  # of each corner: left, top, right, bottom
    return bool((at_border[0] & (at_border[1] | at_border[3])).any())


def is_doubted(
    index: IndexReading, card: OutlinedCard, settings: ReaderSettings = DEFAULTS, places: IndexPlaces | None = None
) -> bool:
    """Return whether the index does not count because the corner classifier reads another card there.

    `card`: an outline that `with_second_opinion` has rejected. If it was sure of the card, the index does not count.
    If the nets disagree about the suit only, neither index of the card counts, because both are printed alike; in a
    single picture an index of a number card counts from `min_confidence_other_suit` on.
    `places`: those known at a table, where the card is read again; None for a single picture. At a table, if it was not
    sure of another rank, the index must be (`min_confidence_disputed`), and as high as the deck prints it, once that is
    known.
    """
    own = card.verdict.card
    if index.card is own:
        return False
    other_suit = index.card.rank == own.rank
    if other_suit and places is None and own.rank not in COURT_RANKS:
        other_suit = index.confidence < settings.min_confidence_other_suit
    corners = (0, 2) if other_suit else card.verdict.corners
    ends = [starting_at(card.reading.outline, corner) for corner in corners]
    ends = [end for end in ends if is_index_of(index.pose, end, settings.indices)]
    if not ends or card.verdict.confidence >= settings.min_confidence or other_suit:
        return bool(ends)
    if places is None:
        return False
    as_high = not places.expected or any(places.fits_height(index.pose, end) for end in ends)
    return index.confidence < settings.min_confidence_disputed or not as_high


def is_outweighed(
    card: OutlinedCard, indices: Sequence[IndexReading], places: IndexPlaces, settings: ReaderSettings = DEFAULTS
) -> bool:
    """Return whether the card was read by one index, and a surer one of another card stands opposite.

    `places`: where this deck prints its indices; the usual places count as well.
    """
    if len(card.verdict.corners) > 1:
        return False
    own = starting_at(card.reading.outline, card.verdict.corners[0])
    agreeing = [
        one for one in indices if one.card is card.verdict.card and is_in_place(one.pose, own, places, settings)
    ]
    sure = max([card.verdict.confidence, *(one.confidence for one in agreeing)])
    return any(
        one.confidence > sure
        and one.card is not card.verdict.card
        and is_in_place(one.pose, starting_at(own, 2), places, settings)
        for one in indices
    )


def belongs_to(
    index: IndexReading, card: OutlinedCard, settings: ReaderSettings = DEFAULTS, places: IndexPlaces | None = None
) -> bool:
    """Return whether the index is one of the outlined card's own. `places`: those known at a table.

    If it lies in a corner of that card but seems to show another face, the card's own reading counts more.
    """
    if not is_within(index.pose, card.reading.outline, settings.assembly):
        return False
    if index.card is card.verdict.card:
        return True
    less_sure = index.confidence < card.verdict.confidence
    if places is not None and less_sure and places.is_on_the_right(index.pose, card.reading.outline):
        return True
    same_rank = index.card.rank == card.verdict.card.rank
    reach = settings.corner_reach_same_rank if same_rank else settings.corner_reach
    both = len(card.verdict.corners) == 2
    if not both and not less_sure:
        return False
    # The other two corners may have an index as well, unless the card lies under the next one of a row or a fan.
    right, down = settings.index_mm
    ends = (right, CARD_MM[0] - right) if both else (right,)
    for corner in card.verdict.corners:
        spots = on_card(starting_at(card.reading.outline, corner), np.array([[left, down] for left in ends]))
        for x, y in spots.tolist():
            if np.hypot(index.pose.x - x, index.pose.y - y) < reach * index.pose.height:
                return True
    return False


def sure_outline(card: AssembledCard, settings: ReaderSettings = DEFAULTS) -> Quad | None:
    """Return the outline of a card read with confidence by two opposite indices, if they fit on one card."""
    sure = card.confidence >= settings.min_confidence_alone
    quad = outline_from_both(card, settings.assembly) if sure else None
    longest = CARD_MM[1] / settings.indices.height_mm[0] * card.indices[0].pose.height
    return quad if quad is not None and max(side_lengths(quad)) < longest else None


def suppressed_by(card: OutlinedCard, other: Reading, settings: ReaderSettings = DEFAULTS) -> bool:
    """Return whether `other`, another face in the same place, was read with more confidence.

    Only a card of which a single index was read can be suppressed.
    """
    less_sure = len(card.verdict.corners) == 1 and other.confidence > card.verdict.confidence
    different = other.face is not card.verdict.card
    return less_sure and different and iou(card.reading.outline, other.outline) > settings.covered_iou


def without_suppressed(
    cards: Sequence[OutlinedCard], covered: Sequence[Reading], settings: ReaderSettings = DEFAULTS
) -> list[OutlinedCard]:
    """Return the cards that neither another of them nor a `covered` one suppresses."""
    others = [*covered, *(card.reading for card in cards)]
    return [card for card in cards if not any(suppressed_by(card, other, settings) for other in others)]


def is_printed_on(quad: Quad, card: Quad, settings: ReaderSettings = DEFAULTS) -> bool:
    """Return whether `quad` is a border printed in the middle of `card`: all cards on a table have one size."""
    away = float(np.hypot(*(quad.mean(axis=0) - card.mean(axis=0))))
    smaller = cv2.contourArea(quad) < settings.printed_area * cv2.contourArea(card)
    return (
        smaller
        and containment(quad, card) > settings.printed_containment
        and away < settings.printed_offset * max(side_lengths(card))
    )
