"""What is wrong with a configuration, told with the line and what would be right."""

from __future__ import annotations

import re
import tomllib
import typing
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from cardtable.config.toml_lines import Where, line_of, toml_fault
from cardtable.errors import guess_or_all
from engine.texts import Text, text

Place = Callable[[Where], str]
"""Gives the file, and where it can be told the line, for a value of it."""


def not_toml(path: Path, written: str, error: tomllib.TOMLDecodeError) -> str:
    """The file cannot be read at all: the line, and what stands in it."""
    match = re.fullmatch(r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)", str(error), re.DOTALL)
    lines = written.split("\n")
    if match is None:
        return text("{path} is not TOML: {error}", path=path, error=str(error))
    number = int(match[2]) if match[2] else len(written.rstrip("\n").split("\n"))
    stands = lines[number - 1].strip()
    at = text(" where the file ends")
    if match[3]:
        at = text(" at column {column}", column=match[3])
    said = text(
        "{path}, line {number} is not TOML ({what}{at})", path=path, number=number, what=toml_fault(match[1]), at=at
    )
    return text("{place}: {fault}", place=said, fault=stands) if stands else said


def place_of(path: Path, written: str, where: Where) -> str:
    """The file and the line of the value at `where`, or of the part that it is missing from."""
    for end in range(len(where), 0, -1):
        if line := line_of(written, where[:end]):
            return text("{path}, line {line}", path=path, line=line)
    return str(path)


def explained(place: Place, error: ValidationError, model: type[BaseModel]) -> str:
    """The first thing that is wrong. `model`: of the whole file."""
    # A key written wrongly is the reason why another is missing: it is told first.
    fault = min(error.errors(include_url=False), key=lambda fault: fault["type"] != "extra_forbidden")
    where = fault["loc"][:2] if fault["loc"][0] == "options" else fault["loc"]
    return text("{place}: {fault}", place=place(where), fault=_told(fault, where, model))


def _told(fault: ErrorDetails, where: Where, model: type[BaseModel]) -> str:
    key = ".".join(str(part) for part in where if not isinstance(part, int))
    kind, given, more = fault["type"], fault["input"], fault.get("ctx", {})
    if kind == "extra_forbidden":
        guess = guess_or_all(str(where[-1]), _known_keys(model, where[:-1]))
        return text("there is no key {key!r}{guess}", key=key, guess=guess)
    if kind == "missing":
        example = _EXAMPLES.get(key) or text("docs/configuration.md has an example")
        return text("the key {key!r} is missing; {example}", key=key, example=example)
    if kind == "literal_error":
        names = more.get("expected", "").replace(" or ", ", ")
        return text("{key!r} is {given!r}, which is not one of {names}", key=key, given=given, names=names)
    if kind == "tuple_type" and isinstance(given, dict):
        return text("there may be several of {key!r}: write [[{key}]], in double brackets", key=key)
    if kind in ("model_type", "dict_type"):
        head = f"[[{key}]]" if isinstance(where[-1], int) else f"[{key}]"
        said = "{key!r} has keys of its own: write {head} and below it, line by line, what belongs to it"
        return text(said, key=key, head=head)
    if kind in ("too_short", "string_too_short"):
        example = _EXAMPLES.get(key) or text("write something, or take it out")
        return text("{key!r} is empty; {example}", key=key, example=example)
    if where[0] == "options":
        return text("{key!r} should be a number, true, false or a text, not {given!r}", key=key, given=given)
    should = str(more["error"]) if kind == "value_error" else _should(kind, more)
    return text("{key!r} is {given!r}: it {should}", key=key, given=given, should=should)


def _should(kind: str, more: Mapping[str, Any]) -> Text:
    """What is to be said of a value of the wrong kind, by pydantic's name for the fault."""
    match kind:
        case "tuple_type":
            return text("should be a list in brackets")
        case "string_type":
            return text("should be a text in quotes")
        case "string_too_long":
            return text("should have {most} letters at most", most=more["max_length"])
        case "too_long":
            return text("should have {most} entries at most", most=more["max_length"])
        case "path_type":
            return text("should be the path of a file, in quotes")
        case "int_type":
            return text("should be a whole number")
        case "bool_type":
            return text("should be true or false")
        case "greater_than_equal":
            return text("should be {least} or more", least=more["ge"])
        case "less_than_equal":
            return text("should be {most} or less", most=more["le"])
    return text("is not what belongs here: docs/configuration.md tells of every key")


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


_EXAMPLES: Final = {
    "game": text("for example: {line}", line='game = "all-fives"'),
    "players": text("for example: {line}", line='players = ["Ann", "Bo"]'),
    "marks": text("for example: {line}", line='marks = ["faces"]'),
    "source": text("for example: {line}", line='source = "usb:0"'),
    "camera.source": text("for example: {line}", line='source = "usb:0"'),
    "camera.python": text("for example: {line}", line='python = "/usr/bin/python3"'),
    "cameras.source": text("for example: {line}", line='source = "usb:0"'),
    "board.host": text("for example: {line}", line='host = "127.0.0.1"'),
    "reader.zones": text("for example: {line}", line='zones = ["play 0", "play 1", "turn-up"]'),
    "seat.seat": text("for example: {line}", line="seat = 0"),
    "buzzer.pin": text("for example: {line}", line="pin = 22"),
    "display.kind": text("for example: {line}", line='kind = "ssd1306"'),
}
