"""No output and no parser can be added without being listed in `hidden_outputs` and `fuzzing_targets`."""

from __future__ import annotations

from lab.torture.fuzzing_targets import PARSERS, parsing_calls
from lab.torture.hidden_outputs import COMMANDS, LOGGED, OUTPUTS, ROOMS_WITH_A_GAME, ROOMS_WITHOUT_A_GAME, ROUTES
from lab.torture.hidden_writers import commands, modules, rooms, routes, writes


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


def test_every_parsing_call_of_a_room_is_listed() -> None:
    found = {room: " ".join(sorted(calls)) for room, calls in parsing_calls().items()}
    assert found == {room: " ".join(sorted(listed.calls.split())) for room, listed in PARSERS.items()}
