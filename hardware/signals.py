"""What the light at a seat and the table's buzzer signal: your turn, take the card back, you won the trick.

Without I/O, except that `Dimmer` and `Beeper` call the switches passed to them: `light_state` depends on the table and
`brightness` on the clock; `hardware.seats` switches the pins.

A light in the camera's picture (`in_view`) never blinks, because the camera pipeline would see movement and wait for
its end. While a camera is in use it stays dimmed, because a change of brightness would count as a change on the table.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Final, Literal, get_args

from engine.views import MISPLACED, Event, Prompt, View


class Dimmer:
    """Dims a light by switching it on and off `frequency` times a second, until `close`.

    `part`, the part of the time for which the light is on (0 to 1), may be set at any time. `switch` is called in the
    dimmer's thread with True for on and False for off; for a part of 0 or 1, only when the part changes.
    """

    def __init__(self, switch: Callable[[bool], None], frequency: float, part: float = 0.0) -> None:
        self.frequency = frequency
        self._switch = switch
        self._part = part
        self._closed = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="dimmer", daemon=True)
        self._thread.start()

    @property
    def part(self) -> float:
        """The part of the time for which the light is on."""
        return self._part

    @part.setter
    def part(self, value: float) -> None:
        with self._changed:
            self._part = value
            self._changed.notify()

    def close(self) -> None:
        """Switch the light off and end the thread. May be called twice."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        self._thread.join()

    def _run(self) -> None:
        period = 1 / self.frequency
        while not self._closed:
            part = self._part
            self._switch(part > 0)
            if 0 < part < 1:
                self._wait(part * period)
                self._switch(False)
                self._wait((1 - part) * period)
            else:
                self._wait(None, part)
        self._switch(False)

    def _wait(self, seconds: float | None, until_not: float | None = None) -> None:
        """Wait for `seconds`, or until the part differs from `until_not`, or until `close`."""
        with self._changed:
            self._changed.wait_for(
                lambda: self._closed or (until_not is not None and self._part != until_not), timeout=seconds
            )


LightState = Literal["off", "turn", "waiting", "take-back", "won"]

WON_S: Final = 2.4
"""How long a light shows who has won the trick, seconds."""
PATIENCE_S: Final = 30.0
"""Length of a turn after which its light begins to blink, seconds."""
DIMMED: Final = 0.1
"""Brightness of a light in the camera's picture while a camera is in use, 0 to 1."""

COLOURS: Final[dict[LightState, tuple[float, float, float]]] = {
    "off": (0.0, 0.0, 0.0),
    "turn": (0.0, 1.0, 0.0),
    "waiting": (1.0, 0.5, 0.0),
    "take-back": (1.0, 0.0, 0.0),
    "won": (0.2, 0.2, 1.0),
}
"""Red, green and blue, 0 to 1, for RGB lights. Lights of one colour differ by rhythm alone."""

# (period in seconds, duty cycle)
_RHYTHM: Final[dict[LightState, tuple[float, float]]] = {
    "waiting": (2.0, 0.5),
    "take-back": (0.4, 0.5),
    "won": (0.8, 0.5),
}


def light_state(view: View, prompts: Sequence[Prompt], seat: int) -> LightState:
    """Return the state of the light at `seat` until the table changes."""
    if any(prompt.urgent and prompt.kind in MISPLACED and prompt.seat == seat for prompt in prompts):
        return "take-back"
    if view.over:
        return "off"
    if seat == (view.turn if view.actor is None else view.actor):
        return "turn"
    # A player can be asked for something without being on turn: the dealer, or one who must show evidence.
    asked = any(prompt.kind in ("turn", "evidence", "which-card") and prompt.seat == seat for prompt in prompts)
    return "waiting" if asked else "off"


def has_won(view: View, events: Sequence[Event], seat: int) -> bool:
    """Return whether `events` say that `seat` has won something, such as a trick, or the game."""
    if any(event.ends == "game" for event in events):
        return seat % max(len(view.scores), 1) in view.winners
    return any(event.won and event.seat == seat for event in events)


def brightness(state: LightState, since: float, now: float, in_view: bool = False, camera_reads: bool = False) -> float:
    """Return the brightness at `now`, 0 to 1, of a light that has been in `state` since `since` (seconds)."""
    if state == "off":
        return 0.0
    if in_view:
        return DIMMED if camera_reads else 1.0
    if state == "turn":
        if now - since < PATIENCE_S:
            return 1.0
        state, since = "waiting", since + PATIENCE_S
    period, duty = _RHYTHM[state]
    return 1.0 if (now - since) % period < period * duty else 0.0


# The table has one buzzer, which is on or off and has no pitch. It sounds once when a condition begins; the light of
# the seat keeps showing the condition.

Sound = Literal["pressed", "take-back", "refused", "game-over"]
SOUNDS: Final[tuple[Sound, ...]] = get_args(Sound)

RHYTHMS: Final[dict[Sound, tuple[float, ...]]] = {
    "pressed": (0.03,),
    "take-back": (0.15, 0.1, 0.15),
    "refused": (0.06, 0.06, 0.06, 0.06, 0.06),
    "game-over": (0.6,),
}
"""Durations in seconds: on, off, on, …"""


def sound_of(before: Sequence[Prompt], after: Sequence[Prompt], events: Sequence[Event]) -> Sound | None:
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
