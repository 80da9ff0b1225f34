"""Errors of the journal, each with what to do about it."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from cardtable.errors import CardtableError
from cardtable.play.game_lock import GameLocked
from cardtable.play.journal_schema import NewerVersion
from engine.texts import Text, text

ADVICE: Final = {
    "SQLITE_FULL": text("the disk is full: make room, the game goes on by itself"),
    "SQLITE_IOERR": text("the disk cannot be written: check whether it is full or was removed"),
    "SQLITE_READONLY": text("the file or its folder is read-only: allow writing, or name another with --journal"),
    "SQLITE_PERM": text("you have no permission to open the file: change that, or name another with --journal"),
    "SQLITE_CANTOPEN": text("the file cannot be opened: check that its folder exists and can be written"),
    "SQLITE_BUSY": text("another program holds the file: close it"),
    "SQLITE_LOCKED": text("another program holds the file: close it"),
    "SQLITE_CONSTRAINT": text("another program writes the same game: close it, then start this one again"),
    "SQLITE_CORRUPT": text(
        "the file is damaged: move it away to begin a new one, and keep it: its games can perhaps be recovered"
    ),
    "SQLITE_NOTADB": text("the file is not a journal: move it away, or name another with --journal"),
}
"""What to do, by the beginning of SQLite's name of the error."""

_DAMAGED: Final = ("SQLITE_ERROR", "SQLITE_MISMATCH", "SQLITE_TOOBIG", "SQLITE_NOMEM")
"""Errors that correct statements have only in a damaged file: a table is missing, or exists already."""


class JournalError(CardtableError):
    """The journal cannot be read or written; the message says what to do."""


class JournalMoved(JournalError):
    """The file at the journal's path is no longer the one that is open."""


class UnreadableGame(JournalError):
    """One game of the journal cannot be read or replayed; the others can. `reason`: why, as a sentence part."""

    def __init__(self, path: Path, number: int, reason: str) -> None:
        super().__init__(
            text("{path}: game {number} cannot be read ({why}); it stays stored", path=path, number=number, why=reason)
        )
        self.reason: Final = reason


@contextmanager
def as_journal_errors(path: Path) -> Iterator[None]:
    """Turn errors of SQLite, of the lock and of the file system into `JournalError`s that say what to do."""
    try:
        yield
    except sqlite3.Error as error:
        name = getattr(error, "sqlite_errorname", "")
        if name in _DAMAGED:
            raise JournalError(damaged(path, str(error))) from error
        advice = next((advice for start, advice in ADVICE.items() if name.startswith(start)), str(error))
        raise JournalError(at(path, advice)) from error
    except UnicodeDecodeError as error:  # in a message of SQLite about damaged tables
        raise JournalError(damaged(path, str(error))) from error
    except MemoryError as error:  # SQLite wants memory for a row of an absurd length
        raise JournalError(damaged(path, text("a row is too long"))) from error
    except NewerVersion as error:
        raise JournalError(text("{path} was written by a newer cardtable: update this one", path=path)) from error
    except GameLocked as error:
        raise JournalError(at(path, ADVICE["SQLITE_CONSTRAINT"])) from error
    except OSError as error:
        name = {errno.ENOSPC: "SQLITE_FULL", errno.ENOENT: "SQLITE_CANTOPEN", errno.ENOTDIR: "SQLITE_CANTOPEN"}.get(
            error.errno or 0, "SQLITE_READONLY"
        )
        raise JournalError(at(path, ADVICE[name])) from error


def at(path: Path, advice: str) -> Text:
    """Return `advice` with the file it concerns."""
    return text("{place}: {what}", place=path, what=advice)


def damaged(path: Path, why: str) -> Text:
    """Return what to do about a damaged file; `why`: what is wrong with it."""
    return text("{what} ({why})", what=at(path, ADVICE["SQLITE_CORRUPT"]), why=why)
