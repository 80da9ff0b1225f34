"""Notices that a table comes and goes again and again, as two tables of one name do: the broker keeps only the last."""

from __future__ import annotations

from collections import deque
from typing import Final

OFTEN: Final = 6
"""How often a table comes in `WITHIN_S` before it is said."""
WITHIN_S: Final = 60.0
SAID_S: Final = 120.0
"""Seconds for which it is said after it was noticed."""


class Comings:
    """When each table came."""

    def __init__(self) -> None:
        self._times: dict[str, deque[float]] = {}
        self._noticed: dict[str, float] = {}

    def came(self, table: str, now: float) -> bool:
        """Note that a table came, `now` in seconds of a clock that is never set; return whether it has come too often.

        The count then begins again.
        """
        times = self._times.setdefault(table, deque(maxlen=OFTEN))
        times.append(now)
        if len(times) < OFTEN or now - times[0] > WITHIN_S:
            return False
        times.clear()
        self._noticed[table] = now
        return True

    def doubled(self, now: float) -> set[str]:
        """Return the names that two tables seem to have, as noticed in the last `SAID_S` seconds. In any thread."""
        return {table for table, at in list(self._noticed.items()) if now - at < SAID_S}
