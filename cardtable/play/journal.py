"""The journal: every accepted action on disk before anyone is told of it.

One SQLite file holds any number of games: a header each, and its accepted actions in order, an undo as a row of
its own. `append` returns when the rows would survive a power cut (write-ahead log, `synchronous=FULL`); a game that
was broken off is read back and goes on where it was.
"""

from __future__ import annotations

import errno
import json
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from cardtable.errors import CardtableError
from cardtable.play.game_lock import GameLock, Taken
from engine.actions import Action
from engine.record import Header, write_record
from engine.texts import Text, text

APPLICATION_ID: Final = 0x63617264  # "card": SQLite keeps it in the file's first bytes
VERSION: Final = 1
BUSY_SECONDS = 2.0
"""How long another program that holds the file is waited for."""

_SCHEMA: Final = f"""
CREATE TABLE game (
    id INTEGER PRIMARY KEY,
    header TEXT NOT NULL,
    started REAL NOT NULL,
    over INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE action (
    game INTEGER NOT NULL REFERENCES game,
    n INTEGER NOT NULL,
    action TEXT NOT NULL,
    time REAL NOT NULL,
    PRIMARY KEY (game, n)
) STRICT, WITHOUT ROWID;
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {VERSION};
"""
# Files made before there were readers have none of this, and programs from then do without it.
_HEARD: Final = """
CREATE TABLE IF NOT EXISTS heard (
    source TEXT PRIMARY KEY,
    boot INTEGER NOT NULL,
    next INTEGER NOT NULL
) STRICT, WITHOUT ROWID
"""

# What to do, by the beginning of SQLite's name for what went wrong.
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


class Heard(NamedTuple):
    """All events of `source` in its start `boot` with numbers before `next` are dealt with."""

    source: str
    boot: int
    next: int


@dataclass(frozen=True, slots=True)
class StoredGame:
    """A game as the journal has it. `started`: seconds since 1970. `over`: it came to its end."""

    id: int
    header: Header
    actions: tuple[Action, ...]
    started: float
    over: bool

    def record(self) -> list[str]:
        """The game as lines of a table record (docs/record.md), without line ends."""
        return list(write_record(self.header, self.actions))


class Journal:
    """One journal file, opened for writing; made where there is none. Raises `JournalError`.

    A `Journal` is used by one thread at a time.
    """

    def __init__(self, path: Path, clock: Callable[[], float] = time.time) -> None:
        self.path = path
        self._clock = clock
        self._game: int | None = None
        self._length = 0
        self._claim = GameLock(path)
        with self._errors():
            self._database = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        try:
            with self._errors():
                self._open()
        except JournalError:
            self._database.close()
            raise

    def _open(self) -> None:
        found = self._database.execute("PRAGMA application_id").fetchone()[0]
        tables = self._database.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
        if found != APPLICATION_ID and tables:
            raise JournalError(_at(self.path, _ADVICE["SQLITE_NOTADB"]))
        _check_version(self._database, self.path)
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute("PRAGMA synchronous = FULL")
        self._database.execute("PRAGMA foreign_keys = ON")
        if not tables:
            with self._transaction():
                for statement in _SCHEMA.split(";\n"):
                    self._database.execute(statement)
            _sync_folder(self.path.parent)
        else:
            fault = self._database.execute("PRAGMA quick_check(1)").fetchone()[0]
            if fault != "ok":
                raise JournalError(text("{what} ({why})", what=_at(self.path, _ADVICE["SQLITE_CORRUPT"]), why=fault))
        with self._transaction():
            self._database.execute(_HEARD)

    def begin(self, header: Header) -> int:
        """Store a new game, which later `append`s belong to; its number in this journal."""
        with self._errors(), self._transaction():
            row = self._database.execute(
                "INSERT INTO game (header, started) VALUES (?, ?)",
                (_dumps(header.to_json()), self._clock()),
            )
        assert row.lastrowid is not None
        self._play(row.lastrowid, 0)
        return row.lastrowid

    def resume(self, game: StoredGame) -> None:
        """Later `append`s belong to `game`, after the actions that it has.

        Raises `JournalError` while another program plays it.
        """
        self._play(game.id, len(game.actions))

    def _play(self, game: int, length: int) -> None:
        with self._errors():
            self._claim.take(game)
        self._game, self._length = game, length

    def append(self, actions: Sequence[Action], over: bool = False, heard: Heard | None = None) -> None:
        """Store accepted actions, all of them or none; `over`: whether the game is over with them.

        `heard`: how far a source's events are dealt with, once these actions are stored; stored together with them.
        Raises `JournalError`: nothing is stored, and it may be tried again.
        """
        if self._game is None:
            raise JournalError(f"{self.path}: no game was begun or resumed")
        now = self._clock()
        rows = [(self._game, n, _dumps(action.to_json()), now) for n, action in enumerate(actions, start=self._length)]
        with self._errors(), self._transaction():
            self._database.executemany("INSERT INTO action (game, n, action, time) VALUES (?, ?, ?, ?)", rows)
            self._database.execute("UPDATE game SET over = ?1 WHERE id = ?2 AND over <> ?1", (over, self._game))
            if heard:
                self._database.execute("INSERT OR REPLACE INTO heard (source, boot, next) VALUES (?, ?, ?)", heard)
        self._length += len(rows)

    def heard(self, source: str) -> Heard | None:
        """How far the events of `source` are dealt with; None where nothing of it is."""
        with self._errors():
            query = "SELECT source, boot, next FROM heard WHERE source = ?"
            row = self._database.execute(query, (source,)).fetchone()
        return Heard(*row) if row else None

    def check(self) -> None:
        """Raise `JournalError` where nothing could be stored now. Changes nothing."""
        with self._errors(), self._transaction():
            # SQLite writes this even where it changes nothing; of an `UPDATE` it would notice.
            self._database.execute(f"PRAGMA user_version = {VERSION}")

    def games(self) -> list[StoredGame]:
        """Every game, oldest first."""
        with self._errors():
            return list(_read_all(self._database, self.path, "ORDER BY id"))

    def last(self, header: Header | None = None) -> StoredGame | None:
        """The game begun last, of those with this header if one is given; None where there is none."""
        games = reversed(self.games())
        return next((game for game in games if header is None or game.header == header), None)

    def settings(self) -> dict[str, str | int]:
        """What SQLite does to keep what was stored: `journal_mode`, `synchronous` (2 is FULL), `foreign_keys`."""
        names = ("journal_mode", "synchronous", "foreign_keys")
        return {name: self._database.execute(f"PRAGMA {name}").fetchone()[0] for name in names}

    def close(self) -> None:
        """Let the file go. Nothing is lost without it."""
        self._database.close()
        self._claim.release()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._database.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._database.execute("COMMIT")
        except BaseException:
            # Some errors (a full disk) have rolled back already.
            if self._database.in_transaction:
                self._database.execute("ROLLBACK")
            raise

    def _errors(self) -> AbstractContextManager[None]:
        return _told(self.path)


def read_games(path: Path) -> list[StoredGame]:
    """Every game in a journal, oldest first; writes nothing, and may be called while the journal is in use.

    Raises `JournalError`.
    """
    if not path.is_file():
        raise JournalError(_at(path, text("there is no such journal; name it with --journal")))
    with _told(path), closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as database:
        if database.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
            raise JournalError(_at(path, _ADVICE["SQLITE_NOTADB"]))
        _check_version(database, path)
        return list(_read_all(database, path, "ORDER BY id"))


def _check_version(database: sqlite3.Connection, path: Path) -> None:
    if database.execute("PRAGMA user_version").fetchone()[0] > VERSION:
        raise JournalError(text("{path} was written by a newer cardtable: bring this one up to date", path=path))


def _read_all(database: sqlite3.Connection, path: Path, which: str) -> Iterator[StoredGame]:
    rows = database.execute(f"SELECT id, header, started, over FROM game {which}").fetchall()
    for number, header, started, over in rows:
        found = database.execute("SELECT action FROM action WHERE game = ? ORDER BY n", (number,))
        try:
            actions = tuple(Action.from_json(json.loads(text)) for (text,) in found)
            yield StoredGame(number, Header.from_json(json.loads(header)), actions, started, bool(over))
        except ValueError as error:
            told = "{path}: game {number} cannot be read ({why}); begin a new game with --new"
            raise JournalError(text(told, path=path, number=number, why=str(error))) from error


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """What SQLite says goes on as a `JournalError` that says what to do."""
    try:
        yield
    except sqlite3.Error as error:
        name = getattr(error, "sqlite_errorname", "")
        advice = next((advice for start, advice in _ADVICE.items() if name.startswith(start)), str(error))
        raise JournalError(_at(path, advice)) from error
    except Taken as error:
        raise JournalError(_at(path, _ADVICE["SQLITE_CONSTRAINT"])) from error
    except OSError as error:
        full = error.errno == errno.ENOSPC
        raise JournalError(_at(path, _ADVICE["SQLITE_FULL" if full else "SQLITE_READONLY"])) from error


def _at(path: Path, advice: str) -> Text:
    return text("{place}: {what}", place=path, what=advice)


def _dumps(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _sync_folder(folder: Path) -> None:
    """A new file is found again after a power cut only when its folder is on the disk too."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
