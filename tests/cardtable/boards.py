"""Boards for tests, without a session: what is entered on a page goes to the test."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from cardtable.table.messages import CORRECTIONS, Sender
from cardtable.table.snapshot import Snapshot
from cardtable.table.sources import Received
from cardtable.web.integrations import CameraCounts
from cardtable.web.screens import Result
from cardtable.web.server import Board
from engine.observations import Said, UndoAsked

Say = Callable[[Said | UndoAsked, Sender], object]


class WatchedGame:
    """A game as the board needs it. Without `say` no game is played."""

    def __init__(
        self,
        title: str,
        say: Say | None,
        picture: Callable[[str], bytes | None] = lambda name: None,
        cameras: Collection[str] = (),
        put: Callable[[Received], object] | None = None,
    ) -> None:
        self.title = title
        self.playing = say is not None or put is not None
        self.picture = picture
        self.camera_names = cameras
        self._say = say
        self._put = put

    def counts(self) -> list[CameraCounts]:
        return []

    def result_of(self, snapshot: Snapshot) -> Result | None:
        return None

    def put(self, received: Received) -> None:
        if self._put is not None:
            self._put(received)
        elif isinstance(received.what, Said | UndoAsked):
            assert self._say is not None
            self._say(received.what, received.sender)
        elif isinstance(received.what, CORRECTIONS) and received.answer is not None:
            received.answer.set_result({"refused": "No game is being played now."})


def board_for(
    title: str,
    say: Say | None,
    picture: Callable[[str], bytes | None] = lambda name: None,
    cameras: Collection[str] = (),
    **options: Any,
) -> Board:
    """Return a board that shows a game with this title; `say` gets what is entered."""
    board = Board(**options)
    board.watch(WatchedGame(title, say, picture, cameras))
    return board
