"""A backup waits until the table is opened again, and is put back then."""

from __future__ import annotations

from pathlib import Path

import pytest

from cardtable.errors import CardtableError
from cardtable.maintenance.backup import queue_restore, restore_waiting, waiting_path, write_backup
from tests.cardtable.history.past_games import some_games, store
from tests.cardtable.stored import seen_games


@pytest.fixture
def backup(tmp_path: Path) -> Path:
    """The backup of a table with games."""
    folder = tmp_path / "old"
    folder.mkdir()
    (folder / "table.toml").write_text('language = "fr"\n', "utf-8")
    store(folder / "journal.sqlite", some_games(1), since=1_763_800_000.0)
    write_backup(folder / "table.toml", tmp_path / "backup.zip")
    return tmp_path / "backup.zip"


def test_it_waits_and_is_put_back_once(backup: Path, tmp_path: Path) -> None:
    config = tmp_path / "new" / "table.toml"
    config.parent.mkdir()
    config.write_text('language = "en"\n', "utf-8")
    queue_restore(backup, config)
    assert config.read_text("utf-8") == 'language = "en"\n'
    assert waiting_path(config).stat().st_mode & 0o777 == 0o600
    message = restore_waiting(config)
    assert message is not None and message.startswith("the backup was restored")
    assert config.read_text("utf-8") == 'language = "fr"\n'
    assert (config.parent / "table.toml.aside-1").read_text("utf-8") == 'language = "en"\n'
    assert seen_games(config.parent / "journal.sqlite") == seen_games(tmp_path / "old" / "journal.sqlite")
    assert restore_waiting(config) is None and not waiting_path(config).exists()


def test_what_is_not_a_backup_is_refused_at_once(tmp_path: Path) -> None:
    letter = tmp_path / "letter.zip"
    letter.write_bytes(b"Dear aunt")
    with pytest.raises(CardtableError, match="is not a backup of a table"):
        queue_restore(letter, tmp_path / "table.toml")
    assert not waiting_path(tmp_path / "table.toml").exists()


def test_a_backup_that_was_damaged_meanwhile_is_given_up(backup: Path, tmp_path: Path) -> None:
    config = tmp_path / "table.toml"
    config.write_text('language = "en"\n', "utf-8")
    queue_restore(backup, config)
    waiting_path(config).write_bytes(backup.read_bytes()[:200])
    message = restore_waiting(config)
    assert message is not None and message.startswith("the backup was not restored")
    assert config.read_text("utf-8") == 'language = "en"\n' and restore_waiting(config) is None
