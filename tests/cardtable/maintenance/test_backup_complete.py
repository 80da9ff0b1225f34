"""One of everything that a table can have is made, saved, restored on an empty machine and compared.

A new kind of file needs a place here: `KINDS` says what becomes of it, and `WRITERS` where the program writes files.
"""

from __future__ import annotations

import ast
import sqlite3
import tomllib
from collections.abc import Iterator
from contextlib import closing
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, Final

import numpy as np

from cardtable.cli import main
from cardtable.config.decks import deck_file, keep_deck
from cardtable.config.load import calibration_file, read_config
from cardtable.evening.memory import Evening, Memory
from cardtable.history.pictures import folder_of
from cardtable.journal.file import GameLock
from cardtable.journal.journal import Journal, ProcessedEvents
from cardtable.maintenance.backup import BESIDE, restore_backup, write_backup
from cardtable.setup.first_start import progress_path
from cardtable.web.access import Access
from cardtable.web.access_file import phones_file
from cardtable.web.https import open_https
from engine.cards import parse_card
from firmware_bridge.tags import TagTable
from tests.cardtable.history.past_games import some_games, store
from vision.decks.deck import LearnedDeck
from vision.mat.homography import Homography, save_homography

ROOT: Final = Path(__file__).parents[3]
SAVED: Final = "saved"
KINDS: Final = {
    "table.toml": SAVED,
    "journal.sqlite": SAVED,
    "journal.sqlite-wal": "saved as part of the journal",
    "journal.sqlite-shm": "the index of the log",
    "journal.sqlite-lock": "a lock",
    "journal.sqlite-pictures": "pictures: too large, and they show people's hands",
    "journal.sqlite-highlights": "found again from the journal",
    "journal-phones.json": "secrets: phones and the PIN",
    "journal-phones.json-lock": "a lock",
    "first-start.json": "the first start of this machine",
    "corrected": "pictures for training",
    "*.calibration.json": SAVED,
    "tags*.json": SAVED,
    "decks/*.deck": SAVED,
    "decks/.*.deck-lock": "a lock",
    "games/*.toml": SAVED,
    "*.crt": "certificates of this machine",
    "*.key": "secrets",
    "*.before*": "what a backup restored by 0.2 has replaced",
    "*.aside-*": "what was put aside",
    "*.salvaged-*": "a copy of the journal",
    "table.toml-lock": "a lock",
    "table.toml.last-good": "a copy of the configuration",
    "table.toml.starting": "how often the table has been started",
}
"""Every kind of file of a table, and whether a backup has it, or why not."""

WRITERS: Final = {
    "cardtable/config/decks.py": "decks/*.deck",
    "cardtable/config/writing.py": "table.toml",
    "cardtable/history/highlights.py": "journal.sqlite-highlights",
    "cardtable/history/pictures.py": "journal.sqlite-pictures corrected",
    "cardtable/journal/aside.py": "*.aside-*",
    "cardtable/journal/file.py": "journal.sqlite journal.sqlite-lock",
    "cardtable/journal/games.py": "journal.sqlite",
    "cardtable/journal/journal.py": "journal.sqlite",
    "cardtable/journal/salvage.py": "*.salvaged-*",
    "cardtable/maintenance/backup.py": "*.aside-* table.toml-lock",
    "cardtable/maintenance/install.py": "table.toml",
    "cardtable/safe_mode.py": "*.aside-* table.toml",
    "cardtable/setup/deck_files.py": "decks/*.deck",
    "cardtable/setup/first_start.py": "first-start.json",
    "cardtable/starts.py": "table.toml.last-good table.toml.starting",
    "cardtable/web/access_file.py": "journal-phones.json journal-phones.json-lock",
    "cardtable/web/https.py": "*.key",
    "club/cardtable_club/member/enrolment.py": "*.crt *.key",
    "firmware_bridge/tags.py": "tags*.json",
    "vision/decks/deck.py": "decks/*.deck",
    "vision/mat/homography.py": "*.calibration.json",
    # What a user asks for by name, or what is none of a table.
    "cardtable/cli": "",
    "cardtable/languages.py": "",
    "cardtable/maintenance/pages.py": "",
    "cardtable/maintenance/updates.py": "",
    "cardtable/setup/terminal.py": "",
    "cardtable/simulation/wiring.py": "",
    "club/cardtable_club/commands/tournament.py": "",
    "club/cardtable_club/hub": "",
    "club/cardtable_club/member/outbox.py": "",
    "firmware_bridge/building.py": "",
    "hardware/displays.py": "",
    "vision/atomic_files.py": "",
}
"""The modules and rooms that write files: those of a table, and of which kinds; and others."""


def made(folder: Path) -> Path:
    """Make a table with one of everything; return its configuration."""
    path = folder / "table.toml"
    for name in ("games", "corrected"):
        (folder / name).mkdir(parents=True)
    assert main(["config", "--game", "cribbage", "--players", "Ann,Zoé", "-o", str(path)]) == 0
    path.write_text(path.read_text("utf-8") + '\n[[seat]]\nseat = 1\nbutton = 17\n\n[camera]\ndeck = "mine"\n', "utf-8")
    config = read_config(path)
    keep_deck(deck_file("mine", folder), LearnedDeck("mine", {parse_card("AS"): np.zeros((176, 126, 3), np.uint8)}))
    save_homography(folder / calibration_file(config.cameras[0].name), Homography(np.eye(3), (640, 480)))
    for name in ("tags.json", "tags-left.json"):
        TagTable(folder / name).learn("04a1b2c3", parse_card("QH"))
    example = ROOT / "docs/examples/games/all-fours.toml"
    (folder / "games" / example.name).write_bytes(example.read_bytes())
    store(config.journal, some_games(1), since=1_763_800_000.0)
    with closing(Journal(config.journal)) as journal:
        Memory(journal).save(Evening("asleep"), ["Ann", "Zoé"])
        with journal.transaction(ProcessedEvents("readers", 3, 7)):
            pass
    Access(config.access, phones_file(config.journal)).set_pin("4711")
    open_https(config.journal)
    progress_path(config.journal).write_text("{}", "utf-8")
    folder_of(config.journal).mkdir()
    for name in ("journal.sqlite-pictures/1.jpg", "corrected/1.png", "table.toml.before"):
        (folder / name).write_text(name, "utf-8")
    for name in ("club-ca.crt", "club-table.crt", "club-table.key"):
        (folder / name).write_text(name, "utf-8")
    lock = GameLock(folder / "decks" / ".mine.deck")
    lock.take(0)
    lock.release()
    return path


def rows(journal: Path) -> dict[str, list[Any]]:
    """Return everything in a journal."""
    with closing(sqlite3.connect(f"file:{journal}?mode=ro", uri=True)) as database:
        names = [name for (name,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        return {name: sorted(database.execute(f"SELECT * FROM {name}")) for name in names}


def kinds(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield each file below `folder`, and its kind. A file of an unknown kind fails."""
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        found = [kind for kind in KINDS if fnmatch(name, kind) or name.startswith(f"{kind}/")]
        if path.is_file():
            assert found, f"{name}: what becomes of it in a backup?"
            yield name, found[0]


def test_everything_is_saved_and_restored(tmp_path: Path) -> None:
    path, other = made(tmp_path / "here"), tmp_path / "there" / "table.toml"
    write_backup(path, tmp_path / "backup.zip")
    other.parent.mkdir()
    restored = restore_backup(tmp_path / "backup.zip", other)
    assert restored == ((), ())
    here, there = dict(kinds(path.parent)), dict(kinds(other.parent))
    assert there == {name: kind for name, kind in here.items() if KINDS[kind] == SAVED}
    assert tomllib.loads(other.read_text("utf-8")) == tomllib.loads(path.read_text("utf-8"))
    for name in there.keys() - {"journal.sqlite", "table.toml"}:  # of which secrets in comments are left out
        assert (other.parent / name).read_bytes() == (path.parent / name).read_bytes(), name
    assert all((other.parent / name).stat().st_mode & 0o777 == 0o600 for name in there)
    known = rows(path.with_name("journal.sqlite"))
    unfinished = {row[0] for row in known["game"] if not row[3]}
    assert all(known.values()) or {name for name, each in known.items() if not each} == {"correction"}
    for table, found in rows(other.with_name("journal.sqlite")).items():
        if table in ("action", "checksum", "summary", "correction"):  # of a game that is not over: test_backup.py
            found = [row for row in found if row[0] not in unfinished]
            known[table] = [row for row in known[table] if row[0] not in unfinished]
        assert found == known[table], table


def test_every_saved_kind_is_made_here(tmp_path: Path) -> None:
    found = {kind for _, kind in kinds(made(tmp_path / "here").parent)}
    assert {kind for kind, what in KINDS.items() if what == SAVED} <= found
    assert {*BESIDE, "table.toml", "journal.sqlite"} == {kind for kind, what in KINDS.items() if what == SAVED}


WRITES: Final = (
    *("store", "replacing", "write_text", "write_bytes", "mkdir", "makedirs", "touch", "symlink_to", "hardlink_to"),
    *("copyfile", "copytree", "imwrite", "VideoWriter", "savez"),
)
"""Functions and methods that write files, whatever they belong to."""
MOVES: Final = ("os.rename(", "os.replace(", "os.link(", "os.symlink(", "shutil.copy", "shutil.move(", "np.save")


def _writes(call: ast.Call) -> bool:
    source = ast.unparse(call)
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if source.startswith(MOVES) or (name == "ZipFile" and "'w'" in source):
        return True
    if name == "rename" and len(call.args) == 1:  # of a path; players are renamed, too
        return True
    if name == "open":
        modes = {each.value for each in call.args if isinstance(each, ast.Constant)}
        return "O_CREAT" in source or bool(modes & {"w", "wb", "x", "a", "ab", "xb"})
    return (name in WRITES and not source.startswith(("self.store(", "host.store("))) or source.startswith(
        "sqlite3.connect"
    )


def test_every_module_that_writes_files_is_listed() -> None:
    found: set[str] = set()
    for room in ("cardtable", "club/cardtable_club", "vision", "firmware_bridge", "hardware"):
        for module in (ROOT / room).rglob("*.py"):
            calls = (each for each in ast.walk(ast.parse(module.read_text("utf-8"))) if isinstance(each, ast.Call))
            if any(_writes(each) for each in calls):
                name = module.relative_to(ROOT).as_posix()
                found.add(next((listed for listed in WRITERS if name.startswith(f"{listed}/")), name))
    assert found == WRITERS.keys()
    assert {kind for written in WRITERS.values() for kind in written.split()} <= KINDS.keys()
