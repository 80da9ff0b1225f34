"""The tournament of the club: its events in the database, results from the records of the tables, and seats.

The hub and the command `cardtable tournament` may both write: each reads the new events before it adds another, and no
two events can have the same number.
"""

from __future__ import annotations

import csv
import json
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Final, Literal, TypedDict

import sqlalchemy as sql
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter

from cardtable.config.model import LONGEST_NAME, plain
from cardtable.errors import UsageError
from cardtable.journal.games import decoded
from cardtable_club.hub.games import began, record_of
from cardtable_club.hub.games import players_of as players_at
from cardtable_club.hub.health import TableHealth
from cardtable_club.hub.store import ASSIGNMENT, EVENT, GameResult, Seat, Store
from cardtable_club.member.messages import NAME
from cardtable_club.tournament import TournamentError
from cardtable_club.tournament.pairing import boards_to_come, challenge, corrected, next_round
from cardtable_club.tournament.results import Record, results_in
from cardtable_club.tournament.scoring import qualifiers
from cardtable_club.tournament.standings import standings
from cardtable_club.tournament.state import (
    KINDS,
    PAIRS,
    SCORINGS,
    Event,
    Game,
    Setup,
    Tournament,
    check_board,
    check_scores,
    players_of,
)
from engine.actions import Action
from engine.formats.board import Board, boards_of
from engine.games import plays_boards
from engine.names import plain_name, two_alike
from engine.record import Header
from engine.texts import text

SEATING: Final = ("begin", "round", "broken", "repaired", "leave")
"""The events that change the seats."""


class TournamentLog:
    """The events of a tournament in the database of a hub. Methods raise `StoreError` if that cannot be used now."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._count = 0
        self._tournament = Tournament()
        self._began: dict[int, float] = {}
        """For each finished game, by its number: when it began."""

    def tournament(self) -> Tournament:
        """Return the tournament after all stored events."""
        with self._store.transaction() as database:
            rows = database.execute(sql.select(EVENT).where(EVENT.c.n >= self._count).order_by(EVENT.c.n)).all()
        for row in rows:
            self._tournament.do(json.loads(row.event), row.time)
            self._count = row.n + 1
        return self._tournament

    def do(self, event: Event) -> None:
        """Store an event. Raises `TournamentError`, and stores nothing, if the tournament refuses it."""
        self.tournament()
        written, now, number = json.dumps(event, ensure_ascii=False), time.time(), self._count
        tournament = self._stored()
        tournament.do(json.loads(written), now)
        with self._store.transaction() as database:
            database.execute(sql.insert(EVENT).values(n=number, time=now, event=written))
            if event["do"] in SEATING or "again" in event:
                chosen = sql.delete(ASSIGNMENT)
                database.execute(
                    chosen if event["do"] == "begin" else chosen.where(ASSIGNMENT.c.round == tournament.round)
                )
                seats = seats_of(tournament)
                if seats:
                    database.execute(sql.insert(ASSIGNMENT), [seat._asdict() for seat in seats])
        self._tournament, self._count = tournament, number + 1

    def _stored(self) -> Tournament:
        """Return a tournament made from the stored events, independent of the one that is kept."""
        with self._store.transaction() as database:
            chosen = sql.select(EVENT).where(EVENT.c.n < self._count)
            rows = [(json.loads(row.event), row.time) for row in database.execute(chosen.order_by(EVENT.c.n))]
        first = max((at for at, (event, _) in enumerate(rows) if event["do"] == "begin"), default=0)
        found = Tournament()
        for event, at in rows[first:]:
            found.do(event, at)
        return found

    def collect(self, games: Iterable[GameResult]) -> int:
        """Add the results of finished games to the tournament; return how many were new."""
        tournament = self.tournament()
        if tournament.setup is None or not tournament.open_games():
            return 0
        wanted = {tuple(sorted(_players_of(game))): game for game in reversed(tournament.open_games())}
        first = min(game.after for game in wanted.values())
        records = [
            record
            for game in games
            if game.over and game.id > first and (record := self._record(game, wanted)) is not None
        ]
        events = results_in(tournament, records)
        for event in events:
            self.do(event)
        return len(events)

    def plays(self, game: Game, games: Iterable[GameResult]) -> bool:
        """Return whether one of `games` at the tables, finished or not, is this game of the tournament."""
        players = {tuple(sorted(_players_of(game))): game}
        return any(self._is_one_of(each, players) for each in games)

    def _is_one_of(self, game: GameResult, wanted: Mapping[tuple[str, ...], Game]) -> bool:
        """Return whether a game at a table is one of the `wanted` ones, which are keyed by their sorted players."""
        paired = wanted.get(tuple(sorted(players_at(game))))
        if paired is None or game.id <= paired.after:
            return False
        return self._began_at(game) >= paired.paired

    def _began_at(self, game: GameResult) -> float:
        """Return when a game began; for a finished game the result is kept."""
        at = self._began.get(game.id) or began(self._store, game)
        if game.over:
            self._began[game.id] = at
        return at

    def _record(self, game: GameResult, wanted: Mapping[tuple[str, ...], Game]) -> Record | None:
        value = decoded(game.value)
        if not isinstance(value, list) or not self._is_one_of(game, wanted):
            return None
        return Record(game.id, players_at(game), value[0], self.boards(game), self._began_at(game))

    def holds_back(self, game: GameResult) -> bool:
        """Return whether a game has boards of this tournament that other pairs have yet to play."""
        tournament = self.tournament()
        first = min((each.after for each in tournament.games), default=game.id)
        players = {player for entrant in tournament.entrants for player in players_of(entrant)}
        to_come = boards_to_come(tournament)
        if not to_come or game.id <= first or not players & {*players_at(game)}:
            return False
        return bool(to_come & {board.number for board in self.boards(game)})

    def boards(self, game: GameResult) -> list[Board]:
        """Return the boards of a game; empty for games other than bridge."""
        header = decoded(game.header)
        if not isinstance(header, dict) or not plays_boards(str(header.get("game"))):
            return []
        lines = [json.loads(line) for line in record_of(self._store, game)]
        if not lines:
            return []
        return boards_of(Header.from_json(lines[0]), [Action.from_json(line) for line in lines[1:]])


def _players_of(game: Game) -> list[str]:
    return [player for entrant in game.entrants for player in players_of(entrant)]


def seats_of(tournament: Tournament) -> list[Seat]:
    """Return the seats of the open games that have a table; partners sit opposite each other."""
    seats = []
    busy: set[str] = set()
    for game in reversed(tournament.open_games()):
        if game.table is None or game.table in busy:
            continue
        busy.add(game.table)
        sides = (players_of(entrant) for entrant in game.entrants)
        players = [player for turn in zip(*sides, strict=False) for player in turn]
        seats += [Seat(tournament.round, game.table, at, player) for at, player in enumerate(players)]
    return seats


def last_game(store: Store) -> int:
    """Return the number of the last game at the hub; 0 before the first."""
    return max((game.id for game in store.results()), default=0)


# What a director does with a tournament, from the command line or from the page

Name = Annotated[str, BeforeValidator(plain), Field(min_length=1)]
Table = Annotated[str, Field(min_length=1, max_length=40)]
Score = Annotated[int, Field(ge=-100_000, le=100_000)]


class _Directive(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Begin(_Directive):
    """Begin a tournament. `scoring`: None for the usual one of its kind.

    `best_quarter`: take the best quarter of the present tournament as entrants, instead of `entrants`.
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
    """Pair the next round: even if games are not over (`late`), and once (`round`: its number)."""

    do: Literal["round"] = "round"
    late: bool = False
    round: int | None = None


class _OfGame(_Directive):
    """Names a game of a round: by `entrants`, both in seat order, or by `table`, its table or one of its entrants."""

    round: int
    table: Name | None = None
    entrants: list[Name] | None = Field(default=None, min_length=2, max_length=2)


class Result(_OfGame):
    """Enter or correct the result of a game."""

    do: Literal["result"] = "result"
    scores: list[Score] = Field(min_length=2, max_length=2)


class BoardResult(_OfGame):
    """Enter or correct a board of bridge. `score`: of North and South, or an adjusted score such as `A+/A-`."""

    do: Literal["board"] = "board"
    board: int
    score: str = Field(max_length=10)


class Challenge(_Directive):
    """Let one player of a ladder challenge another."""

    do: Literal["challenge"] = "challenge"
    challenger: Name
    challenged: Name


class Entrant(_Directive):
    """Let a player or pair leave or join."""

    do: Literal["leave", "join"]
    entrant: Name


class TableUse(_Directive):
    """Take a table out of use, or put it back into use."""

    do: Literal["broken", "repaired"]
    table: Table


Directive = Begin | Round | Result | BoardResult | Challenge | Entrant | TableUse
DIRECTIVE: Final[TypeAdapter[Directive]] = TypeAdapter(Annotated[Directive, Field(discriminator="do")])


def direct(wanted: Directive, log: TournamentLog, store: Store) -> None:
    """Do what the director wants, and store the event. Raises `TournamentError` if it is refused, and `StoreError`."""
    for table in wanted.tables if isinstance(wanted, Begin) else ():  # later events can name only these
        if not re.fullmatch(NAME, table):
            message = "{table!r} cannot be a table: its name has 1 to 40 letters from A to Z, digits, “-”, “_” or “.”"
            raise TournamentError(text(message, table=table))
    log.do(_event(wanted, log, store))


def _event(wanted: Directive, log: TournamentLog, store: Store) -> Event:
    match wanted:
        case Begin():
            entrants = _leading(log.tournament()) if wanted.best_quarter else wanted.entrants
            return {"do": "begin", "setup": _setup(wanted, entrants).to_json()}
        case Round():
            if wanted.round is not None and wanted.round <= log.tournament().round:
                raise TournamentError(text("round {number} is paired already", number=wanted.round))
            log.collect(store.results())
            return next_round(log.tournament(), last_game(store), wanted.late)
        case Challenge():
            return challenge(log.tournament(), wanted.challenger, wanted.challenged, last_game(store))
        case BoardResult():
            score = _board_score(wanted.score)
            if "score" in score:
                check_board(score["score"])
            return {"do": "board", "board": wanted.board, **score, **_game_of(wanted, log.tournament())}
        case Result():
            check_scores(log.tournament().begun, *wanted.scores)
            event: Event = {"do": "result", "scores": wanted.scores, **_game_of(wanted, log.tournament())}
            games = store.results()
            return corrected(log.tournament(), event, last_game(store), lambda game: log.plays(game, games))
    return wanted.model_dump()


def _game_of(wanted: Result | BoardResult, tournament: Tournament) -> Event:
    """Return the keys of an event that name the game, and say that the director entered the result."""
    entrants = wanted.entrants or tournament.game(wanted.round, wanted.table or "").entrants
    return {"round": wanted.round, "entrants": list(entrants), "ruled": True}


def _leading(tournament: Tournament) -> list[str]:
    """Return the best quarter of the players, who advance to a knock-out by the rules of the ACC."""
    if tournament.begun.kind in PAIRS or tournament.begun.kind == "knock-out":
        raise TournamentError(text("the best quarter goes on from a round robin, a Swiss tournament or a ladder"))
    if tournament.open_games():
        raise TournamentError(text("the best quarter is known when every game is over: enter what is missing"))
    return qualifiers(row.entrant for row in standings(tournament) if row.entrant in tournament.playing)


def _setup(wanted: Begin, entrants: Sequence[str]) -> Setup:
    scoring = wanted.scoring or ("matchpoints" if wanted.kind in PAIRS else "wins")
    tables = tuple(wanted.tables)
    setup = Setup(wanted.kind, tuple(entrants), tables, scoring, wanted.rounds, wanted.boards, wanted.name)
    setup.check()
    return setup


def _board_score(written: str) -> Event:
    """Return the key of an event with the score of a board."""
    if written.startswith("A"):
        return {"adjusted": written.split("/")}
    try:
        return {"score": int(written)}
    except ValueError:
        raise TournamentError(text("{value!r} is not a number", value=written)) from None


# What the director's page shows


class BoardState(TypedDict):
    """A board of bridge. `score`: of North and South, an adjusted one such as `A+/A-`, or empty before the end."""

    board: int
    score: str


class GameState(TypedDict):
    """A game of a round. `table`: None while no table is free. `walkover`: who won because the opponent left."""

    round: int
    table: str | None
    entrants: list[str]
    scores: list[int] | None
    walkover: str | None
    boards: list[BoardState]
    done: bool


class DirectedState(TypedDict):
    """A tournament. `games`: those of the last round first. `byes`: who does not play in this round."""

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

    `tables`: the names of the tables; `health`: their state. A spectator sees neither these nor the tournament.
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
    """Return the state of the page. For a spectator, pass no `tournament` and an empty `health`."""
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


# Seats from a file with lines of `round,table,player,player,...`

MOST_ROUNDS = 10_000
MOST_SEATS = 8


def read_pairings(lines: Iterable[str], source: str) -> list[Seat]:
    """Return the seats in a CSV file; a line of headings may come first. Raises `UsageError`.

    >>> [(seat.table, seat.seat, seat.player) for seat in read_pairings(["1,t1,Ann,Bo"], "seats.csv")]
    [('t1', 0, 'Ann'), ('t1', 1, 'Bo')]
    """
    seats: list[Seat] = []
    placed: dict[tuple[int, str], int] = {}
    tables: set[tuple[int, str]] = set()
    try:
        rows = list(csv.reader(lines))
    except csv.Error as error:
        raise UsageError(text("{source} is not CSV: {why}", source=source, why=str(error))) from error
    for number, row in enumerate(rows, start=1):
        cells = [cell.strip() for cell in row]
        if not any(cells) or (number == 1 and not cells[0].isdecimal()):
            continue
        where = text("{source}, line {number}", source=source, number=number)
        if not re.fullmatch(r"[0-9]{1,4}", cells[0]) or len(cells) < 3:
            raise UsageError(text("{where}: write round,table,player,player: 1,table-1,Ann,Bo", where=where))
        turn, table, players = int(cells[0]), cells[1], [name for name in map(plain_name, cells[2:]) if name]
        if not re.fullmatch(NAME, table):
            raise UsageError(text("{where}: {table!r} is not the name of a table", where=where, table=table))
        if (turn, table) in tables:
            raise UsageError(text("{where}: table {table} is in this round twice", where=where, table=table))
        tables.add((turn, table))
        if not 1 <= len(players) <= MOST_SEATS or any(len(player) > LONGEST_NAME for player in players):
            message = "{where}: name 1 to {most} players, each of {longest} letters at most"
            raise UsageError(text(message, where=where, most=MOST_SEATS, longest=LONGEST_NAME))
        if pair := two_alike(dict.fromkeys(players)):
            message = "{where}: {name} and {other} look alike: write one of them differently"
            raise UsageError(text(message, where=where, name=pair[0], other=pair[1]))
        for seat, player in enumerate(players):
            if (turn, player) in placed:
                message = "{where}: {player} has a seat in this round already, in line {line}"
                raise UsageError(text(message, where=where, player=player, line=placed[turn, player]))
            placed[turn, player] = number
            seats.append(Seat(turn, table, seat, player))
    if not seats:
        raise UsageError(text("{source} has no seats: write a line such as 1,table-1,Ann,Bo", source=source))
    return seats
