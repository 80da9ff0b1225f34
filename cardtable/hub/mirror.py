"""The games of all tables as the history of a table knows its own: the same lists, statistics and CSV.

A SQLite database in memory has the tables of a journal that lists and statistics read, filled from the hub's results.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final, TypeVar

from cardtable.hub.store import GameResult
from cardtable.play.journal_schema import migrate
from cardtable.play.summaries import GameList, Result, Summary, decoded, forget_summary, store_summaries

T = TypeVar("T")


class Mirror:
    """The list of the games of all tables. Its methods may be called in any thread."""

    def __init__(self) -> None:
        self._database: Final = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
        migrate(self._database)
        self._lock = threading.Lock()
        self._games = GameList(self._database, Path("club"))
        self._tables: dict[int, GameResult] = {}

    def put(self, results: Iterable[GameResult]) -> None:
        """Store the present results of games."""
        with self._lock:
            for each in results:
                self._tables[each.id] = each
                row = (each.id, each.header, each.started, each.over)
                self._database.execute(
                    "INSERT OR REPLACE INTO game (id, header, started, over) VALUES (?, ?, ?, ?)", row
                )
                match decoded(each.value):
                    case [list(scores), list(winners), list(revokes)]:
                        result = Result(tuple(scores), tuple(winners), tuple(revokes))
                        actions = max(each.lines - 1, 0)
                        summary = Summary(each.id, each.header, actions, each.ended, each.over, result)
                        store_summaries(self._database, [summary])
                    case _:
                        forget_summary(self._database, each.id)

    def read(self, question: Callable[[GameList], T]) -> T:
        """Return what `question` returns of the list of games."""
        with self._lock:
            return question(self._games)

    def game(self, number: int) -> GameResult | None:
        """Return the game with this number at the hub; None if there is none."""
        with self._lock:
            return self._tables.get(number)

    def all_games(self) -> list[GameResult]:
        """Return every game."""
        with self._lock:
            return list(self._tables.values())

    def latest(self) -> dict[str, GameResult]:
        """Return the game of each table that was begun last there."""
        with self._lock:
            found: dict[str, GameResult] = {}
            for each in self._tables.values():
                if each.table not in found or each.id > found[each.table].id:
                    found[each.table] = each
            return found
