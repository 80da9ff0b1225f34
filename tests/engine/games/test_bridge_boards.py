"""Bridge: who is vulnerable, what other programs ask of the game, and scores."""

from __future__ import annotations

import pytest

from engine.games import game_names, plays_boards
from engine.games.bridge.auction import Contract
from engine.games.bridge.scoring import duplicate_score
from engine.table import Table
from tests.engine.talk import do, rules_of, table_of


def test_only_the_deals_of_bridge_are_boards() -> None:
    assert [name for name in game_names() if plays_boards(name)] == ["bridge"]
    assert not plays_boards("mah-jongg")


PLAYERS = ("Ann", "Bo", "Cy", "Dee")
PASSES = ("1 say pass", "2 say pass", "3 say pass")


@pytest.mark.parametrize(("board", "vulnerable"), [(1, ()), (2, (0,)), (3, (1,)), (4, (0, 1))])
def test_the_vulnerable_sides_of_a_board(board: int, vulnerable: tuple[int, ...]) -> None:
    """North deals board 1, so that seat 0 is North, and side 0 North and South."""
    table = Table("bridge", PLAYERS, dealer=board - 1, scoring="duplicate", first_board=board)
    assert table.deal_data == {"vulnerable": vulnerable}


def test_no_side_is_vulnerable_before_the_cut() -> None:
    table = Table("bridge", PLAYERS, scoring="duplicate", first_board=4)
    assert table.deal_data == {"vulnerable": ()}
    do(table, "0 cut AS", "1 cut 2S", "2 cut 3S", "3 cut 4S")
    assert table.deal_data == {"vulnerable": (0, 1)}


@pytest.mark.parametrize(
    ("contract", "tricks", "vulnerable", "score"),
    [
        ((2, "s", 1), 8, False, 110),
        ((3, "nt", 1), 9, False, 400),
        ((3, "nt", 1), 10, True, 630),
        ((4, "h", 2), 10, True, 790),
        ((6, "c", 1), 12, False, 920),
        ((7, "nt", 4), 13, True, 2980),
        ((4, "s", 2), 9, False, -100),
        ((1, "nt", 1), 5, True, -200),
    ],
)
def test_the_score_of_a_contract(contract: tuple[int, str, int], tricks: int, vulnerable: bool, score: int) -> None:
    """By the table of law 77 of the Laws of Duplicate Bridge (2017)."""
    level, strain, risk = contract
    assert duplicate_score(Contract(level, strain, 0, risk), tricks, vulnerable) == score


def test_four_aces_in_one_hand_are_honours_in_no_trumps() -> None:
    aces = "AS AH AD AC KS QS JS 10S 9S 8S 7S 6S 5S"
    table = table_of("bridge", 4, 0, honours=True)
    do(table, f"0 deal {aces}")
    do(table, "0 say 1nt", *PASSES)
    game = rules_of(table)
    assert [game.honours(seat) for seat in range(4)] == [150, 0, 0, 0]


def test_a_game_that_is_not_begun_or_is_over_has_no_vulnerable_side() -> None:
    table = table_of("bridge", 4, None)
    assert "vulnerable" not in dict(table.view().facts)
    table = table_of("bridge", 4, 0, scoring="duplicate", boards=1)
    assert "vulnerable" in dict(table.view().facts)
    do(table, "0 say pass", *PASSES)
    assert table.over and "vulnerable" not in dict(table.view().facts)


def test_a_part_score_in_duplicate_counts_at_once() -> None:
    game = rules_of(table_of("bridge", 4, 0, scoring="duplicate"))
    assert game.bonus(Contract(2, "s", 0, 1), 0, vulnerable=False) == (50, "part-score")
    assert game.bonus(Contract(4, "s", 0, 1), 0, vulnerable=False) == (300, "game")
