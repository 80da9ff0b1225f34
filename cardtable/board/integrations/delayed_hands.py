"""The hands that the overlay for streams shows: those that the table knows, as they were some time ago."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Final

Hands = tuple[tuple[str, ...], ...]
"""For each seat the cards of its hand that the table knows; empty if no game is played."""


class DelayedHands:
    """Keeps hands for `after_s` seconds before it returns them; None: it never returns any.

    `clock`: seconds, monotonic. The main thread writes; any thread reads.
    """

    def __init__(self, after_s: float | None, clock: Callable[[], float] = time.monotonic) -> None:
        self.after_s: Final = after_s
        self._clock = clock
        self._kept: deque[tuple[float, Hands]] = deque()
        self._lock = threading.Lock()

    def note(self, hands: Hands) -> None:
        """Keep the hands as they are now."""
        if self.after_s is None:
            return
        with self._lock:
            if not self._kept or self._kept[-1][1] != hands:
                self._kept.append((self._clock(), hands))
            self._forget()

    def shown(self) -> Hands:
        """Return the hands as they were `after_s` seconds ago; none if nothing is known of that time."""
        if self.after_s is None:
            return ()
        with self._lock:
            self._forget()
            return self._kept[0][1] if self._kept and self._is_due(self._kept[0]) else ()

    def _is_due(self, kept: tuple[float, Hands]) -> bool:
        return self.after_s is not None and self._clock() - kept[0] >= self.after_s

    def _forget(self) -> None:
        """Drop what a later entry that is due replaces."""
        while len(self._kept) > 1 and self._is_due(self._kept[1]):
            self._kept.popleft()
