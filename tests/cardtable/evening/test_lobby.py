"""What can be chosen in the lobby, and what is refused."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import ValidationError

from cardtable.config.model import TableConfig
from cardtable.evening.lobby import Edit, Lobby
from cardtable.evening.results import past_games
from cardtable.evening.states import EventRefused
from cardtable.journal.journal import Journal
from cardtable.table.messages import (
    AddPlayer,
    ChooseGame,
    ForgetPlayer,
    MovePlayer,
    RemovePlayer,
    RenamePlayer,
    SetDealer,
    SetOption,
)
from engine.actions import Action
from engine.record import Header
from engine.texts import as_written
from tests.cardtable.stored import append

THREE = Lobby("all-fives", ("Ann", "Bo", "Cy"), "Bo")


def add(name: str, seat: int | None = None) -> AddPlayer:
    return AddPlayer(do="add-player", name=name, seat=seat)


@pytest.mark.parametrize(
    "name", ["A\u200bnn", "\u202eAnn\u202c", "Ann\u3164", " \u00a0Ann\u2003", "A\u00adn\ufe0fn", "\u2066Ann\u2069"]
)
def test_what_shows_nothing_in_a_name_is_left_out(name: str) -> None:
    with pytest.raises(EventRefused, match="Ann is already at the table"):
        THREE.changed(add(name))
    with pytest.raises(EventRefused, match="Ann is already at the table"):
        THREE.changed(RenamePlayer(do="rename-player", name="Bo", to=name))
    assert TableConfig(players=(name,)).players == ("Ann",)


@pytest.mark.parametrize("name", ["\u200b", "\u3164 ", "\u2800", "\u2066\u2069"])
def test_a_name_that_shows_nothing_is_no_name(name: str) -> None:
    with pytest.raises(ValidationError):
        add(name)


def test_players_keep_their_seats_and_the_dealer_moves_with_its_name() -> None:
    lobby = THREE.changed(MovePlayer(do="move-player", name="Bo", seat=0))
    assert (lobby.players, lobby.dealer_seat) == (("Bo", "Ann", "Cy"), 0)
    assert lobby.changed(add("Di", 1)).players == ("Bo", "Di", "Ann", "Cy")
    assert lobby.changed(add("Di", 9)).players == ("Bo", "Ann", "Cy", "Di")
    lobby = lobby.changed(RenamePlayer(do="rename-player", name="Bo", to="Bob"))
    assert (lobby.players, lobby.dealer) == (("Bob", "Ann", "Cy"), "Bob")
    lobby = lobby.changed(RemovePlayer(do="remove-player", name="Bob"))
    assert (lobby.players, lobby.dealer_seat) == (("Ann", "Cy"), None)


def test_the_header_has_only_options_that_differ() -> None:
    lobby = THREE.changed(SetOption(do="set-option", name="target", value=61))
    assert lobby.header() == Header("all-fives", ("Ann", "Bo", "Cy"), 1)
    lobby = lobby.changed(SetOption(do="set-option", name="target", value=31))
    lobby = lobby.changed(ChooseGame(do="choose-game", game="cribbage"))
    assert lobby.header().options == {}
    lobby = lobby.changed(ChooseGame(do="choose-game", game="all-fives"))
    assert lobby.header().options == {"target": 31}
    lobby = lobby.changed(SetOption(do="set-option", name="target", value=None))
    assert lobby.header().options == {}


def test_a_usual_rule_that_was_another_one_is_said() -> None:
    lobby = THREE.changed(ChooseGame(do="choose-game", game="spades"))
    assert lobby.header().options == {"nil_helps": False}
    again = lobby.of(Header("spades", ("Ann", "Bo", "Cy"), 0))  # as 0.2 wrote it
    assert again.values("spades")["nil_helps"] is True and again.header().options == {}
    assert again.of(lobby.header()).header() == lobby.header()


@pytest.mark.parametrize(
    ("lobby", "missing"),
    [
        (Lobby(), "Choose a game."),
        (Lobby("cribbage", ("Ann",)), "Cribbage: 1 more player is needed."),
        (Lobby("cribbage"), "Cribbage: 2 more players are needed."),
        (Lobby("fifteen", ("Ann", "Bo", "Cy")), "Fifteen: 1 player too many."),
    ],
)
def test_what_is_missing_is_said(lobby: Lobby, missing: str) -> None:
    with pytest.raises(EventRefused) as reason:
        lobby.header()
    assert str(reason.value) == missing


@pytest.mark.parametrize(
    ("edit", "reason"),
    [
        (add("ann"), "ann is already at the table"),
        (add("\u0410nn"), "is already at the table"),
        (RenamePlayer(do="rename-player", name="Ann", to="\uff22o"), "is already at the table"),
        (RenamePlayer(do="rename-player", name="Ann", to="BO"), "BO is already at the table"),
        (RemovePlayer(do="remove-player", name="Di"), "Di does not sit at the table"),
        (MovePlayer(do="move-player", name="Di", seat=0), "Di does not sit at the table"),
        (ForgetPlayer(do="forget-player", name="Ann"), "Ann is at the table"),
        (SetDealer(do="set-dealer", seat=3), "Nobody sits there"),
        (ChooseGame(do="choose-game", game="mah-jongg"), "there is no game 'mah-jongg'"),
        (SetOption(do="set-option", name="rounds", value=3), "All Fives has no such option"),
        (SetOption(do="set-option", name="target", value=0), "a whole number from 1"),
        (SetOption(do="set-option", name="target", value=True), "a whole number"),
    ],
)
def test_a_choice_that_cannot_be_made_is_refused(edit: Edit, reason: str) -> None:
    with pytest.raises(EventRefused, match=reason):
        THREE.changed(edit)


def test_the_table_has_seven_seats() -> None:
    full = Lobby("hearts", ("A", "B", "C", "D", "E", "F", "G"))
    with pytest.raises(EventRefused, match="it has 7 seats"):
        full.changed(add("H"))


def test_names_are_compared_as_people_read_them() -> None:
    lobby = Lobby().changed(add("Zoe\u0308"))
    assert lobby.players == ("Zoë",)
    with pytest.raises(EventRefused):
        lobby.changed(add("Zoë"))


def test_a_stored_lobby_is_read_back() -> None:
    lobby = THREE.changed(SetOption(do="set-option", name="target", value=31))
    lobby = lobby.changed(AddPlayer(do="add-player", name=None))
    assert lobby.guests == {"Guest 1"} and Lobby.from_json(lobby.to_json()) == lobby
    assert Lobby.from_json(replace(lobby, game=None).to_json()).game is None


@pytest.mark.parametrize(
    "stored",
    [
        None,
        [],
        {"game": "mah-jongg", "players": ["Ann", "Ann", 3], "options": {"mah-jongg": {"a": 1}}},
        {"game": "all-fives", "players": "Ann", "dealer": 7, "options": [1]},
        {"players": None},
        {"players": ["Ann"], "guests": [["Ann"], 3]},
    ],
)
def test_a_damaged_lobby_is_read_as_far_as_it_goes(stored: object) -> None:
    assert isinstance(Lobby.from_json(stored), Lobby)


def test_a_game_without_a_cut_asks_who_begins() -> None:
    lobby = Lobby("its-15", ("Ann", "Bo", "Cy"))
    with pytest.raises(EventRefused, match="It's 15 is not cut for: choose who starts"):
        lobby.header()
    assert not lobby.is_ready
    assert lobby.changed(SetDealer(do="set-dealer", seat=1)).is_ready


def test_games_that_cannot_be_read_do_not_hide_those_that_can_go_on(tmp_path: Path) -> None:
    with closing(Journal(tmp_path / "journal.sqlite")) as journal:
        for _ in range(20):
            journal.begin(Header("all-fives", ("Ann", "Bo"), 0))
            append(journal, [Action.parse("turn 4H")], False)
        journal.put_down()
        found = past_games(journal.games, dict.fromkeys(range(11, 21), "it stopped"), as_written)
        assert [game["id"] for game in found.unreadable] == [20, 19, 18, 17, 16, 15, 14, 13]
        assert [game["id"] for game in found.unfinished] == [10, 9, 8, 7, 6, 5, 4, 3]


@pytest.mark.parametrize(
    ("lobby", "asks"),
    [
        (Lobby("its-15", ("Ann", "Bo")), True),
        (Lobby("its-15", ("Ann", "Bo"), "Bo"), False),
        (Lobby("its-15", ("Ann",)), False),
        (Lobby("its-15"), False),
        (Lobby("all-fives", ("Ann", "Bo")), False),
        (Lobby(None, ("Ann", "Bo")), False),
    ],
)
def test_who_deals_first_is_all_that_is_missing(lobby: Lobby, asks: bool) -> None:
    assert lobby.asks_dealer == asks
