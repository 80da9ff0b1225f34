"""What is wrong with a configuration, told with the line and what would be right."""

from __future__ import annotations

import re
import tomllib
import typing
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ValidationError

from cardtable.errors import suggestion
from cardtable.toml_lines import Where, line_of

Place = Callable[[Where], str]
"""Gives the file, and where it can be told the line, for a value of it."""


def not_toml(path: Path, text: str, error: tomllib.TOMLDecodeError) -> str:
    """The file cannot be read at all: the line, and what stands in it."""
    match = re.fullmatch(r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)", str(error), re.DOTALL)
    lines = text.split("\n")
    if match is None:
        return f"{path} is not TOML: {error}"
    number = int(match[2]) if match[2] else len(text.rstrip("\n").split("\n"))
    stands = lines[number - 1].strip()
    what = match[1][:1].lower() + match[1][1:]
    at = f" at column {match[3]}" if match[3] else " where the file ends"
    told = f": {stands}" if stands else ""
    return f"{path}, line {number} is not TOML ({what}{at}){told}"


def place_of(path: Path, text: str, where: Where) -> str:
    """The file and the line of the value at `where`, or of the part that it is missing from."""
    for end in range(len(where), 0, -1):
        if line := line_of(text, where[:end]):
            return f"{path}, line {line}"
    return str(path)


def explained(place: Place, error: ValidationError, model: type[BaseModel]) -> str:
    """The first thing that is wrong. `model`: of the whole file."""
    # A key written wrongly is the reason why another is missing: it is told first.
    fault = min(error.errors(include_url=False), key=lambda fault: fault["type"] != "extra_forbidden")
    where = fault["loc"][:2] if fault["loc"][0] == "options" else fault["loc"]
    key = ".".join(str(part) for part in where if not isinstance(part, int))
    at, kind, given = place(where), fault["type"], fault["input"]
    if kind == "extra_forbidden":
        known = _known_keys(model, where[:-1])
        guess = suggestion(str(where[-1]), known) or f"; there are {', '.join(known)}"
        return f"{at}: there is no key {key!r}{guess}"
    if kind == "missing":
        return f"{at}: the key {key!r} is missing; {_EXAMPLES.get(key, 'docs/configuration.md has an example')}"
    if kind == "literal_error":
        expected = fault.get("ctx", {}).get("expected", "").replace(" or ", ", ")
        return f"{at}: {key!r} is {given!r}, which is not one of {expected}"
    if kind == "tuple_type" and isinstance(given, dict):
        return f"{at}: there may be several of {key!r}: write [[{key}]], in double brackets"
    if kind in ("model_type", "dict_type"):
        head = f"[[{key}]]" if isinstance(where[-1], int) else f"[{key}]"
        return f"{at}: {key!r} has keys of its own: write {head} and below it, line by line, what belongs to it"
    if kind in ("too_short", "string_too_short"):
        return f"{at}: {key!r} is empty; {_EXAMPLES.get(key, 'write something, or take it out')}"
    if where[0] == "options":
        return f"{at}: {key!r} should be a number, true, false or a text, not {given!r}"
    message = _SHOULD.get(kind) or fault["msg"].removeprefix("Input ").removeprefix("Value error, ")
    message = message.format(**fault.get("ctx", {}))
    return f"{at}: {key!r} is {given!r}: it {message}"


def _known_keys(model: Any, where: Where) -> tuple[str, ...]:
    """The keys of the part of the file at `where`."""
    for part in where:
        if isinstance(part, str):
            model = _model_in(model.model_fields[part].annotation)
    return tuple(model.model_fields)


def _model_in(annotation: Any) -> Any:
    """The model in `Model`, `Model | None` or `tuple[Model, ...]`."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next(found for part in typing.get_args(annotation) if (found := _model_in(part)))


_SHOULD: Final = {
    "tuple_type": "should be a list in brackets",
    "string_type": "should be a text in quotes",
    "string_too_long": "should have {max_length} letters at most",
    "too_long": "should have {max_length} entries at most",
    "path_type": "should be the path of a file, in quotes",
    "int_type": "should be a whole number",
    "float_type": "should be a number",
    "bool_type": "should be true or false",
    "greater_than_equal": "should be {ge} or more",
    "less_than_equal": "should be {le} or less",
}
"""What is to be said of a value of the wrong kind, by pydantic's name for the fault."""

_EXAMPLES: Final = {
    "game": 'for example: game = "all-fives"',
    "players": 'for example: players = ["Ann", "Bo"]',
    "marks": 'for example: marks = ["faces"]',
    "source": 'for example: source = "usb:0"',
    "camera.source": 'for example: source = "usb:0"',
    "camera.python": 'for example: python = "/usr/bin/python3"',
    "cameras.source": 'for example: source = "usb:0"',
    "board.host": 'for example: host = "127.0.0.1"',
    "reader.zones": 'for example: zones = ["play 0", "play 1", "turn-up"]',
    "seat.seat": "for example: seat = 0",
    "buzzer.pin": "for example: pin = 22",
    "display.kind": 'for example: kind = "ssd1306"',
}
