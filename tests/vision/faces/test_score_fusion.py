"""Two corners, one card: when they are believed, and when the card stays unknown."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.faces.index_classifier import RANKS, SUITS
from vision.faces.score_fusion import fuse

Floats = npt.NDArray[np.float32]


def spread(classes: int, best: int, share: float) -> Floats:
    """`share` for one class, the rest evenly for the others."""
    row = np.full(classes, (1 - share) / (classes - 1), np.float32)
    row[best] = share
    return row


def corners(*shown: tuple[str, float] | None) -> tuple[Floats, Floats]:
    """What the net says of corners that show a card with some certainty, or no index."""
    rank, suit = [], []
    for one in shown:
        card, share = one or ("", 0.99)
        rank.append(spread(14, RANKS.index(card[:-1]) if card else 13, share))
        suit.append(spread(5, SUITS.index(card[-1]) if card else 4, share))
    return np.array(rank), np.array(suit)


def test_corners_that_agree_are_surer_than_each() -> None:
    verdict = fuse(*corners(("8H", 0.85), ("8H", 0.9)))
    assert str(verdict.card) == "8H"
    assert verdict.confidence > 0.9
    assert verdict.corners == (0, 2)


@pytest.mark.parametrize("shown", [0, 1])
def test_one_corner_will_do_where_the_other_is_hidden(shown: int) -> None:
    pair = [("QS", 0.98), None] if shown == 0 else [None, ("QS", 0.98)]
    verdict = fuse(*corners(*pair))
    assert str(verdict.card) == "QS"
    assert verdict.confidence > 0.8
    assert verdict.corners == ((0,), (2,))[shown]


def test_corners_that_differ_are_no_card() -> None:
    assert fuse(*corners(("QS", 0.99), ("4D", 0.99))).confidence < 0.2


def test_no_index_at_all_is_no_card() -> None:
    assert fuse(*corners(None, None)).confidence < 0.2


probabilities = st.lists(st.floats(0.001, 1), min_size=38, max_size=38)


@given(probabilities)
def test_confidence_is_a_share_and_the_order_of_corners_counts_for_nothing(weights: list[float]) -> None:
    rank = np.array(weights[:28], np.float32).reshape(2, 14)
    suit = np.array(weights[28:], np.float32).reshape(2, 5)
    rank, suit = rank / rank.sum(axis=1, keepdims=True), suit / suit.sum(axis=1, keepdims=True)
    there, back = fuse(rank, suit), fuse(rank[::-1], suit[::-1])
    assert 0 <= there.confidence <= 1
    assert there.confidence == pytest.approx(back.confidence, abs=1e-5)


def test_what_else_the_corners_may_show_is_told_the_likeliest_first() -> None:
    rank, suit = spread(14, RANKS.index("Q"), 0.9999), spread(5, SUITS.index("D"), 0.9999)
    rank[RANKS.index("Q")] = 0.82
    rank[RANKS.index("4")], rank[RANKS.index("J")] = 0.15, 0.03
    verdict = fuse(np.array([rank, rank]), np.array([suit, suit]))
    assert str(verdict.card) == "QD"
    assert [str(card) for card, _ in verdict.alternatives] == ["4D"]
    assert sum(share for _, share in verdict.alternatives) + verdict.confidence <= 1
    alone = fuse(np.array([rank, corners(None)[0][0]]), np.array([suit, corners(None)[1][0]]))
    assert [str(card) for card, _ in alone.alternatives] == ["4D", "JD"]
    assert fuse(*corners(("QD", 0.999), ("QD", 0.999))).alternatives == ()
