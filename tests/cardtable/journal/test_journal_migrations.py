"""Migrations of the journal file: old versions are upgraded in one transaction, newer ones refused."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest

from cardtable.evening.playing import open_game
from cardtable.journal import schema as journal_schema
from cardtable.journal.file import JournalError
from cardtable.journal.games import read_games
from cardtable.journal.journal import Journal, ProcessedEvents
from cardtable.journal.schema import VERSION, migrate
from engine.actions import Action
from engine.cards import parse_card
from engine.record import Header
from engine.table import Table

VERSION_1: Final = Path(__file__).with_name("journal_version_1.sql").read_text("utf-8")
HEADER: Final = Header("all-fives", ("Ann", "Bö"), 0)


@pytest.fixture
def path(tmp_path: Path) -> Iterator[Path]:
    """A journal written by version 0.1 of the program."""
    path = tmp_path / "journal.sqlite"
    with closing(sqlite3.connect(path)) as database:
        database.executescript(VERSION_1)
    assert version(path) == 1
    yield path


def version(path: Path) -> int:
    with closing(sqlite3.connect(path)) as database:
        return int(database.execute("PRAGMA user_version").fetchone()[0])


def schema(path: Path) -> list[tuple[str, str]]:
    """The tables of a file and their definitions, without the spaces."""
    with closing(sqlite3.connect(path)) as database:
        rows = database.execute("SELECT name, sql FROM sqlite_schema ORDER BY name").fetchall()
    return [(name, "".join(sql.split())) for name, sql in rows]


def test_a_journal_of_version_1_is_upgraded_and_its_games_are_kept(path: Path) -> None:
    before = read_games(path)
    with closing(Journal(path)) as journal:
        assert journal.games.readable() == before
        assert [(len(game.actions), game.over) for game in before] == [(112, True), (3, False)]
        assert journal.processed_events("readers") == ProcessedEvents("readers", 7, 5)
        past = open_game(journal, HEADER)
        assert past == (Action("turn", card=parse_card("4H")), Action("say", seat=1, word="beg"), Action("undo"))
        journal.append([Action("say", seat=1, word="stand")])
    assert version(path) == VERSION
    assert [len(game.actions) for game in read_games(path)] == [112, 4]
    table = Table(before[0].header)
    for action in before[0].actions:
        table.do(action)
    assert table.over


def test_a_file_from_before_rfid_readers_gets_the_missing_table(path: Path) -> None:
    """Version 0.1 added the table `heard` to files of version 1 without changing the version."""
    with closing(sqlite3.connect(path)) as database:
        database.execute("DROP TABLE heard")
    with closing(Journal(path)) as journal:
        assert journal.processed_events("readers") is None
        assert len(journal.games.readable()) == 2
    assert version(path) == VERSION


def test_an_upgraded_file_has_the_tables_of_a_new_one(path: Path, tmp_path: Path) -> None:
    new = tmp_path / "new.sqlite"
    Journal(new).close()
    Journal(path).close()
    assert schema(path) == schema(new)
    assert version(path) == version(new)


def test_reading_does_not_upgrade(path: Path) -> None:
    read_games(path)
    assert version(path) == 1


def test_a_migration_that_fails_leaves_the_file_as_it_was(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def half_done(database: sqlite3.Connection) -> None:
        database.execute("DROP TABLE heard")
        database.execute("CREATE TABLE game (id INTEGER)")  # exists already

    monkeypatch.setattr(journal_schema.migrate, "__defaults__", ((*journal_schema.MIGRATIONS[:1], half_done),))
    before = schema(path)
    with pytest.raises(JournalError):
        Journal(path)
    assert (schema(path), version(path)) == (before, 1)
    assert len(read_games(path)) == 2


def test_each_migration_runs_once_and_in_order() -> None:
    ran: list[int] = []
    migrations = [lambda database, n=n: ran.append(n) for n in range(3)]
    with closing(sqlite3.connect(":memory:")) as database:
        assert migrate(database, migrations[:1]) == (0, 1)
        assert migrate(database, migrations) == (1, 3)
        assert ran == [0, 1, 2]


def test_a_journal_of_the_next_version_is_refused_and_left_alone(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute(f"PRAGMA user_version = {VERSION + 1}")
    content = path.read_bytes()
    for opening in (Journal, read_games):
        with pytest.raises(JournalError, match="was written by a newer cardtable: update this one"):
            opening(path)
    assert path.read_bytes() == content


def test_damage_that_reading_does_not_notice_is_found(path: Path) -> None:
    """A wrong number of free pages (bytes 36 to 39 of the file) does no harm to reading, but to later writing."""
    Journal(path).close()
    content = bytearray(path.read_bytes())
    content[36:40] = (7).to_bytes(4, "big")
    path.write_bytes(content)
    assert len(read_games(path)) == 2
    with pytest.raises(JournalError, match="the file is damaged: move it away"):
        Journal(path)
