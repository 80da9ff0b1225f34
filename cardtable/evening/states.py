"""The states of an evening and their events.

| event | lobby | game | result | asleep |
| --- | --- | --- | --- | --- |
| `edit` (players, game, options) | lobby | – | – | – |
| `begin` | game | – | – | – |
| `go-on` (with an unfinished game) | game | – | – | – |
| `over` (the game) | – | result | – | – |
| `reopen` (an undo at the result) | – | – | game | – |
| `again` | – | – | game | – |
| `other-game`, `other-players` | – | – | lobby | – |
| `break-off` | – | lobby | – | – |
| `change-players` (join, leave) | – | game | – | – |
| `fail` (the rules, or a source) | lobby | lobby | lobby | – |
| `good-night` | asleep | – | asleep | – |
| `wake` | – | – | – | lobby |

A dash: the event is refused with a reason, and nothing changes. After `fail` the lobby has a notice. A button, a touch
or a word at a sleeping table is `wake`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, get_args

from engine.texts import Text, text

Screen = Literal["lobby", "game", "result", "asleep"]
SCREENS: Final[tuple[Screen, ...]] = get_args(Screen)
Event = Literal[
    "edit",
    "begin",
    "go-on",
    "over",
    "reopen",
    "again",
    "other-game",
    "other-players",
    "break-off",
    "change-players",
    "fail",
    "good-night",
    "wake",
]
EVENTS: Final[tuple[Event, ...]] = get_args(Event)

NEXT: Final[Mapping[tuple[Screen, Event], Screen]] = {
    ("lobby", "edit"): "lobby",
    ("lobby", "begin"): "game",
    ("lobby", "go-on"): "game",
    ("lobby", "fail"): "lobby",
    ("lobby", "good-night"): "asleep",
    ("game", "over"): "result",
    ("game", "break-off"): "lobby",
    ("game", "change-players"): "game",
    ("game", "fail"): "lobby",
    ("result", "reopen"): "game",
    ("result", "again"): "game",
    ("result", "other-game"): "lobby",
    ("result", "other-players"): "lobby",
    ("result", "fail"): "lobby",
    ("result", "good-night"): "asleep",
    ("asleep", "wake"): "lobby",
}


class EventRefused(Exception):
    """An event is not possible in the present state, or a choice cannot be made. The text says why."""


def after(screen: Screen, event: Event) -> Screen:
    """Return the state after `event` in the state `screen`. Raises `EventRefused`.

    >>> after("result", "again")
    'game'
    """
    following = NEXT.get((screen, event))
    if following is None:
        raise EventRefused(_refusal(screen, event))
    return following


def _refusal(screen: Screen, event: Event) -> Text:
    if screen == "asleep":
        return text("The table is asleep: wake it first.")
    if event == "wake":
        return text("The table is awake.")
    if screen == "game":
        return text("A game is being played: finish it, or break it off, first.")
    if screen == "result":
        return text("The game is over: choose what comes next first.")
    return text("No game is being played now.")
