"""The journal: stored actions stay stored, whatever happens to the process or the disk."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from cardtable.journal.file import JournalError
from cardtable.journal.journal import Journal
from engine.actions import Action
from engine.cards import parse_card
from engine.record import Header, read_record
from engine.table import Table
from tests.cardtable.limits import full_disk
from tests.cardtable.stored import append, read_games, readable

HEADER = Header("all-fives", ("Ann", "Bö"), 0, {"target": 16})
TURN = Action("turn", card=parse_card("4H"))
BEG = Action("say", seat=1, word="beg")
UNDO = Action("undo")


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    journal = Journal(tmp_path / "journal.sqlite", clock=lambda: 12.5)
    yield journal
    journal.close()


def some_game(seed: int, length: int = 40) -> tuple[Table, list[Action]]:
    """A random legal game with undos in it: the table, and everything that it accepted."""
    rng = random.Random(seed)
    table, accepted = Table(HEADER), []
    while len(accepted) < length and not table.over:
        undo = bool(table.actions) and rng.random() < 0.1
        action = UNDO if undo else rng.choice(table.legal_actions())
        table.do(action)
        accepted.append(action)
    return table, accepted


def test_nothing_is_dated_before_the_newest_entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether the clock has been 1970 since the start of the machine, or was ahead until it was set."""
    path, now = tmp_path / "journal.sqlite", 1000.0

    def played() -> list[float]:
        with closing(Journal(path, clock=lambda: now)) as journal:
            number = journal.begin(HEADER)
            append(journal, [TURN])
            return [journal.started or 0.0, *journal.games.times(number)]

    assert played() == [1000.0, 1000.0]
    now = 5.0
    assert played() == [1000.0, 1000.0]
    now = 9000.0
    with closing(Journal(path, clock=lambda: now)) as journal:
        number = journal.begin(HEADER)
        append(journal, [TURN])
        (tmp_path / "set").touch()
        monkeypatch.setattr("cardtable.journal.journal._CLOCK_IS_SET", tmp_path / "set")
        now = 2000.0
        append(journal, [BEG])
        assert journal.games.times(number) == [9000.0, 9000.0], "the hub gets the times of a game in order"
    assert played() == [2000.0, 2000.0]


def test_a_game_is_read_back_as_it_was_stored(journal: Journal) -> None:
    table, accepted = some_game(1)
    journal.begin(HEADER)
    for action in accepted:
        append(journal, [action])
    stored = Journal(journal.path).last()
    assert stored is not None
    assert (stored.header, list(stored.actions), stored.over, stored.started) == (HEADER, accepted, False, 12.5)
    again = Table(stored.header)
    for action in stored.actions:
        again.do(action)
    assert again.view() == table.view()


def test_the_record_of_a_game_can_be_read(journal: Journal) -> None:
    _, accepted = some_game(2)
    journal.begin(HEADER)
    append(journal, accepted)
    stored = journal.last()
    assert stored is not None
    record = read_record(stored.record())
    assert (record.header, list(record.actions)) == (HEADER, accepted)


def test_several_games_live_in_one_file(journal: Journal) -> None:
    first = journal.begin(HEADER)
    append(journal, [TURN, BEG], over=True)
    second = journal.begin(Header("all-fives", ("Cy", "Di", "Ed")))
    append(journal, [TURN])
    games = readable(journal.games)
    assert [(game.id, len(game.actions), game.over) for game in games] == [(first, 2, True), (second, 1, False)]
    journal.resume(games[0].id)
    append(journal, [UNDO], over=False)
    assert [(len(game.actions), game.over) for game in readable(journal.games)] == [(3, False), (1, False)]


def test_nothing_can_be_stored_before_a_game_was_begun(journal: Journal) -> None:
    with pytest.raises(JournalError, match="no game"):
        append(journal, [TURN])


def test_a_full_disk_stores_all_of_an_observation_or_nothing(journal: Journal) -> None:
    journal.begin(HEADER)
    pages = journal._database.execute("PRAGMA page_count").fetchone()[0]
    journal._database.execute(f"PRAGMA max_page_count = {pages}")
    stored = 0
    with pytest.raises(JournalError, match="disk is full: make room"):
        for _ in range(500):
            append(journal, [TURN, UNDO])
            stored += 2
    with pytest.raises(JournalError):
        append(journal, [TURN, UNDO])
    last = Journal(journal.path).last()
    assert last is not None and len(last.actions) == stored > 0
    journal._database.execute("PRAGMA max_page_count = 100000")
    journal.check()
    append(journal, [TURN])
    last = journal.last()
    assert last is not None and len(last.actions) == stored + 1


def test_every_transaction_reaches_the_disk(journal: Journal) -> None:
    with journal.writing() as database:
        names = ("journal_mode", "synchronous", "foreign_keys")
        assert [database.execute(f"PRAGMA {name}").fetchone()[0] for name in names] == ["wal", 2, 1]


def test_check_fails_if_nothing_can_be_stored(journal: Journal) -> None:
    journal.begin(HEADER)
    append(journal, [TURN])
    with full_disk(journal.path.with_name("journal.sqlite-wal").stat().st_size):
        with pytest.raises(JournalError, match="full"):
            append(journal, [BEG])
        with pytest.raises(JournalError, match="full"):
            journal.check()
        assert [game.actions for game in readable(journal.games)] == [(TURN,)]
    journal.check()
    append(journal, [BEG])
    assert [game.actions for game in readable(journal.games)] == [(TURN, BEG)]


def test_games_are_read_while_they_are_written(journal: Journal) -> None:
    journal.begin(HEADER)
    append(journal, [TURN, BEG])
    assert read_games(journal.path) == readable(journal.games)
    with pytest.raises(JournalError, match="no such journal"):
        read_games(journal.path.with_name("none.sqlite"))
    with pytest.raises(JournalError, match="no such journal"):
        read_games(journal.path.parent)


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="only root can mount a small disk")
def test_a_disk_that_is_really_full(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", disk], capture_output=True).returncode:
        pytest.skip("no disk can be mounted here")
    try:
        journal = Journal(disk / "journal.sqlite")
        journal.begin(HEADER)
        stored = 0
        with pytest.raises(JournalError, match="full"):
            while True:
                append(journal, [TURN, UNDO] * 20)
                stored += 40
        journal.close()
        stored_game = Journal(disk / "journal.sqlite").last()
        assert stored_game is not None and len(stored_game.actions) == stored > 0
    finally:
        subprocess.run(["umount", "-l", disk], check=True)


def test_another_program_that_holds_the_file_is_named(journal: Journal) -> None:
    journal.begin(HEADER)
    journal._database.execute("PRAGMA busy_timeout = 10")
    other = sqlite3.connect(journal.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(JournalError, match="another program holds the file"):
        append(journal, [TURN])
    other.execute("ROLLBACK")
    other.close()
    append(journal, [TURN])


def test_two_programs_do_not_write_one_game(journal: Journal) -> None:
    journal.begin(HEADER)
    append(journal, [TURN])
    other = Journal(journal.path)
    last = other.last()
    assert last is not None
    other.resume(last.id)
    append(other, [BEG])
    with pytest.raises(JournalError, match="another program writes the same game"):
        append(journal, [BEG])
    other.close()


@pytest.mark.parametrize("content", [b"Dear diary, today we played cards and I won.\n" * 40, b"\x00" * 4096])
def test_a_file_that_is_not_a_journal_is_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises(JournalError, match="not a journal: move it away"):
        Journal(path)
    assert path.read_bytes() == content


def test_a_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE recipe (name TEXT)")
    other.close()
    with pytest.raises(JournalError, match="not a journal"):
        Journal(path)


def test_a_damaged_file_is_reported(journal: Journal) -> None:
    journal.begin(HEADER)
    for _ in range(300):
        append(journal, [TURN, UNDO])
    journal.close()
    content = bytearray(journal.path.read_bytes())
    content[4096 : len(content) - 100] = b"\x5a" * (len(content) - 4196)
    journal.path.write_bytes(content)
    with pytest.raises(JournalError, match="damaged"):
        Journal(journal.path)


def test_a_journal_of_a_newer_program_is_left_alone(journal: Journal) -> None:
    journal._database.execute("PRAGMA user_version = 99")
    journal.close()
    with pytest.raises(JournalError, match="newer cardtable"):
        Journal(journal.path)
    with pytest.raises(JournalError, match="newer cardtable"):
        read_games(journal.path)


def test_a_missing_folder_is_reported(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="check that its folder exists"):
        Journal(tmp_path / "nowhere" / "journal.sqlite")


def test_a_read_only_folder_is_reported() -> None:
    unprivileged = 65534
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "journal.sqlite"
        Journal(path).close()
        path.chmod(0o444)
        folder.chmod(0o555)
        try:
            if root := os.geteuid() == 0:
                os.seteuid(unprivileged)
            with pytest.raises(JournalError, match=r"read-only|cannot be opened"):
                Journal(path).begin(HEADER)
        finally:
            if root:
                os.seteuid(0)
            folder.chmod(0o755)


WRITER = """
import sys
from pathlib import Path
from cardtable.journal.journal import Journal
from engine.actions import Action
from engine.cards import parse_card
from engine.record import Header
from tests.cardtable.stored import append

journal = Journal(Path(sys.argv[1]))
journal.begin(Header("all-fives", ("Ann", "Bo"), 0))
while True:
    append(journal, [Action("turn", card=parse_card("4H")), Action("undo")])
    print("stored", flush=True)
"""


@pytest.mark.parametrize("announced", [1, 7, 30])
def test_stored_actions_survive_kill_9(tmp_path: Path, announced: int) -> None:
    path = tmp_path / "journal.sqlite"
    with subprocess.Popen([sys.executable, "-c", WRITER, path], stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        lines = [writer.stdout.readline() for _ in range(announced)]
        writer.send_signal(signal.SIGKILL)
        lines += writer.stdout.readlines()
    assert writer.returncode == -signal.SIGKILL
    journal = Journal(path)
    game = journal.last()
    assert game is not None
    count = sum(line == "stored\n" for line in lines)
    assert count >= announced
    # One transaction more may have been stored than was announced; never half of one.
    assert len(game.actions) in (2 * count, 2 * count + 2)
    journal.resume(game.id)
    append(journal, [TURN])
