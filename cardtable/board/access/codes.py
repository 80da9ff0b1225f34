"""The codes that pair a phone with a player: short, valid for minutes, and for one phone only."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

LETTERS: Final = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
"""Without those that are mistaken for others: I, L, O, 0, 1."""
LENGTH: Final = 6
"""31 to the power of 6, nearly 900 million codes."""
VALID_S: Final = 180.0
_MOST_OF_PLAYER: Final = 2
"""Codes of one player that are valid at a time: while one is typed, the board may already show the next one."""


@dataclass(frozen=True, slots=True)
class Code:
    """A code for the phone of `player`, who sat at `seat`. `until`: seconds of the clock."""

    code: str
    player: str
    seat: int
    until: float


class Codes:
    """The codes that are valid now. They are kept in memory only. `clock`: seconds."""

    def __init__(self, clock: Callable[[], float], choose: Callable[[str], str] = secrets.choice) -> None:
        self._clock = clock
        self._choose = choose
        self._valid: dict[str, Code] = {}

    def make(self, player: str, seat: int) -> Code:
        """Return a new code for the phone of `player`."""
        self._expire()
        mine = [code for code in self._valid.values() if code.player == player]
        for old in mine[: len(mine) - _MOST_OF_PLAYER + 1]:
            del self._valid[old.code]
        while (letters := "".join(self._choose(LETTERS) for _ in range(LENGTH))) in self._valid:
            pass
        code = Code(letters, player, seat, self._clock() + VALID_S)
        self._valid[letters] = code
        return code

    def use(self, written: str) -> Code | None:
        """Return the code that a person has written, which is then used up; None if it is not valid."""
        self._expire()
        return self._valid.pop("".join(letter for letter in written.upper() if letter in LETTERS), None)

    def withdraw(self, player: str) -> None:
        """Make the codes of `player` invalid."""
        self._valid = {letters: code for letters, code in self._valid.items() if code.player != player}

    def _expire(self) -> None:
        now = self._clock()
        self._valid = {letters: code for letters, code in self._valid.items() if code.until > now}
