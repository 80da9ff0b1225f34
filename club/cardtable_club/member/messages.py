"""The MQTT topics of a club and the messages on them (club/docs/club.md).

Messages are JSON objects in UTF-8. The `read` functions raise `Malformed` for anything else, because a broker delivers
whatever anyone sends.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Final, TypeGuard
from zlib import crc32

from engine.names import plain_name, two_alike

VERSION: Final = 1
MOST_BYTES: Final = 64_000
"""Size of the largest message, in bytes; the header of a game with many options has about 500."""
HANDS: Final = "+hands"
"""Suffix of the name of a stream with the hidden lines of a game."""
NAME: Final = r"[A-Za-z0-9_.-]{1,40}"
"""Pattern of a name in a topic: `/`, `+`, `#` and `$` have a meaning in MQTT."""
_STREAM: Final = re.compile(r"\d{1,16}-[0-9a-f]{8}(-\d{1,6})?(\+hands)?")
_MOST: Final = 10_000_000
"""More lines than any game has."""


class Malformed(Exception):
    """A message does not have the documented form; the error says why."""


@dataclass(frozen=True, slots=True)
class Topics:
    """The topics of the table `table` of the club `club`."""

    club: str
    table: str

    def of(self, kind: str) -> str:
        """Return the topic of a kind of message.

        The kinds are `online`, `journal`, `ack`, `state`, `health`, `ready`, `cmd` and `cmd/reply`.
        """
        return f"ct/v{VERSION}/{self.club}/{self.table}/{kind}"

    @property
    def assign(self) -> str:
        """The topic with the table's seats in the next round."""
        return f"ct/v{VERSION}/{self.club}/league/assign/{self.table}"


def table_of(topic: str, club: str) -> tuple[str, str] | None:
    """Return the table and the rest of a topic of this club; None for any other topic.

    >>> table_of("ct/v1/north/t1/journal", "north")
    ('t1', 'journal')
    """
    match = re.fullmatch(
        rf"ct/v{VERSION}/{re.escape(club)}/({NAME})/(online|journal|ack|state|health|ready|cmd|cmd/reply)", topic
    )
    return (match[1], match[2]) if match else None


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a stream: `n` counts from 0 without a gap. `time`: seconds since 1970 on the table's clock.

    `game`: the name of the stream. `line`: the JSON of the line, in the form in which the hub stores and compares it.
    `before`: the checksum of all lines before it, or None. `probe`: the line only asks what the hub has, and is not
    stored.
    """

    game: str
    n: int
    line: str
    time: float
    before: int | None = None
    probe: bool = False

    def to_bytes(self) -> bytes:
        """Return the message."""
        message: dict[str, object] = {"v": VERSION, "game": self.game, "n": self.n, "time": self.time}
        if self.before is not None:
            message["before"] = self.before
        if self.probe:
            message["probe"] = True
        return f'{json.dumps(message)[:-1]}, "line": {self.line}}}'.encode()


def checksum(line: str, before: int = 0) -> int:
    """Return the checksum of the lines up to `line`; `before`: that of the lines before it, 0 if there is none.

    >>> checksum('{"do":"undo"}', checksum("{}")) == checksum('{"do":"undo"}')
    False
    """
    return crc32(line.encode() + b"\n", before)


@dataclass(frozen=True, slots=True)
class Ack:
    """What the hub has committed: for each stream the highest `n` up to which no line is missing; -1 for none.

    `hub`: identifies the start of the hub. When it changes, the table forgets earlier acknowledgements. `conflicts`:
    streams of which the hub has different lines; it stores no more lines of them. `time`: on the hub's clock, in
    seconds since 1970; 0 from an older hub.
    """

    hub: str
    games: dict[str, int]
    conflicts: frozenset[str] = frozenset()
    time: float = 0.0

    def to_bytes(self) -> bytes:
        """Return the message."""
        message: dict[str, object] = {"v": VERSION, "hub": self.hub, "games": self.games, "time": self.time}
        if self.conflicts:
            message["conflicts"] = sorted(self.conflicts)
        return json.dumps(message, separators=(",", ":")).encode()


def compact(value: object) -> str:
    """Return `value` as JSON in the form in which lines are sent, stored and compared."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True, allow_nan=False)


def read_line(message: bytes) -> Line:
    """Return the line in a message of `journal`. Raises `Malformed`."""
    found = read_object(message)
    game, n, time, line, before = (found.get(key) for key in ("game", "n", "time", "line", "before"))
    if not isinstance(game, str) or not is_stream(game):
        raise Malformed("'game' is not the name of a stream")
    if not isinstance(n, int) or isinstance(n, bool) or not 0 <= n < _MOST:
        raise Malformed("'n' is not the number of a line")
    if not _is_time(time):
        raise Malformed("'time' is not a time")
    if before is not None and (type(before) is not int or not 0 <= before < 1 << 32):
        raise Malformed("'before' is not a checksum")
    if not isinstance(line, dict):
        raise Malformed("'line' is not an object")
    try:
        written = compact(line)
        written.encode()
    except (ValueError, RecursionError) as error:
        raise Malformed("'line' cannot be stored") from error
    if "\\u0000" in written:  # PostgreSQL stores no NUL
        raise Malformed("'line' contains NUL")
    return Line(game, n, written, float(time), before, found.get("probe") is True)


def read_ack(message: bytes) -> Ack:
    """Return the acknowledgement in a message of `ack`. Raises `Malformed`."""
    found = read_object(message)
    hub, games = found.get("hub"), found.get("games")
    if not isinstance(hub, str) or not isinstance(games, dict):
        raise Malformed("'hub' or 'games' is missing")
    if not all(type(n) is int and -1 <= n < _MOST for n in games.values()):
        raise Malformed("'games' has something that is not the number of a line")
    conflicts = found.get("conflicts", [])
    if not isinstance(conflicts, list):
        raise Malformed("'conflicts' is not a list")
    time = found.get("time", 0.0)
    if not _is_time(time):
        raise Malformed("'time' is not a time")
    known = {game: n for game, n in games.items() if is_stream(game)}
    return Ack(hub, known, frozenset(filter(is_stream, conflicts)), float(time))


def game_of(stream: str) -> str:
    """Return the public stream of the game that a stream belongs to.

    >>> game_of("1000-00000000+hands")
    '1000-00000000'
    """
    return stream.removesuffix(HANDS)


def read_seats(message: bytes) -> tuple[int | None, list[str], bool]:
    """Return the round, the players in seat order, and whether the table is ready. Raises `Malformed`."""
    found = read_object(message)
    number, players, ready = found.get("round"), found.get("players"), found.get("ready")
    if number is not None and (type(number) is not int or not 0 <= number < _MOST):
        raise Malformed("'round' is not the number of a round")
    if not isinstance(players, list) or len(players) > 8 or not all(isinstance(each, str) for each in players):
        raise Malformed("'players' is not a list of names")
    names = [plain_name(each) for each in players]
    if not all(0 < len(each) <= 40 for each in names) or two_alike(names):
        raise Malformed("'players' has something that is not a name, or two that look alike")
    return number, names, ready is True


def read_ready(message: bytes) -> int:
    """Return the round for which a table is ready. Raises `Malformed`."""
    number = read_object(message).get("round")
    if type(number) is not int or not 0 <= number < _MOST:
        raise Malformed("'round' is not the number of a round")
    return number


def _is_time(value: object) -> TypeGuard[float]:
    """Return whether it is a number of seconds since 1970, before the year 5000."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e11


def is_stream(name: object) -> bool:
    """Return whether `name` has the form of the name of a stream."""
    return isinstance(name, str) and _STREAM.fullmatch(name) is not None


def read_object(message: bytes) -> dict[str, Any]:
    """Return the JSON object in a message of this version. Raises `Malformed`."""
    if len(message) > MOST_BYTES:
        raise Malformed("the message is too long")
    try:
        found = json.loads(message.decode())
    except (ValueError, RecursionError) as error:
        raise Malformed("the message is not JSON") from error
    if not isinstance(found, dict):
        raise Malformed("the message is not an object")
    if found.get("v") != VERSION:
        raise Malformed(f"the message is not of version {VERSION}")
    return found
