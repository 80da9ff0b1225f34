"""The tables of the journal file. `PRAGMA user_version` holds their version.

A new file gets these tables. A later version adds a migration, which never changes once it is released, so that files
of this version can still be opened.
"""

from __future__ import annotations

import secrets
import sqlite3
from typing import Final

APPLICATION_ID: Final = 0x63617264
"""`PRAGMA application_id` of a journal: "card" in ASCII (bytes 68 to 71 of the file)."""
VERSION: Final = 8
"""The version that this program reads and writes: that of cardtable 0.2.0."""


_LEAST_IDENTITY: Final = 1 << 16
"""A number of changes that the tables of a journal without an identity do not reach."""


class NewerVersion(Exception):
    """The file was written by a newer program."""


class OlderVersion(Exception):
    """The file was written by a program so old that this one can no longer read it."""


_TABLES: Final = (
    # Games with their headers, and the accepted actions of each, numbered from 0.
    """game (
        id INTEGER PRIMARY KEY,
        header TEXT NOT NULL,
        started REAL NOT NULL,
        over INTEGER NOT NULL DEFAULT 0
    ) STRICT""",
    """action (
        game INTEGER NOT NULL REFERENCES game,
        n INTEGER NOT NULL,
        action TEXT NOT NULL,
        time REAL NOT NULL,
        PRIMARY KEY (game, n)
    ) STRICT, WITHOUT ROWID""",
    # Up to which event each reader board has been processed.
    """heard (
        source TEXT PRIMARY KEY,
        boot INTEGER NOT NULL,
        next INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID""",
    # The checksum of each game after `actions` actions (`cardtable.journal.file`).
    """checksum (
        game INTEGER PRIMARY KEY REFERENCES game,
        actions INTEGER NOT NULL,
        value INTEGER NOT NULL
    ) STRICT""",
    # The players who have sat at this table, and what the evening needs after a restart, as JSON by name.
    """player (
        name TEXT PRIMARY KEY,
        last REAL NOT NULL
    ) STRICT, WITHOUT ROWID""",
    """setting (
        name TEXT PRIMARY KEY,
        value TEXT NOT NULL
    ) STRICT, WITHOUT ROWID""",
    # What people have corrected: after how many actions of the game (`n`), who, when, and what, as JSON. The actions of
    # a correction, undos among them, are in the table `action` like all others.
    """correction (
        id INTEGER PRIMARY KEY,
        game INTEGER NOT NULL REFERENCES game,
        n INTEGER NOT NULL,
        who TEXT NOT NULL,
        time REAL NOT NULL,
        what TEXT NOT NULL
    ) STRICT""",
    # `summary`: of each game, for lists and statistics (`cardtable.journal.games`). `value` is the JSON list [scores of
    # the sides, winners, revokes of the seats]; `seat` has the same for each seat. Both are stored with the actions.
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
    # When people said good night, in seconds since 1970: an evening ends there (`cardtable.history.statistics`).
    "good_night (time REAL PRIMARY KEY) STRICT, WITHOUT ROWID",
)
_INDEXES: Final = ("correction_of_game ON correction (game)", "seat_of_player ON seat (player, game)")


def create_tables(database: sqlite3.Connection) -> None:
    """Create the tables in an empty file, in the transaction that is open."""
    for table in _TABLES:
        database.execute(f"CREATE TABLE {table}")
    for index in _INDEXES:
        database.execute(f"CREATE INDEX {index}")
    database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    database.execute(f"PRAGMA user_version = {VERSION}")
    identify(database)


def identity(database: sqlite3.Connection) -> int:
    """Return the random number that tells a journal, and its log, from others; 0 for one that has none yet."""
    number = int(database.execute("PRAGMA schema_version").fetchone()[0])
    return number if number >= _LEAST_IDENTITY else 0


def identify(database: sqlite3.Connection) -> None:
    """Give the journal a new identity. It is in the file's first page, where SQLite counts changes of the tables.

    Other programs may only compare that number.
    """
    database.execute(f"PRAGMA schema_version = {secrets.randbelow(1 << 30) + _LEAST_IDENTITY}")


def forget_identity(database: sqlite3.Connection) -> None:
    """Let each journal that is made of this copy get an identity of its own."""
    database.execute("PRAGMA schema_version = 1")


def write_first_page(database: sqlite3.Connection) -> None:
    """Write the first page, with the identity, into the log. SQLite would skip an `UPDATE` that changes nothing."""
    database.execute(f"PRAGMA user_version = {VERSION}")


def check_version(database: sqlite3.Connection) -> None:
    """Raise `NewerVersion` or `OlderVersion` if the tables of the file are not those of this program."""
    version = int(database.execute("PRAGMA user_version").fetchone()[0])
    if version > VERSION:
        raise NewerVersion(version)
    if version < VERSION:
        raise OlderVersion(version)
