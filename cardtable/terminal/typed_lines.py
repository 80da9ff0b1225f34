"""What somebody types who has no page: a number and Enter, instead of a button that is pressed."""

from __future__ import annotations

import select
from collections.abc import Iterable, Sequence
from typing import Final, TextIO

from engine.texts import commas, text

NUMBERS: Final = {"take": 1, "skip": 2, "back": 3, "stop": 4}
"""What each button of a lesson is called by: always the same, whichever of them there are."""


class Typed:
    """Reads the lines of a terminal as they come; never waits for one."""

    def __init__(self, lines: TextIO) -> None:
        self._lines = lines
        self._open = True

    def choices(self, buttons: Sequence[tuple[str, str]]) -> str:
        """What may be typed, for these buttons."""
        known = [text("{number}: {label}", number=NUMBERS[do], label=label) for do, label in buttons]
        return text("A number, and Enter: {choices}", choices=commas(known))

    def pressed(self) -> Iterable[str]:
        """The buttons that were typed since this was asked last. Anything else is passed over."""
        while self._open and select.select([self._lines], [], [], 0)[0]:
            line = self._lines.readline()
            self._open = bool(line)
            yield from (do for do, number in NUMBERS.items() if line.strip() == str(number))
