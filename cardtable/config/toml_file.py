"""Read a TOML file that people write, and explain what makes it unreadable."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from cardtable.config.toml_lines import toml_fault
from cardtable.errors import UsageError, why
from cardtable.files import MAX_TOML_BYTES, read_text
from engine.texts import text

_LONGEST_SHOWN: Final = 200
"""Characters of a line that are shown at most."""


def read_toml(path: Path, fault: type[UsageError]) -> tuple[str, dict[str, Any]]:
    """Return the text of the file `path`, which may begin with a byte order mark, and the values in it.

    Raises `FileNotFoundError` if it does not exist, and `fault` with the line and the reason if it is not TOML.
    """
    try:
        written = read_text(path, MAX_TOML_BYTES)
        return written, tomllib.loads(written)
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
    if len(content) > _LONGEST_SHOWN:
        content = f"{content[:_LONGEST_SHOWN]}…"
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
    """Return the key that the last line sets again, and the line, from 1, in which it was set before in this part.

    Return None if the key cannot be found so simply, as inside an inline table.
    """
    match = re.match(r"\s*([^\s=#\[\]]+)\s*=", lines[-1])
    if match is None:
        return None
    for number in range(len(lines) - 1, 0, -1):
        if re.match(rf"\s*{re.escape(match[1])}\s*=", lines[number - 1]):
            return match[1].strip("\"'"), number
        if re.match(r"\s*\[", lines[number - 1]):  # another part begins here
            break
    return None


def _section_written_twice(lines: Sequence[str]) -> tuple[str, int] | None:
    """Return the section, `[camera]`, that the last line begins again, and the line, from 1, in which it began before.

    Return None if the last line begins no section, or one that has no line of its own before.
    """
    sections = [re.match(r"\s*\[\[?\s*([^\]#]+?)\s*\]", line) for line in lines]
    last = sections[-1]
    if last is None:
        return None
    return next(((f"[{last[1]}]", n) for n, each in enumerate(sections[:-1], 1) if each and each[1] == last[1]), None)
