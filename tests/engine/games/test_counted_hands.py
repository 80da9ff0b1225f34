"""The hands counted at the end of a deal, as the board shows them."""

from __future__ import annotations

import random

from engine.cards import STANDARD_DECK, parse_card
from engine.games.cribbage import count_hand
from engine.rules.counting import combinations_of
from engine.table import Table


def test_every_reason_of_a_cribbage_hand_has_its_cards() -> None:
    rng = random.Random(3)
    for _ in range(3_000):
        *hand, starter = rng.sample(STANDARD_DECK.cards, 5)
        crib = rng.random() < 0.3
        reasons = count_hand(hand, starter, crib)
        found = combinations_of(hand, starter, reasons)
        assert [(one.points, one.reason) for one in found] == [(one.points, one.reason) for one in reasons]
        assert len({(one.reason, one.cards) for one in found}) == len(found)
        for one in found:
            assert set(one.cards) <= {*hand, starter}
            values = sorted(STANDARD_VALUES[card.rank] for card in one.cards)
            if one.reason == "fifteen":
                assert sum(min(value, 10) for value in values) == 15
            if one.reason == "pair":
                assert len(values) == 2 and values[0] == values[1]
            if one.reason == "run":
                assert values == list(range(values[0], values[0] + one.points))
            if one.reason == "flush":
                assert len(one.cards) == one.points and len({card.suit for card in one.cards}) == 1
            if one.reason == "nobs":
                assert one.cards[0].rank == "J" and one.cards[0].suit == starter.suit


RANKS = ["A", *map(str, range(2, 11)), "J", "Q", "K"]
STANDARD_VALUES = {rank: value for value, rank in enumerate(RANKS, 1)}


def test_the_show_of_cribbage_is_in_the_view_until_the_next_starter() -> None:
    table = Table("cribbage", ["Ann", "Bo"], dealer=0)
    table.do("turn 5H")
    for action in ["4C", "6D", "10S", "10H", "5C", "JD", "KD", "5D"]:
        turn = table.turn
        assert table.view().counted == ()
        table.do(f"{turn} play {action}")
    bo, ann = table.view().counted
    assert (bo.seat, ann.seat, bo.name, bo.starter) == (1, 0, "", parse_card("5H"))
    assert table.phase == "show"
    table.do("crib show AS 2S 3D 9C")
    assert [str(hand.name) for hand in table.view().counted] == ["", "", "the crib"]
    assert table.view().counted[-1].seat == 0
    assert sum(hand.total for hand in table.view().counted) <= sum(table.scores)
    table.do("turn KC")
    assert table.view().counted == ()
    table.undo()
    assert len(table.view().counted) == 3


def test_a_showdown_shows_the_sum_of_each_seat() -> None:
    table = Table("its-15", ["Ann", "Bo"], dealer=0)
    for action in ("turn green-5", "0 say stay", "1 say stay", "0 bid red-1", "1 bid blue-1"):
        table.do(action)
    table.do("0 show brown-9")
    (shown,) = table.view().counted
    assert (shown.seat, shown.total, shown.starter) == (0, 14, parse_card("green-5"))
    table.do("1 show brown-3")
    assert [hand.total for hand in table.view().counted] == [14, 8]
    table.do("turn green-1")
    assert table.view().counted == ()
