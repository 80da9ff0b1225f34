"""The shapes of what `/history/` answers, as JSON (docs/history.md). Times are in seconds since 1970."""

from __future__ import annotations

from typing import Any, TypedDict

from cardtable.journal.games import GameEntry
from cardtable.web.screens import Points
from engine.games import title_of
from engine.texts import Translate, in_language
from engine.views import ranked_sides, side_names


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
    `cardtable.history.statistics` and `cardtable.history.statistics`; a row also has the game's `title`.
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


# A game of the list of games, with its sides.


def game_row(entry: GameEntry, fault: str | None, translate: Translate) -> GameRow:
    """Return what the list of games says of one. `fault`: why it cannot be read; None if it can."""
    return {
        "id": entry.id,
        "game": entry.name,
        "title": title_of(entry.name),
        "players": list(entry.players),
        "sides": _sides(entry, translate),
        "started": entry.started,
        "ended": entry.ended,
        "actions": entry.actions,
        "over": entry.over,
        "error": None if fault is None else in_language(fault, translate),
    }


def _sides(entry: GameEntry, translate: Translate) -> list[SideEntry]:
    result = entry.result
    if result is None or not entry.players:
        return []
    names = side_names(entry.players, len(result.scores))
    ranked = ranked_sides(result.scores, result.winners)
    return [
        {
            "name": in_language(names[side], translate),
            "score": score,
            "won": side in result.winners,
            "rank": ranked.index(side),
        }
        for side, score in enumerate(result.scores)
    ]
