"""What the indices found in a picture say about the cards read in outlines: which are theirs, which refute them."""

from __future__ import annotations

from collections.abc import Sequence

from engine.cards import COURT_RANKS
from vision.faces.card_assembly import IndexReading, are_opposite, is_within
from vision.faces.geometry import Quad, starting_at
from vision.faces.index_detector import IndexPose
from vision.faces.index_places import IndexPlace, IndexPlaces, place_on, pose_on
from vision.faces.index_reader import is_index_of, same_place
from vision.faces.outlined_cards import OutlinedCard, belongs_to, is_doubted
from vision.faces.settings import DEFAULTS, ReaderSettings


def left_over(
    indices: Sequence[IndexReading],
    outlined: Sequence[OutlinedCard],
    rejected: Sequence[OutlinedCard],
    settings: ReaderSettings,
    places: IndexPlaces | None = None,
) -> list[IndexReading]:
    """Return the indices that are not those of an outlined card, and that no rejected one casts doubt on."""
    return [
        index
        for index in indices
        if not any(belongs_to(index, card, settings, places) for card in outlined)
        and not any(is_doubted(index, card, settings, places) for card in rejected)
    ]


def without_disputed_courts(
    unclaimed: Sequence[IndexReading],
    indices: Sequence[IndexReading],
    outlined: Sequence[OutlinedCard],
    settings: ReaderSettings = DEFAULTS,
) -> list[IndexReading]:
    """Return the `unclaimed` indices without those of unsure court cards whose opposite index shows another suit.

    Number cards have pips to decide between the two, court cards have not. `indices`: all of the picture. One of an
    `outlined` card does not dispute what lies outside its outline.
    """

    def is_elsewhere(one: IndexReading, other: IndexReading) -> bool:
        own = [card for card in outlined if belongs_to(other, card, settings)]
        return bool(own) and not any(is_within(one.pose, card.reading.outline, settings.assembly) for card in own)

    def disputes(one: IndexReading, other: IndexReading) -> bool:
        same_rank = one.card.rank == other.card.rank and one.card.suit != other.card.suit
        return same_rank and are_opposite(one.pose, other.pose, settings.assembly) and not is_elsewhere(one, other)

    def is_unsure(one: IndexReading) -> bool:
        return one.card.rank in COURT_RANKS and one.confidence < settings.fusion.unsure_alone

    return [one for one in unclaimed if not (is_unsure(one) and any(disputes(one, other) for other in indices))]


def shows_own_index(
    card: OutlinedCard, indices: Sequence[IndexReading], places: IndexPlaces, settings: ReaderSettings = DEFAULTS
) -> bool:
    """Return whether one of the `indices` shows the card too, about where this deck or an ordinary one prints it.

    True for any card of a deck that prints all its indices in the corners. In another one, paper and a pip in a corner
    may look like an index, and an outline beside the card may have its index in one corner: a card that only one corner
    shows must have an index where this deck prints it.
    """
    if not places.away_from_corners(settings.indices):
        return True
    known = with_usual(places.expected, settings) if len(card.verdict.corners) == 2 else places.expected
    ends = [starting_at(card.reading.outline, corner) for corner in (0, 2)]
    spots = [pose_on(place, end) for place in known for end in ends]
    own = [one.pose for one in indices if one.card is card.verdict.card]
    return any(same_place(pose, spot, settings.corner_reach) for pose in own for spot in spots)


def with_usual(places: Sequence[IndexPlace], settings: ReaderSettings = DEFAULTS) -> list[IndexPlace]:
    """Return the places and, after them, that in which ordinary decks print their indices."""
    return [*places, IndexPlace(*settings.index_mm, settings.assembly.height_mm)]


def shows_other_index(card: OutlinedCard, indices: Sequence[IndexReading], settings: ReaderSettings = DEFAULTS) -> bool:
    """Return whether an index just inside a corner that the card was read by shows another card, and none this one.

    It must be as sure, and so near that an index in the corner would overlap it: then there is none in the corner.
    """
    outline = card.reading.outline
    inside = [one for one in indices if is_within(one.pose, outline, settings.assembly)]
    if any(one.card is card.verdict.card for one in inside):
        return False
    ends = [starting_at(outline, corner) for corner in card.verdict.corners]
    return any(
        one.confidence >= card.verdict.confidence and any(_is_just_inside(one.pose, end, settings) for end in ends)
        for one in inside
    )


def _is_just_inside(pose: IndexPose, upright: Quad, settings: ReaderSettings) -> bool:
    """Return whether an index stands away from the upper left corner, but would overlap a usual one."""
    place = place_on(pose, upright, settings.places)
    if place is None or is_index_of(pose, upright, settings.indices):
        return False
    right, down = settings.index_mm
    return abs(place.right - right) < place.height / 2 and abs(place.down - down) < place.height
