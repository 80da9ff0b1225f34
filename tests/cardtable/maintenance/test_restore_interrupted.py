"""A restore that is killed anywhere goes on at the next start: nothing is overwritten, and nothing happens twice."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from cardtable.config.load import read_config
from cardtable.errors import CardtableError
from cardtable.journal.journal import Journal
from cardtable.maintenance.backup import queue_restore, restore_backup, restore_waiting, write_backup
from tests.cardtable.history.past_games import GAMES, store, whole_game
from tests.cardtable.stored import read_games
from tests.killing import killed


def made(folder: Path, language: str, seed: int) -> Path:
    """Make a table with a game and a deck; return its configuration."""
    (folder / "decks").mkdir(parents=True)
    (folder / "table.toml").write_text(f'language = "{language}"\njournal = "state/games.sqlite"\n', "utf-8")
    (folder / "state").mkdir()
    store(folder / "state" / "games.sqlite", [(GAMES[4], whole_game(4, seed))])
    (folder / "decks" / "mine.deck").write_text(language, "utf-8")
    (folder / "decks" / f"{language}.deck").write_text(language, "utf-8")
    return folder / "table.toml"


@pytest.fixture
def waiting(tmp_path: Path) -> Path:
    """The configuration of a table with a backup of another one that waits."""
    theirs = made(tmp_path / "theirs", "fr", 2)
    write_backup(theirs, tmp_path / "backup.zip")
    ours = made(tmp_path / "ours", "en", 1)
    queue_restore(tmp_path / "backup.zip", ours)
    return ours


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.long)])
def test_killed_at_every_operation_nothing_is_lost(waiting: Path, tmp_path: Path, step: int) -> None:
    ours, theirs = (read_games(tmp_path / name / "state" / "games.sqlite") for name in ("ours", "theirs"))
    number, ends = 1 - step, False
    while not ends:
        number += step
        config = Path(shutil.copytree(waiting.parent, tmp_path / str(number))) / waiting.name
        ends = not killed(number, restore_waiting, config)
        killed(number // 2, restore_waiting, config)
        restore_waiting(config)
        state = config.parent / "state"
        assert read_games(state / "games.sqlite") == theirs
        assert [read_games(path) for path in state.glob("games.sqlite.aside-?")] == [ours]
        assert (
            read_config(config).language == "fr"
            and 'language = "en"' in files(config.parent)["table.toml.aside-1"].decode()
        )
        decks = {name: content for name, content in files(config.parent / "decks").items()}
        assert decks == {"mine.deck": b"fr", "fr.deck": b"fr", "en.deck": b"en", "mine.deck.aside-1": b"en"}
        assert not [name for name in files(config.parent) if Path(name).name.startswith(".")]
        with closing(Journal(state / "games.sqlite")) as journal:
            journal.begin(GAMES[0])
        before = files(config.parent)
        assert restore_waiting(config) is None and files(config.parent) == before
    assert number > 20


def test_a_backup_chosen_while_another_is_half_restored_follows_it(
    waiting: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In safe mode: the first one could not be restored whole."""
    before = [read_games(tmp_path / name / "state" / "games.sqlite") for name in ("ours", "theirs")]
    with monkeypatch.context() as patched, pytest.raises(CardtableError, match="only half restored"):
        patched.setattr(Path, "rename", failing_at(waiting, Path.rename))
        restore_waiting(waiting)
    third = made(tmp_path / "third", "fr", 3)
    write_backup(third, tmp_path / "third.zip")
    queue_restore(tmp_path / "third.zip", waiting)
    restore_waiting(waiting)
    state = waiting.parent / "state"
    assert read_games(state / "games.sqlite") == read_games(third.parent / "state" / "games.sqlite")
    assert [read_games(state / f"games.sqlite.aside-{number}") for number in (1, 2)] == before
    assert restore_waiting(waiting) is None


def failing_at(target: Path, rename: Callable[[Path, Path], Path]) -> Callable[[Path, Path], Path]:
    def fail(path: Path, to: Path) -> Path:
        if to == target:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return rename(path, to)

    return fail


def test_a_disk_that_fails_in_the_middle_does_not_mix_two_tables(
    waiting: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs = (read_games(tmp_path / name / "state" / "games.sqlite") for name in ("ours", "theirs"))
    with monkeypatch.context() as patched:
        patched.setattr(Path, "rename", failing_at(waiting, Path.rename))
        for _ in range(2):
            with pytest.raises(CardtableError, match=r"only half restored .*next start"):
                restore_waiting(waiting)
    message = restore_waiting(waiting)
    assert message is not None and message.startswith("the backup was restored")
    assert read_games(waiting.parent / "state" / "games.sqlite") == theirs and read_config(waiting).language == "fr"
    assert read_games(waiting.parent / "state" / "games.sqlite.aside-1") == ours


def test_a_damaged_journal_is_put_aside_with_its_log(waiting: Path, tmp_path: Path) -> None:
    state = waiting.parent / "state"
    (state / "games.sqlite").write_bytes(b"no database at all" * 100)
    (state / "games.sqlite-wal").write_bytes(b"and no log")
    message = restore_waiting(waiting)
    assert message is not None and message.startswith("the backup was restored")
    assert not (state / "games.sqlite-wal").exists()
    assert read_games(state / "games.sqlite") == read_games(tmp_path / "theirs" / "state" / "games.sqlite")
    assert (state / "games.sqlite.aside-1").read_bytes() == b"no database at all" * 100
    assert (state / "games.sqlite.aside-1-wal").read_bytes() == b"and no log"


def test_what_was_put_aside_is_never_overwritten(waiting: Path, tmp_path: Path) -> None:
    state = waiting.parent / "state"
    first = read_games(tmp_path / "ours" / "state" / "games.sqlite")
    for path in state.glob("*-*"):
        path.unlink()
    for name in ("games.sqlite.aside-3-wal", "games.sqlite.aside-5"):
        (state / name).write_text("kept", "utf-8")
    for _ in range(2):  # the waiting backup is restored before the first
        restore_backup(tmp_path / "backup.zip", waiting)
    kept = sorted(path.name for path in state.iterdir() if "aside" in path.name)
    assert read_games(state / "games.sqlite.aside-1") == first
    assert kept == [f"games.sqlite.aside-{end}" for end in ("1", "2", "3-wal", "4", "5")]
    assert (state / "games.sqlite.aside-5").read_text("utf-8") == "kept"


def test_what_a_power_cut_left_is_deleted_at_the_start(tmp_path: Path) -> None:
    config = made(tmp_path / "table", "en", 1)
    restore_waiting(config)  # makes the lock
    before = files(config.parent)
    for name in (".restore-1x", ".received-2x", ".backup-3x"):
        (config.parent / name).mkdir()
        (config.parent / name / "part").write_text("half", "utf-8")
    new = ("tags.json.new", "table.toml.new", ".waiting-backup.zip.new", "decks/mine.deck.new")
    for name in ("decks/.restore-4", "state/.restore-0", ".restore-1", *new):
        (config.parent / name).write_text("half", "utf-8")
    assert restore_waiting(config) is None and files(config.parent) == before
