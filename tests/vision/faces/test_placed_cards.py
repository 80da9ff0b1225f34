"""Cards that two equal indices prove: where the deck is not known to print any, they must be surer."""

from __future__ import annotations

import numpy as np
import pytest

from engine.cards import RANKS, SUITS, parse_card
from vision.faces.card_assembly import IndexReading, joint_confidence
from vision.faces.geometry import starting_at
from vision.faces.index_places import IndexPlace, IndexPlaces, pose_on
from vision.faces.placed_cards import placed_cards
from vision.faces.settings import DEFAULTS
from vision.readings import CARD_MM

CARD = (2 * np.array([[0, 0], [CARD_MM[0], 0], [*CARD_MM], [0, CARD_MM[1]]]) + 40).astype(np.float32)
LEFT, RIGHT = IndexPlace(13.0, 19.0, 17.0), IndexPlace(CARD_MM[0] - 13.0, 19.0, 17.0)
UNSURE, SURE = 0.9, 0.99
"""Confidences of an index."""


def index(confidence: float, place: IndexPlace, corner: int, name: str = "JH", other: str = "3") -> IndexReading:
    """Return an index of that card, which may be one of another rank, on a card that lies as `CARD`."""
    ranks, card = np.eye(14), parse_card(name)
    rank = confidence * ranks[RANKS.index(card.rank)] + (1 - confidence) * ranks[RANKS.index(other)]
    suit = np.eye(5)[SUITS.index(card.suit)]
    pose = pose_on(place, starting_at(CARD, corner))
    return IndexReading(pose, rank.astype(np.float32), suit.astype(np.float32))


def pair(confidence: float, place: IndexPlace = LEFT) -> list[IndexReading]:
    """Return the indices in that place at both ends."""
    return [index(confidence, place, corner) for corner in (0, 2)]


def placed(found: list[IndexReading], places: IndexPlaces) -> list[str]:
    """Return the cards that the indices prove in `CARD`, on which nothing lies."""
    return [str(placed.card.card) for placed in placed_cards(found, [(CARD, 1.0)], [CARD], [], places)]


def learned(*printed: IndexPlace) -> IndexPlaces:
    """Return what three cards with indices there have shown."""
    places = IndexPlaces()
    for name in ("2C", "9D", "KH"):
        places.learn(parse_card(name), printed, 2)
    return places


def test_the_two_confidences_lie_on_either_side_of_the_limit() -> None:
    unsure, confident = (joint_confidence(pair(confidence), DEFAULTS.fusion) for confidence in (UNSURE, SURE))
    assert DEFAULTS.min_confidence_alone_at_table < unsure < DEFAULTS.min_confidence_new_place < confident


def joint(*others: str) -> float:
    """Return the confidence of a jack whose indices, each of 0.6, may also be these ranks."""
    places = [(place, corner) for place in (LEFT, RIGHT) for corner in (0, 2)]
    group = [index(0.6, *where, other=rank) for where, rank in zip(places, others, strict=False)]
    return joint_confidence(group, DEFAULTS.fusion)


def test_three_or_four_indices_that_agree_are_surer_than_two() -> None:
    """Decks with four indices are read in hard light, if the indices are not doubted for the same reason."""
    assert joint("3", "5") < joint("3", "5", "7") <= joint("3", "5", "7", "9")
    assert joint("3", "5", "7") > 0.99
    assert joint("3", "3") <= joint("3", "3", "3") < joint("3", "3", "3", "3") < 0.8
    assert joint("3", "3", "5", "5") > joint("3", "3", "3", "5")


def test_an_index_that_was_found_twice_counts_once() -> None:
    first, opposite = index(0.7, LEFT, 0), index(0.65, LEFT, 2)
    again = index(0.6, IndexPlace(LEFT.right + 1, LEFT.down, LEFT.height), 0)
    assert joint_confidence([first, opposite, again], DEFAULTS.fusion) == joint_confidence(
        [first, opposite], DEFAULTS.fusion
    )


def test_indices_in_a_new_place_must_be_surer() -> None:
    """Two small indices of a jack in a frame were read as threes, with 0.79 and 0.94."""
    for places in (IndexPlaces(), learned(IndexPlace(6.0, 12.0, 16.0))):
        assert placed(pair(UNSURE), places) == []
        assert placed(pair(SURE), places) == ["JH"]
    assert placed(pair(UNSURE), learned(LEFT)) == ["JH"]
    assert placed(pair(0.83), learned(LEFT)) == []  # 0.88 together


def test_a_card_with_four_indices_needs_one_pair_in_a_known_place() -> None:
    four = pair(UNSURE) + pair(UNSURE, RIGHT)
    assert placed(four, learned(LEFT, RIGHT)) == ["JH"]
    assert placed(four, IndexPlaces()) == []


def test_an_unsure_pair_is_not_a_card_with_one_index_either() -> None:
    """One index of 0.95 is enough on a card that lies alone, but not if its other one is unsure."""
    surer, other = index(0.955, LEFT, 0), index(0.6, LEFT, 2)
    assert placed([surer], IndexPlaces()) == ["JH"]
    assert placed([surer, other], IndexPlaces()) == []


@pytest.mark.parametrize(
    ("confidence", "other", "read"), [(0.99, 0.7, ["JH"]), (0.99, 0.92, []), (0.97, 0.7, []), (0.9, 0.7, [])]
)
def test_an_unsure_index_does_not_stand_against_a_very_sure_one(
    confidence: float, other: float, read: list[str]
) -> None:
    """In a frame, one index of a jack of a new deck was read with 1.0, and the other one as a five with 0.66."""
    assert placed([index(confidence, LEFT, 0), index(other, LEFT, 2, "5H")], IndexPlaces()) == read
