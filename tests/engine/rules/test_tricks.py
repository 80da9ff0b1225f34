from __future__ import annotations

import pytest

from engine.rules.tricks import RankedTrick, Ranking, Trick
from tests.engine.talk import card


@pytest.mark.parametrize(
    ("cards", "trump", "winner"),
    [
        ("9H AS 10H", "C", 1),
        ("9H 10H JH", None, 1),
        ("9H 2C 3C", "C", 1),
        ("2C AH AC", "C", 1),
        ("9H AS KD", None, 2),
        ("QH KH AH", "H", 1),
    ],
)
def test_the_winner(cards: str, trump: str | None, winner: int) -> None:
    trick = Trick(2, 3, trump)
    for text in cards.split():
        assert not trick.complete
        trick.add(card(text))
    assert trick.complete and trick.winner == winner == trick.turn


def test_the_turn_goes_clockwise_and_back_when_a_card_is_taken_back() -> None:
    trick = Trick(1, 3, "S")
    assert (trick.turn, trick.led, trick.winner) == (1, None, 1)
    trick.add(card("2H"))
    trick.add(card("2S"))
    assert (trick.turn, trick.led, trick.winner) == (0, "H", 2)
    assert trick.failed(2) and not trick.failed(1) and not trick.failed(0)
    assert trick.take_back() == (2, card("2S"))
    assert (trick.turn, trick.winner) == (2, 1)
    trick.take_back()
    assert (trick.turn, trick.led) == (1, None)


def test_taking_back_from_a_complete_trick() -> None:
    trick = Trick(0, 2, "S")
    trick.add(card("2H"))
    trick.add(card("2S"))
    assert (trick.turn, trick.complete) == (1, True)
    trick.take_back()
    assert (trick.turn, trick.complete) == (1, False)
    trick.add(card("3D"))
    assert trick.winner == 0


HEARTS = Ranking("H", [card("JH"), card("JD"), *(card(f"{rank}H") for rank in "AKQ9")], ["A", "K", "Q", "J", "10", "9"])


@pytest.mark.parametrize(
    ("cards", "winner", "led"),
    [("AH JD JH", 1, "H"), ("JD QD AH", 2, "H"), ("9D AD JD", 1, "D"), ("9S JS 9H", 1, "S"), ("JD JH AH", 0, "H")],
)
def test_a_card_may_belong_to_another_suit(cards: str, winner: int, led: str) -> None:
    trick = RankedTrick(2, 3, HEARTS)
    for text in cards.split():
        trick.add(card(text))
    assert (trick.winner, trick.led) == (winner, led)
    assert trick.failed(0) == (HEARTS.suit(trick.plays[1].card) != led)


def test_a_seat_that_sits_out_is_passed_over() -> None:
    trick = RankedTrick(1, 4, HEARTS, (2, 3))
    trick.add(card("AS"))
    assert trick.turn == 0
    trick.add(card("9H"))
    assert trick.complete and trick.turn == 0
    trick.take_back()
    assert trick.turn == 0 and not trick.complete
