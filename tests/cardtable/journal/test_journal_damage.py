"""Damage to the journal that SQLite does not report: changed rows, and transactions lost in the write-ahead log."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from cardtable.cli import main
from cardtable.evening.playing import open_game
from cardtable.journal.file import JournalError, UnreadableGame
from cardtable.journal.games import open_games
from cardtable.journal.journal import Journal
from engine.record import Header
from engine.texts import Text
from tests.cardtable.stored import append
from tests.engine.talk import action

HEADER = Header("all-fives", ("Ann", "Bo"), 0)
ACTIONS = [action("turn 4H"), action("1 say stand"), action("1 play 10H")]
PAGE = 4096 + 24


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A journal with a game that is not over, closed."""
    path = tmp_path / "journal.sqlite"
    with closing(Journal(path)) as journal:
        journal.begin(HEADER)
        for each in ACTIONS:
            append(journal, [each])
    return path


@pytest.fixture
def killed(tmp_path: Path) -> Path:
    """The same, as a killed program leaves it: the game is in the write-ahead log."""
    path = tmp_path / "running" / "journal.sqlite"
    path.parent.mkdir()
    with closing(Journal(path)) as journal:
        journal.begin(HEADER)
        for each in ACTIONS:
            append(journal, [each])
        shutil.copytree(path.parent, tmp_path / "killed")
    return tmp_path / "killed" / "journal.sqlite"


def resumed(path: Path, header: Header = HEADER) -> tuple[int, list[Text]]:
    """Return how many actions the program goes on with, and what it reports."""
    reports: list[Text] = []
    with closing(Journal(path)) as journal:
        return len(open_game(journal, header, report=reports.append)), reports


def replace(path: Path, old: bytes, new: bytes) -> None:
    content = path.read_bytes()
    assert content.count(old) >= 1 and len(old) == len(new)
    path.write_bytes(content.replace(old, new))


def change(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("PRAGMA foreign_keys = OFF")
        database.execute(statement)


@pytest.mark.parametrize(
    ("old", "new"),
    [(b'"card":"10H"', b'"card":"10S"'), (b'"card":"4H"', b'"card":"5H"'), (b'"players":["Ann', b'"players":["Bnn')],
)
def test_a_changed_row_is_not_taken_for_another_game(path: Path, old: bytes, new: bytes) -> None:
    replace(path, old, new)
    with open_games(path) as games, pytest.raises(UnreadableGame, match="it was damaged on the disk"):
        games.read(1)
    count, reports = resumed(path)
    assert count == 0 and "game 1 cannot be read" in reports[0]


@pytest.mark.parametrize("change_to", ["over = 1", "id = 7"])
def test_a_game_that_seems_over_or_missing_is_reported(path: Path, change_to: str) -> None:
    change(path, f"UPDATE game SET {change_to}")
    try:
        count, reports = resumed(path)
    except JournalError as error:
        assert "the file is damaged" in str(error)
    else:
        assert count == 0 and "game 1 cannot be read" in reports[0]


def test_a_missing_last_action_is_noticed(path: Path) -> None:
    change(path, "DELETE FROM action WHERE n = 2")
    count, reports = resumed(path)
    assert count == 0 and "it was damaged on the disk" in reports[0]


def test_the_list_of_games_survives_a_damaged_time_and_result(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change(path, "UPDATE game SET started = 1e300")
    change(path, "INSERT OR REPLACE INTO summary VALUES (1, '', 3, 0, 0, '[[0,')")
    assert main(["history", "--journal", str(path)]) == 0
    assert capsys.readouterr().out.split()[:3] == ["1", "?", "all-fives"]


def test_the_log_of_a_killed_program_is_read(killed: Path) -> None:
    assert killed.with_name("journal.sqlite-wal").stat().st_size > 4 * PAGE
    assert resumed(killed) == (3, [])


@pytest.mark.parametrize("at", [9, 17, 32 + PAGE + 30, 32 + 5 * PAGE + 1000])
def test_actions_lost_in_a_damaged_log_are_reported(killed: Path, at: int) -> None:
    log = killed.with_name("journal.sqlite-wal")
    content = bytearray(log.read_bytes())
    content[at] ^= 4
    log.write_bytes(content)
    (earlier := log.with_name(f"{log.name}-damaged")).write_bytes(b"earlier")
    count, reports = resumed(killed)
    assert count < 3 and "its log is damaged, and the last actions are lost" in reports[0]
    assert killed.with_name("journal.sqlite-wal-damaged-2").read_bytes() == content
    assert earlier.read_bytes() == b"earlier"


def test_a_transaction_that_was_never_finished_is_not_reported(killed: Path) -> None:
    """A program killed while it writes leaves frames without an end."""
    log = killed.with_name("journal.sqlite-wal")
    content = log.read_bytes()
    log.write_bytes(content + content[-PAGE:-4096][:4] + bytes(4) + content[-4096 - 16 :])
    assert resumed(killed) == (3, [])


def test_frames_of_an_earlier_use_of_the_log_are_not_missed(killed: Path) -> None:
    """After a checkpoint SQLite writes the log again from its beginning."""
    copy = killed.parent / "again"
    copy.mkdir()
    with closing(Journal(killed)) as journal:
        open_game(journal, HEADER)
        with closing(sqlite3.connect(killed)) as other:
            other.execute("PRAGMA wal_checkpoint(FULL)")
        append(journal, [action("0 play 10D")])
        for each in killed.parent.glob("journal.sqlite*"):
            shutil.copy(each, copy)
    assert resumed(copy / killed.name) == (4, [])


def test_the_list_of_games_leaves_a_damaged_log_to_the_table(killed: Path) -> None:
    """It stores results that it had to find; SQLite would then write over the log."""
    log = killed.with_name("journal.sqlite-wal")
    content = bytearray(log.read_bytes())
    content[-10] ^= 4
    log.write_bytes(content)
    assert main(["history", "--journal", str(killed)]) == 0
    assert log.read_bytes() == content
    count, reports = resumed(killed)
    assert count == 2 and "its log is damaged" in reports[0]


@pytest.mark.parametrize("value", ["CAST('x' AS BLOB)", "NULL"])
def test_a_row_of_another_type_is_reported(path: Path, value: str) -> None:
    """Damage that `STRICT` tables do not allow by SQL."""
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("PRAGMA writable_schema = ON")
        database.execute("UPDATE sqlite_schema SET sql = replace(replace(sql, 'STRICT,', ''), 'TEXT NOT NULL', 'BLOB')")
    change(path, f"UPDATE action SET action = {value} WHERE n = 1")
    with open_games(path) as games, pytest.raises(UnreadableGame, match="it was damaged on the disk"):
        games.read(1)


@pytest.mark.parametrize("name", ["", "/", "..", "folder"])
def test_a_folder_is_no_journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    with pytest.raises(JournalError, match="this is a folder: name a file"):
        Journal(Path(name))
    assert [each.name for each in tmp_path.rglob("*")] == ["folder"]


def test_a_changed_name_commands_no_terminal(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change(path, "INSERT OR REPLACE INTO seat VALUES (1, 0, char(27) || '[2J', 0, 0, 1, 0, 0)")
    change(path, "INSERT OR REPLACE INTO summary VALUES (1, 'all-fives', 3, 1.0, 1, '[[0,0],[0],[0,0]]')")
    assert main(["history", "--stats", "--journal", str(path)]) == 0
    assert "[2J" in (out := capsys.readouterr().out) and "\x1b" not in out
