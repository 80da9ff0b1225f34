"""Limits on guessing: waits that grow with every wrong PIN, and the number of wrong codes in a minute."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Final

FREE: Final = 3
"""Wrong PINs in a row that cost no wait."""
FIRST_S: Final = 10.0
"""The first wait, seconds; each further one is twice as long."""
MOST_S: Final = 3600.0
"""The longest wait, seconds. At 24 guesses a day it takes a year to try all PINs of four digits, on average half of
it."""
WINDOW_S: Final = 60.0
GUESSES_OF_DEVICE: Final = 5
"""Wrong codes of one device within `WINDOW_S`."""
GUESSES: Final = 60
"""Wrong codes of all devices together within `WINDOW_S`."""


def wait_after(failures: int) -> float:
    """Return the seconds to wait after this number of wrong PINs in a row.

    >>> [wait_after(failures) for failures in (2, 3, 4, 5, 40)]
    [0.0, 10.0, 20.0, 40.0, 3600.0]
    """
    if failures < FREE:
        return 0.0
    return min(FIRST_S * 2.0 ** min(failures - FREE, 30), MOST_S)


class Guesses:
    """The wrong codes of the last minute. `clock`: seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._wrong: deque[tuple[float, str | None]] = deque()

    def too_many(self, device: str | None) -> bool:
        """Return whether `device` must wait before it may try another code."""
        now = self._clock()
        while self._wrong and self._wrong[0][0] <= now - WINDOW_S:
            self._wrong.popleft()
        own = sum(1 for _, other in self._wrong if other == device)
        return own >= GUESSES_OF_DEVICE or len(self._wrong) >= GUESSES

    def add(self, device: str | None) -> None:
        """Count a wrong code."""
        self._wrong.append((self._clock(), device))
