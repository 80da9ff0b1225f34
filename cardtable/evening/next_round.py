"""The seats of this table in the next round of its club, as the hub has sent them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from cardtable.board.screen_lobby import NextRoundState


class NextRound:
    """What the lobby shows of the club's next round. Its methods may be called in any thread.

    `say_ready`: called with the number of the round when the players say that they are ready. `version` counts changes.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._state: NextRoundState | None = None
        self.version = 0
        self.say_ready: Callable[[int], None] = lambda number: None

    def put(self, number: int | None, players: Sequence[str], ready: bool) -> None:
        """Take the seats of a round; `number` is None if this table has none."""
        state: NextRoundState | None = None
        if number is not None:
            state = {"round": number, "players": list(players), "ready": ready}
        with self._lock:
            if state != self._state:
                self._state = state
                self.version += 1

    def state(self) -> NextRoundState | None:
        """Return what the lobby shows; None without seats."""
        with self._lock:
            return self._state
