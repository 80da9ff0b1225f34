"""Turn a button's contact changes into presses, and presses into words.

Without I/O. `PressDetector` debounces a contact and detects short, long and double presses. The caller passes in each
change of the contact with its time, and the current time; the result does not depend on how often it asks.

    >>> detector = PressDetector()
    >>> detector.change(1.0, closed=True)
    >>> detector.change(1.1, closed=False)
    >>> detector.presses(1.2)  # a second press may follow
    []
    >>> [press.kind for press in detector.presses(2.0)]
    ['short']
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from engine.views import View


@dataclass(frozen=True, slots=True)
class Control:
    """A press or turn at a seat that chooses in a menu, instead of saying a word of a game.

    `kind`: a press of the button, or a turn of the encoder by `step`. `encoder`: whether the seat has an encoder.
    """

    seat: int
    kind: Literal["short", "long", "double", "turn"]
    step: int = 0
    encoder: bool = False


# Each view lists the words that a seat may say now (`View.words`), in the order of the game's rules. A short press says
# the first, a long one the second, a double one the third. After a word that needs a card or another seat, the table
# asks for it.

Press = Literal["short", "long", "double"]
PRESSES: Final[tuple[Press, ...]] = ("short", "long", "double")


def sayable(view: View, words: Sequence[str]) -> tuple[str, ...]:
    """Return those of `words` that need neither a card nor another seat, in the same order."""
    return tuple(word for word in words if not (word in view.vocabulary and view.vocabulary[word].needs))


def presses(words: Sequence[str]) -> dict[Press, str]:
    """Return the word for each press while a button offers `words`. A fourth word is left to the page or an encoder.

    >>> presses(("stand", "beg")), presses(("", "revoke"))
    ({'short': 'stand', 'long': 'beg'}, {'long': 'revoke'})
    """
    return {press: word for press, word in zip(PRESSES, words, strict=False) if word}


def words_of(view: View, seat: int) -> tuple[str, ...]:
    """Return what `seat` can say with its button now, in the order of the presses; empty for a seat without a player.

    A word that needs a card or another seat comes after the others, and never first: a short press can happen by
    accident. If there are only such words, the first entry is empty. Evidence is laid on the table; the page asks for
    the rest.
    """
    words = view.words[seat] if seat < len(view.words) else ()
    alone = sayable(view, words)
    rest = tuple(word for word in words if word not in alone)
    return (*(alone or ("",)), *rest) if rest else alone


BOUNCE_TIME_S: Final = 0.02
"""Time for which a contact must stay closed or open to count, seconds: contacts of small buttons bounce for 1 to 10 ms,
and the shortest press of a finger takes about 50 ms."""
HOLD_TIME_S: Final = 0.7
"""Time for which a button must be held for a long press, seconds."""
DOUBLE_PRESS_S: Final = 0.35
"""Longest pause between the two halves of a double press, seconds."""


@dataclass(frozen=True, slots=True)
class DetectedPress:
    """A complete press. `start`: when the button went down, seconds; `words`: what the seat could say at that time."""

    kind: Press
    start: float
    words: tuple[str, ...]


class PressDetector:
    """Detects the presses of one button. Times are seconds on a monotonic clock."""

    def __init__(self) -> None:
        self._closed = False
        self._bouncing: tuple[float, bool, tuple[str, ...]] | None = None
        self._down: tuple[float, tuple[str, ...]] | None = None
        self._up: float | None = None  # end of a short press that a second one may follow
        self._first: tuple[float, tuple[str, ...]] = (0.0, ())
        self._presses: list[DetectedPress] = []

    @property
    def busy(self) -> bool:
        """Whether a press has begun that is not complete yet."""
        return self._bouncing is not None or self._down is not None or self._up is not None

    def change(self, time: float, closed: bool, words: tuple[str, ...] = ()) -> None:
        """Process a change of the contact at `time`. `words`: what the seat can say now."""
        self._debounce(time)
        self._bouncing = None if closed == self._closed else (time, closed, words)

    def presses(self, now: float) -> list[DetectedPress]:
        """Return the presses that are complete at `now`, each once."""
        self._debounce(now)
        presses, self._presses = self._presses, []
        return presses

    def _debounce(self, now: float) -> None:
        if self._bouncing is not None and now - self._bouncing[0] >= BOUNCE_TIME_S:
            time, closed, words = self._bouncing
            self._bouncing = None
            self._closed = closed
            self._advance(time)
            if closed:
                self._when_pressed(time, words)
            else:
                self._when_released(time)
        # A change that still bounces may turn out to have happened before `now`.
        self._advance(self._bouncing[0] if self._bouncing is not None else now)

    def _when_pressed(self, time: float, words: tuple[str, ...]) -> None:
        if self._up is not None:
            self._up = None
            self._presses.append(DetectedPress("double", *self._first))
        else:
            self._down = (time, words)

    def _when_released(self, time: float) -> None:
        if self._down is not None:
            self._up, self._first, self._down = time, self._down, None

    def _advance(self, now: float) -> None:
        """Complete the presses that end because time has passed."""
        if self._down is not None and now - self._down[0] >= HOLD_TIME_S:
            self._presses.append(DetectedPress("long", *self._down))
            self._down = None
        if self._up is not None and now - self._up > DOUBLE_PRESS_S:
            self._presses.append(DetectedPress("short", *self._first))
            self._up = None
