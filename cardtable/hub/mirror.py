"""The games of all tables as the history of a table knows its own: the same lists, statistics and CSV.

A SQLite database in memory has the tables of a journal that lists and statistics read, filled from the hub's results.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, TypeVar

from cardtable.history.statistics import Wins, wins_of
from cardtable.hub.store import GameResult, Key
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
        self._results: dict[int, GameResult] = {}
        self._latest: dict[str, GameResult] = {}
        self._seen: dict[str, float] = {}
        self._heard: dict[int, float] = {}
        self._wins: dict[str, Wins] = {}

    def put(self, results: Iterable[GameResult], heard: Mapping[Key, float] = MappingProxyType({})) -> None:
        """Store the present results of games.

        `heard`: when lines of a game came last, in seconds since 1970 by the clock of the hub; now if it is left out.
        """
        with self._lock:
            changed: set[str] = set()
            for each in results:
                before = self._results.get(each.id)
                self._results[each.id] = each
                if (latest := self._latest.get(each.table)) is None or each.id >= latest.id:
                    self._latest[each.table] = each
                players = players_of(each)
                at = self._heard[each.id] = heard.get(Key(each.table, each.game), time.time())
                for player in players:
                    self._seen[player] = max(at, self._seen.get(player, at))
                if each.over or (before is not None and before.over):
                    changed.update(players)
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
            self._wins |= {player: wins_of(self._games, player) for player in changed}

    def read(self, question: Callable[[GameList], T]) -> T:
        """Return what `question` returns of the list of games."""
        with self._lock:
            return question(self._games)

    def game(self, number: int) -> GameResult | None:
        """Return the game with this number at the hub; None if there is none."""
        with self._lock:
            return self._results.get(number)

    def all_games(self) -> list[GameResult]:
        """Return every game."""
        with self._lock:
            return list(self._results.values())

    def latest(self) -> dict[str, GameResult]:
        """Return the game of each table that was begun last there."""
        with self._lock:
            return dict(self._latest)

    def wins(self) -> dict[str, Wins]:
        """Return how many games that are over each player has played and won; players of no such game are left out."""
        with self._lock:
            return {player: wins for player, wins in self._wins.items() if wins.played}

    def seen(self) -> dict[str, float]:
        """Return when lines of a game of each player came last, in seconds since 1970 by the clock of the hub."""
        with self._lock:
            return dict(self._seen)

    def heard(self, game: GameResult) -> float:
        """Return when lines of a game came last, in seconds since 1970 by the clock of the hub."""
        with self._lock:
            return self._heard[game.id]


def players_of(game: GameResult) -> list[str]:
    """Return the players of a game in seat order."""
    about = decoded(game.header)
    found: Any = about.get("players") if isinstance(about, dict) else None
    return [str(player) for player in found] if isinstance(found, list) else []
