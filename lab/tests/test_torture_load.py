"""A few minutes of the long evening, and pages beside clients that never read."""

from __future__ import annotations

from contextlib import ExitStack, closing
from typing import Any

from cardtable.table.live_game import LiveGame
from engine.record import Header
from engine.table import Table
from lab.torture import load
from lab.torture.harness import Scale
from tests.cardtable.boards import board_for
from tests.cardtable.scenes import Scenes


def game(number: int, **values: float) -> dict[str, Any]:
    usual = {"hours": number / 10, "mb": 100.0, "held": 90.0, "handles": 9, "threads": 1, "ms": 2.0, "game": "g"}
    return usual | values


def test_games_one_after_another_keep_no_handles() -> None:
    """Short ones: Fifteen, and the beginning of It's 15."""
    figures = list(load.long_evening(0.02, "scenes", Scale(seed=2)))
    assert [figure.failures for figure in figures] == [(), (), ()]
    assert all(figure.times >= 2 for figure in figures)


def test_memory_that_grows_and_games_that_become_slower_are_failures() -> None:
    assert not load.memory([game(number) for number in range(20)], "").failures
    assert load.memory([game(number, held=100 + 5 * number) for number in range(20)], "").failures
    assert not load.pace([game(number) for number in range(20)], "").failures
    assert load.pace([game(number, ms=2 + number / 10) for number in range(20)], "").failures


def test_every_page_gets_the_last_state_beside_clients_that_never_read() -> None:
    """More states than the system's buffers hold for a client that does not read."""
    with closing(board_for("All Fives", lambda message, sender: None, port=0)) as board, ExitStack() as stack:
        table = LiveGame(Table(Header("all-fives", ("Ann", "Bo"), 0)), None, [board])
        scenes = Scenes()
        table.take(scenes.again())
        for _ in range(load.DEAD):
            stack.enter_context(load.dead_client(board.url))
        pages = stack.enter_context(load.Pages(board.url, load.SPECTATORS + load.SEATS))
        table.take(scenes.lay("4H", "turn-up"))
        for _ in range(500):
            board.show(table.snapshot)
        table.take(scenes.lay("KD", "play", 1))
        assert table.snapshot.n == 1, "Bo has to say something first"
        assert pages.wait_for(1, 30.0) == load.SPECTATORS + load.SEATS
