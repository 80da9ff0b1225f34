"""Journals and logs that are put aside: kept under another name, never overwritten and never read by mistake.

SQLite deletes a log beside a journal that is missing or empty, although it may hold entire games, and reads a log that
belongs to another journal into the one beside it.
"""

from __future__ import annotations

import glob
import itertools
import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

from cardtable.journal.file import (
    BUSY_SECONDS,
    CHECKED_WHOLE,
    JournalError,
    as_journal_errors,
    beside,
    committed_pages,
    damaged,
    is_damaged,
)
from cardtable.journal.schema import identity
from engine.texts import Text, text
from vision.atomic_files import sync_folder

_LOG_HEADER: Final = 32
"""Bytes at the beginning of a log, before its first frame."""
_MAGIC: Final = b"SQLite format 3\0"
_IDENTITY: Final = slice(40, 44)
_TABLES: Final = slice(103, 105)
"""In the first page of a journal: its identity, and the number of its tables, if there are few."""
_NEXT: Final = ".next"
"""Added to the name under which a journal will be put aside: the journal that will take its place."""
_UNSOUND: Final = ("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_ERROR")
"""Errors in reading a file that is not a sound journal; of the last kind is a missing table."""


def put_aside(path: Path, log_alone: bool = False) -> Path:
    """Rename the journal at `path` with its log, or its log alone; return the journal's new name, which was free.

    The target of a link is renamed, so that a new journal is created at the same place. Raises `JournalError`.
    """
    path = Path(os.path.realpath(path))
    kept = free_name(path)
    with as_journal_errors(path):
        rename_with_log(path, kept, log_alone)
    return kept


def replace_journal(path: Path, new: Path) -> Path:
    """Put the journal at `path` and its log aside, and `new` in its place; return the old one's new name.

    If this is interrupted, `finish_replacing` goes on from there. Raises `JournalError`.
    """
    path = Path(os.path.realpath(path))
    kept = free_name(path)
    with as_journal_errors(path):
        new.rename(kept.with_name(kept.name + _NEXT))
        sync_folder(path.parent)
    finish_replacing(path)
    return kept


def finish_replacing(path: Path) -> None:
    """Finish what a killed program has left of `replace_journal`. Raises `JournalError`."""
    path = Path(os.path.realpath(path))
    with as_journal_errors(path):
        for new in path.parent.glob(f"{glob.escape(path.name)}.aside-*{_NEXT}"):
            rename_with_log(path, new.with_name(new.name.removesuffix(_NEXT)))
            new.rename(path)
            sync_folder(path.parent)


def free_name(path: Path, word: str = "aside") -> Path:
    """Return the first of `path.aside-1`, `path.aside-2` and so on that is free, also for a log beside it.

    Everything that is put aside gets such a name. `word`: another one, for what has yet to take its place.
    """
    names = (path.with_name(f"{path.name}.{word}-{number}") for number in itertools.count(1))
    return next(name for name in names if not any(os.path.lexists(each) for each in (name, *beside(name))))


def rename_with_log(path: Path, to: Path, log_alone: bool = False) -> None:
    """Rename a file, if it exists, with what is beside it if it is a journal. Raises `OSError`.

    The journal goes first: if it ends here, a log alone is refused, and a journal without its log would not be.
    """
    moves = list(zip((path, *beside(path)), (to, *beside(to)), strict=True))
    for old, new in moves[1:3] if log_alone else moves:
        if os.path.lexists(old):
            old.rename(new)
    sync_folder(path.parent)


def has_lone_log(path: Path) -> bool:
    """Return whether there is no journal at `path`, or one without tables, and a log with content beside it."""
    missing = not path.exists() or is_empty(path)
    return missing and beside(path)[0].is_file() and beside(path)[0].stat().st_size > _LOG_HEADER


def is_empty(path: Path) -> bool:
    """Return whether a file is empty, or a database in which nothing was created yet."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        beginning = file.read(_TABLES.stop)
    return not beginning or (beginning.startswith(_MAGIC) and not any(beginning[_TABLES]))


def refuse_lone_log(path: Path) -> None:
    """Raise `JournalError` if there is a log without its journal."""
    if has_lone_log(path):
        message = (
            "{path} is missing or empty, but its log {log} still holds games: get them out with cardtable journal "
            "salvage, or move the log away"
        )
        raise JournalError(text(message, path=path, log=beside(path)[0]))


def keep_foreign_log(path: Path) -> Text | None:
    """Put the log of the journal at `path` aside unless it is its own; return what to report about it.

    Without its own log, a journal is an earlier state of what it is with it: the same games, some of them longer, and
    the same identity, which the log has written. In a journal without games, only the identity shows that. A journal
    that cannot be read without the log, because a crash has interrupted the copying of the log, has no other identity.

    Raises `JournalError` if the journal cannot be read either way: SQLite would copy the log into it, and delete it.
    """
    log, _, rollback = beside(path)
    if os.path.lexists(rollback):  # none is ever beside a journal, and SQLite would write it into this one
        rollback.rename(beside(free_name(path))[2])
    if not path.is_file() or not log.is_file() or not (pages := committed_pages(log)):
        return None
    with path.open("rb") as file:
        written = file.read(_IDENTITY.stop)[_IDENTITY]
    named = {page[_IDENTITY] for number, page in pages if number == 1}
    alone, together = _content(path, "immutable=1"), _content(path, "mode=ro")
    if alone is None:
        if together is not None and (not named or written in named):
            return None
        raise JournalError(damaged(path, text("its log is kept beside it")))
    if together is not None and _continues(together, alone):
        new = all(number == 1 for number, _ in pages)  # an identity was about to be given
        if (written in named if alone.identity else new) or _has_same_games(path):
            return None
    kept = put_aside(path, log_alone=True)
    message = (
        "{path}: the log beside it belonged to another journal. It is kept as {log}: cardtable journal salvage gets "
        "its games out."
    )
    return text(message, path=path, log=beside(kept)[0])


class _Content(NamedTuple):
    """The identity of a journal, and its games by number: header, start, number of actions, checksum."""

    identity: int
    games: Mapping[int, tuple[Any, ...]]


def _continues(later: _Content, earlier: _Content) -> bool:
    """Return whether `later` is the same journal as `earlier`, with all its games, some of them longer."""
    return earlier.identity in (later.identity, 0) and all(
        number in later.games
        and later.games[number][:2] == game[:2]
        and (later.games[number][2] > game[2] or later.games[number][2:] == game[2:])
        for number, game in earlier.games.items()
    )


def _has_same_games(path: Path) -> bool:
    """Return whether the journal has a sound game without its log, and all such games go on with it."""
    with _reading(path, "immutable=1") as earlier, _reading(path, "mode=ro") as later:
        numbers = earlier.execute("SELECT id FROM game").fetchall()
        found = [_goes_on(earlier, later, number) for (number,) in numbers]
    return True in found and False not in found


def _goes_on(earlier: sqlite3.Connection, later: sqlite3.Connection, number: int) -> bool | None:
    """Return whether a game is sound and begins as it did `earlier`; None if it was not sound then."""
    games: list[list[str]] = []
    for database in (earlier, later):
        with suppress(sqlite3.Error):
            header, over = database.execute("SELECT header, over FROM game WHERE id = ?", (number,)).fetchone()
            query = "SELECT action FROM action WHERE game = ? ORDER BY n"
            actions = [action for (action,) in database.execute(query, (number,))]
            if not is_damaged(database, number, header, actions, bool(over)):
                games.append(actions)
                continue
        return None if database is earlier else False
    before, now = games
    return now[: len(before)] == before


@contextmanager
def _reading(path: Path, mode: str) -> Iterator[sqlite3.Connection]:
    """Open the database in this mode, to read it: neither journal nor log is changed."""
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?{mode}", uri=True, timeout=BUSY_SECONDS)) as database:
        database.text_factory = lambda raw: raw.decode("utf-8", "replace")
        yield database


def _content(path: Path, mode: str) -> _Content | None:
    """Return what is in the database, opened in this mode; None if it is not a sound one.

    Raises `sqlite3.Error` if the file cannot be opened or read.
    """
    with _reading(path, mode) as database:
        try:
            whole = path.stat().st_size <= CHECKED_WHOLE
            check = "PRAGMA quick_check(1)" if whole else "PRAGMA quick_check('game')"
            if database.execute(check).fetchone() != ("ok",):
                return None
            if database.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'game'").fetchone() == (0,):
                return _Content(0, {})
            query = "SELECT id, header, started, coalesce(actions, 0), value FROM game LEFT JOIN checksum ON game = id"
            return _Content(identity(database), {row[0]: row[1:] for row in database.execute(query)})
        except UnicodeDecodeError:  # in a message of SQLite about damaged tables
            return None
        except sqlite3.Error as error:
            if getattr(error, "sqlite_errorname", "").startswith(_UNSOUND):
                return None
            raise
