"""The rows of one game in the journal: its header, its actions, its checksum, and its corrections."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

from cardtable.play.journal_checks import store_checksum
from cardtable.play.journal_game import PlayedGame
from cardtable.play.stored_corrections import MadeCorrection
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


def store_end(
    database: sqlite3.Connection,
    game: PlayedGame,
    more: Sequence[tuple[str, float]],
    over: bool,
    result: Result | None,
) -> None:
    """Store what is known of `game` after `more` actions: its checksum, whether it is over, and its summary.

    Without a `result` the summary is deleted.
    """
    actions = [action for action, _ in (*game.rows, *more)]
    store_checksum(database, game.id, game.header, actions, over)
    database.execute("UPDATE game SET over = ?1 WHERE id = ?2 AND over <> ?1", (over, game.id))
    if result is None:
        forget_summary(database, game.id)
        return
    last = more[-1:] or game.rows[-1:]
    ended = last[0][1] if last else None
    summary = Summary(game.id, game.header, len(actions), ended, over, result)
    # Seats change rarely; without `more` the game is stored again, in another file.
    store_summaries(database, [summary], seats=not more or result != game.result)
