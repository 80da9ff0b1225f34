"""Opening a journal for reading, beside the program that writes it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from cardtable.play.journal_errors import ADVICE, JournalError, as_journal_errors, at
from cardtable.play.journal_schema import APPLICATION_ID, version_of
from engine.texts import text


@contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    """Open the journal at `path` for reading. Writes nothing; works while the journal is in use.

    Raises `JournalError`.
    """
    if not path.is_file():
        raise JournalError(at(path, text("there is no such journal; name it with --journal")))
    with as_journal_errors(path):
        database = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
    with closing(database):
        with as_journal_errors(path):
            if database.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
                raise JournalError(at(path, ADVICE["SQLITE_NOTADB"]))
            version_of(database)
        yield database
