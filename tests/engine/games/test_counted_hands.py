"""The hands counted at the end of a deal, as the board shows them."""

from __future__ import annotations

import random

from engine.cards import STANDARD_DECK, parse_card
from engine.games.cribbage.counting import combinations_of, count_hand
from engine.table import Table
from tests.engine.talk import do


def test_every_reason_of_a_cribbage_hand_has_its_cards() -> None:
    rng = random.Random(3)
    for _ in range(800):
        *hand, starter = rng.sample(STANDARD_DECK.cards, 5)
        crib = rng.random() < 0.3
        reasons = count_hand(hand, starter, crib)
        found = combinations_of(hand, starter, reasons)
        assert [(combination.points, combination.reason) for combination in found] == [
            (combination.points, combination.reason) for combination in reasons
        ]
        assert len({(combination.reason, combination.cards) for combination in found}) == len(found)
        for combination in found:
            assert set(combination.cards) <= {*hand, starter}
            values = sorted(STANDARD_VALUES[card.rank] for card in combination.cards)
            if combination.reason == "fifteen":
                assert sum(min(value, 10) for value in values) == 15
            if combination.reason == "pair":
                assert len(values) == 2 and values[0] == values[1]
            if combination.reason == "run":
                assert values == list(range(values[0], values[0] + combination.points))
            if combination.reason == "flush":
                assert (
                    len(combination.cards) == combination.points and len({card.suit for card in combination.cards}) == 1
                )
            if combination.reason == "nobs":
                assert combination.cards[0].rank == "J" and combination.cards[0].suit == starter.suit


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


def combinations(table: Table) -> list[tuple[int, str, list[tuple[str, str]]]]:
    """For each hand counted: the seat, its name, and each reason with its cards."""
    return [
        (hand.seat, hand.name, [(each.reason, " ".join(map(str, each.cards))) for each in hand.combinations])
        for hand in table.view().counted
    ]


def test_four_cards_of_a_suit_are_a_flush_in_a_hand_but_not_in_the_crib() -> None:
    table = Table("cribbage", ["Ann", "Bo"], dealer=0)
    do(table, "0 deal 2S 4S 6S 8S KD QD", "0 discard KD QD", "1 deal AH 3H 9C JC 10D 7D", "1 discard 10D 7D", "turn 5C")
    do(table, "1 play JC", "0 play 8S", "1 play 9C", "0 play 4S", "1 play 3H", "0 play 6S", "1 play AH", "0 play 2S")
    _, ann, crib = combinations(table)
    assert ("flush", "8S 4S 6S 2S") in ann[2]
    assert (crib[:2], [reason for reason, _ in crib[2]]) == ((0, "the crib"), ["fifteen", "fifteen", "fifteen"])


def test_the_trumps_of_all_fives_are_counted_for_the_seat_that_won_them() -> None:
    table = Table("all-fives", ["Ann", "Bo"], dealer=0)
    do(table, "turn 2H", "1 say stand")
    do(table, "1 play 5H", "0 play AH", "0 play KS", "1 play 2S", "0 play QS", "1 play 3S")
    do(table, "0 play JS", "1 play 4S", "0 play 8S", "1 play 10H", "1 play 7C", "0 play 2C")
    assert combinations(table) == [(1, "", [("ten", "10H")]), (0, "", [("ace", "AH"), ("five", "5H")])]


def test_the_cards_that_score_in_fifteen() -> None:
    table = Table("fifteen", ["Ann", "Bo"], dealer=0)
    do(table, "turn 4S", "1 say accept", "1 play AS", "0 play 4H", "1 play KS", "0 play 2S")
    do(table, "1 play QD", "0 play JD", "1 play 10D", "0 play 9D", "1 play 4C", "0 play 8C")
    do(table, "crib show 3S 4D 5H 6H")
    assert combinations(table) == [
        (1, "", [("trump", "AS KS 2S"), ("rank", "4H")]),
        (0, "", [("rank", "4C")]),
        (0, "the crib", [("trump", "3S"), ("rank", "4D")]),
    ]
