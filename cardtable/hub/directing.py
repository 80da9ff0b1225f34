"""What a director may do with a tournament, from the command line and from the page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from cardtable.club.messages import NAME
from cardtable.hub.desk import Desk, last_game
from cardtable.hub.store import Store
from cardtable.tournament.cribbage import qualifiers
from cardtable.tournament.errors import TournamentError
from cardtable.tournament.pairing import challenge, corrected, next_round
from cardtable.tournament.possible_scores import check_board, check_scores
from cardtable.tournament.setup import PAIRS, Setup
from cardtable.tournament.standings import standings
from cardtable.tournament.state import Event, Tournament
from engine.texts import text

Name = Annotated[str, Field(min_length=1)]
Table = Annotated[str, Field(min_length=1, max_length=40)]
Score = Annotated[int, Field(ge=-100_000, le=100_000)]


class _Directive(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Begin(_Directive):
    """Begin a tournament. `scoring`: None for the usual one of its kind.

    `best_quarter`: with those who lead the present one, the best first, instead of `entrants`.
    """

    do: Literal["begin"] = "begin"
    kind: str = Field(max_length=20)
    entrants: list[Name] = []
    best_quarter: bool = False
    tables: list[str]
    scoring: str | None = Field(default=None, max_length=20)
    rounds: int | None = Field(default=None, ge=1, le=500)
    boards: int = Field(default=3, ge=1, le=36)
    name: str = Field(default="Tournament", min_length=1, max_length=100)


class Round(_Directive):
    """Pair the next round. `late`: although games are not over."""

    do: Literal["round"] = "round"
    late: bool = False


class _OfGame(_Directive):
    """About a game of a round: `table` is where it is, or one who plays it; `entrants`: both, in seat order."""

    round: int
    table: Name | None = None
    entrants: list[Name] | None = Field(default=None, min_length=2, max_length=2)


class Result(_OfGame):
    """Enter or correct the result of a game."""

    do: Literal["result"] = "result"
    scores: list[Score] = Field(min_length=2, max_length=2)


class BoardResult(_OfGame):
    """Enter or correct a board of bridge. `score`: that of North and South, or an adjusted one such as `A+/A-`."""

    do: Literal["board"] = "board"
    board: int
    score: str = Field(max_length=10)


class Challenge(_Directive):
    """Let one player of a ladder challenge another."""

    do: Literal["challenge"] = "challenge"
    challenger: Name
    challenged: Name


class Entrant(_Directive):
    """A player, or a pair, leaves or joins."""

    do: Literal["leave", "join"]
    entrant: Name


class TableUse(_Directive):
    """A table breaks down, or can be used again."""

    do: Literal["broken", "repaired"]
    table: Table


Directive = Begin | Round | Result | BoardResult | Challenge | Entrant | TableUse
DIRECTIVE: Final[TypeAdapter[Directive]] = TypeAdapter(Annotated[Directive, Field(discriminator="do")])


def direct(wanted: Directive, desk: Desk, store: Store) -> None:
    """Store the event. Raises `TournamentError` if the tournament refuses it, and `StoreError`."""
    for table in wanted.tables if isinstance(wanted, Begin) else ():  # later only these can be named
        if not re.fullmatch(NAME, table):
            message = "{table!r} cannot be a table: its name has 1 to 40 letters from A to Z, digits, “-”, “_” or “.”"
            raise TournamentError(text(message, table=table))
    desk.do(_event(wanted, desk, store))


def _event(wanted: Directive, desk: Desk, store: Store) -> Event:
    match wanted:
        case Begin():
            entrants = _leading(desk.tournament()) if wanted.best_quarter else wanted.entrants
            return {"do": "begin", "setup": _setup(wanted, entrants).to_json()}
        case Round():
            desk.collect(store.results())
            return next_round(desk.tournament(), last_game(store), wanted.late)
        case Challenge():
            return challenge(desk.tournament(), wanted.challenger, wanted.challenged, last_game(store))
        case BoardResult():
            given = _board_score(wanted.score)
            if "score" in given:
                check_board(given["score"])
            about: Event = {"do": "board", "board": wanted.board, **given}
            return about | _game_of(wanted, desk.tournament())
        case Result():
            check_scores(desk.tournament().begun, *wanted.scores)
            about = {"do": "result", "scores": wanted.scores, **_game_of(wanted, desk.tournament())}
            games = store.results()
            return corrected(desk.tournament(), about, last_game(store), lambda game: desk.plays(game, games))
    return wanted.model_dump()


def _game_of(wanted: Result | BoardResult, tournament: Tournament) -> Event:
    """Return the part of an event that says of which game it is, and that the director has given it."""
    entrants = wanted.entrants or tournament.game(wanted.round, wanted.table or "").entrants
    return {"round": wanted.round, "entrants": list(entrants), "ruled": True}


def _leading(tournament: Tournament) -> list[str]:
    """Return the best quarter of those who play, as the ACC sends it from a larger event to a knock-out."""
    if tournament.begun.kind in PAIRS or tournament.begun.kind == "knock-out":
        raise TournamentError(text("the best quarter goes on from a round robin, a Swiss tournament or a ladder"))
    if tournament.open_games():
        raise TournamentError(text("the best quarter is known when every game is over: enter what is missing"))
    return qualifiers(row.entrant for row in standings(tournament) if row.entrant in tournament.playing)


def _setup(wanted: Begin, entrants: Sequence[str]) -> Setup:
    usual = "matchpoints" if wanted.kind in PAIRS else "wins"
    about = (wanted.kind, tuple(entrants), tuple(wanted.tables), wanted.scoring or usual)
    setup = Setup(*about, wanted.rounds, wanted.boards, wanted.name)
    setup.check()
    return setup


def _board_score(written: str) -> Event:
    """Return the part of an event that has the score of a board."""
    if written.startswith("A"):
        return {"adjusted": written.split("/")}
    try:
        return {"score": int(written)}
    except ValueError:
        raise TournamentError(text("{value!r} is not a number", value=written)) from None
