"""Reading and writing the record of a game (docs/reference/record.md).

A record is JSON Lines: a header, then one action per line. `read_record` reads what `write_record` writes:

    >>> lines = ['{"record": 1, "game": "all-fives", "players": ["Ann", "Bo"], "dealer": 0}',
    ...          '{"do": "turn", "card": "10H"}']
    >>> record = read_record(lines)
    >>> list(write_record(record.header, record.actions)) == lines
    True
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from engine.actions import Action, BadAction
from engine.errors import HeaderError, RecordError
from engine.games import load_game
from engine.names import guests_in, plain_name
from engine.texts import text

VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class Header:
    """The first line of a record: what is played, and by whom.

    `game`: its name. `players`: names in clockwise order, as `plain_name` has them; seats are indices into them.
    `dealer`: the seat of the first dealer, or None if the players cut for it. `options`: those that are not as in a
    record that leaves them out. `guests`: the seats of guests, in order.
    """

    game: str
    players: tuple[str, ...]
    dealer: int | None = None
    options: Mapping[str, object] = field(default_factory=dict)
    guests: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        names = tuple(plain_name(name) if isinstance(name, str) else name for name in self.players)
        object.__setattr__(self, "players", names)

    @classmethod
    def new(cls, game: str, players: tuple[str, ...], dealer: int | None, options: Mapping[str, object]) -> Header:
        """Return the header of a new game, which says the defaults that a record without them would not mean.

        >>> Header.new("spades", ("Ann", "Bo", "Cy"), 0, {}).options
        {'nil_helps': False}
        """
        try:
            known = load_game(game).options
        except HeaderError:  # `check` says so
            known = ()
        said = {option.name: option.default for option in known if option.left_out != option.default}
        return cls(game, players, dealer, said | dict(options))

    def check(self) -> None:
        """Raise `HeaderError` if the game does not exist or cannot be played with these players and options."""
        if not all(isinstance(name, str) for name in self.players):
            raise bad_players(list(self.players))
        if self.dealer is not None and type(self.dealer) is not int:
            raise _not_a_dealer(self.dealer)
        for name in self.players:
            try:
                name.encode("utf-8")  # as a record holds it
            except UnicodeEncodeError as error:
                raise HeaderError(
                    text("the name {name!r} is not UTF-8 text; write it again", name=name), "players"
                ) from error
        load_game(self.game).check_header(self.players, self.dealer, self.options)

    @classmethod
    def from_json(cls, value: object) -> Header:
        """Return the header in a decoded first line, checked. Raises `HeaderError`."""
        if not isinstance(value, Mapping) or "record" not in value:
            raise HeaderError(
                text(
                    "the header is missing: line 1 is like "
                    '{{"record": 1, "game": "all-fives", "players": ["Ann", "Bo"]}}'
                ),
                "record",
            )
        if type(value["record"]) is not int or value["record"] != VERSION:
            raise HeaderError(
                text(
                    "this program reads records of version {version}, not {value!r}",
                    version=VERSION,
                    value=value["record"],
                ),
                "record",
            )
        for key in ("game", "players"):
            if key not in value:
                raise HeaderError(text("the header needs {key!r}", key=key), key)
        game, players = value["game"], value["players"]
        dealer, options = value.get("dealer"), value.get("options", {})
        if not isinstance(game, str):
            raise HeaderError(text("'game' is a name, not {game!r}", game=game), "game")
        if not isinstance(players, list):
            raise bad_players(players)
        if "dealer" in value and dealer is None:
            raise _not_a_dealer(dealer)
        if not isinstance(options, Mapping):
            raise HeaderError(text("'options' is an object, not {options!r}", options=options), "options")
        header = cls(game, tuple(players), dealer, dict(options), guests_in(value))
        header.check()
        return header

    def to_json(self) -> dict[str, Any]:
        """Return the header as a record writes it, without `dealer` if None, `options` and `guests` if empty."""
        out: dict[str, Any] = {"record": VERSION, "game": self.game, "players": list(self.players)}
        if self.dealer is not None:
            out["dealer"] = self.dealer
        if self.options:
            out["options"] = dict(self.options)
        if self.guests:
            out["guests"] = list(self.guests)
        return out


def bad_players(players: object) -> HeaderError:
    """Return the error that `players` is not a list of names."""
    return HeaderError(text("'players' is a list of names, not {players!r}", players=players), "players")


def _not_a_dealer(dealer: object) -> HeaderError:
    message = text("'dealer' is a seat number, not {dealer!r}; left out, the cut decides", dealer=dealer)
    return HeaderError(message, "dealer")


@dataclass(frozen=True, slots=True)
class Record:
    """A whole record. `lines`: for each action, the number of its line in the file (the header is line 1)."""

    header: Header
    actions: tuple[Action, ...]
    lines: tuple[int, ...]


def read_record(lines: Iterable[str | bytes]) -> Record:
    """Return the record in `lines`. Empty lines are skipped, but counted.

    Raises `RecordError`, which names the line, for a line that is not a JSON object, a missing or wrong header, an
    action that no game has or that lacks a key, and a seat that does not exist. Whether the rules allow an action is
    not checked; `engine.replay` does that.
    """
    header: Header | None = None
    actions: list[Action] = []
    numbers: list[int] = []
    for number, line in enumerate(lines, start=1):
        value = _decode(line, number)
        if value is None:
            continue
        try:
            if header is None:
                header = Header.from_json(value)
                continue
            action = Action.from_json(value)
        except (HeaderError, BadAction) as error:
            raise RecordError(number, str(error)) from None
        for seat in (action.seat, action.against):
            if isinstance(seat, int) and seat >= len(header.players):
                last = len(header.players) - 1
                raise RecordError(
                    number, text("there is no seat {seat}: the seats are 0 to {last}", seat=seat, last=last)
                )
        actions.append(action)
        numbers.append(number)
    if header is None:
        raise RecordError(1, text("the file is empty: the header is missing"))
    return Record(header, tuple(actions), tuple(numbers))


def write_record(header: Header, actions: Iterable[Action]) -> Iterator[str]:
    """Yield the lines of a record, without line ends."""
    yield json_line(header.to_json())
    for action in actions:
        yield json_line(action.to_json())


# JSON allows these characters in strings, but many programs take them for line ends, so they are escaped.
_LINE_ENDS: Final = str.maketrans({end: f"\\u{ord(end):04x}" for end in "\x85\u2028\u2029"})


def json_line(value: object) -> str:
    """Return `value` as one line of JSON, safe for readers that split lines at any Unicode line end.

    >>> print(json_line(["Zoë", "Bo\\u2028"]))
    ["Zoë", "Bo\\u2028"]
    """
    return json.dumps(value, ensure_ascii=False).translate(_LINE_ENDS)


_NOT_UTF_8: Final[Mapping[str, str]] = {
    reason: reason
    for reason in (text("invalid start byte"), text("invalid continuation byte"), text("unexpected end of data"))
}
"""The reasons of `UnicodeDecodeError`, which Python gives in English."""
_NOT_JSON: Final[Mapping[str, str]] = {
    reason: reason
    for reason in (
        text("Expecting value"),
        text("Expecting ',' delimiter"),
        text("Expecting ':' delimiter"),
        text("Expecting property name enclosed in double quotes"),
        text("Illegal trailing comma before end of object"),
        text("Illegal trailing comma before end of array"),
        text("Unterminated string starting at"),
        text("Invalid control character at"),
        text("Invalid \\escape"),
        text("Invalid \\uXXXX escape"),
        text("Extra data"),
    )
}
"""The reasons of `JSONDecodeError` that are translated; others, of later versions of Python, stay English."""


def _decode(line: str | bytes, number: int) -> object:
    """Return the line's object; None for an empty line. Raises `RecordError` for anything but a JSON object."""
    if isinstance(line, bytes):
        try:
            line = line.decode("utf-8")
        except UnicodeDecodeError as error:
            raise RecordError(
                number,
                text(
                    "this is not UTF-8 text: {reason} at byte {start}",
                    reason=_NOT_UTF_8.get(error.reason, error.reason),
                    start=error.start + 1,
                ),
            ) from None
    line = line.strip()
    if number == 1:
        line = line.removeprefix("\ufeff")
    if not line:
        return None
    try:
        value = json.loads(line)
    except json.JSONDecodeError as error:
        raise RecordError(
            number,
            text(
                "this is not JSON: {msg} at column {colno}", msg=_NOT_JSON.get(error.msg, error.msg), colno=error.colno
            ),
        ) from None
    except (RecursionError, ValueError):
        raise RecordError(
            number, text("this JSON cannot be read: it is nested too deeply, or a number is too long")
        ) from None
    if not isinstance(value, dict):
        raise RecordError(number, text("a line holds one object in braces, not {line!r}", line=line[:40]))
    return value
