"""The tournament of the club: its events in the database, results from the tables' records, seats for the wall.

The hub and the command `cardtable tournament` may both write: each reads what is new before it adds an event, and two
events cannot have the same number.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator
from typing import Final

import sqlalchemy as sql

from cardtable.hub.record import record_of
from cardtable.hub.store import GameResult, Seat, Store
from cardtable.hub.tables import ASSIGNMENT, EVENT
from cardtable.play.summaries import decoded
from cardtable.tournament.records import Record, results_in
from cardtable.tournament.setup import players_of
from cardtable.tournament.state import Event, Tournament
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

    def tournament(self) -> Tournament:
        """Return the tournament with all events that are stored."""
        with self._store.transaction() as database:
            rows = database.execute(sql.select(EVENT).where(EVENT.c.n >= self._count).order_by(EVENT.c.n)).all()
        for row in rows:
            self._tournament.do(json.loads(row.event))
            self._count = row.n + 1
        return self._tournament

    def do(self, event: Event) -> None:
        """Store an event. Raises `TournamentError`, and stores nothing, if the tournament refuses it."""
        tournament = self.tournament()
        written = json.dumps(event, ensure_ascii=False)
        Tournament([*self._events(), json.loads(written)])  # refuses before anything is stored
        with self._store.transaction() as database:
            database.execute(sql.insert(EVENT).values(n=self._count, time=time.time(), event=written))
            tournament.do(json.loads(written))
            self._count += 1
            if event["do"] in SEATING:
                number = None if event["do"] == "begin" else tournament.round
                chosen = sql.delete(ASSIGNMENT)
                database.execute(chosen if number is None else chosen.where(ASSIGNMENT.c.round == number))
                seats = seats_of(tournament)
                if seats:
                    database.execute(sql.insert(ASSIGNMENT), [seat._asdict() for seat in seats])

    def _events(self) -> Iterator[Event]:
        with self._store.transaction() as database:
            rows = database.execute(sql.select(EVENT).order_by(EVENT.c.n)).all()
        events: list[Event] = [json.loads(row.event) for row in rows]
        first = max((at for at, event in enumerate(events) if event["do"] == "begin"), default=0)
        return iter(events[first:])

    def collect(self, games: Iterable[GameResult]) -> int:
        """Take the results of games that are over; return how many were new."""
        tournament = self.tournament()
        if tournament.setup is None or not tournament.open_games():
            return 0
        wanted = {
            tuple(sorted(player for entrant in game.entrants for player in players_of(entrant))): game.after
            for game in tournament.open_games()
        }
        first = min(wanted.values())
        records = [
            record
            for game in games
            if game.over
            and game.id > first
            and (record := self._record(game, wanted, tournament.setup.kind)) is not None
        ]
        events = results_in(tournament, records)
        for event in events:
            self.do(event)
        return len(events)

    def _record(self, game: GameResult, wanted: dict[tuple[str, ...], int], kind: str) -> Record | None:
        header, value = decoded(game.header), decoded(game.value)
        if not isinstance(header, dict) or not isinstance(value, list):
            return None
        players = [str(player) for player in header.get("players", ())]
        if game.id <= wanted.get(tuple(sorted(players)), game.id):
            return None
        return Record(game.id, players, value[0], self.boards(game) if plays_boards(str(header.get("game"))) else ())

    def boards(self, game: GameResult) -> list[Board]:
        """Return the boards of a game whose deals are boards."""
        lines = [json.loads(line) for line in record_of(self._store, game)]
        if not lines:
            return []
        return boards_of(Header.from_json(lines[0]), [Action.from_json(line) for line in lines[1:]])


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
