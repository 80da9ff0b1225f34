"""What a seat's light says: your turn, take it back, you won the trick, we wait for you.

Pure: `mood` looks at the table, `level` at the clock; `hardware.seats` switches the pins.

A light that stands in the camera's picture (`in_view`) never blinks, for that would be something that moves on
the table, and nothing is judged while anything moves. It is dimmed as long as a camera reads: a change of its own
brightness whenever the camera looks would again be something that changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from engine.views import Event, View
from hardware.asks import WRONG, Asks

Mood = Literal["off", "turn", "waiting", "take-back", "won"]

WON_S: Final = 2.4
"""For so many seconds a light tells who has won the trick."""
PATIENCE_S: Final = 30.0
"""A turn that takes longer than this begins to be waited for."""
DIMMED: Final = 0.1
"""What is left of a light in the camera's picture while it reads."""

COLOURS: Final[dict[Mood, tuple[float, float, float]]] = {
    "off": (0.0, 0.0, 0.0),
    "turn": (0.0, 1.0, 0.0),
    "waiting": (1.0, 0.5, 0.0),
    "take-back": (1.0, 0.0, 0.0),
    "won": (0.2, 0.2, 1.0),
}
"""Red, green and blue, for a light that has them. A plain one tells by its rhythm alone."""

# (seconds from one beginning to the next, the part of them that the light is on)
_RHYTHM: Final[dict[Mood, tuple[float, float]]] = {"waiting": (2.0, 0.5), "take-back": (0.4, 0.5), "won": (0.8, 0.5)}


def mood(view: View, prompts: Sequence[Asks], seat: int) -> Mood:
    """What the light of `seat` says as long as nothing changes."""
    if any(prompt.kind in WRONG and prompt.seat == seat for prompt in prompts):
        return "take-back"
    if view.over:
        return "off"
    if view.turn == seat:
        return "turn"
    # Nobody in particular is on turn, and still somebody is asked: the dealer, or who must bring evidence.
    asked = any(prompt.kind in ("turn", "evidence", "which-card") and prompt.seat == seat for prompt in prompts)
    return "waiting" if asked else "off"


def has_won(view: View, events: Sequence[Event], seat: int) -> bool:
    """Whether this news is that `seat` has won: the trick, a sweep, the round, the game."""
    if any(event.event == "game-over" for event in events):
        return seat % max(len(view.scores), 1) in view.winners
    return any(event.event in ("trick", "sweep", "round") and event.seat == seat for event in events)


def level(kind: Mood, since: float, now: float, in_view: bool = False, camera_reads: bool = False) -> float:
    """How bright the light is at `now`, 0 to 1, if it has said `kind` since `since`."""
    if kind == "off":
        return 0.0
    if in_view:
        return DIMMED if camera_reads else 1.0
    if kind == "turn":
        if now - since < PATIENCE_S:
            return 1.0
        kind, since = "waiting", since + PATIENCE_S
    period, part = _RHYTHM[kind]
    return 1.0 if (now - since) % period < period * part else 0.0
