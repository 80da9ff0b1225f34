"""The journal: every accepted action is on disk before it is shown.

One SQLite file holds any number of games. Each has a header and its accepted actions in order; an undo is an action,
too. Once the block of a `transaction` has ended, its rows survive a power cut (write-ahead log, `synchronous=FULL`), in
the file that is at the journal's path. An interrupted game is read back and continued. `cardtable.journal.schema` has
the tables, and `cardtable.journal.games` reads games.
"""

from __future__ import annotations

import json
import logging
import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from cardtable.journal.aside import (
    finish_replacing,
    has_lone_log,
    is_empty,
    keep_foreign_log,
    put_aside,
    refuse_lone_log,
)
from cardtable.journal.corrections import MadeCorrection, What
from cardtable.journal.file import (
    ADVICE,
    BUSY_SECONDS,
    CHECKED_WHOLE,
    GameLock,
    JournalError,
    JournalFiles,
    JournalMoved,
    as_journal_errors,
    at,
    close_moved,
    damaged,
    has_stray_checksum,
    keep_damaged_log,
    make_private,
    store_checksum,
)
from cardtable.journal.games import NEWEST, Games, Result, StoredGame, Summary, forget_summary, store_summaries
from cardtable.journal.schema import APPLICATION_ID, check_version, create_tables, identify, identity, write_first_page
from engine.actions import Action
from engine.record import Header
from engine.texts import Text, text
from vision.atomic_files import sync_folder


@dataclass(slots=True)
class PlayedGame:
    """The game in progress, complete enough to be stored again in another file. `header` and `rows` are JSON."""

    id: int
    header: str
    started: float
    over: bool = False
    rows: list[tuple[str, float]] = field(default_factory=list)
    result: Result | None = None
    corrections: list[MadeCorrection] = field(default_factory=list)


class ProcessedEvents(NamedTuple):
    """All events of `source` in its boot number `boot` that have numbers before `next` (modulo 65536) are processed."""

    source: str
    boot: int
    next: int

    @property
    def number(self) -> int:
        """The number of the last of these events."""
        return (self.next - 1) & 0xFFFF


@dataclass(slots=True)
class Change:
    """What one transaction adds to the game in progress: all of it, or nothing.

    `actions`: the accepted actions, including undos. `correction`: who corrected the game with them, and how. `over`:
    whether the game is over after them. `result`: the result after them; without it, lists of games find the result by
    replaying the game.
    """

    actions: list[Action] = field(default_factory=list)
    correction: tuple[str, What] | None = None
    over: bool = False
    result: Result | None = None


def dumps(value: object) -> str:
    """Return `value` as the journal's JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def create_journal(path: Path) -> None:
    """Put a new journal in the place of an empty file: complete, so that it never has a log that it does not know."""
    new = path.with_name(f"{path.name}.new")
    new.unlink(missing_ok=True)
    make_private(new)
    try:
        with closing(sqlite3.connect(new, isolation_level=None)) as database:
            database.execute("PRAGMA journal_mode = MEMORY")
            database.execute("BEGIN")
            create_tables(database)
            database.execute("COMMIT")
            database.execute("PRAGMA journal_mode = WAL")
        new.rename(path)
    except BaseException:
        new.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def insert_game(database: sqlite3.Connection, game: PlayedGame) -> None:
    """Store a new game without actions, and set its number, `game.id`."""
    write_first_page(database)  # of a journal without games, a log is known by the identity alone
    row = database.execute("INSERT INTO game (header, started) VALUES (?, ?)", (game.header, game.started))
    assert row.lastrowid is not None
    game.id = row.lastrowid
    store_checksum(database, game.id, game.header, (), over=False)


def insert_events(database: sqlite3.Connection, events: Iterable[ProcessedEvents]) -> None:
    """Store which events of reader boards are processed."""
    database.executemany("INSERT OR REPLACE INTO heard (source, boot, next) VALUES (?, ?, ?)", events)


def insert_actions(database: sqlite3.Connection, number: int, rows: Sequence[tuple[str, float]], first: int) -> None:
    """Store actions of game `number`, each as JSON with its time. `first`: the number of the first of them."""
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
    """Store the checksum of `game` after `more` actions, whether it is over, and its summary.

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


_LOG: Final = logging.getLogger(__name__)
_CLOCK_IS_SET: Final = Path("/run/systemd/timesync/synchronized")
"""The file that systemd-timesyncd makes when it has set the clock by the network."""


class Journal:
    """A journal file, opened for writing. It is created if it does not exist.

    Only its owner may read it (mode 0600). `clock` returns seconds since 1970. One thread at a time may use a
    `Journal`. `thorough`: check every page of a large file, too. Raises `JournalError` if the file cannot be opened, is
    damaged, is not a journal, or has another version.
    """

    def __init__(self, path: Path, clock: Callable[[], float] = time.time, thorough: bool = False) -> None:
        self.path = path
        self._clock = clock
        self._thorough = thorough
        self._playing: PlayedGame | None = None
        self._files: JournalFiles | None = None
        self._lock = GameLock(path)
        self._newest = 0.0
        """When the newest entry was stored."""
        self.earliest = 0.0
        """A time before which it cannot be now, from elsewhere. May be set in any thread."""
        self.notice: Text | None = None
        """What to report about damage to the file; None if there is none."""
        with self._errors():
            finish_replacing(path)
            refuse_lone_log(path)
        self._open()
        with self._errors():
            rows = self._database.execute("SELECT source, boot, next FROM heard")
            self._processed = {row[0]: ProcessedEvents(*row) for row in rows if None not in row}

    def _open(self) -> None:
        with self._errors():
            make_private(self.path)
            if is_empty(self.path):
                create_journal(Path(os.path.realpath(self.path)))
            self.notice = keep_foreign_log(self.path) or keep_damaged_log(self.path) or self.notice
            self._database = sqlite3.connect(
                self.path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
            try:
                self._prepare()
            except BaseException:
                self._database.close()
                raise
        self._files = JournalFiles(self.path)
        self.games: Games = Games(self._database, self.path)
        """The games stored in the file."""
        with self._errors():
            self._newest = max(self._newest, self._database.execute(NEWEST).fetchone()[0] or 0.0)
        if missing := self.games.without_summary():
            self._add_summaries(missing)

    def _add_summaries(self, numbers: Iterable[int]) -> None:
        """Store the missing summaries of games, if the file can be written.

        A game has none if its result was not known with its last action, or if it could not be read when an older
        journal was brought to this version. Games that still cannot be read are left out.
        """
        with suppress(JournalError), self._errors(), self._transaction():
            for number in numbers:
                with suppress(JournalError):
                    store_summaries(self._database, [self.games.summary(number)])

    def _prepare(self) -> None:
        if self._database.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
            raise JournalError(at(self.path, ADVICE["SQLITE_NOTADB"]))
        check_version(self._database)
        # A damaged page of old actions in a large file is found when that game is read, and concerns it alone.
        whole = self._thorough or self.path.stat().st_size <= CHECKED_WHOLE
        check = "PRAGMA quick_check(1)" if whole else "PRAGMA quick_check('game')"
        fault = self._database.execute(check).fetchone()[0]
        if fault != "ok":
            raise JournalError(damaged(self.path, fault))
        if has_stray_checksum(self._database):
            raise JournalError(damaged(self.path, text("a game is missing")))
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute("PRAGMA synchronous = FULL")
        self._database.execute("PRAGMA foreign_keys = ON")
        with suppress(sqlite3.Error):  # a full or read-only disk
            if not identity(self._database) and self._copy_log():  # of cardtable 0.2
                identify(self._database)
                self._copy_log()  # a log that follows is known by the identity that is in the file
            write_first_page(self._database)

    def _copy_log(self) -> bool:
        """Copy the log into the journal, and empty it; return whether that was possible: no other program reads it."""
        return not self._database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]

    def now(self) -> float:
        """Return the time to store, in seconds since 1970.

        On a clock that nothing has set, it is never before `earliest` or the newest entry.
        """
        now = self._clock()
        self._newest = now if _CLOCK_IS_SET.exists() else max(now, self._newest, self.earliest)
        return self._newest

    def begin(self, header: Header) -> int:
        """Store a new game, to which later transactions add actions; return its number. Raises `JournalError`."""
        game = PlayedGame(0, dumps(header.to_json()), self.now())
        self.check_place()
        with self._errors(), self._transaction():
            insert_game(self._database, game)
        self._use(game)
        return game.id

    def resume(self, number: int) -> None:
        """Continue a stored game: later transactions add to its actions.

        Raises `JournalError` while another program plays it.
        """
        with self._errors():
            query = "SELECT id, header, started, over FROM game WHERE id = ?"
            game = PlayedGame(*self._database.execute(query, (number,)).fetchone())
            query = "SELECT action, time FROM action WHERE game = ? ORDER BY n"
            game.rows = self._database.execute(query, (number,)).fetchall()
            game.corrections = read_corrections(self._database, number)
        self._use(game)

    def _use(self, game: PlayedGame) -> None:
        with self._errors():
            self._lock.take(game.id)
        self._playing = game
        _LOG.info("%s: game %d, %d actions so far", self.path, game.id, len(game.rows))

    @contextmanager
    def transaction(self, event: ProcessedEvents | None = None) -> Iterator[Change]:
        """Store the `Change` that the block has filled in, in one commit when the block ends.

        `event`: the events of a reader board that are processed with it. Nothing is written if the change is empty and
        there is no `event`, or if the block raises. Raises `JournalError` if nothing was stored; the transaction may be
        repeated.
        """
        change = Change()
        yield change
        if change.actions or change.correction or event:
            self._store(change, event)

    def _store(self, change: Change, event: ProcessedEvents | None) -> None:
        game = self._playing
        if game is None and (change.actions or change.correction):
            raise JournalError(f"{self.path}: no game was begun or resumed")
        now = self.now()
        if game:  # its times never go back, even if its clock was ahead until it was set
            now = max(now, game.started, *(at for _, at in game.rows[-1:]))
        rows = [(dumps(action.to_json()), now) for action in change.actions]
        made = []
        if game and change.correction:
            who, what = change.correction
            made.append(MadeCorrection(len(game.rows), who, now, what))
        self.check_place()
        with self._errors(), self._transaction():
            if event:
                insert_events(self._database, [event])
            if game and (rows or made):
                insert_actions(self._database, game.id, rows, len(game.rows))
                insert_corrections(self._database, game.id, made)
                store_end(self._database, game, rows, change.over, change.result)
            self.check_place()
        if event:
            self._processed[event.source] = event
        if game and (rows or made):
            game.rows += rows
            game.corrections += made
            game.over, game.result = change.over, change.result

    def put_down(self) -> None:
        """Release the game in progress: it stays stored, and another program may continue it."""
        self._playing = None
        self._lock.release()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Open a transaction for data that belongs to no game. Raises `JournalError` if nothing was stored."""
        self.check_place()
        with self._errors(), self._transaction():
            yield self._database

    def setting(self, name: str) -> str | None:
        """Return a stored setting; None without one. Raises `JournalError`."""
        with self.writing() as database:
            row = database.execute("SELECT value FROM setting WHERE name = ?", (name,)).fetchone()
        return str(row[0]) if row else None

    def store_setting(self, name: str, value: str) -> None:
        """Store a setting, which belongs to no game. Raises `JournalError`."""
        with self.writing() as database:
            database.execute("INSERT OR REPLACE INTO setting (name, value) VALUES (?, ?)", (name, value))

    @property
    def number(self) -> int | None:
        """The number of the game in progress; None without one."""
        return self._playing.id if self._playing else None

    @property
    def corrections(self) -> tuple[MadeCorrection, ...]:
        """The corrections that were made in the game in progress, oldest first."""
        return tuple(self._playing.corrections) if self._playing else ()

    @property
    def started(self) -> float | None:
        """When the game in progress began, in seconds since 1970; None without one."""
        return self._playing.started if self._playing else None

    def processed_events(self, source: str) -> ProcessedEvents | None:
        """Return the events of the reader board `source` that are processed; None if there are none."""
        return self._processed.get(source)

    def check(self) -> None:
        """Raise `JournalError` if the journal cannot store anything now.

        If the file was moved, deleted or truncated, the whole game is first stored again, in the file that is at the
        path now or, if there is none, in a new file.
        """
        if self._files is None or self._files.is_lost():
            self._open_again()
        with self._errors(), self._transaction():
            write_first_page(self._database)

    def check_place(self) -> None:
        """Raise `JournalError` if the file at the path is no longer the open one. Reads no file."""
        if self._files is None or self._files.is_lost():
            what = text("the file was moved, deleted or truncated: put it back, or a new one will be created")
            raise JournalMoved(at(self.path, what))

    def _open_again(self) -> None:
        if self._files is not None:
            self._close_lost(self._files)
            self._files = None
        self._lock.release()
        self._lock = GameLock(self.path)
        if has_lone_log(self.path):
            put_aside(self.path)
        self._open()
        try:
            self._store_again()
        except BaseException:
            self._files = None  # nothing is stored here yet: the next check opens the file again
            self._database.close()
            raise
        _LOG.warning("%s was moved or deleted: its game is now in the file that is there", self.path)

    def _store_again(self) -> None:
        """Store the game in progress in a file just opened, after the actions that it already has of this game."""
        with self._errors(), self._transaction():
            insert_events(self._database, self._processed.values())
            game = self._playing
            if game is None:
                return
            same = "SELECT id FROM game WHERE header = ? AND started = ? ORDER BY id DESC"
            found = self._database.execute(same, (game.header, game.started)).fetchone()
            if found is None:
                insert_game(self._database, game)
                there, made = [], 0
            else:
                game.id = found[0]
                query = "SELECT action, time FROM action WHERE game = ? ORDER BY n"
                there = self._database.execute(query, (game.id,)).fetchall()
                made = len(read_corrections(self._database, game.id))
                if there != game.rows[: len(there)]:
                    insert_game(self._database, game)
                    there, made = [], 0
            insert_actions(self._database, game.id, game.rows[len(there) :], len(there))
            insert_corrections(self._database, game.id, game.corrections[made:])
            store_end(self._database, game, (), game.over, game.result)
            self._lock.take(game.id)

    def last(self) -> StoredGame | None:
        """Return the game begun last; None if there is none. Raises `JournalError`."""
        number = self.games.last()
        return None if number is None else self.games.read(number)

    def close(self) -> None:
        """Close the file and release the lock on the game. Nothing is lost if this is not called."""
        if self._files is not None and self._files.is_lost():
            self._close_lost(self._files)
        self._database.close()
        self._lock.release()

    def _close_lost(self, files: JournalFiles) -> None:
        """Close files that were moved, deleted or truncated. Into the rest of a journal the log is not copied."""
        if files.is_cut_off():
            with suppress(JournalError):
                put_aside(self.path)
                self._database.close()
                return
        close_moved(self._database)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._database.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._database.execute("COMMIT")
            if self._files is not None:
                self._files.written()
        except BaseException:
            # Some errors (a full disk) have already rolled back.
            if self._database.in_transaction:
                self._database.execute("ROLLBACK")
            raise

    def _errors(self) -> AbstractContextManager[None]:
        return as_journal_errors(self.path)
