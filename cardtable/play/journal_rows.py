"""The rows of one game in the journal: its header, its actions, its checksum, and its corrections."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

from cardtable.play.corrections import MadeCorrection
from cardtable.play.journal_checks import store_checksum
from cardtable.play.journal_game import PlayedGame
from cardtable.play.summaries import Result, Summary, forget_summary, store_summaries


def insert_game(database: sqlite3.Connection, game: PlayedGame) -> None:
    """Store a new game, without actions; `game.id` becomes its number."""
    row = database.execute("INSERT INTO game (header, started) VALUES (?, ?)", (game.header, game.started))
    assert row.lastrowid is not None
    game.id = row.lastrowid
    store_checksum(database, game.id, game.header, (), over=False)


def insert_actions(database: sqlite3.Connection, number: int, rows: Sequence[tuple[str, float]], first: int) -> None:
    """Store actions of game `number`, each as JSON with its time; the first one is number `first` of the game."""
    database.executemany(
        "INSERT INTO action (game, n, action, time) VALUES (?, ?, ?, ?)",
        [(number, n, action, at) for n, (action, at) in enumerate(rows, start=first)],
    )


def insert_corrections(database: sqlite3.Connection, number: int, made: Iterable[MadeCorrection]) -> None:
    """Store corrections of game `number`."""
    database.executemany(
        "INSERT INTO correction (game, n, who, time, what) VALUES (?, ?, ?, ?, ?)",
        [(number, *each.row) for each in made],
    )


def read_corrections(database: sqlite3.Connection, number: int) -> list[MadeCorrection]:
    """Return the corrections of game `number` that can be read, in the order in which they were made."""
    query = "SELECT n, who, time, what FROM correction WHERE game = ? ORDER BY id"
    rows = (MadeCorrection.from_row(*row) for row in database.execute(query, (number,)))
    return [made for made in rows if made is not None]


def store_sum(database: sqlite3.Connection, game: PlayedGame, more: Sequence[tuple[str, float]], over: bool) -> None:
    """Store the checksum of `game` after `more` actions."""
    actions = [action for action, _ in (*game.rows, *more)]
    store_checksum(database, game.id, game.header, actions, over)


def store_summary(
    database: sqlite3.Connection,
    game: PlayedGame,
    more: Sequence[tuple[str, float]],
    over: bool,
    result: Result | None,
    seats: bool = True,
) -> None:
    """Store the summary of `game` after `more` actions; without a `result` delete it.

    `seats`: whether what it says of the seats has changed.
    """
    if result is None:
        forget_summary(database, game.id)
        return
    last = more[-1:] or game.rows[-1:]
    ended = last[0][1] if last else None
    store_summaries(database, [Summary(game.id, game.header, len(game.rows) + len(more), ended, over, result)], seats)
