"""Bridge as boards: what other programs ask of the game, and the scores of duplicate."""

from __future__ import annotations

import pytest

from engine.games import game_names, plays_boards
from engine.rules.auction import Contract
from engine.rules.contract_points import duplicate_score
from engine.table import Table
from tests.engine.talk import do


def test_only_the_deals_of_bridge_are_boards() -> None:
    assert [name for name in game_names() if plays_boards(name)] == ["bridge"]
    assert not plays_boards("mah-jongg")


PLAYERS = ("Ann", "Bo", "Cy", "Dee")


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
