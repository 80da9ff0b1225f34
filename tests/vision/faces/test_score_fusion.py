"""Two corners, one card: which confidence they give together."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cards import RANKS, SUITS, parse_card
from vision.faces.score_fusion import confirmed, fuse, number_of

Floats = npt.NDArray[np.float32]


def spread(classes: int, best: int, share: float) -> Floats:
    """Probability `share` for one class, the rest spread evenly over the others."""
    row = np.full(classes, (1 - share) / (classes - 1), np.float32)
    row[best] = share
    return row


def corners(*shown: tuple[str, float] | None) -> tuple[Floats, Floats]:
    """The classifier's output for corners that show a card with a probability, or no index."""
    rank, suit = [], []
    for entry in shown:
        card, share = entry or ("", 0.99)
        rank.append(spread(14, RANKS.index(card[:-1]) if card else 13, share))
        suit.append(spread(5, SUITS.index(card[-1]) if card else 4, share))
    return np.array(rank), np.array(suit)


def test_agreement_of_corners_raises_the_confidence() -> None:
    """Above that of one such corner beside a hidden one, but not as if the two could not err in the same way."""
    verdict = fuse(*corners(("8H", 0.85), ("8H", 0.9)))
    assert str(verdict.card) == "8H"
    assert (
        max(fuse(*corners(("8H", confidence), None)).confidence for confidence in (0.85, 0.9))
        < verdict.confidence
        < 0.9
    )
    assert verdict.corners == (0, 2)
    assert fuse(*corners(("8H", 0.99), ("8H", 0.99))).confidence > 0.97


def test_two_blurred_corners_are_not_surer_of_a_suit_than_one() -> None:
    """A blurred club looks like a spade at both ends of the card."""
    rank, suit = corners(("AS", 0.999), ("AS", 0.999))
    suit[:, SUITS.index("S")], suit[:, SUITS.index("C")] = 0.8, 0.197
    assert str(fuse(rank, suit).card) == "AS"
    assert fuse(rank, suit).confidence < 0.85


def shown(card: str, share: float) -> Floats:
    """The probability of each card by an index that shows one with a probability."""
    every = np.full(52, (1 - share) / 51, np.float32)
    every[number_of(parse_card(card))] = share
    return every


def test_another_net_that_agrees_raises_the_confidence() -> None:
    verdict = fuse(*corners(("8H", 0.85), ("8H", 0.9)))
    agreed = confirmed(verdict, [shown("8H", 0.9), shown("8H", 0.8)])
    assert str(agreed.card) == "8H" and agreed.corners == (0, 2)
    assert agreed.confidence > 0.93 > verdict.confidence


def test_another_net_that_disagrees_lowers_it() -> None:
    verdict = fuse(*corners(("8H", 0.97), ("8H", 0.97)))
    assert confirmed(verdict, [shown("JH", 0.9)]).confidence < 0.85
    assert confirmed(verdict, [shown("JH", 0.9)] * 2).confidence == pytest.approx(
        confirmed(verdict, [shown("JH", 0.9)]).confidence, abs=1e-5
    )
    changed = confirmed(verdict, [shown("JH", 0.9999)])
    assert changed.card is verdict.card and changed.confidence < 0.5
    assert str(changed.alternatives[0][0]) == "JH"
    certain = fuse(*corners(("8H", 0.99999), ("8H", 0.99999)))
    assert confirmed(certain, [shown("JH", 0.9999)]).confidence < 0.6


def test_without_a_second_opinion_order_and_confidence_stay() -> None:
    rank, suit = corners(("QS", 0.8), ("QS", 0.9))
    verdict = fuse(rank, suit)
    alone = confirmed(verdict, [])
    assert alone.card is verdict.card and alone.confidence <= verdict.confidence
    assert list(np.argsort(alone.probabilities)[-3:]) == list(np.argsort(verdict.probabilities)[-3:])
    assert alone.probabilities.sum() == pytest.approx(verdict.probabilities.sum(), abs=1e-5)


@pytest.mark.parametrize("shown", [0, 1])
def test_one_corner_is_enough_if_the_other_is_hidden(shown: int) -> None:
    pair = [("QS", 0.98), None] if shown == 0 else [None, ("QS", 0.98)]
    verdict = fuse(*corners(*pair))
    assert str(verdict.card) == "QS"
    assert verdict.confidence > 0.8
    assert verdict.corners == ((0,), (2,))[shown]


def test_corners_that_show_different_cards_give_a_low_confidence() -> None:
    assert fuse(*corners(("QS", 0.99), ("4D", 0.99))).confidence < 0.2


def test_corners_without_an_index_give_a_low_confidence() -> None:
    assert fuse(*corners(None, None)).confidence < 0.2


probabilities = st.lists(st.floats(0.001, 1), min_size=38, max_size=38)


@given(probabilities)
def test_confidence_is_a_probability_independent_of_corner_order(weights: list[float]) -> None:
    rank = np.array(weights[:28], np.float32).reshape(2, 14)
    suit = np.array(weights[28:], np.float32).reshape(2, 5)
    rank, suit = rank / rank.sum(axis=1, keepdims=True), suit / suit.sum(axis=1, keepdims=True)
    there, back = fuse(rank, suit), fuse(rank[::-1], suit[::-1])
    assert 0 <= there.confidence <= 1
    assert there.confidence == pytest.approx(back.confidence, abs=1e-5)


def test_alternatives_are_listed_most_likely_first() -> None:
    rank, suit = spread(14, RANKS.index("Q"), 0.9999), spread(5, SUITS.index("D"), 0.9999)
    rank[RANKS.index("Q")] = 0.82
    rank[RANKS.index("4")], rank[RANKS.index("J")] = 0.15, 0.03
    verdict = fuse(np.array([rank, rank]), np.array([suit, suit]))
    assert str(verdict.card) == "QD"
    assert [str(card) for card, _ in verdict.alternatives] == ["4D", "JD"]
    assert sum(share for _, share in verdict.alternatives) + verdict.confidence <= 1
    alone = fuse(np.array([rank, corners(None)[0][0]]), np.array([suit, corners(None)[1][0]]))
    assert [str(card) for card, _ in alone.alternatives] == ["4D", "JD"]
    assert fuse(*corners(("QD", 0.999), ("QD", 0.999))).alternatives == ()
