"""Boards for tests, without a game loop: what is entered on a page goes to the test."""

from __future__ import annotations

from collections.abc import Callable, Collection
from concurrent.futures import Future
from typing import Any

from cardtable.config.model import BoardConfig
from cardtable.table.messages import EveningMessage, Sender
from cardtable.table.sources import NO_GAME, Received
from cardtable.web.server import Board, CameraPictures, ResultOf
from engine.observations import Said, UndoAsked

Say = Callable[[Said | UndoAsked, Sender], object]
Manage = Callable[[EveningMessage, Sender], "Future[str | None]"]


class WatchedGame(CameraPictures):
    """A game as the board needs it. `put`, or else `say`, gets what is entered."""

    def __init__(
        self,
        title: str,
        say: Say | None,
        picture: Callable[[str], bytes | None] = lambda name: None,
        cameras: Collection[str] = (),
        put: Callable[[Received], object] | None = None,
    ) -> None:
        super().__init__((), title)
        self.camera_names = cameras
        self.say = say
        self.put = put
        self._picture = picture

    def picture(self, name: str) -> bytes | None:
        return self._picture(name)


class BoardOfTest(Board):
    """A board that passes on what is entered to the `WatchedGame` that it shows, and to `manage`."""

    def __init__(self, manage: Manage | None, config: BoardConfig, **options: Any) -> None:
        self._entered = WatchedGame("", None)
        self._manage = manage
        super().__init__(config, put=self._take, **options)

    def watch(self, watched: CameraPictures, result_of: ResultOf | None = None) -> None:
        super().watch(watched, result_of)
        if isinstance(watched, WatchedGame):
            self._entered = watched

    def _take(self, received: Received) -> None:
        if self._manage and isinstance(received.what, EveningMessage):
            done = self._manage(received.what, received.sender)
            done.add_done_callback(lambda refused: _answer(received, refused.result()))
        elif self._entered.put is not None:
            self._entered.put(received)
        elif self._entered.say is not None and isinstance(received.what, Said | UndoAsked):
            self._entered.say(received.what, received.sender)
            _answer(received, None)
        else:
            _answer(received, NO_GAME)


def _answer(received: Received, refused: str | None) -> None:
    if received.answer is not None:
        received.answer.set_result(None if refused is None else {"refused": refused})


def board_for(
    title: str,
    say: Say | None,
    picture: Callable[[str], bytes | None] = lambda name: None,
    cameras: Collection[str] = (),
    manage: Manage | None = None,
    **options: Any,
) -> Board:
    """Return a board that shows a game with this title; `say` gets what is entered. `options`: of both."""
    config = BoardConfig(**{name: options.pop(name) for name in BoardConfig.model_fields.keys() & options.keys()})
    board = BoardOfTest(manage, config, **options)
    board.watch(WatchedGame(title, say, picture, cameras))
    return board
