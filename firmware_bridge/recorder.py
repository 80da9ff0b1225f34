"""Record and replay every byte on the line, for bug reports.

A recording is JSON Lines: `{"t": 0.0, "opened": session, "mark": [boot, next]}` for each opening of the port,
`{"t": …, "in": "00…"}` for received and `{"t": …, "out": "00…"}` for sent bytes, in hexadecimal. `t` is in seconds from
the start of the recording. `mark` is the checkpoint (`link.Checkpoint`), or null.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, TextIO

from engine.texts import text
from firmware_bridge.link import Checkpoint, Link, LinkUpdate


class Recorder:
    """Writes a recording to `file`, line by line. All times (`now`) are seconds.

    `trouble`: the error that stopped the recording, for example a full disk; the bridge goes on without it.
    """

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self._start: float | None = None
        self.trouble: OSError | None = None

    def opened(self, now: float, session: int, checkpoint: Checkpoint | None) -> None:
        """Record that the port was opened: a new session of the link."""
        self._write(now, opened=session, mark=[checkpoint.boot, checkpoint.next] if checkpoint else None)

    def received(self, now: float, data: bytes) -> None:
        """Record `data` from the reader board."""
        self._write(now, **{"in": data.hex()})

    def sent(self, now: float, data: bytes) -> None:
        """Record `data` to the reader board."""
        self._write(now, out=data.hex())

    def _write(self, now: float, **entry: Any) -> None:
        if self._start is None:
            self._start = now
        if self.trouble:
            return
        try:
            self._file.write(json.dumps({"t": round(now - self._start, 6), **entry}) + "\n")
            self._file.flush()
        except OSError as error:
            self.trouble = error


def replay(lines: Iterable[str]) -> Iterator[tuple[float, LinkUpdate]]:
    """Yield the updates of a recording, each with its time in seconds.

    Raises `ValueError`, with the number of the line, if a line is not valid.
    """
    link: Link | None = None
    for number, line in enumerate(lines, start=1):
        try:
            entry = json.loads(line)
            now = float(entry["t"])
            if "opened" in entry:
                mark = entry.get("mark")
                link = link or Link(Checkpoint(*map(_number, mark)) if mark else None)
                link.opened(_number(entry["opened"]), now)
            data = bytes.fromhex(entry.get("in", ""))
        except (ValueError, KeyError, TypeError, RecursionError, OverflowError) as error:
            raise ValueError(text("line {number} is not a line of a recorded session", number=number)) from error
        if link is None:
            raise ValueError(text("line {number}: a recorded session begins with a connection opened", number=number))
        for update in link.receive(data, now):
            yield now, update
        link.outgoing(now)


def _number(value: object) -> int:
    """Return a number of a session, a boot or an event, which has 16 bits. Raises `ValueError`."""
    if type(value) is not int or not 0 <= value <= 0xFFFF:
        raise ValueError
    return value
