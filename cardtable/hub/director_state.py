"""What the director's page shows of a tournament."""

from __future__ import annotations

from typing import TypedDict

from cardtable.hub.health import TableHealth
from cardtable.tournament.setup import KINDS, PAIRS, SCORINGS
from cardtable.tournament.state import Game, Tournament


class BoardState(TypedDict):
    """A board of bridge. `score`: that of North and South, an adjusted one such as `A+/A-`, or empty before the end."""

    board: int
    score: str


class GameState(TypedDict):
    """A game of a round. `table`: None while no table is free. `walkover`: who has won because the other one left."""

    round: int
    table: str | None
    entrants: list[str]
    scores: list[int] | None
    walkover: str | None
    boards: list[BoardState]
    done: bool


class DirectedState(TypedDict):
    """A tournament. `games`: the last round first. `byes`: who does not play in this round."""

    name: str
    kind: str
    pairs: bool
    round: int
    games: list[GameState]
    byes: list[str]
    playing: list[str]
    left: list[str]
    tables: list[str]
    broken: list[str]


class DirectorState(TypedDict):
    """What the page shows. `role`: board, director or spectator. `pin`: whether there is a PIN.

    `tables`: those that the club knows; `health`: how they are. For a spectator there is nothing of them, and nothing
    of the tournament.
    """

    role: str
    pin: bool
    kinds: list[str]
    scorings: list[str]
    tables: list[str]
    health: list[TableHealth]
    tournament: DirectedState | None


def director_state(
    role: str, pin: bool, health: list[TableHealth], tournament: Tournament | None = None
) -> DirectorState:
    """Return the state of the page; for a spectator without `tournament` and `health`."""
    return {
        "role": role,
        "pin": pin,
        "kinds": list(KINDS),
        "scorings": list(SCORINGS),
        "tables": [table["name"] for table in health],
        "health": health,
        "tournament": None if tournament is None else _directed(tournament),
    }


def _directed(tournament: Tournament) -> DirectedState | None:
    setup = tournament.setup
    if setup is None:
        return None
    return {
        "name": setup.name,
        "kind": setup.kind,
        "pairs": setup.kind in PAIRS,
        "round": tournament.round,
        "games": [_game(tournament, game) for game in sorted(tournament.games, key=lambda game: -game.round)],
        "byes": [entrant for number, entrant in tournament.byes if number == tournament.round],
        "playing": tournament.playing,
        "left": list(tournament.left),
        "tables": list(setup.tables),
        "broken": sorted(tournament.broken),
    }


def _game(tournament: Tournament, game: Game) -> GameState:
    boards: list[BoardState] = []
    for board in game.boards:
        line = tournament.line_of(game, board)
        adjusted = line is not None and line.adjusted
        boards.append(
            {"board": board, "score": "/".join(adjusted) if adjusted else "" if line is None else str(line.score)}
        )
    return {
        "round": game.round,
        "table": game.table,
        "entrants": list(game.entrants),
        "scores": None if game.scores is None else list(game.scores),
        "walkover": game.walkover,
        "boards": boards,
        "done": tournament.finished(game),
    }
