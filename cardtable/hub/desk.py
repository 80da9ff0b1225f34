"""The tournament of the club: its events in the database, results from the tables' records, seats for the wall.

The hub and the command `cardtable tournament` may both write: each reads what is new before it adds an event, and two
events cannot have the same number.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping
from typing import Final

import sqlalchemy as sql

from cardtable.hub.game_times import began
from cardtable.hub.mirror import players_of as players_at
from cardtable.hub.record import record_of
from cardtable.hub.store import GameResult, Seat, Store
from cardtable.hub.tables import ASSIGNMENT, EVENT
from cardtable.play.summaries import decoded
from cardtable.tournament.pairing import boards_to_come
from cardtable.tournament.records import Record, results_in
from cardtable.tournament.setup import players_of
from cardtable.tournament.state import Event, Game, Tournament
from engine.actions import Action
from engine.games import plays_boards
from engine.pbn import Board
from engine.pbn_records import boards_of
from engine.record import Header

SEATING: Final = ("begin", "round", "broken", "repaired", "leave")
"""The events after which other seats are shown."""


class Desk:
    """The director's desk at the database of a hub. Methods raise `StoreError` if it cannot be used now."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._count = 0
        self._tournament = Tournament()
        self._began: dict[int, float] = {}
        """By the number of a game that is over: when it began."""

    def tournament(self) -> Tournament:
        """Return the tournament with all events that are stored."""
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
        """Return the tournament made from its stored events, apart from the one that is kept."""
        with self._store.transaction() as database:
            chosen = sql.select(EVENT).where(EVENT.c.n < self._count)
            rows = [(json.loads(row.event), row.time) for row in database.execute(chosen.order_by(EVENT.c.n))]
        first = max((at for at, (event, _) in enumerate(rows) if event["do"] == "begin"), default=0)
        found = Tournament()
        for event, at in rows[first:]:
            found.do(event, at)
        return found

    def collect(self, games: Iterable[GameResult]) -> int:
        """Take the results of games that are over; return how many were new."""
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
        """Return whether one of `games` at the tables is this game of the tournament, over or not."""
        players = {tuple(sorted(_players_of(game))): game}
        return any(self._is_one_of(each, players) for each in games)

    def _is_one_of(self, game: GameResult, wanted: Mapping[tuple[str, ...], Game]) -> bool:
        """Return whether a game began after one of the same players was paired. `wanted`: by the sorted players."""
        paired = wanted.get(tuple(sorted(players_at(game))))
        if paired is None or game.id <= paired.after:
            return False
        return self._began_at(game) >= paired.paired

    def _began_at(self, game: GameResult) -> float:
        """Return when a game began; of one that is over, this is found once."""
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
        """Return whether a game has boards of this tournament that others have still to play."""
        tournament = self.tournament()
        first = min((each.after for each in tournament.games), default=game.id)
        players = {player for entrant in tournament.entrants for player in players_of(entrant)}
        to_come = boards_to_come(tournament)
        if not to_come or game.id <= first or not players & {*players_at(game)}:
            return False
        return bool(to_come & {board.number for board in self.boards(game)})

    def boards(self, game: GameResult) -> list[Board]:
        """Return the boards of a game; none if its deals are no boards."""
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
    """Return the seats of the games that are to be played at a table: partners sit opposite each other."""
    seats = []
    busy: set[str] = set()
    for game in reversed(tournament.open_games()):
        if game.table is None or game.table in busy:
            continue
        busy.add(game.table)
        one, other = (players_of(entrant) for entrant in game.entrants)
        players = [player for both in zip(one, other, strict=False) for player in both]
        seats += [Seat(tournament.round, game.table, at, player) for at, player in enumerate(players)]
    return seats


def last_game(store: Store) -> int:
    """Return the number of the last game at the hub; 0 before the first."""
    return max((game.id for game in store.results()), default=0)
