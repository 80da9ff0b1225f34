"""Read a TOML file written by people, and explain its faults: the line, what is wrong, and a suggestion.

tomllib does not report the line of a value, and pydantic does not know it: `line_of` finds it. `explain` turns an error
of pydantic into a message, `read_toml` an error of tomllib.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from cardtable.config.section import Section, example, section_in
from cardtable.errors import UsageError, guess_or_all, why
from cardtable.files import MAX_TOML_BYTES, read_text, toml_values
from cardtable.plugins import EXTRAS
from engine.texts import Text, template, text

_MAX_PARSED: Final = 1_000_000
"""Limit on the characters parsed to find a line. A file of 1,000 lines takes a third of them."""
_MAX_SHOWN: Final = 200
"""Limit on the characters of a line in a message."""

Where = Sequence[int | str]
"""The keys and list indices that lead to a value, such as `("seat", 1, "button")`."""
Place = Callable[[Where], str]
"""Returns the file, and the line if it is known, of the value at a `Where`."""


def line_of(written: str, where: Where) -> int | None:
    """Return the line, from 1, in which the value at `where` begins; None if it is not set, or if the file is too long.

    Prefixes of the file are parsed to find the shortest one with the value, so that inline tables, dotted keys and
    lists over several lines need no special treatment. `written` must be valid TOML.

    >>> line_of('game = "x"\\nvoice.say = "off"\\n[[seat]]\\nseat = 0\\n', ("seat", 0, "seat"))
    4
    """
    lines = written.split("\n")
    parsed = 0

    def has(end: int) -> bool | None:
        """Return whether the first `end` lines have the value; None if they end inside a value."""
        nonlocal parsed
        beginning = "\n".join(lines[:end])
        parsed += len(beginning)
        try:
            return _has(tomllib.loads(beginning), where)
        except tomllib.TOMLDecodeError:
            return None

    # The first `without` lines lack the value, and the first `with_it` lines have it. Both prefixes are valid. At the
    # end, no other valid prefix lies between them.
    without, with_it = 0, len(lines)
    if not has(with_it):
        return None
    while with_it - without > 1 and parsed <= _MAX_PARSED:
        middle = (without + with_it) // 2
        # The valid prefixes nearest to the middle, first those before it.
        for end in (*range(middle, without, -1), *range(middle + 1, with_it)):
            if (found := has(end)) is not None or parsed > _MAX_PARSED:
                break
        else:
            break
        if found:
            with_it = end
        else:
            without = end
    return without + 1 if parsed <= _MAX_PARSED else None


def _has(value: Any, where: Where) -> bool:
    for part in where:
        there = part in value if isinstance(value, dict) else isinstance(value, list) and part in range(len(value))
        if not there:
            return False
        value = value[part]
    return True


def toml_fault(message: str) -> str:
    """Return the message of a `TOMLDecodeError` as a text; an unknown message is returned as it is."""
    for pattern, fault in _FAULTS.items():
        if match := re.fullmatch(pattern, message, re.DOTALL):
            return text(fault, **{name: _key(value) for name, value in match.groupdict().items()})
    return message[:1].lower() + message[1:]


def _key(value: str) -> str:
    """Return `'board.port'` for a key that tomllib writes `('board', 'port')`; anything else unchanged."""
    parts = re.findall(r"'([^']*)'", value) if re.fullmatch(r"\(('[^']*',? ?)+\)", value) else []
    return repr(".".join(parts)) if parts else value


_FAULTS: Final[Mapping[str, str]] = {
    "Invalid statement": template("invalid statement"),
    "Expected newline or end of document after a statement": template(
        "expected newline or end of document after a statement"
    ),
    "Cannot overwrite a value": template("cannot overwrite a value"),
    r"Expected '\]' at the end of a table declaration": template("expected ']' at the end of a table declaration"),
    r"Expected '\]\]' at the end of an array declaration": template("expected ']]' at the end of an array declaration"),
    "Expected '=' after a key in a key/value pair": template("expected '=' after a key in a key/value pair"),
    "Invalid initial character for a key part": template("invalid initial character for a key part"),
    "Unclosed array": template("unclosed array"),
    "Unclosed inline table": template("unclosed inline table"),
    r"Unescaped '\\' in a string": template("unescaped '\\' in a string"),
    "Invalid hex value": template("invalid hex value"),
    "Escaped character is not a Unicode scalar value": template("escaped character is not a Unicode scalar value"),
    "Unterminated string": template("unterminated string"),
    "Invalid date or datetime": template("invalid date or datetime"),
    "Invalid value": template("invalid value"),
    r"Expected (?P<value>.+)": template("expected {value}"),
    r"Found invalid character (?P<value>.+)": template("found invalid character {value}"),
    r"Illegal character (?P<value>.+)": template("illegal character {value}"),
    r"Cannot declare (?P<value>.+) twice": template("cannot declare {value} twice"),
    r"Cannot mutate immutable namespace (?P<value>.+)": template("cannot change {value} any more"),
    r"Cannot redefine namespace (?P<value>.+)": template("cannot declare {value} twice"),
    r"Duplicate inline table key (?P<value>.+)": template("the key {value} is set twice"),
}
"""The messages of tomllib, as regular expressions, and what is said instead."""


def place_of(path: Path, written: str, where: Where) -> str:
    """Return the file and line of the value at `where`, or of the section in which it is missing."""
    for end in range(len(where), 0, -1):
        if line := line_of(written, where[:end]):
            return text("{path}, line {line}", path=path, line=line)
    return str(path)


def explain(place: Place, error: ValidationError, model: type[Section]) -> str:
    """Return the message for the first fault in `error`. `model` is the model of the whole file."""
    # Report an unknown key first: it is often a misspelling, and the reason why another key is missing.
    fault = min(error.errors(include_url=False), key=lambda fault: fault["type"] != "extra_forbidden")
    where = fault["loc"][:2] if fault["loc"][0] == "options" else fault["loc"]
    return text("{place}: {fault}", place=place(where), fault=_explain(fault, where, model))


def _explain(fault: ErrorDetails, where: Where, model: type[Section]) -> str:
    key = ".".join(str(part) for part in where if not isinstance(part, int))
    kind, value, more = fault["type"], fault["input"], fault.get("ctx", {})
    match kind:
        case "extra_forbidden" if len(where) == 1 and key in EXTRAS:
            message = (
                "[{name}] needs a plug-in: pip install 'cardtable[{name}]' (the Debian package contains it), "
                "or leave the section out"
            )
            return text(message, name=key)
        case "extra_forbidden":
            guess = guess_or_all(str(where[-1]), tuple(_section_at(model, where[:-1]).model_fields))
            return text("there is no key {key!r}{guess}", key=key, guess=guess)
        case "missing":
            return text("the key {key!r} is missing; {example}", key=key, example=_example(model, where))
        case "literal_error":
            names = more.get("expected", "").replace(" or ", ", ")
            return text("{key!r} is {value!r}, which is not one of {names}", key=key, value=value, names=names)
        case "tuple_type" if isinstance(value, dict):
            return text("there may be several of {key!r}: write [[{key}]], in double brackets", key=key)
        case "model_type" | "dict_type":
            head = f"[[{key}]]" if isinstance(where[-1], int) else f"[{key}]"
            message = "{key!r} has keys of its own: write {head} and below it, line by line, what belongs to it"
            return text(message, key=key, head=head)
        case "too_short" | "string_too_short":
            return text("{key!r} is empty; {example}", key=key, example=_example(model, where))
    if kind == "value_error" and isinstance(value, dict):  # a section that contradicts itself, in a sentence
        return str(more["error"])
    if where[0] == "options":
        return text("{key!r} should be a number, true, false or a text, not {value!r}", key=key, value=value)
    wish = str(more["error"]) if kind == "value_error" else should(kind, more)
    return text("{key!r} is {value!r}: it {should}", key=key, value=value, should=wish)


def should(kind: str, more: Mapping[str, Any]) -> Text:
    """Describe the expected value. `kind` is pydantic's name of the fault, `more` its context."""
    return wanted(kind, more) or text("is not valid here: docs/reference/configuration.md describes every key")


def wanted(kind: str, more: Mapping[str, Any]) -> Text | None:
    """Describe the expected value; None unless this is a type or range error."""
    return text(_EXPECTED[kind], **more) if kind in _EXPECTED else None


_EXPECTED: Final[Mapping[str, str]] = {
    "tuple_type": template("should be a list in brackets"),
    "list_type": template("should be a list in brackets"),
    "string_type": template("should be a text in quotes"),
    "string_too_long": template("should have {max_length} letters at most"),
    "string_too_short": template("should not be empty"),
    "too_long": template("should have {max_length} entries at most"),
    "path_type": template("should be the path of a file, in quotes"),
    "int_type": template("should be a whole number"),
    "float_type": template("should be a number"),
    "bool_type": template("should be true or false"),
    "greater_than_equal": template("should be {ge} or more"),
    "greater_than": template("should be more than {gt}"),
    "less_than_equal": template("should be {le} or less"),
}
"""What the value should be, by pydantic's name of the fault; pydantic's context fills the template."""


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


def read_toml(path: Path, fault: type[UsageError]) -> tuple[str, dict[str, Any]]:
    """Return the text of the file `path` and the values in it.

    Raises `FileNotFoundError` if the file does not exist, and `fault` with line and reason if it is not TOML.
    """
    try:
        written = read_text(path, MAX_TOML_BYTES)
        return written, toml_values(written)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise fault(text("{path} cannot be read: {why}", path=path, why=why(error))) from error
    except UnicodeDecodeError as error:
        raise fault(text("{path} is not UTF-8 text", path=path)) from error
    except tomllib.TOMLDecodeError as error:
        raise fault(_not_toml(path, written, error)) from error
    except (ValueError, RecursionError) as error:
        message = "{path} cannot be read as TOML: it is nested too deeply, or a number is too long"
        raise fault(text(message, path=path)) from error


def _not_toml(path: Path, written: str, error: tomllib.TOMLDecodeError) -> str:
    """Return the message for a file that is not TOML: the line, the fault, and the content of the line."""
    match = re.fullmatch(r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)", str(error), re.DOTALL)
    lines = written.split("\n")
    if match is None:
        return text("{path} is not TOML: {error}", path=path, error=str(error))
    number = int(match[2]) if match[2] else len(written.rstrip("\n").split("\n"))
    content = lines[number - 1].strip()
    if len(content) > _MAX_SHOWN:
        content = f"{content[:_MAX_SHOWN]}…"
    if match[1] == "Cannot overwrite a value" and (twice := _key_written_twice(lines[:number])):
        key, first = twice
        message = "{path}, line {number}: {key!r} is set in line {first} already; keep one of the two lines"
        return text(message, path=path, number=number, key=key, first=first)
    if twice := _section_written_twice(lines[:number]):
        section, first = twice
        message = "{path}, line {number}: {section} begins in line {first} already; keep one of the two sections"
        return text(message, path=path, number=number, section=section, first=first)
    at = text(" at the end of the file")
    if match[3]:
        at = text(" at column {column}", column=match[3])
    message = text(
        "{path}, line {number} is not TOML ({what}{at})", path=path, number=number, what=toml_fault(match[1]), at=at
    )
    return text("{place}: {fault}", place=message, fault=content) if content else message


def _key_written_twice(lines: Sequence[str]) -> tuple[str, int] | None:
    """Return the key that the last line sets again, and the line, from 1, that set it before in the same section.

    Return None if there is no such line, for example for a key in an inline table.
    """
    match = re.match(r"\s*([^\s=#\[\]]+)\s*=", lines[-1])
    if match is None:
        return None
    for number in range(len(lines) - 1, 0, -1):
        if re.match(rf"\s*{re.escape(match[1])}\s*=", lines[number - 1]):
            return match[1].strip("\"'"), number
        if re.match(r"\s*\[", lines[number - 1]):  # the beginning of the section
            break
    return None


def _section_written_twice(lines: Sequence[str]) -> tuple[str, int] | None:
    """Return the section, such as `[camera]`, that the last line begins again, and the earlier line, from 1.

    Return None if there is no such line.
    """
    sections = [re.match(r"\s*\[\[?\s*([^\]#]+?)\s*\]", line) for line in lines]
    last = sections[-1]
    if last is None:
        return None
    return next(((f"[{last[1]}]", n) for n, each in enumerate(sections[:-1], 1) if each and each[1] == last[1]), None)
