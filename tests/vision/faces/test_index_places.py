"""What is learned of a deck: where it prints its indices, and how large its cards are."""

from __future__ import annotations

import numpy as np
import pytest

from engine.cards import RANKS, STANDARD_DECK, SUITS
from vision.faces.card_assembly import IndexReading
from vision.faces.card_size import CardSize
from vision.faces.index_detector import IndexPose
from vision.faces.index_places import IndexPlace, IndexPlaces, ends_on, pairs_in
from vision.faces.settings import DEFAULTS

ACE, TWO, THREE, *_ = STANDARD_DECK.cards


def test_a_place_counts_after_two_different_cards() -> None:
    places = IndexPlaces()
    for _ in range(3):
        places.learn(ACE, [IndexPlace(7, 20, 16)], 2)
    assert not places.fits(IndexPlace(7, 20, 16))
    places.learn(TWO, [IndexPlace(8, 19, 16)], 2)
    assert places.fits(IndexPlace(7, 20, 16))
    assert not places.fits(IndexPlace(7, 12, 16))
    assert not places.fits(IndexPlace(7, 20, 26))


def test_the_spread_of_a_place_widens_it_up_to_a_limit() -> None:
    places = IndexPlaces()
    for number, card in enumerate(STANDARD_DECK.cards[:12]):
        places.learn(card, [IndexPlace(7, 20 + (1.2 if number % 2 else -1.2), 16)], 2)
    assert places.fits(IndexPlace(7, 23.5, 16))
    assert not places.fits(IndexPlace(7, 24.5, 16))
    assert not places.fits(IndexPlace(10, 20, 16))


def test_of_four_indices_only_the_left_ones_fix_an_outline() -> None:
    places = IndexPlaces()
    for card in (ACE, TWO):
        places.learn(card, [IndexPlace(7, 12, 16), IndexPlace(56, 12, 16)], 2)
    assert places.fits(IndexPlace(7, 12, 16))
    assert not places.fits(IndexPlace(56, 12, 16))


def test_a_deck_is_judged_after_five_cards() -> None:
    places = IndexPlaces()
    for card in STANDARD_DECK.cards[:4]:
        places.learn(card, [IndexPlace(7, 12, 16)], 1)
    assert places.drawback() == ""
    places.learn(STANDARD_DECK.cards[4], [IndexPlace(7, 12, 16)], 1)
    assert "only one index" in places.drawback()
    places.learn(ACE, [], 2)
    places.learn(TWO, [], 2)
    assert places.in_pairs
    assert places.drawback() == ""


@pytest.mark.parametrize(
    ("measured", "size"),
    [
        ((62.0, 87.0), (63.0, 88.0)),
        ((57.5, 88.5), (57.0, 88.0)),
        ((44.3, 67.0), (45.0, 68.0)),
        ((57.0, 82.0), (63.0, 88.0)),
        ((70.0, 110.0), (70.0, 110.0)),
    ],
)
def test_a_size_is_learned_from_two_cards(measured: tuple[float, float], size: tuple[float, float]) -> None:
    """A border 3 mm inside a poker card's edge is not the card."""
    known = CardSize()
    known.learn(ACE, measured)
    known.learn(ACE, measured)
    assert (known.known, known.mm) == (False, (63.0, 88.0))
    known.learn(TWO, measured)
    assert (known.known, known.mm) == (True, size)


def test_no_card_to_expect_is_shorter_than_the_least_length() -> None:
    """With room for outlines that are found roughly."""
    known, fixed = CardSize(), CardSize((45.0, 68.0))
    least = DEFAULTS.places.sizes[0] * 88
    assert 0.8 * least < known.least_mm(1.2) < 0.9 * least
    known.learn(ACE, (57.0, 88.0))
    known.learn(TWO, (57.0, 88.0))
    assert 0.8 * 88 / 1.2 < known.least_mm(1.2) < 0.9 * 88 / 1.2
    assert 0.8 * 68 / 1.2 < fixed.least_mm(1.2) < 0.9 * 68 / 1.2


def test_an_outlier_does_not_change_the_size_and_a_set_size_never_changes() -> None:
    known, fixed = CardSize(), CardSize((57.0, 88.0))
    for card, size in ((ACE, (63.0, 88.0)), (TWO, (63.2, 88.0)), (THREE, (50.0, 75.0))):
        known.learn(card, size)
        fixed.learn(card, size)
    assert known.mm == (63.0, 88.0)
    assert fixed.mm == (57.0, 88.0)


def test_an_index_far_from_an_outline_has_no_place_on_it() -> None:
    """Half as far again from its middle as the farthest corner; nearer ones have."""
    card = np.array([[0, 0], [126, 0], [126, 176], [0, 176]], np.float32)
    assert ends_on(IndexPose(63, 88 + 1.51 * 108.3, 0, 30, 1.0), card) is None
    assert ends_on(IndexPose(63, 88 + 1.49 * 108.2, 0, 30, 1.0), card) is not None
    ends = ends_on(IndexPose(12, 30, 0, 36, 1.0), card)
    assert ends is not None
    assert ends[0] == pytest.approx((6.0, 6.0), abs=0.01)
    assert ends[1] == pytest.approx((6.0, 24.0), abs=0.01)


def test_a_pair_may_have_one_slanted_index_but_not_two_cards() -> None:
    """The detector finds some indices up to 25 degrees askew; equal ones opposite each other still prove the card."""
    card = np.array([[0, 0], [126, 0], [126, 176], [0, 176]], np.float32)

    def index(name: str, pose: IndexPose) -> IndexReading:
        rank, suit = np.full(14, 0.002, np.float32), np.full(5, 0.002, np.float32)
        rank[RANKS.index(name[0])], suit[SUITS.index(name[1])] = 0.97, 0.99
        return IndexReading(pose, rank, suit)

    def pair(other: str, degrees: float) -> list[str]:
        angle = np.radians(degrees)
        upper = IndexPose(12, 40, 36 * np.sin(angle), 36 * np.cos(angle), 1.0)
        found = [index("5H", upper), index(other, IndexPose(114, 136, 0, -36, 1.0))]
        return [str(pair.card.card) for pair in pairs_in(found, [(card, 1.0)], 0.9)]

    assert pair("5H", 0) == pair("5H", 25) == pair("5H", -25) == ["5H"]
    assert pair("5H", 35) == []
    assert pair("5D", 0) == []
