"""The JSON objects that `/history/` answers with (docs/how-to/history.md). Times are in seconds since 1970."""

from __future__ import annotations

from typing import Any, TypedDict

from cardtable.journal.games import GameEntry
from cardtable.web.screens import Points
from engine.games import title_of
from engine.texts import Translate, in_language
from engine.views import ranked_sides, side_names


class SideEntry(TypedDict):
    """A side of a listed game."""

    name: str
    score: int
    won: bool
    rank: int
    """Its place in the result, from 0: winners first, then by score."""


class GameRow(TypedDict):
    """A listed game."""

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
    """Why the game cannot be read; None if it can."""


class NamedGame(TypedDict):
    """A kind of game that was played at this table."""

    game: str
    title: str


class KnownNames(TypedDict):
    """Who has played at this table, and what."""

    players: list[str]
    kinds: list[NamedGame]


class GameRows(KnownNames):
    """`games.json`: a page of games, newest first."""

    games: list[GameRow]
    more: bool
    """Whether there are older games."""


class Statistics(KnownNames):
    """`statistics.json`.

    `rows` and `against` are the named tuples of `cardtable.history.statistics` as objects; a row also has the game's
    `title`.
    """

    rows: list[dict[str, Any]]
    against: list[dict[str, Any]]


class Course(TypedDict):
    """The course of a score, for a small picture of it."""

    scores: list[tuple[int, ...]]
    """The score of each side at the beginning and after each hand."""
    hands: int
    target: int | None
    lowest_wins: bool


class MomentEntry(TypedDict):
    """A moment that people remember."""

    id: int
    """The game."""
    at: int
    """The number of actions after which it was."""
    kind: str
    headline: str
    cards: list[str]
    follows: str


class EveningGame(GameRow):
    """A game of an evening."""

    card: str | None
    """The card that stands for it."""
    course: Course | None
    """None if it is not ready, or the game cannot be read."""


class EveningRow(TypedDict):
    """An evening in the list."""

    id: int
    """Its newest game."""
    began: float
    ended: float
    players: list[dict[str, Any]]
    """The named tuples `PlayerTally` as objects, the most successful first."""
    games: list[EveningGame]
    """In the order in which they were played."""
    moments: list[MomentEntry]
    """The best."""


class EveningRows(KnownNames):
    """`evenings.json`: a page of evenings, newest first."""

    evenings: list[EveningRow]
    more: bool
    """Whether there are older ones."""
    unfinished: list[GameRow]
    """The newest games that are not over; only on the first page."""
    left: int
    """The number of games whose highlights are not ready: ask again."""


class FeatEntry(TypedDict):
    """What one player holds of a record, or several who did it together."""

    players: list[str]
    value: int
    id: int
    """The game, the newest one if feats are counted."""
    time: float
    cards: list[str]


class RecordEntry(TypedDict):
    """A record of a game."""

    title: str
    counted: bool
    """Whether `value` says how often."""
    holders: list[FeatEntry]
    """The best first, at most three."""


class Records(KnownNames):
    """`records.json`: the records of one kind of game."""

    game: str
    records: list[RecordEntry]
    standings: list[dict[str, Any]]
    """The named tuples `PlayerStatistics` as objects, the most successful first."""
    left: int


class PlayerRecord(RecordEntry):
    """A record that a player holds."""

    game: str
    """The title of the kind of game."""


class PlayerPage(KnownNames):
    """`player.json`: one player."""

    player: str
    rows: list[dict[str, Any]]
    """As in `statistics.json`: all kinds of games together, then each."""
    against: list[dict[str, Any]]
    course: list[tuple[int, int]]
    """How many games the player had played and won, at the beginning and after each evening."""
    records: list[PlayerRecord]
    left: int


class Versus(KnownNames):
    """`versus.json`: two sides against each other."""

    sides: list[list[str]]
    """Players who were partners."""
    one: list[str]
    other: list[str]
    course: list[tuple[int, int]]
    """How many games each had won, at the beginning and after each game."""
    ties: int
    last: list[GameRow]
    """The last meetings, newest first."""


class StepEntry(TypedDict):
    """An action that was not undone."""

    n: int
    """Its line in the record."""
    seat: int | None
    text: str
    points: list[Points]
    events: list[str]
    scores: list[int]
    time: float
    ends: str | None
    """What it completes: `trick`, `hand` or `game`; None if nothing."""
    picture: bool
    """Whether a camera picture of it was kept."""


class GameSteps(GameRow):
    """`game.json`: one game with its actions."""

    steps: list[StepEntry]
    last: int
    """Number of actions before the last two tricks."""


class StepState(TypedDict):
    """What the board showed after an action."""

    state: Any
    """The state, as in `/state.json` during a game."""
    hands: list[list[str]]
    """The known cards of each seat's hand; empty unless the game is over."""


class StepStates(TypedDict):
    """`steps.json`. `first` is the number of actions before the first state."""

    first: int
    steps: list[StepState]


def game_row(entry: GameEntry, fault: str | None, translate: Translate) -> GameRow:
    """Return the row of a game in the list. `fault` says why the game cannot be read; None if it can."""
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
