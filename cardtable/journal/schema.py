"""The tables of the journal file, as numbered migrations.

Migration `n` changes a file of version `n - 1` to version `n`; `PRAGMA user_version` holds the version. A new file is
version 0 and gets all migrations. A migration that has been released never changes: add another one instead.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from typing import Final

APPLICATION_ID: Final = 0x63617264
"""`PRAGMA application_id` of a journal: "card" in ASCII (bytes 68 to 71 of the file)."""

Migration = Callable[[sqlite3.Connection], None]


class NewerVersion(Exception):
    """The file has a version that this program does not know."""


def _games_and_actions(database: sqlite3.Connection) -> None:
    """1: games with their headers, and the accepted actions of each, numbered from 0."""
    database.execute(
        """
        CREATE TABLE game (
            id INTEGER PRIMARY KEY,
            header TEXT NOT NULL,
            started REAL NOT NULL,
            over INTEGER NOT NULL DEFAULT 0
        ) STRICT
        """
    )
    database.execute(
        """
        CREATE TABLE action (
            game INTEGER NOT NULL REFERENCES game,
            n INTEGER NOT NULL,
            action TEXT NOT NULL,
            time REAL NOT NULL,
            PRIMARY KEY (game, n)
        ) STRICT, WITHOUT ROWID
        """
    )
    database.execute(f"PRAGMA application_id = {APPLICATION_ID}")


def _processed_events(database: sqlite3.Connection) -> None:
    """2: up to which event each reader board has been processed.

    Version 0.1 added this table without changing the version, so files of version 1 may have it already.
    """
    database.execute(
        """
        CREATE TABLE IF NOT EXISTS heard (
            source TEXT PRIMARY KEY,
            boot INTEGER NOT NULL,
            next INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """
    )


def _results(database: sqlite3.Connection) -> None:
    """3: the result of each game after `actions` actions, so that a list of the games replays none.

    `value` is the JSON list [scores, winners]. A row is stored with the actions; for games of older versions, the
    first `cardtable history` fills it in. One with another number of actions than the game has is out of date.
    """
    database.execute(
        """
        CREATE TABLE result (
            game INTEGER PRIMARY KEY REFERENCES game,
            actions INTEGER NOT NULL,
            value TEXT NOT NULL
        ) STRICT
        """
    )


def _checksums(database: sqlite3.Connection) -> None:
    """4: the checksum of each game after `actions` actions (`cardtable.journal.file`).

    Games of older versions have none until an action is added.
    """
    database.execute(
        """
        CREATE TABLE checksum (
            game INTEGER PRIMARY KEY REFERENCES game,
            actions INTEGER NOT NULL,
            value INTEGER NOT NULL
        ) STRICT
        """
    )


def _evenings(database: sqlite3.Connection) -> None:
    """5: the players who have sat at this table, and what the evening needs after a restart, as JSON by name."""
    database.execute(
        """
        CREATE TABLE player (
            name TEXT PRIMARY KEY,
            last REAL NOT NULL
        ) STRICT, WITHOUT ROWID
        """
    )
    database.execute(
        """
        CREATE TABLE setting (
            name TEXT PRIMARY KEY,
            value TEXT NOT NULL
        ) STRICT, WITHOUT ROWID
        """
    )


def _corrections(database: sqlite3.Connection) -> None:
    """6: what people have corrected: after how many actions of the game (`n`), who, when, and what, as JSON.

    The actions of a correction, undos among them, are in the table `action` like all others.
    """
    database.execute(
        """
        CREATE TABLE correction (
            id INTEGER PRIMARY KEY,
            game INTEGER NOT NULL REFERENCES game,
            n INTEGER NOT NULL,
            who TEXT NOT NULL,
            time REAL NOT NULL,
            what TEXT NOT NULL
        ) STRICT
        """
    )
    database.execute("CREATE INDEX correction_of_game ON correction (game)")


def _summaries(database: sqlite3.Connection) -> None:
    """7: a summary of each game, for lists and statistics (`cardtable.journal.games`), instead of the results.

    A row is stored with the actions; for games of older versions, `cardtable.history.statistics` adds it. `value`
    is the JSON list [scores of the sides, winners, revokes of the seats]. `seat` has the same for each seat.
    """
    database.execute("DROP TABLE result")
    for table in _SUMMARY_TABLES:
        database.execute(f"CREATE TABLE {table}")
    database.execute("CREATE INDEX seat_of_player ON seat (player, game)")


def _good_nights(database: sqlite3.Connection) -> None:
    """8: when people said good night, in seconds since 1970: an evening ends there (`cardtable.history.statistics`)."""
    database.execute("CREATE TABLE good_night (time REAL PRIMARY KEY) STRICT, WITHOUT ROWID")


_SUMMARY_TABLES: Final = (
    """summary (
        game INTEGER PRIMARY KEY REFERENCES game,
        name TEXT NOT NULL,
        actions INTEGER NOT NULL,
        ended REAL,
        over INTEGER NOT NULL,
        value TEXT NOT NULL
    ) STRICT""",
    """seat (
        game INTEGER NOT NULL REFERENCES game,
        seat INTEGER NOT NULL,
        player TEXT NOT NULL,
        side INTEGER NOT NULL,
        score INTEGER NOT NULL,
        won INTEGER NOT NULL,
        shared INTEGER NOT NULL,
        revokes INTEGER NOT NULL,
        PRIMARY KEY (game, seat)
    ) STRICT, WITHOUT ROWID""",
)


def temporary_summaries(database: sqlite3.Connection) -> None:
    """Give a connection tables for summaries of its own, with what the file has of them.

    For a file of an older version, or one that cannot be written. The tables come before those of the file.
    """
    stored = version_of(database) >= SUMMARIES_SINCE
    for table in _SUMMARY_TABLES:
        name = table.split()[0]
        database.execute(f"CREATE TEMP TABLE {table}")
        if stored:
            database.execute(f"INSERT INTO temp.{name} SELECT * FROM main.{name}")


def has_temporary_summaries(database: sqlite3.Connection) -> bool:
    """Return whether the connection has tables for summaries of its own."""
    return database.execute("SELECT 1 FROM sqlite_temp_schema WHERE name = 'summary'").fetchone() is not None


MIGRATIONS: Final[tuple[Migration, ...]] = (
    _games_and_actions,
    _processed_events,
    _results,
    _checksums,
    _evenings,
    _corrections,
    _summaries,
    _good_nights,
)
VERSION: Final = len(MIGRATIONS)
"""The version that this program reads and writes."""
SUMMARIES_SINCE: Final = MIGRATIONS.index(_summaries) + 1
"""The version of the journal that has the tables `summary` and `seat`."""
GOOD_NIGHTS_SINCE: Final = MIGRATIONS.index(_good_nights) + 1
"""The version of the journal that has the table `good_night`."""


def version_of(database: sqlite3.Connection) -> int:
    """Return the version of the file. Raises `NewerVersion`."""
    version = int(database.execute("PRAGMA user_version").fetchone()[0])
    if version > VERSION:
        raise NewerVersion(version)
    return version


def migrate(database: sqlite3.Connection, migrations: Sequence[Migration] = MIGRATIONS) -> tuple[int, int]:
    """Run the missing `migrations` in order; return the versions before and after.

    Call it inside a transaction: if one migration fails, roll back, and the file stays as it was.
    """
    before = version_of(database)
    for migration in migrations[before:]:
        migration(database)
    after = max(before, len(migrations))
    database.execute(f"PRAGMA user_version = {after}")
    return before, after
