"""The light at a seat: your turn, take the card back, you won the trick, we are waiting for you.

Without I/O: `light_state` depends on the table, `brightness` on the clock; `hardware.seats` switches the pins.

A light in the camera's picture (`in_view`) never blinks, because the camera pipeline would take that for movement and
wait until it ends. It is dimmed all the time while a camera is in use, because each change of brightness would count as
a change on the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from engine.views import Event, View
from hardware.prompts import MISPLACED, PromptLike

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


def light_state(view: View, prompts: Sequence[PromptLike], seat: int) -> LightState:
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
