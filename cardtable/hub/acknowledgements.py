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

    `conflicts`: the streams of which a table has other lines than those that are stored.
    """

    def __init__(self, start: str, conflicts: Set[Key], send: Callable[[str, bytes], None]) -> None:
        self._start = start
        self._conflicts = conflicts
        self._send = send
        self._recent: dict[str, OrderedDict[str, int]] = {}

    def announce(self, cursors: Iterable[tuple[Key, int]]) -> None:
        """Say to every table what is committed; `cursors`: every stream, the one that changed last first."""
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
        # All streams of this batch are named, even if there are more than are remembered.
        for table in {key.table for key in counts}:
            self.send(table)
            recent = self._recent[table]
            while len(recent) > RECENT:
                recent.popitem(last=False)

    def send(self, table: str) -> None:
        """Send a table its acknowledgement again."""
        games = {game: count - 1 for game, count in self._recent.get(table, {}).items()}
        ack = Ack(self._start, games, frozenset(key.game for key in self._conflicts if key.table == table))
        self._send(table, ack.to_bytes())
