"""A journal that is moved or deleted while the table runs: the table says so, and the game is stored at the path."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from cardtable.journal.file import JournalError, JournalMoved
from cardtable.journal.journal import Journal, ProcessedEvents
from engine.actions import Action
from engine.record import Header
from tests.cardtable.stored import append, read_games, readable
from tests.cardtable.table.test_live_game import Game
from tests.engine.talk import action

HEADER = Header("all-fives", ("Ann", "Bo"), 0)
TURN, BEG = action("turn 4H"), action("1 say beg")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "here" / "journal.sqlite"


@pytest.fixture
def journal(path: Path) -> Iterator[Journal]:
    path.parent.mkdir()
    with closing(Journal(path)) as journal:
        journal.begin(HEADER)
        append(journal, [TURN], event=ProcessedEvents("readers", 7, 5))
        yield journal


def delete(path: Path) -> None:
    path.unlink()


def move(path: Path) -> None:
    path.rename(path.with_name("old.sqlite"))


def delete_all(path: Path) -> None:
    for each in list(path.parent.iterdir()):
        each.unlink()


def delete_log(path: Path) -> None:
    path.with_name("journal.sqlite-wal").unlink()


def put_an_older_copy_there(path: Path) -> None:
    copy = path.with_name("copy.sqlite")
    shutil.copy(path, copy)
    copy.replace(path)


def rename_folder(path: Path) -> None:
    path.parent.rename(path.parent.with_name("there"))
    path.parent.mkdir()


def cut_log_off(path: Path) -> None:
    path.with_name("journal.sqlite-wal").write_bytes(b"")


def cut_off(path: Path) -> None:
    path.write_bytes(b"")


WAYS = (delete, move, delete_all, delete_log, put_an_older_copy_there, rename_folder, cut_log_off, cut_off)


def actions(path: Path) -> list[tuple[Action, ...]]:
    return [game.actions for game in read_games(path)]


@pytest.mark.parametrize("lose", WAYS)
def test_nothing_is_stored_elsewhere_and_the_game_moves_to_the_path(
    journal: Journal, path: Path, lose: Callable[[Path], None]
) -> None:
    lose(path)
    with pytest.raises(JournalMoved, match="moved, deleted or truncated: put it back"):
        journal.check_place()
    with pytest.raises(JournalMoved):
        append(journal, [BEG])
    journal.check()
    assert actions(path) == [(TURN,)]
    append(journal, [BEG])
    assert actions(path) == [(TURN, BEG)]
    journal.close()
    with closing(Journal(path)) as again:
        assert again.processed_events("readers") == ProcessedEvents("readers", 7, 5)
        assert [game.actions for game in readable(again.games)] == [(TURN, BEG)]


def test_a_journal_that_comes_back_is_continued(journal: Journal, path: Path) -> None:
    append(journal, [BEG])
    move(path)
    with pytest.raises(JournalMoved):
        journal.check_place()
    path.with_name("old.sqlite").rename(path)
    journal.check()
    append(journal, [Action("undo")])
    assert actions(path) == [(TURN, BEG, Action("undo"))]


def test_a_journal_that_comes_back_late_is_continued(journal: Journal, path: Path) -> None:
    """By then the game goes on in a new file, which the old one replaces."""
    move(path)
    journal.check()
    append(journal, [BEG])
    path.with_name("old.sqlite").replace(path)
    journal.check()
    append(journal, [Action("undo")])
    assert actions(path) == [(TURN, BEG, Action("undo"))]


def test_a_moved_journal_is_complete_where_it_is_now(journal: Journal, path: Path) -> None:
    move(path)
    journal.check()
    assert actions(path.with_name("old.sqlite")) == [(TURN,)]


def test_a_log_merged_by_another_program_is_not_lost(journal: Journal, path: Path) -> None:
    """As a backup does."""
    with closing(sqlite3.connect(path)) as other:
        other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert path.with_name("journal.sqlite-wal").stat().st_size == 0
    append(journal, [BEG])
    assert actions(path) == [(TURN, BEG)]
    cut_log_off(path)
    with pytest.raises(JournalMoved):
        append(journal, [action("0 say take-one")])


def test_the_log_of_another_journal_at_the_path_is_left_alone(journal: Journal, path: Path) -> None:
    delete_all(path)
    other = Journal(path)
    other.begin(Header("all-fives", ("Cy", "Di"), 0))
    append(other, [TURN])
    log = path.with_name("journal.sqlite-wal")
    inode = log.stat().st_ino
    journal.check()
    assert log.stat().st_ino == inode
    append(journal, [BEG])
    append(other, [BEG])
    assert actions(path) == [(TURN, BEG), (TURN, BEG)]
    other.close()


def test_without_its_folder_nothing_is_stored_until_the_folder_returns(journal: Journal, path: Path) -> None:
    shutil.rmtree(path.parent)
    for _ in range(2):
        with pytest.raises(JournalError, match="check that its folder exists"):
            journal.check()
        with pytest.raises(JournalMoved):
            append(journal, [BEG])
    path.parent.mkdir()
    journal.check()
    append(journal, [BEG])
    assert actions(path) == [(TURN, BEG)]


def test_the_table_says_that_its_journal_is_gone_and_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    with closing(Journal(path)) as journal:
        game = Game(journal)
        game.begin()
        game.live.check_store()
        assert game.now.trouble is None
        move(path)
        game.live.check_store()
        assert game.now.trouble is not None and "moved, deleted or truncated" in game.now.trouble
        game.live.check_store()
        assert game.now.trouble is None
        game.take(game.scenes.lay("10H", "play", 1))
        assert actions(path) == [tuple(entry.action for entry in game.now.history)]
        assert len(actions(path)[0]) == 3


def test_a_card_laid_while_the_journal_is_gone_is_judged_again(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    with closing(Journal(path)) as journal:
        game = Game(journal)
        game.begin()
        delete(path)
        game.take(game.scenes.lay("10H", "play", 1))
        assert game.now.trouble is not None and len(game.now.history) == 2
        game.live.check_store()
        assert game.now.trouble is None and len(game.now.history) == 3
        assert actions(path) == [tuple(entry.action for entry in game.now.history)]
