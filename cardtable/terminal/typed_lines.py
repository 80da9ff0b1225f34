"""Typed input for lessons without the page: a number and Enter stand for a button."""

from __future__ import annotations

import select
from collections.abc import Iterable, Sequence
from typing import Final, TextIO

from engine.texts import commas, text

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
