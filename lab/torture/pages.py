"""A page of the board for the torture harnesses: it keeps what it is shown, and when."""

from __future__ import annotations

import json
import threading
import time
from typing import Any, Final

from websockets.exceptions import WebSocketException
from websockets.sync.client import connect

State = dict[str, Any]
_STORED: Final = ("n", "phase", "turn", "trump", "over", "winners", "facts", "points", "history")
"""The parts of a state that come from the stored game, not from prompts or sources."""


def game_shown(state: State) -> State:
    """Return what a state of the board says about the game, without the words that may be said."""
    seats = [{key: seat[key] for key in ("name", "score", "won", "cards", "dealer")} for seat in state["seats"]]
    lying = sorted((card["card"], card["zone"], card["seat"] or 0) for card in state["lying"])
    return {key: state[key] for key in _STORED} | {"seats": seats, "lying": lying}


class Page:
    """A WebSocket client of the board at `url`, in a thread of its own, until the board or `close` ends it."""

    def __init__(self, url: str) -> None:
        self._changed = threading.Condition()
        self.first_at: float | None = None
        """When the first state arrived, monotonic seconds."""
        self.first: State | None = None
        self.last: State | None = None
        self.shown = 0
        """Number of states."""
        self.troubles: list[tuple[float, str | None]] = []
        """Each change of `trouble`, with its time."""
        self._closing = False
        self._thread = threading.Thread(target=self._read, args=(url.replace("http", "ws") + "/live",), daemon=True)
        self._thread.start()

    def _read(self, url: str) -> None:
        try:
            with connect(url, proxy=None, open_timeout=20, ping_interval=None, close_timeout=0.1) as socket:
                while not self._closing:
                    try:
                        state = json.loads(socket.recv(timeout=0.2))
                    except TimeoutError:
                        continue
                    self._take(state)
        except (OSError, EOFError, WebSocketException):
            pass
        with self._changed:
            self._closing = True
            self._changed.notify_all()

    def _take(self, state: State) -> None:
        now = time.monotonic()
        with self._changed:
            if self.first is None:
                self.first, self.first_at = state, now
            if not self.troubles or self.troubles[-1][1] != state["trouble"]:
                self.troubles.append((now, state["trouble"]))
            self.last = state
            self.shown += 1
            self._changed.notify_all()

    def wait_for_first(self, within: float = 20.0) -> State | None:
        """Return the last state as soon as there is one; None if the board ends before."""
        return self.wait(lambda state: True, within)

    def wait(self, wanted: Any, within: float) -> State | None:
        """Return the first of the newest states for which `wanted(state)`; None if none comes or the board ends."""
        end = time.monotonic() + within
        with self._changed:
            while not (self.last is not None and wanted(self.last)):
                if self._closing or not self._changed.wait(max(end - time.monotonic(), 0.0)):
                    return None
            return self.last

    def close(self) -> State | None:
        """Stop; return the last state."""
        self._closing = True
        self._thread.join(5)
        return self.last
