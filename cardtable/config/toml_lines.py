"""The line of a value in a TOML file, which tomllib does not report, and its error messages as texts."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from engine.texts import Text, text

_MOST_PARSED: Final = 1_000_000
"""Characters that are parsed to find a line; a file of 1,000 lines takes a third of them."""

Where = Sequence[int | str]
"""The keys and list indices that lead to a value: `("seat", 1, "button")`."""


def line_of(written: str, where: Where) -> int | None:
    """Return the line, from 1, in which the value at `where` begins; None if the value is not set, or the file is long.

    Beginnings of the file are parsed to find the first one with the value, so that inline tables, dotted keys and lists
    over several lines need no parser of their own. `written` must be valid TOML.

    >>> line_of('game = "x"\\nvoice.say = "off"\\n[[seat]]\\nseat = 0\\n', ("seat", 0, "seat"))
    4
    """
    lines = written.split("\n")
    parsed = 0

    def has(end: int) -> bool | None:
        """Whether the value is in the first `end` lines; None if the last of them ends inside a value."""
        nonlocal parsed
        beginning = "\n".join(lines[:end])
        parsed += len(beginning)
        try:
            return _has(tomllib.loads(beginning), where)
        except tomllib.TOMLDecodeError:
            return None

    # The first `without` lines lack the value, the first `with_it` lines have it; both beginnings are valid. In the end
    # no other valid beginning lies between the two.
    without, with_it = 0, len(lines)
    if not has(with_it):
        return None
    while with_it - without > 1 and parsed <= _MOST_PARSED:
        middle = (without + with_it) // 2
        # The valid beginnings next to the middle, first those before it.
        for end in (*range(middle, without, -1), *range(middle + 1, with_it)):
            if (found := has(end)) is not None or parsed > _MOST_PARSED:
                break
        else:
            break
        if found:
            with_it = end
        else:
            without = end
    return without + 1 if parsed <= _MOST_PARSED else None


def _has(value: Any, where: Where) -> bool:
    for part in where:
        there = part in value if isinstance(value, dict) else isinstance(value, list) and part in range(len(value))
        if not there:
            return False
        value = value[part]
    return True


def toml_fault(message: str) -> str:
    """Return the message of a `TOMLDecodeError` as a text; an unknown message is returned as it is."""
    if message in _FAULTS:
        return _FAULTS[message]
    for pattern, make in _FAULTS_WITH_VALUE:
        if match := re.fullmatch(pattern, message, re.DOTALL):
            return make(_key(match[1]))
    return message[:1].lower() + message[1:]


def _key(value: str) -> str:
    """Return `'board.port'` for a key that tomllib writes `('board', 'port')`; anything else unchanged."""
    parts = re.findall(r"'([^']*)'", value) if re.fullmatch(r"\(('[^']*',? ?)+\)", value) else []
    return repr(".".join(parts)) if parts else value


_FAULTS: Final[Mapping[str, Text]] = {
    "Invalid statement": text("invalid statement"),
    "Expected newline or end of document after a statement": text(
        "expected newline or end of document after a statement"
    ),
    "Cannot overwrite a value": text("cannot overwrite a value"),
    "Expected ']' at the end of a table declaration": text("expected ']' at the end of a table declaration"),
    "Expected ']]' at the end of an array declaration": text("expected ']]' at the end of an array declaration"),
    "Expected '=' after a key in a key/value pair": text("expected '=' after a key in a key/value pair"),
    "Invalid initial character for a key part": text("invalid initial character for a key part"),
    "Unclosed array": text("unclosed array"),
    "Unclosed inline table": text("unclosed inline table"),
    "Unescaped '\\' in a string": text("unescaped '\\' in a string"),
    "Invalid hex value": text("invalid hex value"),
    "Escaped character is not a Unicode scalar value": text("escaped character is not a Unicode scalar value"),
    "Unterminated string": text("unterminated string"),
    "Invalid date or datetime": text("invalid date or datetime"),
    "Invalid value": text("invalid value"),
}
_FAULTS_WITH_VALUE: Final[Sequence[tuple[str, Callable[[str], Text]]]] = (
    (r"Expected (.+)", lambda value: text("expected {value}", value=value)),
    (r"Found invalid character (.+)", lambda value: text("found invalid character {value}", value=value)),
    (r"Illegal character (.+)", lambda value: text("illegal character {value}", value=value)),
    (r"Cannot declare (.+) twice", lambda value: text("cannot declare {value} twice", value=value)),
    (r"Cannot mutate immutable namespace (.+)", lambda value: text("cannot change {value} any more", value=value)),
    (r"Cannot redefine namespace (.+)", lambda value: text("cannot declare {value} twice", value=value)),
    (r"Duplicate inline table key (.+)", lambda value: text("the key {value} is set twice", value=value)),
)
