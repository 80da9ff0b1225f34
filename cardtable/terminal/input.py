"""Typed input for lessons without the page: a number and Enter stand for a button."""

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
from cardtable.terminal.progress import doing_nothing
from engine.texts import commas, text

# Wait for any key without stopping the program.


@contextmanager
def any_key(descriptor: int) -> Iterator[Callable[[], bool] | None]:
    """Yield a function that returns whether a key has been pressed; None if `descriptor` is not that of a terminal.

    Keys count without Enter and are not shown. Ctrl-C still raises `KeyboardInterrupt`.
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


# Asking for a PIN on the terminal.


def new_pin() -> str:
    """Ask for a new PIN twice, or read it from standard input. Raises `UsageError` if the two differ."""
    doing_nothing()
    if not sys.stdin.isatty():
        return sys.stdin.readline().strip()
    pin = getpass.getpass(translated(text("New PIN (4 to 12 digits): ")))
    if getpass.getpass(translated(text("The same PIN again: "))) != pin:
        raise UsageError(text("director: the two PINs differ: start again"))
    return pin


NUMBERS: Final = {"take": 1, "skip": 2, "back": 3, "stop": 4}
"""The number of each button of a lesson. It does not depend on which buttons are shown."""


class Typed:
    """Reads the lines typed in a terminal, without waiting for them."""

    def __init__(self, lines: TextIO) -> None:
        self._lines = lines
        self._open = True

    def choices(self, buttons: Sequence[tuple[str, str]]) -> str:
        """Return the text that lists these buttons with their numbers."""
        known = [text("{number}: {label}", number=NUMBERS[do], label=label) for do, label in buttons]
        return text("A number, and Enter: {choices}", choices=commas(known))

    def pressed(self) -> Iterable[str]:
        """Yield the buttons typed since the last call. Other input is ignored."""
        while self._open and select.select([self._lines], [], [], 0)[0]:
            line = self._lines.readline()
            self._open = bool(line)
            yield from (do for do, number in NUMBERS.items() if line.strip() == str(number))
