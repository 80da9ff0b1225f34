"""The streams of a table, read from its journal beside the program that writes it."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final
from zlib import crc32

from cardtable.club.messages import HANDS, Line, checksum
from cardtable.club.outbox import Due
from cardtable.club.public_lines import HIDING, hands_line, hides, public_line
from cardtable.play.journal_schema import APPLICATION_ID

WHOLE_S: Final = 60.0
"""Seconds after which all games are counted again, not only those that can have changed."""
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
    """The streams of the journal at `path`. `playing` returns the number of the game that is played; None for none.

    The name of a game's stream is its start in milliseconds and a checksum of its header: the same after the journal
    was moved, another one in a new journal. Of two games with the same name the later one gets a number. One thread at
    a time uses it. Methods raise `sqlite3.Error` or `OSError` if the journal cannot be read now; call them again later.
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
        """By number of a game, how many actions it had, and the public lines that its hands complete."""
        self._sums: dict[str, tuple[int, int]] = {}
        """By stream, a number of lines and their checksum."""

    def counts(self, now: float) -> dict[str, int] | None:
        """Return how many lines each stream has that can have changed; None if nothing has changed.

        `now`: seconds of a clock that is never set.
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
        """Return `count` lines of a stream from line `first`, or as many as there are."""
        database = self._opened()
        name, hands, _ = stream.partition(HANDS)
        number = self._numbers[name]
        if hands:
            _, wanted = self._hands.get(number, (0, ()))
            rows = database.execute(_THESE, (number, json.dumps(wanted[first : first + count]))).fetchall()
            return [Line(stream, first + at, hands_line(n, action), time) for at, (n, action, time) in enumerate(rows)]
        found = []
        if first == 0:
            header, started = database.execute("SELECT header, started FROM game WHERE id = ?", (number,)).fetchone()
            found.append(Line(stream, 0, public_line(header), started))
        query = "SELECT n + 1, action, time FROM action WHERE game = ? AND n + 1 >= ? ORDER BY n LIMIT ?"
        rows = database.execute(query, (number, max(first, 1), count - len(found))).fetchall()
        return found + [Line(stream, n, public_line(action), time) for n, action, time in rows]

    def outgoing(self, due: Due) -> list[Line]:
        """Return the lines that are due, as they are sent: a probe, or the first with the checksum of those before."""
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
        """Note the checksum up to a line, if that of the lines before it is known."""
        at, sum_before = self._sums.get(line.game, (0, 0))
        if at == line.n:
            self._sums[line.game] = at + 1, checksum(line.line, sum_before)

    def close(self) -> None:
        """Close the journal. It is opened again when something is asked for."""
        if self._database is not None:
            self._database.close()
            self._database = None

    def _opened(self) -> sqlite3.Connection:
        about = os.stat(self._path)
        identity = about.st_dev, about.st_ino
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
        rows = database.execute(_HIDDEN, (number, json.dumps(HIDING)))
        return tuple(n + 1 for n, action, _ in rows if hides(action))
