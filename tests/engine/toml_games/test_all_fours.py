"""All Fours as its description has it: begging, the highest and lowest trump, the jack, the most in cards."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.cards import parse_card
from engine.table import Outcome, Table
from engine.toml_games.game import game_of
from engine.toml_games.keys import read_description
from tests.engine.toml_games.added import added

EXAMPLE = Path(__file__).parents[3] / "docs" / "examples" / "games" / "all-fours.toml"
TRICKS = ("AH 3H", "KS 10S", "4C 9C", "JH 4H", "QD 5D", "6D 7D")
"""Hearts are trumps. Bo takes the first two and the last, Ann the others."""


@pytest.fixture
def table() -> Iterator[Table]:
    with added(game_of("fours", read_description(tomllib.loads(EXAMPLE.read_text("utf-8"))))) as name:
        yield Table(name, ["Ann", "Bo"], dealer=0)


def play_out(table: Table, tricks: tuple[str, ...] = TRICKS) -> Outcome:
    for trick in tricks:
        for card in trick.split():
            done = table.do(f"{table.turn} play {card}")
    return done


def scored(done: Outcome) -> list[tuple[int, int, str]]:
    return [(point.seat, point.points, point.reason) for point in done.points]


def test_each_of_the_four_points_is_scored(table: Table) -> None:
    table.do("turn 2H")
    table.do("1 say stand")
    assert scored(play_out(table)) == [(1, 1, "high"), (1, 1, "low"), (1, 1, "most"), (0, 1, "cards")]
    assert table.scores == (1, 3) and table.view().dealer == 1


def test_equal_counts_score_nothing(table: Table) -> None:
    table.do("turn 2H")
    table.do("1 say stand")
    tricks = ("AH 3H", "KS QS", "4C 9C", "JH 4H", "AD 5D", "AC 6C")  # 4 + 3 + 2 against 1 + 4 + 4
    assert "most" not in [reason for _, _, reason in scored(play_out(table, tricks))]


def test_the_dealer_gives_a_point_or_runs_the_cards(table: Table) -> None:
    table.do("turn 2H")
    assert not table.can("1 play AH")
    table.do("1 say beg")
    assert scored(table.do("0 say take-one")) == [(1, 1, "beg")]
    table.undo()
    table.do("0 say change")
    table.do("turn 5H")  # the same suit: three more each
    assert table.view().trump is None
    done = table.do("turn 9S")
    assert table.view().trump == "S" and table.turn == 1 and not done.points
    assert [hand.size for hand in table.view().hands] == [12, 12]


def test_a_point_that_is_given_may_win(table: Table) -> None:
    for _ in range(2):
        table.do("turn 2H")
        table.do(f"{table.turn} say stand")
        play_out(table)
    assert table.scores == (4, 4)
    tricks = ("AS 3S", "KH 10H", "4C 9C", "JD 4D", "QD 5D", "6D 7D")
    table.do("turn 2S")
    table.do("1 say stand")
    play_out(table, tricks)
    assert table.scores == (4, 7) and table.over and table.view().winners == (1,)


def test_the_lowest_trump_is_the_lowest_that_was_played(table: Table) -> None:
    table.do("turn 2H")
    table.do("1 say stand")
    play_out(table, ("AH 10H", "KS 10S", "4C 9C", "QC 5C", "QD 5D", "6D 7D"))
    lay = {card for pile in (0, 1) for card in table.view().hands[pile].cards}
    assert parse_card("10H") not in lay and table.scores[1] >= 3
