"""The journal: every accepted action is on disk before it is shown.

One SQLite file holds any number of games: a header each, and its accepted actions in order, an undo as a row of its
own. `append` returns when the rows would survive a power cut (write-ahead log, `synchronous=FULL`). An interrupted game
is read back and continued. The tables are in `cardtable.play.journal_schema`.
"""

from __future__ import annotations

import errno
import json
import logging
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from cardtable.errors import CardtableError
from cardtable.play.game_lock import GameLock, GameLocked
from cardtable.play.journal_schema import APPLICATION_ID, VERSION, NewerVersion, migrate, version_of
from engine.actions import Action
from engine.record import Header, write_record
from engine.texts import Text, text

BUSY_SECONDS = 2.0
"""How long to wait for another program that has locked the file."""

_LOG: Final = logging.getLogger(__name__)

# What to do, by the beginning of SQLite's name of the error.
_ADVICE: Final = {
    "SQLITE_FULL": text("the disk is full: make room, the game goes on by itself"),
    "SQLITE_IOERR": text("the disk cannot be written: look whether it is full, or was taken out"),
    "SQLITE_READONLY": text("the file or its folder is read-only: allow writing, or name another with --journal"),
    "SQLITE_PERM": text("the file may not be opened: allow it, or name another with --journal"),
    "SQLITE_CANTOPEN": text("the file cannot be opened: look whether its folder exists and may be written"),
    "SQLITE_BUSY": text("another program holds the file: close it"),
    "SQLITE_LOCKED": text("another program holds the file: close it"),
    "SQLITE_CONSTRAINT": text("another program writes the same game: close it, then start this one again"),
    "SQLITE_CORRUPT": text("the file is damaged: move it away to begin a new one, and keep it; its games may be saved"),
    "SQLITE_NOTADB": text("the file is no journal: move it away, or name another with --journal"),
}


class JournalError(CardtableError):
    """The journal cannot be read or written; the message says what to do."""


class ProcessedEvents(NamedTuple):
    """All events of `source` in its boot number `boot` that have numbers before `next` (modulo 65536) are processed."""

    source: str
    boot: int
    next: int


@dataclass(frozen=True, slots=True)
class StoredGame:
    """A game in the journal.

    `id`: its number in the file; `actions`: everything accepted, undos included; `started`: seconds since 1970;
    `over`: whether it was played to its end.
    """

    id: int
    header: Header
    actions: tuple[Action, ...]
    started: float
    over: bool

    def record(self) -> list[str]:
        """Return the game as lines of a table record (docs/record.md), without line ends."""
        return list(write_record(self.header, self.actions))


class Journal:
    """One journal file, opened for writing. Created if it does not exist, brought up to date if it is older.

    `clock` gives seconds since 1970. One thread at a time may use a `Journal`. Raises `JournalError` if the file cannot
    be opened, is damaged, is not a journal, or has a newer version.
    """

    def __init__(self, path: Path, clock: Callable[[], float] = time.time) -> None:
        self.path = path
        self._clock = clock
        self._game: int | None = None
        self._length = 0
        self._lock = GameLock(path)
        with self._errors():
            self._database = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        try:
            with self._errors():
                self._open()
        except JournalError:
            self._database.close()
            raise

    def _open(self) -> None:
        application = self._database.execute("PRAGMA application_id").fetchone()[0]
        tables = self._database.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
        if application != APPLICATION_ID and tables:
            raise JournalError(_at(self.path, _ADVICE["SQLITE_NOTADB"]))
        version_of(self._database)
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute("PRAGMA synchronous = FULL")
        self._database.execute("PRAGMA foreign_keys = ON")
        if tables:
            fault = self._database.execute("PRAGMA quick_check(1)").fetchone()[0]
            if fault != "ok":
                raise JournalError(text("{what} ({why})", what=_at(self.path, _ADVICE["SQLITE_CORRUPT"]), why=fault))
        with self._transaction():
            before, after = migrate(self._database)
        if not tables:
            _sync_folder(self.path.parent)
        elif before < after:
            _LOG.info("%s: upgraded from version %d to %d", self.path, before, after)

    def begin(self, header: Header) -> int:
        """Store a new game, to which later calls of `append` add actions; return its number. Raises `JournalError`."""
        with self._errors(), self._transaction():
            row = self._database.execute(
                "INSERT INTO game (header, started) VALUES (?, ?)",
                (_dumps(header.to_json()), self._clock()),
            )
        assert row.lastrowid is not None
        self._use(row.lastrowid, 0)
        return row.lastrowid

    def resume(self, game: StoredGame) -> None:
        """Continue `game`: later calls of `append` add to its actions.

        Raises `JournalError` while another program plays it.
        """
        self._use(game.id, len(game.actions))

    def _use(self, game: int, length: int) -> None:
        with self._errors():
            self._lock.take(game)
        self._game, self._length = game, length
        _LOG.info("%s: game %d, %d actions so far", self.path, game, length)

    def append(self, actions: Sequence[Action], over: bool = False, processed: ProcessedEvents | None = None) -> None:
        """Store accepted actions, all of them or none; `over`: whether the game is over after them.

        `processed`: which events of an RFID board are processed with these actions; stored in the same transaction.
        Raises `JournalError` if nothing was stored; the call may be repeated.
        """
        if self._game is None:
            raise JournalError(f"{self.path}: no game was begun or resumed")
        now = self._clock()
        rows = [(self._game, n, _dumps(action.to_json()), now) for n, action in enumerate(actions, start=self._length)]
        with self._errors(), self._transaction():
            self._database.executemany("INSERT INTO action (game, n, action, time) VALUES (?, ?, ?, ?)", rows)
            self._database.execute("UPDATE game SET over = ?1 WHERE id = ?2 AND over <> ?1", (over, self._game))
            if processed:
                self._database.execute("INSERT OR REPLACE INTO heard (source, boot, next) VALUES (?, ?, ?)", processed)
        self._length += len(rows)

    def processed_events(self, source: str) -> ProcessedEvents | None:
        """Return which events of the board `source` are processed; None if none is. Raises `JournalError`."""
        with self._errors():
            query = "SELECT source, boot, next FROM heard WHERE source = ?"
            row = self._database.execute(query, (source,)).fetchone()
        return ProcessedEvents(*row) if row else None

    def check(self) -> None:
        """Raise `JournalError` if nothing could be stored now. Changes nothing."""
        with self._errors(), self._transaction():
            # SQLite writes this even if the value is the same; it would skip such an `UPDATE`.
            self._database.execute(f"PRAGMA user_version = {VERSION}")

    def games(self) -> list[StoredGame]:
        """Return every game, oldest first. Raises `JournalError`."""
        with self._errors():
            return list(_read_all(self._database, self.path))

    def last(self, header: Header | None = None) -> StoredGame | None:
        """Return the game begun last, or the last one with this `header`; None if there is none."""
        games = reversed(self.games())
        return next((game for game in games if header is None or game.header == header), None)

    def settings(self) -> dict[str, str | int]:
        """Return SQLite's durability settings: `journal_mode`, `synchronous` (2 is FULL) and `foreign_keys`."""
        names = ("journal_mode", "synchronous", "foreign_keys")
        return {name: self._database.execute(f"PRAGMA {name}").fetchone()[0] for name in names}

    def close(self) -> None:
        """Close the file and release the lock on the game. Nothing is lost if this is not called."""
        self._database.close()
        self._lock.release()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._database.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._database.execute("COMMIT")
        except BaseException:
            # Some errors (a full disk) have already rolled back.
            if self._database.in_transaction:
                self._database.execute("ROLLBACK")
            raise

    def _errors(self) -> AbstractContextManager[None]:
        return _as_journal_errors(self.path)


def read_games(path: Path) -> list[StoredGame]:
    """Return every game of the journal at `path`, oldest first. Writes nothing; works while the journal is in use.

    Raises `JournalError`.
    """
    if not path.is_file():
        raise JournalError(_at(path, text("there is no such journal; name it with --journal")))
    with (
        _as_journal_errors(path),
        closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as database,
    ):
        if database.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
            raise JournalError(_at(path, _ADVICE["SQLITE_NOTADB"]))
        version_of(database)
        return list(_read_all(database, path))


def _read_all(database: sqlite3.Connection, path: Path) -> Iterator[StoredGame]:
    games = database.execute("SELECT id, header, started, over FROM game ORDER BY id").fetchall()
    for number, header, started, over in games:
        rows = database.execute("SELECT action FROM action WHERE game = ? ORDER BY n", (number,))
        try:
            actions = tuple(Action.from_json(json.loads(row)) for (row,) in rows)
            yield StoredGame(number, Header.from_json(json.loads(header)), actions, started, bool(over))
        except ValueError as error:
            message = "{path}: game {number} cannot be read ({why}); begin a new game with --new"
            raise JournalError(text(message, path=path, number=number, why=str(error))) from error


@contextmanager
def _as_journal_errors(path: Path) -> Iterator[None]:
    """Turn errors of SQLite, of the lock and of the file system into `JournalError`s that say what to do."""
    try:
        yield
    except sqlite3.Error as error:
        name = getattr(error, "sqlite_errorname", "")
        advice = next((advice for start, advice in _ADVICE.items() if name.startswith(start)), str(error))
        raise JournalError(_at(path, advice)) from error
    except NewerVersion as error:
        raise JournalError(
            text("{path} was written by a newer cardtable: bring this one up to date", path=path)
        ) from error
    except GameLocked as error:
        raise JournalError(_at(path, _ADVICE["SQLITE_CONSTRAINT"])) from error
    except OSError as error:
        full = error.errno == errno.ENOSPC
        raise JournalError(_at(path, _ADVICE["SQLITE_FULL" if full else "SQLITE_READONLY"])) from error


def _at(path: Path, advice: str) -> Text:
    return text("{place}: {what}", place=path, what=advice)


def _dumps(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _sync_folder(folder: Path) -> None:
    """Write the folder to disk: a new file survives a power cut only if its directory entry does."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
