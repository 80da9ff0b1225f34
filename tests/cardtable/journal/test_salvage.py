"""Logs without their journal, logs of other journals, and what can be got out of a damaged journal."""

from __future__ import annotations

import random
import shutil
import sqlite3
import struct
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from typing import Literal

import pytest

from cardtable.cli import main
from cardtable.journal.aside import put_aside, replace_journal
from cardtable.journal.file import JournalError, _sums
from cardtable.journal.games import open_games
from cardtable.journal.journal import Journal, PlayedGame, dumps, insert_actions, insert_game, store_end
from cardtable.journal.salvage import salvage
from engine.actions import Action
from engine.record import Header
from tests.cardtable.history.past_games import some_games, store
from tests.cardtable.journal.test_journal_damage import ACTIONS, HEADER
from tests.cardtable.journal.test_journal_versions import RELEASE_0_2_0
from tests.cardtable.stored import append, read_games
from tests.killing import killed

PAGE = 4096
END = 12
"""More operations on files than it takes to replace a journal."""
OTHER = Header("all-fives", ("Cy", "Di"), 1)


def many_games() -> list[tuple[Header, tuple[Action, ...]]]:
    """So many that every table has more than one page."""
    return [(header, actions[:25]) for header, actions in some_games(1)] * 8


def log_of(path: Path, header: Header = HEADER) -> bytes:
    """The log of a new journal at `path` with a game, as a killed program leaves it: it holds everything."""
    with closing(Journal(path)) as journal:
        journal.begin(header)
        append(journal, ACTIONS)
        return path.with_name(f"{path.name}-wal").read_bytes()


def actions_in(path: Path) -> list[tuple[Action, ...]]:
    return [game.actions for game in read_games(path)]


def without_tables(path: Path) -> None:
    """Write a database in which nothing was created yet."""
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA journal_mode = WAL")


@pytest.mark.parametrize("make", [None, Path.touch, without_tables], ids=["missing", "empty", "without tables"])
def test_a_log_without_its_journal_is_kept_and_its_games_got_out(
    make: Callable[[Path], None] | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, log = tmp_path / "journal.sqlite", tmp_path / "journal.sqlite-wal"
    if make is not None:
        make(path)
    log.write_bytes(content := log_of(tmp_path / "other.sqlite"))
    with pytest.raises(JournalError, match=r"its log .*-wal still holds games: get them out with"):
        Journal(path)
    assert main(["history", "--journal", str(path)]) == 1
    capsys.readouterr()
    assert main(["journal", "salvage", "--journal", str(path)]) == 0
    out = capsys.readouterr().out
    assert out == f"written: {path}.salvaged, with 1 game and 3 actions\n"
    assert log.read_bytes() == content and path.exists() == (make is not None)
    assert actions_in(tmp_path / "journal.sqlite.salvaged") == [tuple(ACTIONS)]


def test_a_game_in_progress_goes_on_beside_a_log_without_its_journal(tmp_path: Path) -> None:
    content = log_of(tmp_path / "other.sqlite", OTHER)
    path = tmp_path / "journal.sqlite"
    with closing(Journal(path)) as journal:
        journal.begin(HEADER)
        append(journal, ACTIONS[:1])
        for file in tmp_path.glob("journal.sqlite*"):
            file.unlink()
        (tmp_path / "journal.sqlite-wal").write_bytes(content)
        journal.check()
        append(journal, ACTIONS[1:])
    assert actions_in(path) == [tuple(ACTIONS)]
    assert (tmp_path / "journal.sqlite.aside-1-wal").read_bytes() == content


def begin(path: Path, games: int, old: bool) -> None:
    """Write a journal with this many games, `old`: as cardtable 0.2 did, without an identity."""
    if not old:
        return store(path, some_games(1)[:games])
    with closing(sqlite3.connect(path)) as database:
        database.executescript(RELEASE_0_2_0)
        for table in [*(("game", "action", "checksum", "summary", "seat", "correction") if not games else ())]:
            database.execute(f"DELETE FROM {table}")
        database.commit()


def later_part(log: bytes) -> bytes:
    """The log without its first page, as after SQLite has begun it again, with new checksums."""
    header, frames = log[:32], [log[at : at + 24 + PAGE] for at in range(32, len(log), 24 + PAGE)]
    order: Literal["little", "big"] = "big" if log[3] & 1 else "little"
    sums, out = _sums(header[:24], order, (0, 0)), header
    for frame in frames:
        if frame[:4] != bytes(3) + b"\1":
            sums = _sums(frame[24:], order, _sums(frame[:8], order, sums))
            out += frame[:16] + struct.pack(">II", *sums) + frame[24:]
    return out


@pytest.mark.sampled(6)
@pytest.mark.parametrize("part", [lambda log: log, later_part], ids=["whole", "later part"])
@pytest.mark.parametrize("theirs", [False, True], ids=["new log", "old log"])
@pytest.mark.parametrize(("games", "old"), [(0, False), (1, False), (9, False), (0, True), (2, True)])
def test_a_log_of_another_journal_is_not_adopted(
    games: int, old: bool, theirs: bool, part: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    path, log = tmp_path / "journal.sqlite", tmp_path / "journal.sqlite-wal"
    begin(path, games, old)
    before = actions_in(path)
    log.write_bytes(
        content := part(old_log(tmp_path / "other", 1) if theirs else log_of(tmp_path / "other.sqlite", OTHER))
    )
    with closing(Journal(path)) as journal:
        assert journal.notice is not None and "belonged to another journal" in journal.notice
    assert actions_in(path) == before
    assert (tmp_path / "journal.sqlite.aside-1-wal").read_bytes() == content
    salvage(tmp_path / "journal.sqlite.aside-1", tmp_path / "salvaged.sqlite")
    assert OTHER.players in [game.header.players for game in read_games(tmp_path / "salvaged.sqlite")]


def old_log(path: Path, later: float = 0.0) -> bytes:
    """The log of a journal of cardtable 0.2 with a new game. Its games began so much `later`."""
    begin(path, 2, old=True)
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("UPDATE game SET started = started + ?", (later,))
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("BEGIN")
        insert_game(database, game := PlayedGame(0, dumps(OTHER.to_json()), 1.7e9))
        rows = [(dumps(action.to_json()), 1.7e9) for action in ACTIONS]
        insert_actions(database, game.id, rows, 0)
        store_end(database, game, rows, over=False, result=None)
        database.execute("COMMIT")
        return path.with_name(f"{path.name}-wal").read_bytes()


@pytest.mark.parametrize("part", [lambda log: log, later_part], ids=["whole", "later part"])
def test_the_own_log_of_a_journal_of_release_0_2_0(part: Callable[[bytes], bytes], tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    content = part(old_log(path))
    begin(here := tmp_path / "here.sqlite", 2, old=True)
    here.with_name("here.sqlite-wal").write_bytes(content)
    with closing(Journal(here)) as journal:
        assert journal.notice is None
    assert [game.header.players for game in read_games(here)][2] == OTHER.players


def test_a_database_without_tables_becomes_a_journal(tmp_path: Path) -> None:
    without_tables(tmp_path / "journal.sqlite")
    Journal(tmp_path / "journal.sqlite").close()
    assert read_games(tmp_path / "journal.sqlite") == []


def test_another_kind_of_log_is_kept_and_not_read(tmp_path: Path) -> None:
    """SQLite would roll the journal back to the pages of another database."""
    path, other = tmp_path / "journal.sqlite", tmp_path / "other.sqlite"
    with closing(sqlite3.connect(other, isolation_level=None)) as database:
        database.execute("CREATE TABLE evil (x)")
        database.execute("PRAGMA cache_size = 1")
        database.execute("BEGIN")
        database.executemany("INSERT INTO evil VALUES (?)", [("x" * 3000,)] * 99)  # more than fits into the cache
        content = other.with_name("other.sqlite-journal").read_bytes()
    store(path, some_games(1)[:2])
    games = actions_in(path)
    path.with_name("journal.sqlite-journal").write_bytes(content)
    Journal(path).close()
    assert actions_in(path) == games
    assert path.with_name("journal.sqlite.aside-1-journal").read_bytes() == content


def test_a_damaged_journal_is_not_replaced_by_the_log_of_another(tmp_path: Path) -> None:
    path, log = tmp_path / "journal.sqlite", tmp_path / "journal.sqlite-wal"
    store(path, some_games(1)[:2])
    path.write_bytes(damaged := blank(3)(path.read_bytes()))
    log.write_bytes(content := log_of(tmp_path / "other.sqlite", OTHER))
    with pytest.raises(JournalError, match="its log is kept beside it"):
        Journal(path)
    assert (path.read_bytes(), log.read_bytes()) == (damaged, content)


@pytest.mark.parametrize(
    "damaged",
    [
        lambda content: bytes(2 * PAGE),
        lambda content: b"x" * 100,
        lambda content: content[: len(content) // 2 // PAGE * PAGE],
    ],
    ids=["zeros", "a few bytes", "half"],
)
def test_the_log_of_a_damaged_journal_is_not_touched(damaged: Callable[[bytes], bytes], tmp_path: Path) -> None:
    """SQLite would copy it into the damaged file, and delete it."""
    path = tmp_path / "journal.sqlite"
    store(path, many_games()[:3])
    with closing(Journal(path)) as journal:
        journal.begin(HEADER)
        append(journal, ACTIONS)
        shutil.copytree(tmp_path, tmp_path / "killed")
    path, log = tmp_path / "killed" / "journal.sqlite", tmp_path / "killed" / "journal.sqlite-wal"
    path.write_bytes(damaged(path.read_bytes()))
    before = path.read_bytes(), log.read_bytes()
    with pytest.raises(JournalError, match="the file is damaged"):
        Journal(path)
    assert (path.read_bytes(), log.read_bytes()) == before


def test_its_own_log_is_read(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    store(path, some_games(1)[:2])
    with closing(Journal(path)) as journal:
        journal.begin(HEADER)
        append(journal, ACTIONS)
        shutil.copytree(tmp_path, tmp_path / "killed")
    with closing(Journal(tmp_path / "killed" / "journal.sqlite")) as journal:
        assert journal.notice is None
    assert actions_in(tmp_path / "killed" / "journal.sqlite")[2] == tuple(ACTIONS)


def test_what_is_put_aside_is_never_overwritten(tmp_path: Path) -> None:
    kept = []
    for number in range(3):
        path = tmp_path / "journal.sqlite"
        path.write_text(str(number))
        path.with_name("journal.sqlite-wal").write_text(f"log {number}")
        kept.append(put_aside(path))
    assert [each.read_text() for each in kept] == ["0", "1", "2"]
    assert [each.with_name(f"{each.name}-wal").read_text() for each in kept] == ["log 0", "log 1", "log 2"]
    assert len(list(tmp_path.iterdir())) == 6


@pytest.mark.parametrize(
    ("what", "steps"),
    [
        ("a journal", (1, 4, 5, 8, END)),
        ("a log alone", (4, END)),
        ("nothing", (END,)),
        ("a folder", (END,)),
        pytest.param("a journal", range(1, END), marks=pytest.mark.long),
        pytest.param("a log alone", range(1, END), marks=pytest.mark.long),
        pytest.param("a folder", range(1, END), marks=pytest.mark.long),
    ],
)
def test_a_journal_that_is_replaced_is_kept_whole(what: str, steps: Iterable[int], tmp_path: Path) -> None:
    """Killed before these steps: at the next start there is the new journal, and the old one with its log, aside."""
    first, games = tmp_path / "first", []
    first.mkdir()
    path = first / "journal.sqlite"
    if what == "a folder":
        path.mkdir()
    elif what != "nothing":
        (tmp_path / "running").mkdir()
        store(tmp_path / "running" / path.name, some_games(1)[:1])
        with closing(Journal(tmp_path / "running" / path.name)) as journal:
            journal.begin(OTHER)
            games = read_games(journal.path)
            shutil.copytree(tmp_path / "running", first, dirs_exist_ok=True)  # with a log, as after a power cut
    if what == "a log alone":
        path.unlink()
    Journal(first / "new.sqlite").close()
    for step in steps:
        here = Path(shutil.copytree(first, tmp_path / str(step)))
        path = here / "journal.sqlite"
        assert killed(step, replace_journal, path, here / "new.sqlite") or step > 4
        if (here / "new.sqlite").exists():  # nothing has been done
            continue
        Journal(path).close()
        assert read_games(path) == []
        kept = [each for each in here.glob("*.aside-*") if each.is_file() and not each.name.endswith(("-wal", "-shm"))]
        if what == "a journal":
            assert [read_games(each) for each in kept] == [games]
        if what == "a log alone":
            assert len([*here.glob("*.aside-1-wal")]) == 1
        assert not [*here.glob("*.next")]


def blank(*pages: int) -> Callable[[bytes], bytes]:
    """Return what replaces these pages, numbered from 1, by zeros."""

    def damaged(content: bytes) -> bytes:
        for page in pages:
            content = content[: (page - 1) * PAGE] + bytes(PAGE) + content[page * PAGE :]
        return content

    return damaged


def flipped(content: bytes) -> bytes:
    rng, out = random.Random(3), bytearray(content)
    for _ in range(12):
        out[rng.randrange(len(out))] ^= 1 << rng.randrange(8)
    return bytes(out)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("damage", "games", "share"),
    [
        (lambda content: content, 64, 1.0),
        (blank(1), 64, 1.0),
        (blank(2), 64, 1.0),
        (blank(3), 64, 0.75),
        (blank(4, 5, 6, 7, 8, 9, 10, 11), 64, 1.0),
        (blank(1, 2, 3, 20), 30, 0.4),
        (flipped, 30, 0.4),
    ],
    ids=[
        "nothing",
        "the list of tables",
        "the root of games",
        "the root of actions",
        "other tables",
        "several",
        "bits",
    ],
)
def test_what_can_be_got_out_of_a_damaged_journal(
    damage: Callable[[bytes], bytes], games: int, share: float, tmp_path: Path
) -> None:
    path, output = tmp_path / "journal.sqlite", tmp_path / "new.sqlite"
    store(path, many_games())
    with open_games(path) as stored:
        truth = {number: stored.raw(number) for number in stored.numbers()}
    path.write_bytes(content := damage(path.read_bytes()))
    found = salvage(path, output)
    assert path.read_bytes() == content
    assert found.games >= games and found.actions >= share * sum(len(rows) - 1 for rows in truth.values())
    with closing(Journal(output, thorough=True)) as journal:
        for number in journal.games.numbers():
            rows = journal.games.raw(number)
            try:
                journal.games.replayed(number)
            except JournalError:
                continue  # set apart, because its checksum is wrong
            assert rows == truth[number][: len(rows)]
    assert not list(tmp_path.glob(".salvage*"))


def test_salvage_replaces_no_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log_of(tmp_path / "journal.sqlite")
    command = ["journal", "salvage", "--journal", str(tmp_path / "journal.sqlite")]
    assert main([*command, "-o", str(tmp_path / "journal.sqlite")]) == 1
    assert "this file exists already: name a new one with -o" in capsys.readouterr().err
    assert main(["journal", "salvage", "--journal", str(tmp_path / "none.sqlite")]) == 1
    assert "there is no such journal" in capsys.readouterr().err
