"""Robots that play any game from its legal actions."""

from __future__ import annotations

import random

import pytest

from cardtable.simulation.director import Act
from cardtable.simulation.robots import legal_players
from cardtable.simulation.source import NAMES
from engine.games import HOUSE, load_game
from engine.record import Header
from engine.table import Table
from tests.cardtable.simulation.short_games import SHORT

GAMES = [(game, players) for game in HOUSE for players in load_game(game).seats]


def played(game: str, players: int, seed: int, known: bool = False) -> tuple[Table, list[Act]]:
    """Play a whole game; return its table and all acts. `known`: the cards are dealt across readers."""
    kind = legal_players(game)
    header = Header(game, NAMES[:players], None if kind.cut_for_deal else 0, SHORT.get(game, {}))
    robots = kind(header, random.Random(seed))
    robots.across = known
    acts = list(robots.acts())  # raises if a card is taken that is not on the table
    return robots.table, acts


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("game", "players"), GAMES)
def test_every_game_is_played_to_its_end(game: str, players: int) -> None:
    table, acts = played(game, players, 1)
    judge = Table(table.header)
    for act in acts:
        if act.action:
            judge.do(act.action)
    assert judge.over
    assert judge.scores == table.scores


@pytest.mark.sampled(2)
@pytest.mark.parametrize("game", ["all-fives", "fifteen", "cribbage", "its-15"])
def test_every_word_that_needs_nothing_else_is_said(game: str) -> None:
    words = {act.action.word for seed in range(4) for act in played(game, 2, seed)[1] if act.action and act.action.word}
    assert words >= {word.name for word in load_game(game).words if not word.needs}


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("game", "players"), [entry for entry in GAMES if entry[0] != "its-15"])
def test_the_table_knows_the_hands_dealt_across_readers(game: str, players: int) -> None:
    table, acts = played(game, players, 1, known=True)
    assert table.over
    judge = Table(table.header)
    for act in acts:
        if act.action:
            judge.do(act.action)
        if act.action and act.action.do == "deal":
            assert isinstance(act.action.seat, int)
            assert set(judge.view(act.action.seat).hands[act.action.seat].cards) >= set(act.action.cards or ())
    assert sum(act.action is not None and act.action.do == "deal" for act in acts) >= players


def test_robots_know_whether_a_game_has_the_action_deal() -> None:
    assert legal_players("cribbage").deals
    assert not legal_players("its-15").deals


def test_suits_are_followed() -> None:
    table, acts = played("all-fives", 3, 1)
    judge = Table(table.header)
    events = [event.event for act in acts if act.action for event in judge.do(act.action).events]
    assert events.count("trick") > 10
    assert "revoke-proven" not in events


def test_the_same_seed_gives_the_same_game() -> None:
    assert played("fifteen", 2, 5)[1] == played("fifteen", 2, 5)[1]


def test_a_game_without_a_cut_has_a_dealer_from_the_start() -> None:
    assert not legal_players("its-15").cut_for_deal
    assert legal_players("cribbage").cut_for_deal
