"""Spades: bids, nil, bags, broken spades, three players, and the end of the game."""

from __future__ import annotations

from typing import Final

import pytest

from engine.actions import Action
from engine.cards import RANKS, parse_card
from engine.table import Table
from tests.engine.talk import do, events, refusal, rules_of, table_of

SPADES, HEARTS, DIAMONDS, CLUBS = ([f"{rank}{suit}" for rank in (*RANKS[1:], "A")] for suit in "SHDC")
ONE_SUIT_EACH: Final = (CLUBS, SPADES, HEARTS, DIAMONDS)
"""Seat 0 deals; seat 1 takes every trick."""


def dealt(*hands: list[str], **options: object) -> Table:
    table = table_of("spades", len(hands), 0, **options)
    for seat, hand in enumerate(hands):
        table.do(Action("deal", seat, cards=tuple(map(parse_card, hand))))
    return table


def bid(table: Table, bids: str) -> None:
    for word in bids.split():
        table.do(f"say {word}")


def words(table: Table) -> set[str]:
    return {action.word or "" for action in table.legal_actions() if action.do == "say"}


def scored(won: tuple[int, ...], bids: str, side: int = 0, bags: int = 0, **options: object) -> list[tuple[int, str]]:
    """What a side scores with these tricks and bids by seat."""
    table = table_of("spades", len(won), 0, **options)
    game = rules_of(table)
    for seat, word in enumerate(bids.split()):
        game.note_bid(seat, word)
    game.tricks_won = lambda: won
    game.match.more["bags"] = (bags,) * len(game.match.scores)
    return [each for each in game.scored(side) if each[0]]


@pytest.mark.parametrize(
    ("won", "bids", "points"),
    [
        ((4, 2, 3, 4), "4 3 3 3", [(70, "bid")]),
        ((4, 2, 5, 2), "4 3 3 3", [(70, "bid"), (2, "bags")]),
        ((4, 4, 2, 3), "4 3 3 3", [(-70, "set")]),
        ((0, 4, 5, 4), "nil 3 5 3", [(100, "nil"), (50, "bid")]),
        ((2, 4, 4, 3), "nil 3 5 3", [(-100, "nil"), (50, "bid"), (1, "bags")]),
        ((2, 4, 2, 5), "nil 3 5 3", [(-100, "nil"), (-50, "set")]),
        ((0, 5, 5, 3), "blind-nil 3 5 3", [(200, "blind-nil"), (50, "bid")]),
        ((1, 5, 0, 7), "nil 3 nil 3", [(-100, "nil"), (100, "nil"), (1, "bags")]),
    ],
)
def test_worked_examples(won: tuple[int, ...], bids: str, points: list[tuple[int, str]]) -> None:
    """A nil is scored besides the partner's bid, and its tricks count for that."""
    assert scored(won, bids) == points


def test_tricks_of_a_failed_nil_may_be_bags_only() -> None:
    assert scored((2, 4, 4, 3), "nil 3 5 3", nil_helps=False) == [(-100, "nil"), (-50, "set"), (2, "bags")]
    assert scored((2, 4, 5, 2), "nil 3 5 3", nil_helps=False) == [(-100, "nil"), (50, "bid"), (2, "bags")]


@pytest.mark.parametrize(("bags", "penalty"), [(7, []), (8, [(-100, "ten-bags")]), (9, [(-100, "ten-bags")])])
def test_ten_bags_cost_a_hundred(bags: int, penalty: list[tuple[int, str]]) -> None:
    assert scored((4, 2, 5, 2), "4 3 3 3", bags=bags) == [(70, "bid"), (2, "bags"), *penalty]


def test_bags_are_kept_from_deal_to_deal() -> None:
    table = dealt(*ONE_SUIT_EACH)
    bid(table, "5 3 4 2")
    while not table.between_hands:
        table.do(next(action for action in table.legal_actions() if action.do == "play"))
    assert table.scores == (-50, 90 + 4)
    assert dict(table.view().facts)["bags"] == "Ann and Cy: 0, Bo and Dee: 4"


def test_bids_begin_at_the_dealers_left_and_partners_bid_thirteen_at_most() -> None:
    table = dealt(*ONE_SUIT_EACH)
    assert table.turn == 1
    assert words(table) == {*map(str, range(1, 14)), "nil"}
    assert refusal(table, "1 say blind-nil") == "no-such-word"
    bid(table, "9 13")
    assert words(table) == {"1", "2", "3", "4", "nil"}
    bid(table, "4")
    assert words(table) == {"nil"}
    bid(table, "nil")
    assert table.view().bids == (0, 9, 13, 4)
    assert ("nil", "Ann") in table.view().facts


def test_a_side_that_is_far_behind_may_bid_blind_nil() -> None:
    table = dealt(*ONE_SUIT_EACH)
    bid(table, "12 13 1 nil")
    while not table.between_hands:
        table.do(next(action for action in table.legal_actions() if action.do == "play"))
    assert table.scores == (-130 + 100, 130)
    do(table, "2 say nil")  # ahead; Bo dealt
    assert "blind-nil" not in {action.word for action in table.legal_actions() if action.seat == 3}


@pytest.mark.parametrize(("score", "blind"), [(1, False), (0, True)])
def test_blind_nil_is_bid_from_a_hundred_behind(score: int, blind: bool) -> None:
    for played in (True, False):
        game = rules_of(table_of("spades", 4, 0, blind_nil=played))
        game.match.scores = [100, score]
        assert ("blind-nil" in game.bid_offer(1).words(1)) is (blind and played)
        assert "blind-nil" not in game.bid_offer(0).words(0)


def test_spades_are_led_once_they_are_broken() -> None:
    hands = [CLUBS[:6] + SPADES[:7], [*CLUBS[6:12], *SPADES[7:], "2H"], ["AC", *HEARTS[1:]], [*DIAMONDS]]
    table = dealt(*hands)
    bid(table, "1 1 1 1")
    assert refusal(table, "1 play AS") == "must-hold-back"
    assert dict(table.view().facts)["spades"] == "not broken"
    do(table, "1 play 8C", "2 play AC", "3 play 2D", "0 play 2C", "2 play 3H", "3 play 3D", "0 play 2S")
    assert dict(table.view().facts)["spades"] == "broken"
    do(table, "1 play 2H")
    assert table.turn == 0 and refusal(table, "0 play 3S") == ""


def test_a_revoke_sets_the_side() -> None:
    table = table_of("spades", 4, 0)
    bid(table, "1 1 1 nil")
    do(table, "1 play 3H", "2 play 4C", "3 play 5H", "0 play 2H")  # the nil takes no trick, and fails all the same
    assert events(do(table, "1 say revoke 2 7H")) == ["revoke-proven 2 7H"]
    game = rules_of(table)
    assert [*game.scored(0)] == [(-100, "nil"), (-10, "set")]


def test_a_revoke_that_a_later_card_proves_sets_the_side_too() -> None:
    table = table_of("spades", 4, 0)
    bid(table, "1 1 1 nil")
    do(table, "1 play 3H", "2 play 4C", "3 play 5H", "0 play 2H")
    assert events(do(table, "3 play 9H", "0 play 8H", "1 play 10H", "2 play 7H"))[0] == "revoke-proven 2 7H"
    game = rules_of(table)
    assert [*game.scored(0)] == [(-100, "nil"), (-10, "set")]


def test_three_play_alone_with_seventeen_cards_each() -> None:
    table = table_of("spades", 3, 0)
    assert [hand.size for hand in table.view().hands] == [17] * 3
    assert len(table.scores) == 3 and parse_card("2C").glyph in table.view().hint
    assert scored((5, 6, 6), "5 nil 4", side=1) == [(-100, "nil"), (6, "bags")]


@pytest.mark.parametrize(
    ("scores", "winners"),
    [([500, 400], (0,)), ([510, 520], (1,)), ([500, 500], ()), ([-200, 30], (1,)), ([499, -199], ())],
)
def test_the_end_of_the_game(scores: list[int], winners: tuple[int, ...]) -> None:
    table = table_of("spades", 4, 0)
    game = rules_of(table)
    game.match.scores, game.scored = scores, lambda side: iter(())
    game.count_hand()
    assert game.match.winners == winners


def test_without_a_limit_no_side_wins_below_the_target() -> None:
    game = rules_of(table_of("spades", 4, 0, limit=0))
    game.match.scores, game.scored = [-300, 30], lambda side: iter(())
    game.count_hand()
    assert game.match.winners == ()
