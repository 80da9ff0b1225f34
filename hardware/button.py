"""A button's story told as presses: its contacts bounce, and one press may be the first half of two.

Pure: it is given every change of the contact with its time, and the time that has come. What it finds does not
depend on how often it is asked.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hardware.words import Press

BOUNCE_S: Final = 0.02
"""A contact counts as closed or open once it has stayed so for this long: contacts of small buttons bounce for
1 to 10 ms, and the shortest press of a finger takes about 50 ms."""
LONG_S: Final = 0.7
"""A press is long once the button has been held for so many seconds."""
DOUBLE_S: Final = 0.35
"""A second press is the second half of a double one if it begins within so many seconds of the end of the first."""


@dataclass(frozen=True, slots=True)
class Pressed:
    """A press that was found. `began`: when the button went down; `offer`: what was on offer then."""

    kind: Press
    began: float
    offer: tuple[str, ...]


class Presses:
    """Finds the presses in a contact's changes. Times are seconds on any one clock, and never go back."""

    def __init__(self) -> None:
        self._closed = False
        self._unsettled: tuple[float, bool, tuple[str, ...]] | None = None
        self._down: tuple[float, tuple[str, ...]] | None = None
        self._up: float | None = None  # a short press has ended, and a second may follow
        self._first: tuple[float, tuple[str, ...]] = (0.0, ())
        self._found: list[Pressed] = []

    @property
    def busy(self) -> bool:
        """Whether a press is going on that is not told yet."""
        return self._unsettled is not None or self._down is not None or self._up is not None

    def change(self, time: float, closed: bool, offer: tuple[str, ...] = ()) -> None:
        """The contact has closed or opened. `offer`: the words on offer now."""
        self._settle(time)
        self._unsettled = None if closed == self._closed else (time, closed, offer)

    def found(self, now: float) -> list[Pressed]:
        """The presses that have become clear by `now`, each told once."""
        self._settle(now)
        found, self._found = self._found, []
        return found

    def _settle(self, now: float) -> None:
        if self._unsettled is not None and now - self._unsettled[0] >= BOUNCE_S:
            time, closed, offer = self._unsettled
            self._unsettled = None
            self._closed = closed
            self._wait(time)
            if closed:
                self._pressed(time, offer)
            else:
                self._released(time)
        # What is not settled yet may still turn out to have happened before `now`.
        self._wait(self._unsettled[0] if self._unsettled is not None else now)

    def _pressed(self, time: float, offer: tuple[str, ...]) -> None:
        if self._up is not None:
            self._up = None
            self._found.append(Pressed("double", *self._first))
        else:
            self._down = (time, offer)

    def _released(self, time: float) -> None:
        if self._down is not None:
            self._up, self._first, self._down = time, self._down, None

    def _wait(self, now: float) -> None:
        """What comes of time that passes alone, up to `now`."""
        if self._down is not None and now - self._down[0] >= LONG_S:
            self._found.append(Pressed("long", *self._down))
            self._down = None
        if self._up is not None and now - self._up > DOUBLE_S:
            self._found.append(Pressed("short", *self._first))
            self._up = None
