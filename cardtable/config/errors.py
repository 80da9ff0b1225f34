"""Explain what is wrong with a configuration: the line, the fault, and a suggestion."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from cardtable.config.section import Section, example, section_in
from cardtable.config.toml_lines import Where, line_of
from cardtable.errors import guess_or_all
from engine.texts import Text, text

Place = Callable[[Where], str]
"""Returns the file, and the line if it is known, of the value at a `Where`."""


def place_of(path: Path, written: str, where: Where) -> str:
    """Return the file and the line of the value at `where`, or of the section that it is missing from."""
    for end in range(len(where), 0, -1):
        if line := line_of(written, where[:end]):
            return text("{path}, line {line}", path=path, line=line)
    return str(path)


def explain(place: Place, error: ValidationError, model: type[Section]) -> str:
    """Return the message for the first fault in `error`. `model`: the model of the whole file."""
    # An unknown key comes first: it is often a misspelling, and the reason why another key is missing.
    fault = min(error.errors(include_url=False), key=lambda fault: fault["type"] != "extra_forbidden")
    where = fault["loc"][:2] if fault["loc"][0] == "options" else fault["loc"]
    return text("{place}: {fault}", place=place(where), fault=_explain(fault, where, model))


def _explain(fault: ErrorDetails, where: Where, model: type[Section]) -> str:
    key = ".".join(str(part) for part in where if not isinstance(part, int))
    kind, given, more = fault["type"], fault["input"], fault.get("ctx", {})
    match kind:
        case "extra_forbidden":
            guess = guess_or_all(str(where[-1]), tuple(_section_at(model, where[:-1]).model_fields))
            return text("there is no key {key!r}{guess}", key=key, guess=guess)
        case "missing":
            return text("the key {key!r} is missing; {example}", key=key, example=_example(model, where))
        case "literal_error":
            names = more.get("expected", "").replace(" or ", ", ")
            return text("{key!r} is {given!r}, which is not one of {names}", key=key, given=given, names=names)
        case "tuple_type" if isinstance(given, dict):
            return text("there may be several of {key!r}: write [[{key}]], in double brackets", key=key)
        case "model_type" | "dict_type":
            head = f"[[{key}]]" if isinstance(where[-1], int) else f"[{key}]"
            template = "{key!r} has keys of its own: write {head} and below it, line by line, what belongs to it"
            return text(template, key=key, head=head)
        case "too_short" | "string_too_short":
            return text("{key!r} is empty; {example}", key=key, example=_example(model, where))
    if where[0] == "options":
        return text("{key!r} should be a number, true, false or a text, not {given!r}", key=key, given=given)
    wish = str(more["error"]) if kind == "value_error" else should(kind, more)
    return text("{key!r} is {given!r}: it {should}", key=key, given=given, should=wish)


def should(kind: str, more: Mapping[str, Any]) -> Text:
    """Return what a value of the wrong kind should be. `kind`: pydantic's name of the fault; `more`: its context."""
    return wanted(kind, more) or text("is not valid here: docs/configuration.md describes every key")


def wanted(kind: str, more: Mapping[str, Any]) -> Text | None:
    """Return what a value should be, as `should`; None for a fault that is not one of a value's kind or size."""
    match kind:
        case "tuple_type" | "list_type":
            return text("should be a list in brackets")
        case "string_type":
            return text("should be a text in quotes")
        case "string_too_long":
            return text("should have {most} letters at most", most=more["max_length"])
        case "string_too_short":
            return text("should not be empty")
        case "too_long":
            return text("should have {most} entries at most", most=more["max_length"])
        case "path_type":
            return text("should be the path of a file, in quotes")
        case "int_type":
            return text("should be a whole number")
        case "float_type":
            return text("should be a number")
        case "bool_type":
            return text("should be true or false")
        case "greater_than_equal":
            return text("should be {least} or more", least=more["ge"])
        case "greater_than":
            return text("should be more than {limit}", limit=more["gt"])
        case "less_than_equal":
            return text("should be {most} or less", most=more["le"])
    return None


def _example(model: type[Section], where: Where) -> Text:
    """Return an example of the key at `where`, which may lead into its value."""
    names = [part for part in where if isinstance(part, str)]
    field: FieldInfo = _section_at(model, names[:-1]).model_fields[names[-1]]
    return text("for example: {line}", line=f"{names[-1]} = {example(field)}")


def _section_at(model: type[Section], where: Where) -> type[Section]:
    """Return the section of the file at `where`."""
    for part in where:
        if isinstance(part, str):
            model = section_in(model.model_fields[part].annotation) or model
    return model
