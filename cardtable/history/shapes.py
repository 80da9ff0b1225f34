"""The shapes of what `/history/` answers, as JSON (docs/history.md). Times are in seconds since 1970."""

from __future__ import annotations

from typing import Any, TypedDict

from cardtable.board.screen_game import Points


class SideEntry(TypedDict):
    """A side of a game in the list."""

    name: str
    score: int
    won: bool
    rank: int
    """Its place in the result, 0 for the first: the winner, then the better scores."""


class GameRow(TypedDict):
    """A game in the list."""

    id: int
    game: str
    title: str
    players: list[str]
    sides: list[SideEntry]
    """In the order of the seats."""
    started: float
    ended: float | None
    actions: int
    over: bool
    error: str | None
    """Why it cannot be read; None if it can."""


class NamedGame(TypedDict):
    """A game that was played at this table."""

    game: str
    title: str


class KnownNames(TypedDict):
    """Who has played at this table, and what."""

    players: list[str]
    kinds: list[NamedGame]


class GameRows(KnownNames):
    """`games.json`: some games, newest first."""

    games: list[GameRow]
    more: bool
    """Whether there are older ones."""
    left: int
    """How many old games are still to be counted: ask again."""


class Statistics(KnownNames):
    """`statistics.json`: what is counted. `rows`, `against` and `evenings` have the keys of
    `cardtable.history.statistics` and `cardtable.history.evenings`; a row also has the game's `title`.
    """

    rows: list[dict[str, Any]]
    against: list[dict[str, Any]]
    evenings: list[dict[str, Any]]
    left: int


class StepEntry(TypedDict):
    """An action that stands."""

    n: int
    """Its line in the record."""
    seat: int | None
    text: str
    points: list[Points]
    events: list[str]
    scores: list[int]
    time: float
    ends: str | None
    """What is complete after it: `trick`, `hand`, `game`; None if nothing is."""
    picture: bool
    """Whether a picture of the camera was kept."""


class GameSteps(GameRow):
    """`game.json`: one game with its actions."""

    steps: list[StepEntry]
    last: int
    """How many actions were done when the last two tricks began."""


class StepState(TypedDict):
    """What the board showed after an action."""

    state: Any
    """As `/state.json` has it for a game."""
    hands: list[list[str]]
    """The cards of each seat's hand that the table knew; empty unless the game is over."""


class StepStates(TypedDict):
    """`steps.json`: `first` is the number of actions done before the first state."""

    first: int
    steps: list[StepState]
