"""The next round that the lobby offers. A plug-in names the players, and the table reports that they are ready."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from cardtable.web.screens import NextRoundState


class NextRound:
    """The offer. Its methods may be called in any thread.

    `version` counts its changes. `on_ready` is called with the number of the round once its players are seated, in a
    thread of its own.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._state: NextRoundState | None = None
        self.version = 0
        self.on_ready: Callable[[int], None] = lambda number: None

    def offer(self, number: int | None, players: Sequence[str], ready: bool) -> None:
        """Offer the round `number` to `players`, in seat order; None to offer nothing.

        `ready`: whether this table has already reported that it is ready.
        """
        state: NextRoundState | None = None
        if number is not None:
            state = {"round": number, "players": list(players), "ready": ready}
        with self._lock:
            if state != self._state:
                self._state = state
                self.version += 1

    def state(self) -> NextRoundState | None:
        """Return what the lobby shows; None without an offer."""
        with self._lock:
            return self._state
