"""The trace: a file with the interpretation and the refusals of each observation (docs/how-to/trace.md).

The file holds one JSON object per line. It names cards of hands only on request, and is created with mode 0600. A file
that cannot be written never stops the game: the failure is reported once, and every observation tries again.
"""

from __future__ import annotations

import errno
import logging
import os
import stat
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from cardtable.errors import why
from cardtable.table.snapshot import LogEntry
from cardtable.terminal.output import say
from engine.actions import HIDING, Action
from engine.cards import Card
from engine.observations import (
    ActionCard,
    Back,
    Lost,
    Observation,
    Said,
    Scene,
    Sighting,
    Swiped,
    UndoAsked,
    Zone,
)
from engine.record import Header, json_line
from engine.referee.trace import Ignored, NotTaken, Taken, TraceEvent
from engine.texts import Text, text

VERSION: Final = 1
"""Version of the format, in the first line that each program writes."""

_LOG: Final = logging.getLogger(__name__)


class Trace:
    """Appends to the trace file at `path`. All methods are called in one thread.

    Call `observation`, then `judgement` for each event of the referee, then `actions` or `not_stored`, then `write`.
    `report` is called with a message when the file can no longer be written, and when it can again. `clock` returns
    seconds since 1970. `hands`: also name the cards of hands that are dealt or laid away.
    """

    def __init__(
        self,
        path: Path,
        header: Header,
        report: Callable[[Text], None] = lambda message: None,
        clock: Callable[[], float] = time.time,
        hands: bool = False,
    ) -> None:
        self._path = path
        self._hands = hands
        self._report = report
        self._clock = clock
        self._file: int | None = None
        self._failed = False
        self._lost_lines = 0
        self._n = 0
        self._lines: list[dict[str, Any]] = []
        started = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(clock()))
        self._lines.append({"event": "start", "trace": VERSION, "at": started, "header": header.to_json()})
        self.write()

    def observation(self, observation: Observation) -> None:
        """Note the observation that the referee judges next."""
        self._n += 1
        line: dict[str, Any] = {
            "event": "observation",
            "n": self._n,
            "at": round(self._clock(), 3),
            "source": observation.source,
            "time": round(observation.time, 3),
        }
        self._lines.append(line | self._content(observation))

    def judgement(self, event: TraceEvent) -> None:
        """Note how the referee has interpreted a card, or an action without a card."""
        place = {"card": _name(event.card), "zone": _name(event.zone)}
        match event:
            case Taken():
                line = {"event": "taken", "n": self._n, **place, "action": self._action(event.action)}
            case NotTaken():
                line = {
                    "event": "refused",
                    "n": self._n,
                    **place,
                    "action": self._action(event.action),
                    "code": event.code,
                    "message": event.message,
                }
            case Ignored():
                line = {"event": "ignored", "n": self._n, **place, "reason": event.reason}
        self._lines.append(line)

    def actions(self, entries: Iterable[LogEntry], over: bool) -> None:
        """Note the accepted actions, which are stored now; `over`: whether the game is over."""
        for entry in entries:
            line = {"event": "action", "n": self._n, "line": entry.n, "action": self._action(entry.action)}
            self._lines.append(line | {"scores": list(entry.scores)})
        if over and self._lines and self._lines[-1]["event"] == "action":
            self._lines[-1]["over"] = True

    def not_stored(self, reason: str) -> None:
        """Note that the journal could not be written, so that the observation had no effect."""
        self._lines.append({"event": "not-stored", "n": self._n, "reason": reason})

    def write(self) -> None:
        """Write the lines noted since the last call. If that fails they are lost, and `report` is called once."""
        lines, self._lines = self._lines, []
        if not lines:
            return
        gap = [{"event": "gap", "lost": self._lost_lines}] if self._lost_lines else []
        try:
            self._append("".join(f"{json_line(line)}\n" for line in [*gap, *lines]).encode())
        except OSError as error:
            self._lost_lines += len(lines)
            if not self._failed:
                self._failed = True
                _LOG.error("%s cannot be written: %s", self._path, error)
                message = "the trace {path} cannot be written: {why}; the game goes on without it"
                self._report(text(message, path=self._path, why=why(error)))
        else:
            self._lost_lines = 0
            if self._failed:
                self._failed = False
                _LOG.warning("%s can be written again", self._path)
                self._report(text("the trace {path} can be written again", path=self._path))

    def close(self) -> None:
        """Close the file. May be called twice."""
        if self._file is not None:
            with suppress(OSError):
                os.close(self._file)
            self._file = None

    def _append(self, data: bytes) -> None:
        """Write all of `data` or nothing. Raises `OSError`."""
        if self._file is None:
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NONBLOCK
            self._file = os.open(self._path, flags, 0o600)
            if stat.S_ISREG(os.fstat(self._file).st_mode):
                with suppress(PermissionError):  # another user's file, which this one may write to
                    os.fchmod(self._file, 0o600)
        size = os.fstat(self._file).st_size
        try:
            if os.write(self._file, data) < len(data):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError:
            with suppress(OSError):
                os.ftruncate(self._file, size)
            self.close()  # the next try opens the path again: it may be on another disk by then
            raise

    def _content(self, observation: Observation) -> dict[str, Any]:
        match observation:
            case Scene():
                return {"kind": "scene", "cards": [_sighting(sighting) for sighting in observation.sightings]}
            case Said():
                out: dict[str, Any] = {"kind": "said", "seat": observation.seat, "word": observation.word}
                if observation.card is not None:
                    out["card"] = str(observation.card)
                if observation.against is not None:
                    out["against"] = observation.against
                return out
            case Swiped():
                out = {"kind": "swiped", "seats": [swipe.seat for swipe in observation.swipes]}
                if self._hands:
                    out["cards"] = [str(swipe.card) for swipe in observation.swipes]
                return out
            case UndoAsked():
                return {"kind": "undo"}
            case Lost():
                return {"kind": "lost", "reason": observation.reason}
            case Back():
                return {"kind": "back"}

    def _action(self, action: Action | None) -> dict[str, Any] | None:
        if action is None:
            return None
        out = action.to_json()
        if not self._hands and action.do in HIDING and action.cards is not None:
            del out["cards"]
            out["count"] = len(action.cards)
        return out


def open_trace(path: Path | None, header: Header, hands: bool = False) -> Trace | None:
    """Open the trace of a command, whose failures are printed to standard error; None if `path` is None.

    `hands`: also name the cards of hands that are dealt or laid away.
    """
    if path is None:
        return None
    return Trace(path, header, lambda message: say(message, sys.stderr), hands=hands)


def _sighting(sighting: Sighting) -> dict[str, Any]:
    out: dict[str, Any] = {
        "id": sighting.card_id,
        "card": _name(sighting.face),
        "zone": _name(sighting.zone),
        "since": round(sighting.since, 3),
        "confidence": round(float(sighting.confidence), 3),
    }
    if sighting.alternatives:
        out["alternatives"] = [str(card) for card in sighting.alternatives]
    return out


def _name(value: Card | ActionCard | Zone | None) -> str | None:
    return None if value is None else str(value)
