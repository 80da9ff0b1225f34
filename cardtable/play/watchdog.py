"""Whether the table makes progress: what the watchdog of systemd is told goes by it (`cardtable.service`).

A source that says what is wrong with it makes progress: the board tells it, and it is tried again. One that says
nothing hangs, and only a new start of the program helps; so it does with a journal that has stored nothing for a while,
whose disk was taken out and put back for example.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from typing import Final

STALLED_S: Final = 10.0
"""A source that has given neither a picture, or what else it gives, nor an error for so long hangs."""
UNSTORED_S: Final = 60.0
"""For so long the board says that nothing can be stored, before a new start is tried."""


class Watchdog:
    """Sources tell it of each step, in their own threads. `alive`: called while all goes on; `clock`: seconds."""

    def __init__(self, alive: Callable[[], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._alive = alive
        self._clock = clock
        self._lock = threading.Lock()
        self._steps: dict[str, float] = {}
        self._unstored: float | None = None

    def made(self, source: str) -> None:
        """The source has begun, or has come round once more."""
        with self._lock:
            self._steps[source] = self._clock()

    def over(self, source: str) -> None:
        """Nothing more is expected of the source: it has ended, or was given up and that was told."""
        with self._lock:
            self._steps[source] = math.inf

    def look(self, stores: bool) -> None:
        """The loop has come round. `stores`: whether the journal does."""
        now = self._clock()
        if stores:
            self._unstored = None
        elif self._unstored is None:
            self._unstored = now
        with self._lock:
            goes_on = all(now - step < STALLED_S for step in self._steps.values())
        if goes_on and (self._unstored is None or now - self._unstored < UNSTORED_S):
            self._alive()
