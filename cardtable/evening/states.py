"""The states of an evening, and the messages that lead from one to the next.

A message that the present state does not have in `NEXT` is refused with a reason, and nothing changes. Besides, a game
leads to its result when it is over, an undo at the result leads back to the game, and a fault in the rules or in a
source leads to the lobby, with a notice. A button, a touch or a word at a sleeping table is `wake`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, get_args

from engine.texts import Text, text

Screen = Literal["lobby", "game", "result", "asleep"]
SCREENS: Final[tuple[Screen, ...]] = get_args(Screen)
_EDITS: Final = (
    *("choose-game", "set-option", "set-dealer", "ready-for-round"),
    *("add-player", "remove-player", "move-player", "rename-player", "forget-player"),
)
NEXT: Final[Mapping[Screen, Mapping[str, Screen]]] = {
    "lobby": {**dict.fromkeys(_EDITS, "lobby"), "begin": "game", "go-on": "game", "good-night": "asleep"},
    "game": {"break-off": "lobby", "change-game": "game", "join": "game", "leave": "game"},
    "result": {
        "again": "game",
        "change-game": "game",
        "other-game": "lobby",
        "other-players": "lobby",
        "good-night": "asleep",
    },
    "asleep": {"wake": "lobby"},
}
"""For each state, the messages that it accepts (their `do`), and the state that follows."""


class EventRefused(Exception):
    """A message is not possible in the present state, or a choice cannot be made. The text says why."""


def after(screen: Screen, message: str) -> Screen:
    """Return the state after `message` in the state `screen`. Raises `EventRefused`.

    >>> after("result", "again")
    'game'
    """
    following = NEXT[screen].get(message)
    if following is None:
        raise EventRefused(_refusal(screen, message))
    return following


def _refusal(screen: Screen, message: str) -> Text:
    if screen == "asleep":
        return text("The table is asleep: wake it first.")
    if message == "wake":
        return text("The table is awake.")
    if screen == "game":
        return text("A game is being played: finish it, or break it off, first.")
    if screen == "result":
        return text("The game is over: choose what comes next first.")
    return text("No game is being played now.")
