"""Half of an index, which looks like another one: another card covers the rest. The whole one stands opposite it."""

from __future__ import annotations

from collections.abc import Sequence

from engine.cards import Card
from engine.observations import ActionCard
from vision.faces.card_assembly import AssembledCard, IndexReading, direction_cosine, is_near
from vision.faces.fitted_cards import own_indices
from vision.faces.geometry import Quad, iou, starting_at
from vision.faces.index_detector import IndexPose
from vision.faces.index_places import place_on
from vision.faces.outlined_cards import OutlinedCard
from vision.faces.settings import DEFAULTS, ReaderSettings
from vision.readings import CARD_MM, Reading


def free_first(
    cards: Sequence[AssembledCard], outlined: Sequence[OutlinedCard], settings: ReaderSettings = DEFAULTS
) -> list[AssembledCard]:
    """Return the cards, first those that are sure and have an index that no outlined card can cover.

    Half an index may look like another one, and be read with more confidence than the whole one opposite it.
    """

    def is_free(card: AssembledCard) -> bool:
        return not any(is_near(card.indices[0].pose, other.reading.outline, settings.assembly) for other in outlined)

    def comes_later(card: AssembledCard) -> bool:
        sure = len(card.indices) > 1 or (card.confidence >= settings.min_confidence_opposite and is_free(card))
        return not sure

    return sorted(cards, key=comes_later)


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
    readings: Sequence[Reading], indices: Sequence[IndexReading], settings: ReaderSettings = DEFAULTS
) -> list[Reading]:
    """Return the readings, but of those that opposite indices show in one outline only the most likely one.

    There is one card if only the suits or only the ranks differ: half an index still shows one of the two. The one that
    was misread is near to a card that shows both of its own indices, and may cover half of it, or else is less sure.
    The outlines of jumbo indices, and of halves of others, are inaccurate; they may differ more if the misread index
    stands in a corner of the other outline. Nothing refutes two opposite indices that show the same card. A reading of
    which no index was found alone, as of a cut corner, counts last.

    `indices`: those found in the picture.
    """
    own = [own_indices(one, indices, settings) for one in readings]

    def is_free(k: int) -> bool:
        """Return whether no card that shows two indices and has another outline can cover the index of a reading."""
        full = (other.outline for other, shown in zip(readings, own, strict=True) if len(shown) > 1)
        others = [outline for outline in full if iou(outline, readings[k].outline) < settings.covered_iou]
        return not own[k] or not any(is_near(own[k][0].pose, outline, settings.assembly) for outline in others)

    def refutes(likely: int, k: int) -> bool:
        """Return whether both show one card, which is that of the likely one."""
        one, other = readings[likely], readings[k]
        if not own[likely] or not _may_be_half(other.face, one.face):
            return False
        cosines = [direction_cosine(first.pose, second.pose) for first in own[likely] for second in own[k]]
        if any(cosine > settings.assembly.max_opposite_cosine for cosine in cosines):
            return False
        inside = any(_has_index(one.outline, corner, each.pose, settings) for each in own[k][:1] for corner in (0, 2))
        least = settings.covered_iou if inside else settings.same_card_iou
        return iou(one.outline, other.outline) > least

    def confidence(k: int) -> float:
        """Return that of the surest index of a reading: of the card itself the misread one makes less."""
        return max([readings[k].confidence, *(one.confidence for one in own[k])])

    kept: list[int] = []
    for k in sorted(range(len(readings)), key=lambda k: (not own[k], not is_free(k), -confidence(k))):
        if not any(refutes(likely, k) for likely in kept):
            kept.append(k)
    return [readings[k] for k in sorted(kept)]


def _may_be_half(half: Card | ActionCard, whole: Card | ActionCard) -> bool:
    """Return whether half of an index of one card may look like the other: the suits or the ranks are the same."""
    if not isinstance(half, Card) or not isinstance(whole, Card):
        return False
    return (half.suit == whole.suit) != (half.rank == whole.rank)


def _has_index(outline: Quad, corner: int, pose: IndexPose, settings: ReaderSettings) -> bool:
    """Return whether an index with that pose is upright in the quarter of the outline at one of its corners."""
    place = place_on(pose, starting_at(outline, corner), settings.places)
    return place is not None and place.right < CARD_MM[0] / 2
