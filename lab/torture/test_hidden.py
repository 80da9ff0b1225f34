"""No output shows a hidden card; and no output can be added without being listed in `hidden_outputs`."""

from __future__ import annotations

import random

import pytest

from lab.torture.hidden import Compared, compare, with_readers
from lab.torture.hidden_outputs import COMMANDS, LOGGED, OUTPUTS, ROOMS_WITH_A_GAME, ROOMS_WITHOUT_A_GAME, ROUTES
from lab.torture.hidden_swaps import face_down_swaps, swaps
from lab.torture.hidden_writers import commands, modules, rooms, routes, writes
from tests.cardtable.people.people import observations

OF_THE_GAME = frozenset(name for name, output in OUTPUTS.items() if output.shows == "hands")
EVERY_SEAT = frozenset(f"{what} of seat {seat}" for seat in range(7) for what in ("display", "phone"))


def played(game: str, players: int, acts: int, dealt: bool, names: set[str] | None = None) -> Compared:
    rng = random.Random(f"{game}/{players}")
    header, seen = observations(game, players, 1, acts)
    observed = with_readers(header, seen, rng)
    swap = (swaps if dealt else face_down_swaps)(header, observed, rng, 1)[0]
    return compare(header, observed, swap, "fr", whole=dealt, names=names)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("game", "players", "acts"), [("cribbage", 3, 40), ("fifteen", 2, 40), ("le-quinze", 4, 30), ("spades", 4, 75)]
)
def test_a_card_dealt_over_readers_changes_no_output(game: str, players: int, acts: int) -> None:
    """Only the display of its own seat shows it, and what has the hands by design: then the card was really changed."""
    names: set[str] = set()
    compared = played(game, players, acts, dealt=True, names=names)
    assert compared.differing == {}
    assert names | EVERY_SEAT == set(OUTPUTS)
    assert compared.observations > 10
    of_seats = {f"{what} of seat {seat}" for seat in compared.swap.seats for what in ("display", "phone")}
    assert compared.changed == OF_THE_GAME | of_seats


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("game", "players"), [("its-15", 3), ("cribbage", 2)])
def test_a_card_face_down_on_a_reader_changes_no_output(game: str, players: int) -> None:
    compared = played(game, players, 25, dealt=False)
    assert (compared.differing, compared.changed) == ({}, set())


def test_every_route_is_listed() -> None:
    assert routes() == set(ROUTES)
    assert {output for output in ROUTES.values() if output.startswith("page")} == {
        name for name in OUTPUTS if name.startswith("page")
    }


def test_every_command_is_listed() -> None:
    assert commands() == set(COMMANDS)


def test_every_room_that_writes_or_logs_is_listed() -> None:
    assert set(rooms()) == {*ROOMS_WITH_A_GAME, *ROOMS_WITHOUT_A_GAME}


def test_no_game_reaches_a_writer_in_a_room_listed_without_one() -> None:
    found = rooms()
    assert {room: found[room].game_functions for room in ROOMS_WITHOUT_A_GAME if found[room].game_functions} == {}


def test_every_writing_call_of_a_room_with_a_game_is_listed() -> None:
    found = rooms()
    for name, listed in ROOMS_WITH_A_GAME.items():
        assert (name, " ".join(sorted(found[name].calls))) == (name, listed.calls)
        assert set(listed.outputs) <= set(OUTPUTS), name


def test_every_message_that_a_room_with_a_game_logs_is_listed() -> None:
    found = rooms()
    assert set().union(*(found[name].messages for name in ROOMS_WITH_A_GAME)) == set(LOGGED)


def test_the_rules_and_the_referee_write_nothing() -> None:
    for name, source in modules(("engine",)):
        assert writes(source) <= {"send", "say"}, name  # to a coroutine of the rules, and in a game
