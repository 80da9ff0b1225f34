"""Finding the summaries of games that have none, by replaying them: games of older versions of the program.

Each game is replayed once. If there are many, they are replayed in steps, so that nothing has to wait.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

from cardtable.play.journal_errors import UnreadableGame, as_journal_errors
from cardtable.play.journal_schema import has_temporary_summaries, temporary_summaries
from cardtable.play.stored_games import Games, keep_summaries
from cardtable.play.summaries import Summary, store_summaries

BATCH: Final = 100
"""Number of replayed games after which their summaries are stored."""


class Filled(NamedTuple):
    """`faults`: why games cannot be read, by number. `left`: how many games are still to be replayed."""

    faults: dict[int, str]
    left: int


def fill(
    games: Games,
    numbers: Iterable[int],
    seconds: float | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Filled:
    """Find and store the summaries of these games. Raises `JournalError`.

    `seconds`: stop after about this time; at least one game is replayed. A file that cannot be written stays as it is;
    the summaries are then known to `games` only.
    """
    end = None if seconds is None else clock() + seconds
    found: list[Summary] = []
    faults: dict[int, str] = {}
    waiting = iter(numbers)
    for number in waiting:
        try:
            found.append(games.summary(number))
        except UnreadableGame as error:
            faults[number] = error.reason
        if len(found) == BATCH:
            keep(games, found)
            found = []
        if end is not None and clock() >= end:
            break
    if found:
        keep(games, found)
    return Filled(faults, sum(1 for _ in waiting))


def keep(games: Games, found: Sequence[Summary]) -> None:
    """Store summaries in the file of `games`, or, if that is not possible, in this connection to it."""
    with as_journal_errors(games.path):
        database = games.database
        if has_temporary_summaries(database):
            _store(database, found)
        elif not keep_summaries(games.path, found):
            temporary_summaries(database)
            _store(database, found)


def _store(database: sqlite3.Connection, found: Sequence[Summary]) -> None:
    with database:
        store_summaries(database, found)
