"""What the table's buzzer tells: a card to be taken back, something not accepted, a press that was heard, the end.

There is one buzzer for the table, on or off, without pitch. It sounds once, when something begins; the light of
the seat goes on saying it. Pure, but for `Beeper`, which switches what it is given.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Literal, get_args

from engine.views import Event
from hardware.asks import WRONG, Asks

Sound = Literal["pressed", "take-back", "refused", "game-over"]
SOUNDS: Final[tuple[Sound, ...]] = get_args(Sound)

RHYTHMS: Final[dict[Sound, tuple[float, ...]]] = {
    "pressed": (0.03,),
    "take-back": (0.15, 0.1, 0.15),
    "refused": (0.06, 0.06, 0.06, 0.06, 0.06),
    "game-over": (0.6,),
}
"""Seconds on, off, on, …"""


def sound_of(before: Sequence[Asks], now: Sequence[Asks], events: Sequence[Event]) -> Sound | None:
    """What should be heard when `before` has become `now`, the most urgent if several."""
    old = {(prompt.kind, prompt.seat, prompt.text) for prompt in before}
    new = {prompt.kind for prompt in now if (prompt.kind, prompt.seat, prompt.text) not in old}
    if new & WRONG:
        return "take-back"
    if "refused" in new:
        return "refused"
    return "game-over" if any(event.event == "game-over" for event in events) else None


class Beeper:
    """Plays one sound at a time through `switch(on)`; a new one takes the place of the one that sounds."""

    def __init__(self, switch: Callable[[bool], None], sounds: Sequence[Sound] = SOUNDS) -> None:
        self._switch = switch
        self._sounds = frozenset(sounds)
        self._changes: list[float] = []
        self._on = False

    @property
    def busy(self) -> bool:
        """Whether a sound has not ended yet."""
        return self._on or bool(self._changes)

    def play(self, sound: Sound, now: float) -> None:
        """Begin `sound`, if it is one of those wanted."""
        if sound in self._sounds:
            time, self._changes = now, [now]
            for length in RHYTHMS[sound]:
                time += length
                self._changes.append(time)
            self._set(False)
            self.tick(now)

    def tick(self, now: float) -> None:
        """Switch on or off what is due."""
        while self._changes and self._changes[0] <= now:
            self._changes.pop(0)
            # An even number of changes is left after each beginning of a pause, an odd one after each of a tone.
            self._set(len(self._changes) % 2 == 1)

    def _set(self, on: bool) -> None:
        if on != self._on:
            self._on = on
            self._switch(on)
