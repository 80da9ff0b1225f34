"""Input from the terminal: any key, a new PIN, and lines that stand for the buttons of a page."""

from __future__ import annotations

import getpass
import os
import select
import sys
import termios
import tty
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final, TextIO

from cardtable.errors import UsageError
from cardtable.terminal.output import translated
from cardtable.terminal.progress import hide_activity
from engine.texts import commas, text

NUMBERS: Final = {"take": 1, "skip": 2, "back": 3, "stop": 4}
"""The number that stands for each button of a lesson, whichever buttons are shown."""


@contextmanager
def any_key(descriptor: int) -> Iterator[Callable[[], bool] | None]:
    """Yield a function that returns whether a key has been pressed; None if `descriptor` is not a terminal.

    Keys need no Enter and are not echoed. Ctrl-C still raises `KeyboardInterrupt`.
    """
    if not os.isatty(descriptor):
        yield None
        return
    before = termios.tcgetattr(descriptor)
    tty.setcbreak(descriptor, termios.TCSAFLUSH)
    try:
        yield lambda: bool(select.select([descriptor], [], [], 0)[0])
    finally:
        termios.tcsetattr(descriptor, termios.TCSAFLUSH, before)


def new_pin() -> str:
    """Ask twice for a new PIN. Raises `UsageError` if the two differ.

    If standard input is not a terminal, the PIN is read once.
    """
    hide_activity()
    if not sys.stdin.isatty():
        return sys.stdin.readline().strip()
    pin = getpass.getpass(translated(text("New PIN (4 to 12 digits): ")))
    if getpass.getpass(translated(text("The same PIN again: "))) != pin:
        raise UsageError(text("director: the two PINs differ: start again"))
    return pin


class Typed:
    """Read lines from a terminal without blocking. A number and Enter stand for a button."""

    def __init__(self, lines: TextIO) -> None:
        self._lines = lines
        self._open = True

    def choices(self, buttons: Sequence[tuple[str, str]]) -> str:
        """Return a text that lists the buttons with their numbers."""
        choices = [text("{number}: {label}", number=NUMBERS[name], label=label) for name, label in buttons]
        return text("A number, and Enter: {choices}", choices=commas(choices))

    def pressed(self) -> Iterable[str]:
        """Yield the names of the buttons typed since the last call. Other input is ignored."""
        while self._open and select.select([self._lines], [], [], 0)[0]:
            line = self._lines.readline()
            self._open = bool(line)
            yield from (name for name, number in NUMBERS.items() if line.strip() == str(number))
