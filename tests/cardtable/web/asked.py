"""Corrections that a page asks for, made when a test wants."""

from __future__ import annotations

from cardtable.table.game_loop import GameLoop
from cardtable.table.sources import Received, Sources, Watchdog
from tests.waiting import tries


class Asked:
    """The queue of a table without a session."""

    def __init__(self) -> None:
        self._sources = Sources((), Watchdog(lambda: None))

    def put(self, received: Received) -> None:
        self._sources.put(received)

    def answer(self, game: GameLoop) -> None:
        """Make the correction that the page asks for."""
        for _ in tries("a correction"):
            waiting = list(self._sources.turn())
            for received in waiting:
                game.process(received)
            if waiting:
                return

    def close(self) -> None:
        self._sources.close()
