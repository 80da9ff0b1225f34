"""How the tables are: what they say of themselves, what the hub notices of them, and what the director can do."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple, TypedDict

from cardtable_club.member.home_assistant import Health
from cardtable_club.member.messages import VERSION, Malformed, read_object
from engine.texts import Text, Translate, in_language, text

# Commands of the hub to tables, and their replies.

VALID_S: Final = 10.0
"""Seconds for which a command is valid."""
REPLY_S: Final = VALID_S
"""Seconds for which a reply is waited for."""


class Commands:
    """Gives commands. `publish` sends a command to a table; `behind`: how far the clock of a table is behind, seconds.

    Its methods may be called in any thread; `give` not in the one that calls `replied`.
    """

    def __init__(
        self, publish: Callable[[str, dict[str, object]], None], behind: Callable[[str], float] = lambda table: 0.0
    ) -> None:
        self._publish = publish
        self._behind = behind
        self._replies: dict[tuple[str, str], dict[str, Any] | None] = {}
        """By table and id, the replies to the commands that are under way; None before the reply."""
        self._came = threading.Condition()

    def give(self, tables: Iterable[str], within_s: float = REPLY_S, **command: object) -> dict[str, str | None]:
        """Give tables a command; return for each why it was not done: None if it was, empty if it has not replied."""
        given = {(table, secrets.token_hex(8)) for table in tables}
        with self._came:
            self._replies.update(dict.fromkeys(given))
        try:
            for table, number in given:
                # A table compares with its own clock.
                expires = time.time() - self._behind(table) + VALID_S
                self._publish(table, {"v": VERSION, "id": number, "expires": expires, **command})
            with self._came:
                self._came.wait_for(lambda: all(self._replies[each] is not None for each in given), within_s)
                return {table: _why(self._replies[table, number]) for table, number in sorted(given)}
        finally:
            with self._came:
                for each in given:
                    del self._replies[each]

    def replied(self, table: str, message: bytes) -> None:
        """Take a message of `cmd/reply`; one that is not waited for is ignored. Raises `Malformed`."""
        found = read_object(message)
        number = found.get("id")
        if not isinstance(number, str):
            raise Malformed("'id' is missing")
        with self._came:
            if (table, number) in self._replies:
                self._replies[table, number] = found
                self._came.notify_all()


def _why(reply: dict[str, Any] | None) -> str | None:
    if reply is None:
        return ""
    return None if reply.get("done") is True else str(reply.get("why") or "refused")[:100]


CLOCK_S: Final = 10.0
"""Seconds by which the clock of a table may differ from that of the hub."""
HOT: Final = 80.0
"""Degrees Celsius from which on a Raspberry Pi slows itself down."""
LATE_S: Final = 45.0
"""Seconds without a word of its health after which a table counts as hanging; it sends one every 10 seconds."""


class TableHealth(TypedDict):
    """A table as the director sees it. `faults`: sentences, what is wrong and what to do.

    `waiting`: lines that it has not sent yet. `temperature`: degrees Celsius. `free`: bytes on the disk of its journal.
    What is not known is None.
    """

    name: str
    online: bool
    waiting: int | None
    temperature: float | None
    free: int | None
    version: str | None
    faults: list[str]


class _Heard(NamedTuple):
    """A health, when it came (of a clock that is never set), and how far the table's clock is behind, if known."""

    health: Health
    at: float
    behind: float | None


class Healths:
    """The last health of each table. Its methods may be called in any thread."""

    def __init__(self) -> None:
        self._heard: dict[str, _Heard] = {}

    def put(self, table: str, health: Health, retained: bool = False) -> None:
        """Take what a table says; `retained`: whether the broker has kept it, for an unknown time."""
        behind = None if retained else time.time() - health.time
        self._heard[table] = _Heard(health, time.monotonic(), behind)

    def behind(self, table: str) -> float:
        """Return by how many seconds the clock of a table is behind that of the hub; 0 if that is not known."""
        heard = self._heard.get(table)
        return (heard and heard.behind) or 0.0

    def shown(
        self, online: Mapping[str, bool], duplicates: Iterable[str], conflicts: Iterable[str], translate: Translate
    ) -> list[TableHealth]:
        """Return the tables by name.

        `online`: whether each is there. `duplicates`: names that two tables seem to have. `conflicts`: tables whose
        journal contradicts what the hub has.
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
