"""Versions of the journal file: one of release 0.2.0 is opened, older and newer ones are refused and left alone."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest

from cardtable.evening.playing import open_game
from cardtable.journal.file import JournalError
from cardtable.journal.games import Result, open_games
from cardtable.journal.journal import Journal, ProcessedEvents
from cardtable.journal.salvage import salvage
from cardtable.journal.schema import VERSION
from cardtable.maintenance.backup import restore_backup, write_backup
from engine.actions import Action
from engine.record import Header
from tests.cardtable.stored import append, read_games

RELEASE_0_2_0: Final = Path(__file__).with_name("journal_0_2_0.sql").read_text("utf-8")
HEADER: Final = Header("all-fives", ("Ann", "Bö"), 0)


@pytest.fixture
def path(tmp_path: Path) -> Iterator[Path]:
    """A journal written by release 0.2.0."""
    path = tmp_path / "journal.sqlite"
    with closing(sqlite3.connect(path)) as database:
        database.executescript(RELEASE_0_2_0)
    yield path


def schema(path: Path) -> list[tuple[str, str]]:
    """The tables of a file and their definitions, without the spaces."""
    with closing(sqlite3.connect(path)) as database:
        rows = database.execute("SELECT name, sql FROM sqlite_schema WHERE sql NOT NULL ORDER BY name").fetchall()
    return [(name, "".join(sql.split())) for name, sql in rows]


def test_a_journal_of_release_0_2_0_goes_on(path: Path) -> None:
    with open_games(path) as games:
        assert [(entry.actions, entry.over) for entry in games.entries()] == [(112, True), (4, False)]
        table = games.replayed(1)[1]
        assert table.over and games.entries()[0].result == games.summary(1).result
    with closing(Journal(path)) as journal:
        assert journal.processed_events("readers") == ProcessedEvents("readers", 7, 5)
        past = open_game(journal, HEADER)
        assert past == tuple(map(Action.parse, ("turn 4H", "1 say beg", "undo", "1 say stand")))
        assert [(made.n, made.who, made.what.kind) for made in journal.corrections] == [(3, "board", "add")]
        append(journal, [Action.parse("1 play KS")])
    assert [len(game.actions) for game in read_games(path)] == [112, 5]


def test_a_game_keeps_the_score_that_was_agreed_at_the_table(path: Path, tmp_path: Path) -> None:
    """By another ruling than the present one, also in a backup and in a salvaged journal."""
    with closing(sqlite3.connect(path)) as database:
        database.executescript(Path(__file__).with_name("revokes_0_2_0.sql").read_text("utf-8"))
    (config := tmp_path / "table.toml").touch()
    with closing(Journal(path, thorough=True)) as journal:
        journal.check()
    before = read_games(path)[2]
    write_backup(config, tmp_path / "backup.zip")
    (tmp_path / "other").mkdir()
    restore_backup(tmp_path / "backup.zip", tmp_path / "other" / config.name)
    salvage(path, tmp_path / "salvaged.sqlite")
    for each in (path, tmp_path / "other" / path.name, tmp_path / "salvaged.sqlite"):
        with open_games(each) as games:
            entry, (game, table) = games.entry(3), games.replayed(3)
            assert entry is not None and entry.result == Result((0, 500), (1,), (1, 0, 0, 1))
            assert game == before and table.over


def test_a_new_file_has_the_tables_of_release_0_2_0(path: Path, tmp_path: Path) -> None:
    new = tmp_path / "new.sqlite"
    Journal(new).close()
    assert schema(path) == schema(new)


@pytest.mark.parametrize(
    ("version", "message"),
    [
        (VERSION + 1, "was written by a newer cardtable: update this one"),
        (VERSION - 1, "older than 0.2: open it once with cardtable 0.2, then with this one"),
        (1, "older than 0.2: open it once with cardtable 0.2, then with this one"),
    ],
)
def test_a_journal_of_another_version_is_refused_and_left_alone(path: Path, version: int, message: str) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute(f"PRAGMA user_version = {version}")
    content = path.read_bytes()
    for opening in (Journal, read_games):
        with pytest.raises(JournalError, match=message):
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
