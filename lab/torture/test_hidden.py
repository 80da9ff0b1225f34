"""No output shows a hidden card; and no output can be added without being listed in `hidden_outputs`."""

from __future__ import annotations

import random

import pytest

from lab.torture.hidden import Compared, compare, observations, with_readers
from lab.torture.hidden_listed_writers import WRITERS
from lab.torture.hidden_outputs import COMMANDS, LOGGED, OUTPUTS, ROUTES
from lab.torture.hidden_swaps import face_down_swaps, swaps
from lab.torture.hidden_writers import commands, game_functions, log_messages, modules, routes, writers, writes

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


def test_every_message_of_the_log_is_listed() -> None:
    assert log_messages() == set(LOGGED)


def test_everything_that_writes_is_listed() -> None:
    assert {name: " ".join(sorted(calls)) for name, calls in writers().items()} == {
        name: " ".join(sorted(writer.calls.split())) for name, writer in WRITERS.items() if writer.calls
    }


def test_every_writer_belongs_to_an_output_or_knows_no_game() -> None:
    for name, writer in WRITERS.items():
        assert writer.output in OUTPUTS or writer.output.startswith(("no game", "several: ", "its own")), name


def test_every_function_that_is_given_a_game_is_listed() -> None:
    given: dict[str, set[str]] = {}
    for each in game_functions():
        name, function = each.split(":")
        given.setdefault(name, set()).add(function)
    assert given == {name: set(writer.given.split()) for name, writer in WRITERS.items() if writer.given}


def test_the_rules_and_the_referee_write_nothing() -> None:
    for name, source in modules(("engine",)):
        assert writes(source) <= {"send", "say"}, name  # to a coroutine of the rules, and in a game
