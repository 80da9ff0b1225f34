"""Get out of a damaged journal what can be got out, into a new one: `cardtable journal salvage`.

Works on a copy. Tables are read from both ends up to the first damaged page. Games and actions on pages that no index
leads to any more are found by letting each page be the root of their table, one after the other, as the `.recover` of
SQLite's shell does, which the shell of Debian lacks.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

from cardtable.journal.aside import has_lone_log, keep_foreign_log
from cardtable.journal.file import JournalError, as_journal_errors, at, beside, store_checksum
from cardtable.journal.games import GameList, Summary, store_summaries
from cardtable.journal.journal import Journal
from cardtable.journal.schema import create_tables
from engine.actions import Action
from engine.record import Header
from engine.table import Table
from engine.texts import text
from vision.atomic_files import sync_folder

_BLOCK: Final = 4096
"""Bytes that are read at once; if the disk cannot read them, they count as zeros."""
_GAME_TABLES: Final = ("game", "action", "checksum", "summary", "seat")
"""Tables that are filled game by game, or again when the new journal is opened."""
_UNFIT: Final = (sqlite3.IntegrityError, sqlite3.DataError, sqlite3.InterfaceError)
"""Raised for a row that does not fit into the new journal. Other errors, as of a full disk, end the salvage."""


class Salvaged(NamedTuple):
    """What was got out: `games` with `actions` in all, of which `cut` have lost their end. `lost`: other games."""

    games: int
    actions: int
    cut: int
    lost: int


def salvage(path: Path, output: Path) -> Salvaged:
    """Write what can be read of the journal at `path`, or of its log alone, into a new journal at `output`.

    The old files are only read. Raises `JournalError` if there is nothing to read, or `output` exists already.
    """
    if output.exists():
        raise JournalError(at(output, text("this file exists already: name a new one with -o")))
    if not path.is_file() and not has_lone_log(path):
        raise JournalError(at(path, text("there is no such journal; name it with --journal")))
    with as_journal_errors(output), TemporaryDirectory(dir=output.parent, prefix=".salvage-") as folder:
        copy, fresh = Path(folder) / "old.sqlite", Path(folder) / "new.sqlite"
        Journal(fresh).close()
        _copy(path, copy, fresh)
        with (
            closing(sqlite3.connect(copy, isolation_level=None)) as old,
            closing(sqlite3.connect(":memory:")) as found,
            closing(Journal(fresh)) as journal,
            journal.writing() as new,
        ):
            old.text_factory = lambda raw: raw.decode("utf-8", "replace")
            old.execute("PRAGMA writable_schema = ON")  # also reads a file that was cut off
            create_tables(found)
            _find(old, found, copy.stat().st_size // _BLOCK)
            salvaged = _copy_games(found, new)
            for (table,) in new.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall():
                if table not in _GAME_TABLES:
                    _copy_rows(old, new, table)
        Journal(fresh).close()  # adds the summaries
        fresh.rename(output)
        sync_folder(output.parent)
    return salvaged


def _copy(path: Path, to: Path, fresh: Path) -> None:
    """Copy a journal and its log to `to`. A beginning that is missing or damaged becomes that of the new file `fresh`.

    It names the tables, which have been at the same places since cardtable 0.2.
    """
    log, log_copy = beside(path)[0], beside(to)[0]
    if path.is_file():
        _copy_readable(path, to)
    if log.is_file():
        _copy_readable(log, log_copy)
    if has_lone_log(to):  # which may lack pages
        shutil.copy(fresh, to)
        return
    keep_foreign_log(to)
    with closing(sqlite3.connect(to)) as database, suppress(sqlite3.Error):
        if database.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'game'").fetchone()[0]:
            return
    beginning = bytearray(fresh.read_bytes()[:_BLOCK])
    beginning[92:96] = bytes(4)  # so that SQLite takes the number of pages from the size of the file
    with to.open("r+b") as file:
        file.write(beginning)


def _copy_readable(path: Path, to: Path) -> None:
    with path.open("rb", buffering=0) as old, to.open("wb") as new:
        for at in range(0, path.stat().st_size, _BLOCK):
            block = b""
            with suppress(OSError):
                block = os.pread(old.fileno(), _BLOCK, at)
            new.write(block or bytes(_BLOCK))


def _find(old: sqlite3.Connection, found: sqlite3.Connection, pages: int) -> None:
    """Copy to `found` all games, actions, checksums and summaries that can be read."""
    for table in ("game", "action", "checksum", "summary"):
        _copy_rows(old, found, table)
    if next(_rows(old, "PRAGMA quick_check(1)"), None) == ("ok",):
        return
    for table, content in (("game", "header"), ("action", "action")):
        for page in range(2, pages + 1):
            old.execute("UPDATE sqlite_schema SET rootpage = ? WHERE name = ?", (page, table))
            old.execute(f"PRAGMA schema_version = {page}")  # so that the table is looked up again
            # What is no row of this table, or damaged, is no JSON object, or does not fit into the columns.
            _copy_rows(old, found, table, f"WHERE {content} LIKE '{{%'")


def _copy_games(old: sqlite3.Connection, new: sqlite3.Connection) -> Salvaged:
    games = actions = cut = lost = 0
    query = "SELECT id FROM game UNION SELECT game FROM checksum UNION SELECT game FROM action ORDER BY 1"
    for (number,) in old.execute(query).fetchall():
        copied = None
        with suppress(*_UNFIT):
            copied = _copy_game(old, new, number)
        if copied is None:
            lost += 1
            continue
        games, actions, cut = games + 1, actions + copied[0], cut + copied[1]
    return Salvaged(games, actions, cut, lost)


def _copy_game(old: sqlite3.Connection, new: sqlite3.Connection, number: int) -> tuple[int, bool] | None:
    """Copy a game; return how many actions it has, and whether it has lost some. None if its header is lost.

    With as many actions as its checksum counts, it is copied as it is, so that its checksum goes on to guard it. Of
    another one, the actions up to a gap are copied, as far as the rules accept them.
    """
    game = next(_rows(old, "SELECT id, header, started, over FROM game WHERE id = ?", number), None)
    if game is None or not isinstance(game[1], str):
        return None
    checksum = next(_rows(old, "SELECT game, actions, value FROM checksum WHERE game = ?", number), None)
    rows = list(_rows(old, "SELECT game, n, action, time FROM action WHERE game = ? ORDER BY n", number))
    rows = [row for n, row in enumerate(rows) if row[1] == n]
    whole = checksum and len(rows) == checksum[1]
    over = bool(game[3])
    if not whole:
        kept, over = _played(game[1], [row[2] for row in rows])
        rows = rows[:kept]
    new.execute("INSERT INTO game (id, header, started, over) VALUES (?, ?, ?, ?)", (*game[:3], over))
    new.executemany("INSERT INTO action (game, n, action, time) VALUES (?, ?, ?, ?)", rows)
    if checksum and whole:
        new.execute("INSERT INTO checksum (game, actions, value) VALUES (?, ?, ?)", checksum)
        _copy_result(old, new, number, game[1], rows)
    else:
        store_checksum(new, number, game[1], [row[2] for row in rows], over)
    return len(rows), not whole and (checksum is not None or over != bool(game[3]))


def _copy_result(old: sqlite3.Connection, new: sqlite3.Connection, number: int, header: str, rows: list[Any]) -> None:
    """Copy the result of a whole game, which rulings of an earlier version may have made another one than a replay."""
    with suppress(JournalError):
        entry = GameList(old, Path()).entry(number)
        if entry is not None and entry.result is not None and entry.actions == len(rows):
            summary = Summary(number, header, len(rows), entry.ended, entry.over, entry.result)
            store_summaries(new, [summary])


def _played(header: str, actions: Sequence[str]) -> tuple[int, bool]:
    """Return how many of the actions the rules accept, and whether the game is over then."""
    kept, over = 0, False
    with suppress(Exception):  # whatever damaged rows do to the rules
        table = Table(Header.from_json(json.loads(header)))
        for action in actions:
            table.do(Action.from_json(json.loads(action)))
            kept, over = kept + 1, table.over
    return kept, over


def _copy_rows(old: sqlite3.Connection, new: sqlite3.Connection, table: str, where: str = "") -> None:
    """Copy the rows of a table that can be read and fit into the new one, with the columns that both have.

    They are read in the order of the key up to the first damaged page, then backwards from the last one.
    """
    there = {row[1] for row in _rows(old, f"PRAGMA table_info({table})")}
    columns = [row for row in _rows(new, f"PRAGMA table_info({table})") if row[1] in there]
    names = ", ".join(row[1] for row in columns)
    places = ", ".join("?" * len(columns))
    for order in ("", " DESC"):
        keys = ", ".join(f"{row[1]}{order}" for row in columns if row[5])
        for row in _rows(old, f"SELECT {names} FROM {table} {where} ORDER BY {keys}"):
            with suppress(*_UNFIT):
                new.execute(f"INSERT OR IGNORE INTO {table} ({names}) VALUES ({places})", row)


def _rows(database: sqlite3.Connection, query: str, *values: object) -> Iterator[Any]:
    """Yield the rows of a query up to the first that cannot be read."""
    with suppress(sqlite3.Error, UnicodeDecodeError, MemoryError):
        yield from database.execute(query, values)
