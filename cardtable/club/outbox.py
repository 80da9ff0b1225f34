"""Which lines a table sends next: a window of those after what the hub has committed, and again without progress.

The window is small after connecting, grows while the hub acknowledges, and is halved, with twice the time to wait,
when nothing comes: many tables that return at once would otherwise fill the broker with repetitions.
No network and no clock: the caller passes in the counts of the streams, the acknowledgements and the time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Final

from cardtable.club.messages import Ack, game_of

WINDOW: Final = 100
"""Lines that may be under way at once, at most."""
FIRST_WINDOW: Final = 10
"""Lines that may be under way after connecting; each acknowledgement that brings progress allows so many more."""
AGAIN_S: Final = 2.0
"""Seconds without progress after which everything not acknowledged is sent again; then after twice the time."""
LONGEST_AGAIN_S: Final = 32.0
"""The longest time until it is sent again."""
COMPARED: Final = 20
"""The newest streams, of ten games, whose lines the hub compares after a start of the table though it has them all."""


@dataclass(frozen=True, slots=True)
class Due:
    """Lines to send now: `count` of the stream `game`, from line `first`.

    `probe`: whether the line only asks what the hub has; otherwise the checksum of all lines before goes with it.
    """

    game: str
    first: int
    count: int
    probe: bool = False


@dataclass(slots=True)
class _Stream:
    """`count`: lines that exist. `acked`: how many the hub has; None if it has not said so. `sent`: lines before
    this one are under way or committed. `progress`: when it was last sent from the start, or the hub had more.
    `compared`: how many lines there were when the last one was sent to the hub. `checked`: whether the hub has compared
    all lines, or need not: the stream is an old one.
    """

    count: int
    acked: int | None = None
    sent: int = 0
    progress: float = 0.0
    compared: int = 0
    checked: bool = False

    @property
    def done(self) -> bool:
        return self.acked is not None and self.acked >= self.count

    @property
    def under_way(self) -> int:
        return int(self.sent > 0) if self.acked is None else max(self.sent - self.acked, 0)

    def known(self, count: int) -> int:
        """Return how many lines are taken as committed if the hub says that it has `count`.

        More than there are: the journal is an older copy. Just as many: it may be one with which a game went on
        otherwise. The last line is sent once more, so that the hub compares.
        """
        if count < self.count or (count == self.count and self.checked):
            return count
        return self.count if self.compared == self.count else self.count - 1


class Outbox:
    """The streams of a table, and how much of each the hub has committed.

    A stream of which the hub has said nothing is probed with its last line: the hub answers a duplicate or a gap with
    what it has. So a journal of a thousand old games costs a thousand messages after a start, not all their lines.
    """

    def __init__(self, window: int = WINDOW, first: int = FIRST_WINDOW) -> None:
        self._most, self._first = window, min(first, window)
        self._window, self._again_s = self._first, AGAIN_S
        self._streams: dict[str, _Stream] = {}
        self._open: dict[str, None] = {}
        """The streams that are not done, in their order."""
        self._hub: str | None = None
        self.conflicts: frozenset[str] = frozenset()
        """Streams of which the hub has other lines; nothing more of their games is sent."""

    @property
    def waiting(self) -> int:
        """How many lines the hub has not acknowledged; of a stream of which it has said nothing, all.

        Those of games in conflict do not wait: they are not sent.
        """
        return sum(self._streams[game].count - (self._streams[game].acked or 0) for game in self._open)

    def exist(self, counts: Mapping[str, int]) -> None:
        """Take note of how many lines streams have, the newest last; a stream without a line is left out.

        Those of the first call were there at the start of the table.
        """
        at_start = not self._streams
        for game, count in counts.items():
            stream = self._streams.get(game)
            if stream is None:
                if count:
                    self._streams[game] = _Stream(count)
                    self._sort(game, self._streams[game])
            elif stream.count != count:
                stream.count = count
                if stream.acked is not None and stream.acked > count:
                    stream.compared = 0
                    stream.acked = stream.sent = stream.known(stream.acked)
                self._sort(game, stream)
        if at_start:
            for game in islice(reversed(self._streams), COMPARED, None):
                self._streams[game].checked = True

    def connected(self, now: float) -> None:
        """Send everything that is not acknowledged again: what was under way may be lost."""
        self._window, self._again_s = self._first, AGAIN_S
        for game in self._open:
            stream = self._streams[game]
            stream.sent, stream.progress = stream.acked or 0, now

    def acknowledged(self, ack: Ack, now: float) -> None:
        """Take what the hub says as the truth, even if it is less than before, because its database was restored."""
        if ack.hub != self._hub:
            self._hub = ack.hub
            for game, stream in self._streams.items():
                stream.acked, stream.sent, stream.compared = None, 0, 0
                stream.checked = stream.checked and game_of(game) not in self.conflicts
                self._sort(game, stream)
        for game, n in ack.games.items():
            if game not in self._streams:
                continue
            stream = self._streams[game]
            count = stream.known(n + 1)
            if stream.acked != count:
                stream.progress = now
                self._window, self._again_s = min(self._window + self._first, self._most), AGAIN_S
                if stream.acked is None or count < stream.acked:
                    stream.sent = count
                stream.acked = count
                stream.sent = max(stream.sent, stream.acked)
            self._sort(game, stream)
        if ack.conflicts != self.conflicts:
            self.conflicts = ack.conflicts
            for game, stream in self._streams.items():
                self._sort(game, stream)

    def forget(self) -> None:
        """Ask the hub about every stream again."""
        self._hub = None

    def due(self, now: float) -> Iterator[Due]:
        """Yield what is to be sent now, and count it as under way."""
        # Each stream has a clock of its own: the progress of another one says nothing about what was lost here.
        streams = map(self._streams.__getitem__, self._open)
        late = [each for each in streams if each.under_way and now - each.progress >= self._again_s]
        for stream in late:
            stream.sent, stream.progress = stream.acked or 0, now
        if late:
            self._window = max(self._window // 2, 1)
            self._again_s = min(self._again_s * 2, LONGEST_AGAIN_S)
        room = self._window - sum(self._streams[game].under_way for game in self._open)
        for game in list(self._open):
            if room <= 0:
                return
            stream = self._streams[game]
            if stream.acked is None:
                if not stream.sent:
                    stream.sent, stream.progress = stream.count, now
                    room -= 1
                    yield Due(game, stream.count - 1, 1, probe=stream.count > 1)
            elif stream.sent < stream.count:
                if not stream.under_way:
                    stream.progress = now
                first, count = stream.sent, min(stream.count - stream.sent, room)
                stream.sent += count
                room -= count
                if stream.sent == stream.count:
                    stream.compared, stream.checked = stream.count, True
                yield Due(game, first, count)

    def _sort(self, game: str, stream: _Stream) -> None:
        if stream.done or game_of(game) in self.conflicts:
            self._open.pop(game, None)
        else:
            self._open[game] = None
