"""What a table sends to the hub: which lines, when, and again when; and the lines from its journal.

`Outbox` sends a window of lines after those that the hub has committed, and repeats them if there is no progress. The
window is small after connecting and grows while the hub acknowledges. Without acknowledgements it is halved, and the
time to wait doubled: otherwise many tables that reconnect together would fill the broker with repetitions. It uses no
network and no clock. `JournalStreams` reads the lines from the journal, while another program writes it.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, Final
from zlib import crc32

from cardtable.journal.schema import APPLICATION_ID
from cardtable_club.member.messages import HANDS, Ack, Line, checksum, compact, game_of
from engine.actions import HIDING

WINDOW: Final = 100
"""The most lines that may be unacknowledged."""
FIRST_WINDOW: Final = 10
"""How many lines may be unacknowledged after connecting; each acknowledged progress allows this many more."""
AGAIN_S: Final = 2.0
"""Seconds without progress after which unacknowledged lines are sent again; doubled each time."""
LONGEST_AGAIN_S: Final = 32.0
"""The longest such time, in seconds."""
COMPARED: Final = 20
"""How many streams, the newest ones, the hub compares after a start of the table even if it has all lines."""


@dataclass(frozen=True, slots=True)
class Due:
    """Lines to send now: `count` lines of the stream `game`, from line `first`.

    `probe`: the line only asks what the hub has. Otherwise it is sent with the checksum of all lines before it.
    """

    game: str
    first: int
    count: int
    probe: bool = False


@dataclass(slots=True)
class _Stream:
    """The state of one stream.

    `count`: the number of lines. `acked`: how many the hub has committed; None if unknown. `sent`: the lines before
    this one are sent or committed. `progress`: when sending last started over, or the hub last committed more.
    `compared`: the number of lines when the last one was sent. `checked`: whether the hub has compared all lines, or
    need not because the stream is old.
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
        """Return how many lines to regard as committed if the hub says that it has `count`.

        If the hub has more, the journal is an older copy; if it has as many, the game may have continued differently.
        In both cases the last line is sent again, so that the hub compares it.
        """
        if count < self.count or (count == self.count and self.checked):
            return count
        return self.count if self.compared == self.count else self.count - 1


class Outbox:
    """The streams of a table, and how much of each the hub has committed.

    A stream that the hub has not acknowledged yet is probed with its last line: the hub answers a duplicate or a gap
    with what it has. So a journal with a thousand old games costs a thousand messages after a start, not all their
    lines.
    """

    def __init__(self, window: int = WINDOW, first: int = FIRST_WINDOW) -> None:
        self._most, self._first = window, min(first, window)
        self._window, self._again_s = self._first, AGAIN_S
        self._streams: dict[str, _Stream] = {}
        self._open: dict[str, None] = {}
        """The streams that are not completely acknowledged, in order."""
        self._hub: str | None = None
        self.conflicts: frozenset[str] = frozenset()
        """Streams of which the hub has different lines; no more lines of their games are sent."""

    @property
    def waiting(self) -> int:
        """The number of unacknowledged lines, without those of games in conflict, which are not sent."""
        return sum(self._streams[game].count - (self._streams[game].acked or 0) for game in self._open)

    def exist(self, counts: Mapping[str, int]) -> None:
        """Set the number of lines of streams, the newest stream last; streams without lines are ignored.

        The streams of the first call are those at the start of the table.
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
        """Send unacknowledged lines again: they may have been lost."""
        self._window, self._again_s = self._first, AGAIN_S
        for game in self._open:
            stream = self._streams[game]
            stream.sent, stream.progress = stream.acked or 0, now

    def acknowledged(self, ack: Ack, now: float) -> None:
        """Take an acknowledgement, even of less than before: the database of the hub may have been restored."""
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
        """Yield what to send now, and count it as sent."""
        # Each stream has its own timer: progress of another stream does not show whether lines were lost here.
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


# What may leave the table: public lines during the game, hands once it is over. A game has two streams, each numbered
# from 0 without a gap, to which lines are only added:
#
# - The public stream: line 0 is the header, line k + 1 is action k. The cards of a `deal`, `hold` or `discard` are
#   left out, so that no line depends on a hidden card.
# - The hands: the whole lines of those actions, in order, each with the `n` of the public line that it completes. It is
#   empty until the game is over and another one is played, because an undo could continue a game that is just over.

DAMAGED: Final = {"do": "damaged"}
"""Replaces a row that cannot be read: its text might name a card."""


def public_line(stored: str) -> str:
    """Return the public line for a header or an action stored in the journal.

    >>> public_line('{"do":"deal","seat":1,"cards":["AS","KS"]}')
    '{"do":"deal","seat":1}'
    >>> public_line('{"do":"play","seat":1,"card":"AS"}')
    '{"card":"AS","do":"play","seat":1}'
    """
    found = _object(stored)
    if found is None:
        return compact(DAMAGED)
    if found.get("do") in HIDING:
        found = {key: value for key, value in found.items() if key in ("do", "seat")}
    return compact(found)


def hides(stored: str) -> bool:
    """Return whether the public line of an action leaves out cards."""
    found = _object(stored)
    return found is not None and found.get("do") in HIDING and bool(found.get("cards") or found.get("card"))


def hands_line(n: int, stored: str) -> str:
    """Return the line in the stream of hands for public line `n`; `stored`: the action in the journal."""
    return compact({"n": n, "line": json.loads(stored)})


def _object(stored: object) -> dict[str, Any] | None:
    if not isinstance(stored, str):
        return None
    try:
        found = json.loads(stored)
        compact(found)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


WHOLE_S: Final = 60.0
"""Seconds between two counts of all games, and not only of those that are likely to have changed."""
_COUNTS: Final = """
    SELECT id, header, started, over, (SELECT coalesce(max(n) + 1, 0) FROM action WHERE game = id) FROM game
    WHERE id >= ?1 OR id = ?2 ORDER BY id
"""
_HIDDEN: Final = """
    SELECT n, action, time FROM action WHERE game = ?1
    AND CASE WHEN json_valid(action) THEN action ->> '$.do' IN (SELECT value FROM json_each(?2)) ELSE 0 END ORDER BY n
"""
_THESE: Final = """
    SELECT n + 1, action, time FROM action WHERE game = ? AND n + 1 IN (SELECT value FROM json_each(?)) ORDER BY n
"""


class JournalStreams:
    """The streams of the journal at `path`. `playing` returns the number of the game being played, or None.

    A stream is named by the start of its game in milliseconds and a checksum of the header, so that the name survives a
    move of the journal and is new in a new journal. If two games have the same name, a number is added to the later
    one. For one thread at a time. Methods raise `sqlite3.Error` or `OSError` if the journal cannot be read now; call
    them again later.
    """

    def __init__(self, path: Path, playing: Callable[[], int | None] = lambda: None) -> None:
        self._path = path
        self._playing = playing
        self._database: sqlite3.Connection | None = None
        self._identity: tuple[int, int] | None = None
        self._forget()

    def _forget(self) -> None:
        self._version = self._newest = 0
        self._whole_at = -WHOLE_S
        self._was_playing: int | None = None
        self._names: dict[int, str] = {}
        self._numbers: dict[str, int] = {}
        self._counts: dict[str, int] = {}
        self._hands: dict[int, tuple[int, tuple[int, ...]]] = {}
        """By the number of a game: how many actions it had, and the public lines that its hands complete."""
        self._sums: dict[str, tuple[int, int]] = {}
        """By stream: a number of lines and their checksum."""

    def counts(self, now: float) -> dict[str, int] | None:
        """Return the numbers of lines of the streams that may have changed; None if nothing has changed.

        `now`: seconds on a monotonic clock.
        """
        database = self._opened()
        version = database.execute("PRAGMA data_version").fetchone()[0]
        playing, whole = self._playing(), now - self._whole_at >= WHOLE_S
        if version == self._version and playing == self._was_playing and not whole:
            return None
        first = 0 if whole else self._newest
        changed: dict[str, int] = {}
        rows = database.execute(_COUNTS, (first, playing)).fetchall()
        if self._was_playing is not None and self._was_playing < first:
            rows += database.execute(_COUNTS, (1 << 62, self._was_playing)).fetchall()
        for number, header, started, over, actions in rows:
            name = self._name(number, header, started)
            changed[name] = actions + 1
            if over and number != playing:
                if number not in self._hands or self._hands[number][0] != actions:
                    self._hands[number] = actions, self._hidden(database, number)
                changed[name + HANDS] = len(self._hands[number][1])
            self._newest = max(self._newest, number)
        self._version, self._was_playing = version, playing
        if whole:
            self._whole_at = now
        return changed

    def lines(self, stream: str, first: int, count: int) -> list[Line]:
        """Return up to `count` lines of a stream, from line `first`."""
        database = self._opened()
        name, hands, _ = stream.partition(HANDS)
        number = self._numbers[name]
        if hands:
            _, completed = self._hands.get(number, (0, ()))
            rows = database.execute(_THESE, (number, json.dumps(completed[first : first + count]))).fetchall()
            return [Line(stream, first + at, hands_line(n, action), time) for at, (n, action, time) in enumerate(rows)]
        found = []
        if first == 0:
            header, started = database.execute("SELECT header, started FROM game WHERE id = ?", (number,)).fetchone()
            found.append(Line(stream, 0, public_line(header), started))
        query = "SELECT n + 1, action, time FROM action WHERE game = ? AND n + 1 >= ? ORDER BY n LIMIT ?"
        rows = database.execute(query, (number, max(first, 1), count - len(found))).fetchall()
        return found + [Line(stream, n, public_line(action), time) for n, action, time in rows]

    def outgoing(self, due: Due) -> list[Line]:
        """Return the lines that are due: a probe, or lines of which the first has the checksum of those before it."""
        found = self.lines(due.game, due.first, due.count)
        if found and due.probe:
            found[0] = replace(found[0], probe=True)
        elif found and due.first:
            found[0] = replace(found[0], before=self._checksum(due.game, due.first))
        for line in found:
            self._add_checksum(line)
        return found

    def _checksum(self, stream: str, count: int) -> int:
        """Return the checksum of the first `count` lines of a stream."""
        if self._sums.get(stream, (count + 1, 0))[0] > count:
            self._sums[stream] = 0, 0
        for line in self.lines(stream, self._sums[stream][0], count - self._sums[stream][0]):
            self._add_checksum(line)
        return self._sums[stream][1]

    def _add_checksum(self, line: Line) -> None:
        """Extend the checksum by a line, if that of the lines before it is known."""
        at, sum_before = self._sums.get(line.game, (0, 0))
        if at == line.n:
            self._sums[line.game] = at + 1, checksum(line.line, sum_before)

    def close(self) -> None:
        """Close the journal. The next call of another method opens it again."""
        if self._database is not None:
            self._database.close()
            self._database = None

    def _opened(self) -> sqlite3.Connection:
        status = os.stat(self._path)
        identity = status.st_dev, status.st_ino
        if self._database is not None and identity == self._identity:
            return self._database
        self.close()
        uri = f"{self._path.resolve().as_uri()}?mode=ro"
        database = sqlite3.connect(uri, uri=True, timeout=1.0, check_same_thread=False)
        if database.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
            database.close()
            raise sqlite3.DatabaseError("not a journal")
        self._forget()
        self._database, self._identity = database, identity
        return database

    def _name(self, number: int, header: str, started: float) -> str:
        if number not in self._names:
            base = name = f"{max(int(started * 1000), 0)}-{crc32(str(header).encode()):08x}"
            again = 2
            while name in self._numbers:
                name, again = f"{base}-{again}", again + 1
            self._names[number], self._numbers[name] = name, number
        return self._names[number]

    def _hidden(self, database: sqlite3.Connection, number: int) -> tuple[int, ...]:
        rows = database.execute(_HIDDEN, (number, json.dumps([*HIDING])))
        return tuple(n + 1 for n, action, _ in rows if hides(action))
