"""The shape of the state that the board sends: one `TypedDict` for each screen.

`screen` says which one it is: `lobby`, `game`, `result` or `asleep`. mypy checks the code that makes the states against
these types; the JSON Schema (`cardtable.board.interface`) and the tables of docs/interface.md come from them.

Texts (`str` that is described as a sentence, a name or a label for people) are in the table's language. Names of games,
words, zones and reasons are for programs.
"""

from __future__ import annotations

from typing import Literal, NotRequired

from pydantic import with_config
from typing_extensions import TypedDict  # pydantic cannot read the one of Python 3.11

from cardtable.board.screen_game import GameScreen
from cardtable.board.screen_lobby import LobbyState
from cardtable.board.screen_parts import SHAPE, Common
from cardtable.board.screen_result import ResultState


@with_config(SHAPE)
class AsleepState(Common):
    """Good night: lights, displays and voice are off, cameras and readers are closed."""

    screen: Literal["asleep"]
    text: str
    """How to wake the table, as a sentence."""


@with_config(SHAPE)
class MisfitState(TypedDict):
    """A later action that does not fit a correction, so that a person has to decide."""

    action: str
    """What it is, as a sentence."""
    reason: str
    """Why it does not fit."""
    lost: list[str]
    """What would be taken back, this action first. The same message with `stop` does it."""


@with_config(SHAPE)
class Refusal(TypedDict):
    """The answer to a message that was refused; nothing has changed. It goes only to the page that sent it."""

    refused: str
    """Why, as a sentence."""
    misfit: NotRequired[MisfitState]
    """Given if a correction needs a decision."""


State = LobbyState | GameScreen | ResultState | AsleepState
"""What `/state.json` and the WebSocket give."""
