"""Why a step of an update failed."""

from typing import Final

LINES: Final = 12


class Failed(Exception):
    """A step failed. `why`: the reason, as in the status (updater.py); `said`: what the program that failed printed."""

    def __init__(self, why: str, said: str = "") -> None:
        super().__init__(why)
        self.why: Final = why
        self.said: Final = said


def last_lines(text: str) -> str:
    """Return the last lines of a program's output."""
    return "\n".join(text.strip().splitlines()[-LINES:])
