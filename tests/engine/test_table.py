"""The table in a Python shell: its representations, and the errors for mistakes."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

import engine
from engine.actions import KEYS


@pytest.mark.parametrize(
    ("players", "dealer", "key", "message"),
    [
        ("Ann", None, "players", "'players' is a list of names, not 'Ann'"),
        (["Ann", "Bo"], 2, "dealer", "'dealer' is a seat from 0 to 1, not 2"),
    ],
)
def test_players_and_dealers_that_are_not_such(players: Any, dealer: Any, key: str, message: str) -> None:
    with pytest.raises(engine.HeaderError) as error:
        engine.Table("cribbage", players, dealer)
    assert (error.value.key, str(error.value)) == (key, message)


def test_what_is_shown_of_a_table() -> None:
    table = engine.Table("cribbage", ["Ann", "Bo", "Cy", "Di"], dealer=0)
    table.do("1 deal AS KS 2H 3H 4D")
    assert repr(table.view()) == "<View of cribbage: Ann and Cy 0, Bo and Di 0; deal>"
    table.do("1 discard AS")
    table.do("turn 10C")
    table.do("1 play KS")
    assert (
        str(table)
        == str(table.view())
        == "\n".join(
            [
                "cribbage, play: Cy to act",
                "  Ann (dealer)  0 points  4 cards",
                "  Bo            0 points  3 cards",
                "  Cy            0 points  4 cards",
                "  Di            0 points  4 cards",
                "count: 10",
                "on the table: turn-up 10♣, Bo K♠",
            ]
        )
    )
    assert "Bo            0 points  3 cards: 2♥ 3♥ 4♦" in str(table.view(1))
    assert repr(table.question) == "<Question play of seat 2: play, say>"


def test_what_is_shown_of_a_game_that_is_over() -> None:
    table = engine.Table("cribbage", ["Ann", "Bo"], dealer=0, target=2)
    table.do("turn JC")
    assert str(table).splitlines()[0] == "cribbage, over: Ann won"
    assert (repr(table.question), table.legal_actions()) == ("<Question over: nothing>", [])


def test_only_the_public_names_are_listed() -> None:
    assert dir(engine) == sorted(engine.__all__)
    assert engine.Table.__name__ == "Table" and engine.parse_card("AS").rank == "A"
    with pytest.raises(AttributeError, match="module 'engine' has no attribute 'Tabel'"):
        engine.__getattr__("Tabel")


def test_every_public_name_stays_what_it_is_when_it_is_used_again() -> None:
    """No module of the engine has the name of a function: once imported, it would replace the function."""
    for name in engine.__all__:
        assert getattr(engine, name) is getattr(engine, name)
        assert not isinstance(getattr(engine, name), ModuleType)


@pytest.mark.parametrize(("game", "players"), [("all-fives", 2), ("cribbage", 2), ("whist", 4)])
def test_only_what_is_shown_can_be_the_cribs(game: str, players: int) -> None:
    table = engine.Table(game, ["Ann", "Bo", "Cy", "Di"][:players], dealer=0)
    for do in sorted({*KEYS} - {"show", "undo"}):
        action = engine.Action(do, "crib", engine.parse_card("AS"), word="go")
        assert not table.can(action)
        with pytest.raises(engine.BadAction, match="there is no seat crib"):
            table.do(action)
