"""Corrections that a page asks for, made when a test wants."""

from __future__ import annotations

from cardtable.table.game_loop import GameLoop, process
from cardtable.table.live_game import LiveGame
from cardtable.table.messages import Refusal
from cardtable.table.sources import Received
from tests.waiting import tries


class Asked:
    """The queue of a table."""

    def __init__(self) -> None:
        self._loop = GameLoop()
        self.put = self._loop.put

    def answer(self, game: LiveGame) -> None:
        """Make the correction that the page asks for."""
        for _ in tries("a correction"):
            waiting = list(self._loop.turn())
            for received in waiting:
                process(_Activity(game), received)
            if waiting:
                return

    def close(self) -> None:
        self._loop.close()


class _Activity:
    storing = True

    def __init__(self, game: LiveGame) -> None:
        self._game = game

    def process(self, received: Received) -> Refusal | None:
        return self._game.process(received)

    def pass_time(self) -> None:
        pass
