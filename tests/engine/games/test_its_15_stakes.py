"""Betting with value cards: bids, the amounts that match them, and the pot."""

from __future__ import annotations

import pytest

from engine.actions import Action
from engine.cards import Card, parse_card
from engine.errors import Refused
from engine.games import load_game
from engine.games.its_15 import Bid, Stakes, worth
from engine.rules.game import Game

RED = (Card("1", "red"), Card("2", "red"))
BLUE = (Card("1", "blue"), Card("2", "blue"))


class Betting(Game):
    name = "betting"
    title = "Betting"
    seats = range(2, 3)
    deck = load_game("its-15").deck


def stakes() -> Stakes:
    return Stakes([dict.fromkeys(RED, 2), dict.fromkeys(BLUE, 2)])


def offer(held: Stakes, seat: int, may_raise: bool) -> Bid:
    return Bid(Betting(("Ann", "Bo"), 0, {}), seat, held, frozenset(RED + BLUE), may_raise)


def test_cards_put_forward_leave_the_hand_and_raise_the_bid() -> None:
    held = stakes()
    assert (held.amount, held.missing(0), held.missing(1)) == (0, 1, 1)
    assert held.put_forward(0, [RED[1], RED[0]])
    assert (held.amount, held.missing(1), held.held[0][RED[1]]) == (3, 3, 1)
    assert not held.put_forward(1, [BLUE[1]])
    assert (held.amount, held.missing(1)) == (3, 1)
    assert not held.put_forward(1, [BLUE[0]])
    assert held.put_forward(1, [BLUE[0]])
    assert (held.amount, held.missing(0), worth(held.pot)) == (4, 1, 7)


@pytest.mark.parametrize(
    ("cards", "may_raise", "code"),
    [
        ("red-2", False, ""),
        ("red-2 red-1", True, ""),
        ("red-2 red-1", False, "wrong-amount"),
        ("red-1", True, "wrong-amount"),
        ("", True, "wrong-count"),
        ("red-2 red-2 red-2", True, "not-in-hand"),
        ("brown-2", True, "no-such-card"),
    ],
)
def test_a_bid_matches_or_raises(cards: str, may_raise: bool, code: str) -> None:
    held = stakes()
    held.put_forward(1, [BLUE[1]])
    action = Action("bid", 0, cards=tuple(map(parse_card, cards.split())))
    if not code:
        offer(held, 0, may_raise).check(action)
        return
    with pytest.raises(Refused) as refusal:
        offer(held, 0, may_raise).check(action)
    assert refusal.value.code == code


def test_one_bid_is_listed_for_each_amount() -> None:
    held = stakes()
    held.put_forward(1, [BLUE[1]])
    assert [worth(action.cards or ()) for action in offer(held, 0, True).actions()] == [2, 3, 4, 5, 6]
    assert [str(action) for action in offer(held, 0, False).actions()] == ["0 bid red-2"]
