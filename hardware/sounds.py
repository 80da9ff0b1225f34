"""The table's buzzer: a card to take back, an action refused, a button press, the end of the game.

There is one buzzer for the table, on or off, without pitch. It sounds once, when a condition begins; the light of the
seat keeps showing it. Without I/O, except that `Beeper` calls the switch it is given.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Literal, get_args

from engine.views import Event
from hardware.prompts import MISPLACED, PromptLike

Sound = Literal["pressed", "take-back", "refused", "game-over"]
SOUNDS: Final[tuple[Sound, ...]] = get_args(Sound)

RHYTHMS: Final[dict[Sound, tuple[float, ...]]] = {
    "pressed": (0.03,),
    "take-back": (0.15, 0.1, 0.15),
    "refused": (0.06, 0.06, 0.06, 0.06, 0.06),
    "game-over": (0.6,),
}
"""Durations in seconds: on, off, on, …"""


def sound_of(before: Sequence[PromptLike], after: Sequence[PromptLike], events: Sequence[Event]) -> Sound | None:
    """Return the most urgent sound for the change from the prompts `before` to those `after`, or None."""
    old = {(prompt.kind, prompt.seat, prompt.text) for prompt in before if prompt.urgent}
    urgent = [prompt for prompt in after if prompt.urgent]
    new = {prompt.kind for prompt in urgent if (prompt.kind, prompt.seat, prompt.text) not in old}
    if new & MISPLACED:
        return "take-back"
    if "refused" in new:
        return "refused"
    return "game-over" if any(event.ends == "game" for event in events) else None


class Beeper:
    """Plays one sound at a time through `switch(on)`; a new sound replaces the present one."""

    def __init__(self, switch: Callable[[bool], None], sounds: Sequence[Sound] = SOUNDS) -> None:
        self._switch = switch
        self._sounds = frozenset(sounds)
        self._changes: list[float] = []
        self._on = False

    @property
    def busy(self) -> bool:
        """Whether a sound is being played."""
        return self._on or bool(self._changes)

    def play(self, sound: Sound, now: float) -> None:
        """Start `sound` at `now` (seconds), if it is one of the enabled ones."""
        if sound in self._sounds:
            time, self._changes = now, [now]
            for length in RHYTHMS[sound]:
                time += length
                self._changes.append(time)
            self._set(False)
            self.tick(now)

    def tick(self, now: float) -> None:
        """Make the switches that are due at `now` (seconds)."""
        while self._changes and self._changes[0] <= now:
            self._changes.pop(0)
            # An odd number of changes is left during a tone, an even one during a pause.
            self._set(len(self._changes) % 2 == 1)

    def _set(self, on: bool) -> None:
        if on != self._on:
            self._on = on
            self._switch(on)
