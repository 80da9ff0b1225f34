"""Asking for a PIN on the terminal."""

from __future__ import annotations

import getpass
import sys

from cardtable.errors import UsageError
from cardtable.terminal.output import translated
from cardtable.terminal.progress import doing_nothing
from engine.texts import text


def new_pin() -> str:
    """Ask for a new PIN twice, or read it from standard input. Raises `UsageError` if the two differ."""
    doing_nothing()
    if not sys.stdin.isatty():
        return sys.stdin.readline().strip()
    pin = getpass.getpass(translated(text("New PIN (4 to 12 digits): ")))
    if getpass.getpass(translated(text("The same PIN again: "))) != pin:
        raise UsageError(text("director: the two PINs differ: start again"))
    return pin
