"""Where in a TOML file a value is set: tomllib reads it and does not tell."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from typing import Any

Where = Sequence[int | str]
"""The keys and places in lists that lead to a value: `("seat", 1, "button")`."""


def line_of(text: str, where: Where) -> int | None:
    """The line in which the value at `where` begins, from 1; None where there is no such value.

    The file is read line by line further down, until the value is there; so inline tables, dotted keys and lists over
    several lines are found as the language has them. `text` must be TOML.

    >>> line_of('game = "x"\\nvoice.say = "off"\\n[[seat]]\\nseat = 0\\n', ("seat", 0, "seat"))
    4
    """
    lines = text.split("\n")
    begins = 0
    for end in range(1, len(lines) + 1):
        try:
            read = tomllib.loads("\n".join(lines[:end]))
        except tomllib.TOMLDecodeError:
            continue  # in the middle of a value
        if _has(read, where):
            return begins + 1
        begins = end
    return None


def _has(value: Any, where: Where) -> bool:
    for part in where:
        there = part in value if isinstance(value, dict) else isinstance(value, list) and part in range(len(value))
        if not there:
            return False
        value = value[part]
    return True
