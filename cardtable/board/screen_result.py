"""The shape of the state after the end of a game."""

from __future__ import annotations

from typing import Literal

from pydantic import with_config
from typing_extensions import TypedDict  # pydantic cannot read the one of Python 3.11

from cardtable.board.screen_game import HistoryEntry, Points, TableState
from cardtable.board.screen_parts import SHAPE, Tally


@with_config(SHAPE)
class SideResult(TypedDict):
    """A side at the end of a game."""

    name: str
    """The names of its players, such as “Ann and Cy”."""
    seats: list[int]
    score: int
    won: bool


@with_config(SHAPE)
class Decided(TypedDict):
    """What decided the game: the last scoring before its end."""

    text: str
    """The action that scored, as a sentence."""
    points: list[Points]
    cards: list[str]
    """The cards that the action names, and those that lay face up beside them."""
    hand: list[HistoryEntry]
    """The actions of the last hand that scored, oldest first."""


@with_config(SHAPE)
class WayOn(TypedDict):
    """What can be done after a game."""

    do: Literal["again", "other-game", "other-players", "good-night"]
    label: str
    about: str
    """What follows, as a sentence, such as who deals."""


@with_config(SHAPE)
class Result(TypedDict):
    """How a game has ended."""

    id: int
    """Its number in the journal."""
    headline: str
    """Who won, as a sentence."""
    notes: list[str]
    """Further sentences about the end, such as a skunk, or what players are asked to check."""
    sides: list[SideResult]
    """The best first."""
    decided: Decided | None
    """None if nothing was scored."""
    seconds: float
    """The time from the first to the last action."""
    tally: Tally
    ways_on: list[WayOn]


@with_config(SHAPE)
class ResultState(TableState):
    """A game that is over: everything of its last state, and the result."""

    screen: Literal["result"]
    result: Result
