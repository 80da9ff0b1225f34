"""Raw sessions, recorded and replayed: everything that went over the line, for a report of what went wrong.

A recording is JSON Lines: `{"t": 0.0, "opened": session, "mark": [boot, next]}`, then `{"t": …, "in": "00…"}` for
what came and `"out"` for what went, hexadecimal; times are seconds since the recording began.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, TextIO

from engine.texts import text
from firmware_bridge.link import Checkpoint, Link, LinkUpdate


class Recorder:
    """Writes what goes over a line to `file`, a line at a time.

    `trouble`: why it has stopped, where the file takes no more; the bridge goes on.
    """

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self._began: float | None = None
        self.trouble: OSError | None = None

    def opened(self, now: float, session: int, checkpoint: Checkpoint | None) -> None:
        """A connection was opened."""
        self._write(now, opened=session, mark=[checkpoint.boot, checkpoint.next] if checkpoint else None)

    def came(self, now: float, data: bytes) -> None:
        """The board sent `data`."""
        self._write(now, **{"in": data.hex()})

    def went(self, now: float, data: bytes) -> None:
        """The program sent `data`."""
        self._write(now, out=data.hex())

    def _write(self, now: float, **entry: Any) -> None:
        if self._began is None:
            self._began = now
        if self.trouble:
            return
        try:
            self._file.write(json.dumps({"t": round(now - self._began, 6), **entry}) + "\n")
            self._file.flush()
        except OSError as error:
            self.trouble = error


def replay(lines: Iterable[str]) -> Iterator[tuple[float, LinkUpdate]]:
    """What a link tells of a recording, and when. Raises `ValueError` naming the line that is none."""
    link: Link | None = None
    for number, line in enumerate(lines, start=1):
        try:
            entry = json.loads(line)
            now = float(entry["t"])
            if "opened" in entry:
                checkpoint = entry.get("mark")
                link = link or Link(Checkpoint(*checkpoint) if checkpoint else None)
                link.opened(int(entry["opened"]), now)
            data = bytes.fromhex(entry.get("in", ""))
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(text("line {number} is no line of a recorded session", number=number)) from error
        if link is None:
            raise ValueError(text("line {number}: a recorded session begins with a connection opened", number=number))
        for news in link.receive(data, now):
            yield now, news
        link.outgoing(now)
