"""What the hub acknowledges to each table: the streams that were committed last."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Set
from typing import Final

from cardtable.club.messages import Ack
from cardtable.hub.store import Key

RECENT: Final = 100
"""Streams of a table that its retained acknowledgement names: those that were acknowledged last."""


class Acknowledgements:
    """Sends acknowledgements, with `send`, in the name of this `start` of the hub. One thread uses it.

    Until the broker has taken the last one of a table, the next one waits, so that a busy broker gets only the newest.
    `conflicts`: the streams of which a table has other lines than those that are stored. `send` returns the number of
    the message.
    """

    def __init__(self, start: str, conflicts: Set[Key], send: Callable[[str, bytes], int]) -> None:
        self._start = start
        self._conflicts = conflicts
        self._send = send
        self._recent: dict[str, OrderedDict[str, int]] = {}
        self._under_way: dict[str, int] = {}
        """By table, the number of the message that the broker has not taken yet."""
        self._later: set[str] = set()
        """The tables whose newest acknowledgement waits for that."""

    def announce(self, cursors: Iterable[tuple[Key, int]]) -> None:
        """Say to every table what is committed; `cursors`: every stream, the one that changed last first."""
        self._under_way.clear()
        found: dict[str, OrderedDict[str, int]] = {}
        for key, count in cursors:
            recent = found.setdefault(key.table, OrderedDict())
            if len(recent) < RECENT:
                recent[key.game] = count
        for table, recent in found.items():
            self._recent[table] = OrderedDict(reversed(recent.items()))
            self.send(table)

    def acknowledge(self, counts: Mapping[Key, int]) -> None:
        """Say how many lines of streams are committed."""
        for key, count in counts.items():
            recent = self._recent.setdefault(key.table, OrderedDict())
            recent[key.game] = count
            recent.move_to_end(key.game)
        for table in {key.table for key in counts}:
            self.send(table)

    def send(self, table: str) -> None:
        """Send a table its acknowledgement, now or later."""
        if table in self._under_way:
            self._later.add(table)
            return
        self._later.discard(table)
        recent = self._recent.get(table, OrderedDict())
        games = {game: count - 1 for game, count in recent.items()}
        while len(recent) > RECENT:  # those that were committed last are all named once, even if there are more
            recent.popitem(last=False)
        ack = Ack(self._start, games, frozenset(key.game for key in self._conflicts if key.table == table))
        self._under_way[table] = self._send(table, ack.to_bytes())

    def taken(self, numbers: Set[int]) -> None:
        """Send what has waited until the broker took the messages of these numbers."""
        done = {table for table, number in self._under_way.items() if number in numbers}
        for table in done:
            del self._under_way[table]
        for table in done & self._later:
            self.send(table)
