"""Notices that a table comes and goes again and again, as two tables of one name do: the broker keeps only the last."""

from __future__ import annotations

from collections import deque
from typing import Final

OFTEN: Final = 6
"""How often a table comes in `WITHIN_S` before it is said."""
WITHIN_S: Final = 60.0


class Comings:
    """When each table came."""

    def __init__(self) -> None:
        self._times: dict[str, deque[float]] = {}

    def came(self, table: str, now: float) -> bool:
        """Note that a table came, `now` in seconds of a clock that is never set; return whether it has come too often.

        The count then begins again.
        """
        times = self._times.setdefault(table, deque(maxlen=OFTEN))
        times.append(now)
        if len(times) < OFTEN or now - times[0] > WITHIN_S:
            return False
        times.clear()
        return True
