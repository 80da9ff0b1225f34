"""The state of the tables: what they report, what the hub notices, and commands to them."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple, TypedDict

from cardtable_club.member.home_assistant import Health
from cardtable_club.member.messages import VERSION, Malformed, read_object
from engine.texts import Text, Translate, in_language, text

VALID_S: Final = 10.0
"""How long a command is valid, in seconds; replies are awaited as long."""


class Commands:
    """Sends commands to tables, and waits for the replies.

    `publish` sends a command to a table. `behind` returns by how many seconds the clock of a table is behind.
    Thread-safe, but do not call `give` in the thread that calls `replied`.
    """

    def __init__(
        self, publish: Callable[[str, dict[str, object]], None], behind: Callable[[str], float] = lambda table: 0.0
    ) -> None:
        self._publish = publish
        self._behind = behind
        self._replies: dict[tuple[str, str], dict[str, Any] | None] = {}
        """By table and id: the replies to pending commands, None before the reply."""
        self._came = threading.Condition()

    def give(self, tables: Iterable[str], within_s: float = VALID_S, **command: object) -> dict[str, str | None]:
        """Send tables a command; return for each why it failed: None if it was done, empty if there was no reply."""
        pending = {(table, secrets.token_hex(8)) for table in tables}
        with self._came:
            self._replies.update(dict.fromkeys(pending))
        try:
            for table, number in pending:
                # A table compares with its own clock.
                expires = time.time() - self._behind(table) + VALID_S
                self._publish(table, {"v": VERSION, "id": number, "expires": expires, **command})
            with self._came:
                self._came.wait_for(lambda: all(self._replies[each] is not None for each in pending), within_s)
                return {table: _why(self._replies[table, number]) for table, number in sorted(pending)}
        finally:
            with self._came:
                for each in pending:
                    del self._replies[each]

    def replied(self, table: str, message: bytes) -> None:
        """Take a message from `cmd/reply`, and ignore it if no command is pending. Raises `Malformed`."""
        reply = read_object(message)
        number = reply.get("id")
        if not isinstance(number, str):
            raise Malformed("'id' is missing")
        with self._came:
            if (table, number) in self._replies:
                self._replies[table, number] = reply
                self._came.notify_all()


def _why(reply: dict[str, Any] | None) -> str | None:
    if reply is None:
        return ""
    return None if reply.get("done") is True else str(reply.get("why") or "refused")[:100]


CLOCK_S: Final = 10.0
"""Seconds by which the clocks of a table and the hub may differ."""
HOT: Final = 80.0
"""Degrees Celsius at which a Raspberry Pi throttles itself."""
LATE_S: Final = 45.0
"""Seconds without a health message after which a table counts as hanging; it sends one every 10 seconds."""


class TableHealth(TypedDict):
    """A table as the director sees it. `faults`: sentences that say what is wrong and what to do.

    `waiting`: the number of lines yet to be sent. `temperature`: in degrees Celsius. `free`: free bytes on the disk of
    the journal. Unknown values are None.
    """

    name: str
    online: bool
    waiting: int | None
    temperature: float | None
    free: int | None
    version: str | None
    faults: list[str]


class _Heard(NamedTuple):
    """A health message: when it arrived (monotonic clock), and how far the table's clock is behind, if known."""

    health: Health
    at: float
    behind: float | None


class Healths:
    """The last health message of each table. Thread-safe."""

    def __init__(self) -> None:
        self._heard: dict[str, _Heard] = {}

    def put(self, table: str, health: Health, retained: bool = False) -> None:
        """Take a health message; `retained`: whether the broker had kept it, for an unknown time."""
        behind = None if retained else time.time() - health.time
        self._heard[table] = _Heard(health, time.monotonic(), behind)

    def behind(self, table: str) -> float:
        """Return by how many seconds the clock of a table is behind that of the hub; 0 if unknown."""
        heard = self._heard.get(table)
        return (heard and heard.behind) or 0.0

    def shown(
        self, online: Mapping[str, bool], duplicates: Iterable[str], conflicts: Iterable[str], translate: Translate
    ) -> list[TableHealth]:
        """Return the tables by name.

        `online`: whether each table is connected. `duplicates`: names that two tables seem to share. `conflicts`:
        tables whose journal contradicts the lines at the hub.
        """
        duplicates, conflicts, now = {*duplicates}, {*conflicts}, time.monotonic()
        found: list[TableHealth] = []
        for name in sorted(online, key=lambda name: (len(name), name)):
            heard = self._heard.get(name)
            faults: list[str] = []
            if name in duplicates:
                faults.append(TWICE)
            if name in conflicts:
                faults.append(CONFLICT)
            if heard is not None and online[name]:
                faults += _faults_of(heard, now)
            health = heard.health if heard is not None else None
            found.append(
                {
                    "name": name,
                    "online": online[name],
                    "waiting": health and health.waiting,
                    "temperature": health and health.temperature,
                    "free": health and health.free,
                    "version": health and health.version,
                    "faults": [in_language(fault, translate) for fault in faults],
                }
            )
        return found


TWICE: Final = text(
    "Two tables have this name, and push each other out: give one of them another name under [club] in its table.toml, "
    "or enrol it with a code of its own."
)
CONFLICT: Final = text(
    "Its journal contradicts what the hub has, as an older copy does: put the right journal back at the table, then "
    "start the hub again."
)


def _faults_of(heard: _Heard, now: float) -> list[str]:
    health = heard.health
    found: list[str] = [*health.faults]
    if now - heard.at > LATE_S:
        found.append(text("It is connected, but has said nothing for a while: look at the table."))
    if health.trouble:
        found.append(text("Its journal cannot be sent now: {why}", why=health.trouble))
    if heard.behind is not None and abs(heard.behind) > CLOCK_S:
        found.append(_clock(heard.behind))
    if health.temperature is not None and health.temperature >= HOT:
        found.append(text("It is hot: let more air reach it, or add a heat sink."))
    return found


def _clock(behind: float) -> Text:
    minutes = max(round(abs(behind) / 60), 1)
    if behind > 0:
        return text("Its clock is {minutes} min slow: connect the table to a network, which sets it.", minutes=minutes)
    return text("Its clock is {minutes} min fast: connect the table to a network, which sets it.", minutes=minutes)
