"""What a reader learns at a table about its deck, from which outlines, and what it takes until it has learned it."""

from __future__ import annotations

import numpy as np
import pytest

from engine.cards import RANKS, SUITS, Card, parse_card
from vision.faces.card_assembly import AssembledCard, IndexReading, joint_confidence
from vision.faces.deck_knowledge import DeckKnowledge
from vision.faces.geometry import Quad, starting_at
from vision.faces.index_places import IndexPlace, PlacedCard, place_on, pose_on
from vision.faces.outlined_cards import OutlinedCard
from vision.faces.placed_cards import placed_cards
from vision.faces.score_fusion import Verdict
from vision.faces.settings import DEFAULTS
from vision.readings import CARD_MM, Reading

PLACE = IndexPlace(13.0, 19.0, 17.0)
MM_PER_PX = 0.5
CARD = (np.array([[0, 0], [CARD_MM[0], 0], [*CARD_MM], [0, CARD_MM[1]]]) / MM_PER_PX).astype(np.float32)


def inset(mm: float) -> Quad:
    """Return the outline of a frame printed this far from the edges of `CARD`."""
    return (CARD + np.array([[mm, mm], [-mm, mm], [-mm, -mm], [mm, -mm]]) / MM_PER_PX).astype(np.float32)


def indices_of(card: Card, confidence: float = 1.0) -> list[IndexReading]:
    """Return both indices of a card that lies as `CARD`; they may be those of an ace, too."""
    ranks = np.eye(14)
    rank = (confidence * ranks[RANKS.index(card.rank)] + (1 - confidence) * ranks[0]).astype(np.float32)
    suit = np.eye(5)[SUITS.index(card.suit)].astype(np.float32)
    return [IndexReading(pose_on(PLACE, starting_at(CARD, corner)), rank, suit) for corner in (0, 2)]


def learn(deck: DeckKnowledge, name: str, outline: Quad, is_placed: bool) -> None:
    """Let the deck learn from a sure card that was read in the outline by its corners, or by its indices."""
    card = parse_card(name)
    found = indices_of(card)
    if is_placed:
        place = place_on(found[0].pose, outline)
        assert place is not None
        placed = PlacedCard(AssembledCard(card, 1.0, tuple(found)), outline, 1.0, (place, place))
        deck.learn([], [placed], found, [outline], MM_PER_PX)
    else:
        outlined = OutlinedCard(Reading(card, 1.0, "face", outline), Verdict(card, 1.0, (0, 2), ()), 1.0)
        deck.learn([outlined], [], found, [outline], MM_PER_PX)


@pytest.mark.parametrize("is_placed", [False, True])
def test_an_outline_on_a_printed_frame_teaches_no_places(is_placed: bool) -> None:
    deck = DeckKnowledge(DEFAULTS)
    for name in ("2C", "9D", "KH"):
        learn(deck, name, CARD, is_placed)
    before = deck.places.known()
    ((place, _, cards),) = before
    assert [place.right, place.down, cards] == pytest.approx([PLACE.right, PLACE.down, 3])
    for name in ("3C", "10D", "QH"):
        learn(deck, name, inset(4.0), is_placed)
    assert deck.places.known() == before
    learn(deck, "4S", inset(0.5), is_placed)  # a rough outline of the card itself
    assert deck.places.known() != before


def test_a_size_that_was_learned_from_frames_is_corrected() -> None:
    deck = DeckKnowledge(DEFAULTS)
    for name in ("3C", "10D"):
        learn(deck, name, inset(4.0), is_placed=False)
    assert deck.size.mm != CARD_MM
    for name in ("2C", "9D", "KH", "5S"):
        learn(deck, name, CARD, is_placed=False)
    assert deck.size.mm == CARD_MM


def test_indices_in_a_place_that_is_not_known_must_be_surer() -> None:
    """Two small indices of a jack in a frame were read as threes, with 0.79 and 0.94."""
    deck = DeckKnowledge(DEFAULTS)

    def placed(confidence: float) -> list[str]:
        found = indices_of(parse_card("JH"), confidence)
        outlines = [(CARD, 1.0)]
        return [str(one.card.card) for one in placed_cards(found, outlines, [CARD], [], deck.places)]

    least = DEFAULTS.min_confidence_new_place
    assert DEFAULTS.min_confidence_alone < joint(0.9) < least < joint(0.99)
    assert placed(0.9) == [] and placed(0.99) == ["JH"]
    for name in ("2C", "9D", "KH"):
        learn(deck, name, CARD, is_placed=True)
    assert placed(0.9) == ["JH"]


def joint(confidence: float) -> float:
    """Return the confidence of the card that two indices, each of this confidence, show together."""
    return joint_confidence(indices_of(parse_card("JH"), confidence), DEFAULTS.fusion)
