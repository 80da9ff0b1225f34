"""What is kept on a disk, killed at every operation on files while it is replaced. Run: `torture restores`.

A backup is restored; an update does not come up, and is taken back; a deck and tags are learned; a table is set up; a
damaged journal makes room; an old one is opened. The preloaded library kills the process, and the `cp` that it calls,
before, after and in the middle of each operation, or lets it fail once. The next start goes on: what was there is
there, or what was to replace it, whole, and what was replaced is kept beside it, once.
"""

from __future__ import annotations

import errno
import os
import random
import shutil
import sqlite3
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Final, NamedTuple
from unittest.mock import patch

import numpy as np

from cardtable.cli import main
from cardtable.config.decks import keep_deck
from cardtable.config.load import read_config
from cardtable.errors import CardtableError
from cardtable.journal.aside import free_name, replace_journal
from cardtable.journal.file import JournalError
from cardtable.journal.journal import Journal
from cardtable.journal.salvage import salvage
from cardtable.maintenance.backup import queue_restore, restore_backup, restore_waiting
from cardtable.setup.deck_files import DeckStore
from cardtable.setup.first_start import FirstStart, progress_path
from cardtable.setup.steps_camera import CardStep
from cardtable.setup.steps_devices import ReadersStep
from cardtable.setup.steps_machine import LanguageStep
from cardtable.web.access import Access
from cardtable.web.access_file import phones_file
from engine.cards import Card, parse_card
from firmware_bridge.tags import TagsError, TagTable
from lab.torture.faults import Faults, Kind, Mode
from lab.torture.harness import Figure, Scale, with_programs
from lab.torture.programs import ROOT, Programs
from tests.cardtable.history.past_games import GAMES, store, whole_game
from tests.cardtable.journal.test_journal_versions import RELEASE_0_2_0
from tests.cardtable.setup.conftest import Site
from tests.cardtable.stored import read_games
from vision.decks.deck import LearnedDeck, load_deck
from vision.frames import Image

sys.path.insert(0, str(ROOT / "packaging/debian/updater"))
from cardtable_updater import Failed  # type: ignore[import-untyped]
from cardtable_updater.updater import Updater  # type: ignore[import-untyped]

_MODES: Final = (Mode.KILL_BEFORE, Mode.KILL_AFTER, Mode.KILL_TORN, Mode.FAIL)
_LEARNED: Final = tuple(map(parse_card, ("AS", "KS", "QS", "JS", "10S", "9S")))


class Part(NamedTuple):
    """What is killed: `work` in a folder that `make` has filled.

    `judge` finishes the work after an attempt, told whether that came to its end, and returns what is wrong then.
    """

    make: Callable[[Path], None]
    work: Callable[[Path], None]
    judge: Callable[[Path, bool], str | None]


def run(scale: Scale) -> Iterator[Figure]:
    """Kill each part at every operation, in every way; with a share, at some of them."""
    return with_programs(figures, scale)


def figures(programs: Programs, folder: Path, scale: Scale) -> Iterator[Figure]:
    """Kill each part in folders below `folder`."""
    for number, (what, part) in enumerate(PARTS.items()):
        if scale.has(what):
            yield _everywhere(what, part, programs, folder / f"part-{number}", scale)


def install() -> None:
    """Do the work that the environment names, in a process of the fork server."""
    status = 1
    try:
        PARTS[os.environ["WORK"]].work(Path(os.environ["FOLDER"]))
        status = 0
    except (CardtableError, TagsError, OSError):
        status = 2
    except BaseException:
        traceback.print_exc()
    sys.stderr.flush()
    os._exit(status)


def _everywhere(what: str, part: Part, programs: Programs, folder: Path, scale: Scale) -> Figure:
    rng, failures, number = random.Random(f"{scale.seed}/{what}"), list[str](), 0
    part.make(folder / "first")

    def attempt(mode: Mode, at: int) -> tuple[Path, int, int]:
        here = Path(shutil.copytree(folder / "first", folder / str(number), symlinks=True))
        faults = Faults(folder / "faults", match=f"{folder.name}/{number}/")
        if mode == Mode.FAIL:
            faults.fail(errno.EIO, Kind.ALL, 1)
            faults.start_at(at)
        else:
            faults.kill_at(at, mode)
        environment = {"WORK": what, "FOLDER": str(here), "FAULTS_CONTROL": str(faults.path)}  # the last for `cp`
        program = programs.start([], environment, faults.path, "restores")
        status = program.wait()
        if status == 1:
            failures.append(f"{what}, {mode.name} at {at}: {program.errors}")
        count = faults.count
        faults.close()
        return here, status, count

    operations = attempt(Mode.OFF, 0)[2]
    cases = [(mode, at) for mode in _MODES for at in range(1, operations + 1)]
    for number, (mode, at) in enumerate(rng.sample(cases, scale.of(len(cases))), 1):
        here, status, _ = attempt(mode, at)
        if wrong := part.judge(here, status == 0):
            failures.append(f"{what}, {mode.name} at {at}: {wrong}")
            shutil.move(here, folder / f"failed-{number}")
        else:
            shutil.rmtree(here)
        if number % 100 == 0:
            scale.report(f"{what}: {number} of {len(cases)}, {len(failures)} failed")
    return Figure(what, number, tuple(failures))


def _config(folder: Path) -> Path:
    return folder / "table.toml"


def _journal(folder: Path) -> Path:
    return folder / "journal.sqlite"


def _asides(folder: Path) -> list[Path]:
    return [path for path in folder.glob("journal.sqlite.aside-*") if not path.name.endswith(("-wal", "-shm"))]


# A backup is restored.


def _make_backup(folder: Path) -> None:
    for name, language in ((folder, "en"), (folder.with_name("theirs"), "fr")):
        (name / "decks").mkdir(parents=True)
        _config(name).write_text(f'language = "{language}"\n', "utf-8")
        (name / "decks" / "mine.deck").write_text(language, "utf-8")
        store(_journal(name), [(GAMES[4], whole_game(4, len(name.name)))])
    main(["backup", "-c", str(_config(folder.with_name("theirs"))), "-o", str(folder.with_name("backup.zip"))])


def _restore(folder: Path) -> None:
    restore_backup(folder.with_name("backup.zip"), _config(folder))


def _make_waiting(folder: Path) -> None:
    _make_backup(folder)
    queue_restore(folder.with_name("backup.zip"), _config(folder))


def _restore_waiting(folder: Path) -> None:
    outcome = restore_waiting(_config(folder))
    if outcome is not None and outcome.startswith("the backup was not restored"):
        (folder / "refused").touch()


def _judge_waiting(folder: Path, ended: bool) -> str | None:
    return _judge_restored(folder, ended=not (folder / "refused").exists())  # a kill alone refuses no backup


def _judge_restored(folder: Path, ended: bool) -> str | None:
    restore_waiting(_config(folder))
    ours, theirs = (read_games(_journal(folder.with_name(name))) for name in ("first", "theirs"))
    games, kept = read_games(_journal(folder)), list(map(read_games, _asides(folder)))
    if (games, kept) not in ((theirs, [ours]), (ours, [])):
        return f"{len(games)} games, and {len(kept)} journals set aside"
    if ended and games != theirs:
        return "it says that it has restored the backup"
    if hidden := [path.name for path in folder.rglob(".*")]:
        return f"{hidden} is left"
    language = read_config(_config(folder)).language
    content = [path.read_text("utf-8") for path in sorted(folder.glob("decks/mine.deck*"))]
    wanted = ("fr", ["fr", "en"]) if games == theirs else ("en", ["en"])
    return None if (language, content) == wanted else f"{len(games)} games with {language} and the decks {content}"


# An update does not come up, and is taken back.

_OLD: Final = {"games/journal.sqlite": "old", "games/pictures/1.png": "same", "config/table.toml": "old"}
_NEW: Final = {"games/journal.sqlite": "new", "games/journal.sqlite-wal": "new", "config/new.deck": "new"}
_PLACES: Final = {"games": "root/var/lib/cardtable", "config": "root/etc/cardtable"}


class _Machine:
    """Packages and service of a machine: version 1 works, 2 writes files and does not come up."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._version = folder.with_name(f"{folder.name}-version")
        self._runs = folder.with_name(f"{folder.name}-runs")

    @property
    def version(self) -> str:
        return self._version.read_text("utf-8") if self._version.exists() else "1"

    @property
    def runs(self) -> bool:
        return not self._runs.exists() or self._runs.read_text("utf-8") == "yes"

    def present(self) -> dict[str, str]:
        return {"cardtable": self.version}

    def installed(self, package: str) -> str:
        return self.version

    def newer(self, refused: Any) -> str | None:
        return "2" if self.version == "1" and "2" not in refused else None

    def nothing(self, *_: Any, **__: Any) -> None:
        """Download, pack or configure."""

    download = repack = configure = forget_downloads = nothing

    def install(self, wanted: Any) -> None:
        self._version.write_text("2", "utf-8")

    def put_back(self, packages: Any) -> None:
        self._version.write_text("1", "utf-8")

    def health(self) -> dict[str, Any]:
        return {"screen": "lobby", "ok": True}

    def log(self) -> str:
        return ""

    def stop(self, check: bool = True) -> None:
        self._runs.write_text("no", "utf-8")

    def start(self) -> None:
        self._runs.write_text("yes", "utf-8")
        journal = self._folder / _PLACES["games"] / "journal.sqlite"
        if self.version == "2":
            _fill(self._folder, _NEW)
        elif not journal.exists():
            journal.write_text("begun", "utf-8")

    def start_and_wait(self, well: bool) -> None:
        self.start()
        if self.version == "2":
            raise Failed("not-up")


def _fill(folder: Path, files: Mapping[str, str]) -> None:
    for name, content in files.items():
        place, _, rest = name.partition("/")
        path = folder / _PLACES[place] / rest
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, "utf-8")


def _make_update(folder: Path) -> None:
    _fill(folder, _OLD)
    (folder / "root/opt").mkdir()
    (folder / _PLACES["games"] / "update-install").touch()


def _update(folder: Path) -> None:
    """Install what is asked for. The configuration is on another file system: links do not reach there."""
    machine, made = _Machine(folder), Updater(folder / "root")
    vars(made).update(packages=machine, _table=machine, _check_room=lambda: None)
    rename = Path.rename

    def only_within(path: Path, to: Path) -> Path:
        if ("etc" in path.parts) != ("etc" in to.parts):
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
        return rename(path, to)

    with patch.object(Path, "rename", only_within), patch.object(os, "sync"):  # which would wait for others
        made.run()


def _judge_update(folder: Path, ended: bool) -> str | None:
    machine, unfinished = _Machine(folder), folder / "root/var/lib/cardtable-updater/unfinished"
    for _ in range(3):  # cardtable-update-due.path
        if unfinished.exists():
            _update(folder)
    if unfinished.exists() or (machine.version, machine.runs) != ("1", True):
        return f"version {machine.version}; the table runs: {machine.runs}; unfinished: {unfinished.exists()}"
    found = {
        name: path.read_text("utf-8")
        for place, where in _PLACES.items()
        for path in (folder / where).rglob("*")
        if path.is_file() and (name := f"{place}/{path.relative_to(folder / where)}") != "games/update-install"
    }
    there = {name: content for name, content in found.items() if ".aside-" not in name}
    aside = sorted(content for name, content in found.items() if ".aside-" in name and content != "begun")
    before = [path.read_text("utf-8") for path in folder.rglob("before.aside-*/games/journal.sqlite")]
    if there == _OLD and aside in ([], sorted(_OLD.values()), sorted(({**_OLD, **_NEW}).values())):
        return None
    return None if (there, aside, before) == ({**_OLD, **_NEW}, [], ["old"]) else f"there is {found}, kept: {before}"


# Tags, a deck and the answers of the first start are stored one after the other.


def _make_tags(folder: Path) -> None:
    folder.mkdir(parents=True)
    table = TagTable(folder / "tags.json")
    for number, card in enumerate(_LEARNED[:2]):
        table.learn(f"04a1b2{number:02}", card)


def _learn_tags(folder: Path) -> None:
    table = TagTable(folder / "tags.json")
    for number, card in enumerate(_LEARNED[2:], 2):
        table.learn(f"04a1b2{number:02}", card)


def _judge_tags(folder: Path, ended: bool) -> str | None:
    known = [card for _, card in TagTable(folder / "tags.json")]
    return _judge_learned(known, ended)


def _judge_learned(known: Sequence[object], ended: bool) -> str | None:
    count = len(known)
    whole = count >= 2 and list(known) == list(_LEARNED[:count]) and (count == len(_LEARNED) or not ended)
    return None if whole else f"it knows {known}"


_DECK: Final = "decks/mine.deck"


def _make_deck(folder: Path) -> None:
    (folder / "decks").mkdir(parents=True)
    keep_deck(folder / _DECK, LearnedDeck("mine", {card: _face(card) for card in _LEARNED[:2]}))


def _learn_deck(folder: Path) -> None:
    deck = load_deck(folder / _DECK)
    keep = DeckStore(folder / _DECK, deck)
    for card in _LEARNED[2:]:
        deck.faces[card] = _face(card)
        keep()


def _judge_deck(folder: Path, ended: bool) -> str | None:
    deck = load_deck(folder / _DECK)
    if any((face != _face(card)).any() for card, face in deck.faces.items()):
        return "a card has another face"
    return _judge_learned(list(deck.faces), ended)


def _face(card: Card) -> Image:
    return np.full((176, 126, 3), _LEARNED.index(card), np.uint8)


def _make_first_start(folder: Path) -> None:
    folder.mkdir(parents=True)
    _config(folder).write_text("# ours\nfirst_start = true\n", "utf-8")


def _first_start(folder: Path) -> None:
    """Go on with the first start, to its end."""
    site = Site(folder)
    path, steps = progress_path(_journal(folder)), (LanguageStep(), CardStep(), ReadersStep())
    if not site.config.first_start:
        return
    first_start = FirstStart(steps, site, path)
    if first_start.step.name == steps[0].name:
        Access(site.config.access, phones_file(_journal(folder))).set_pin("4711")
        first_start.do("answer", steps[0].name, "fr")
        if first_start.step.name == steps[0].name:
            first_start.do("next", steps[0].name)
    while not first_start.is_over:
        first_start.do("skip", first_start.step.name)
    first_start.close()


def _judge_first_start(folder: Path, ended: bool) -> str | None:
    if ended and read_config(_config(folder)).first_start:
        return "it is not over"
    _first_start(folder)
    config, written = read_config(_config(folder)), _config(folder).read_text("utf-8")
    if config.first_start or config.language != "fr" or not written.startswith("# ours\n"):
        return written
    return None if Access(config.access, phones_file(_journal(folder))).has_pin else "the PIN is lost"


# A damaged journal makes room for what can be got out of it.


def _make_damaged(folder: Path) -> None:
    folder.mkdir(parents=True)
    _config(folder).touch()
    store(_journal(folder), [(GAMES[4], whole_game(4, seed)) for seed in range(1)])
    with _journal(folder).open("r+b") as file:
        file.seek(3 * 4096)
        file.write(bytes(4096))


def _save_games(folder: Path) -> None:
    salvaged = free_name(_journal(folder), "salvaged")
    salvage(_journal(folder), salvaged)
    replace_journal(_journal(folder), salvaged)


def _judge_saved(folder: Path, ended: bool) -> str | None:
    restore_waiting(_config(folder))
    damaged = _journal(folder.with_name("first")).read_bytes()
    with suppress(JournalError):  # the damaged one
        Journal(_journal(folder)).close()
    kept = [path.read_bytes() for path in _asides(folder)]
    if not kept:
        return "it says that it has saved the games" if ended or _journal(folder).read_bytes() != damaged else None
    games = len(read_games(_journal(folder)))
    return None if kept == [damaged] and games == 1 else f"{games} games, {len(kept)} journals set aside"


# A journal of cardtable 0.2, as a power cut has left it, is opened.


def _make_old(folder: Path) -> None:
    folder.mkdir(parents=True)
    old = folder.with_name("old.sqlite")
    with closing(sqlite3.connect(old, isolation_level=None)) as database:
        database.executescript(RELEASE_0_2_0)
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("DELETE FROM summary")
        for file in folder.parent.glob("old.sqlite*"):
            shutil.copy(file, folder / file.name.replace("old", "journal"))


def _open_old(folder: Path) -> None:
    Journal(_journal(folder)).close()


def _judge_old(folder: Path, ended: bool) -> str | None:
    with closing(Journal(_journal(folder))) as journal:
        notice = journal.notice
    games, kept = [len(game.actions) for game in read_games(_journal(folder))], _asides(folder)
    return None if (games, kept, notice) == ([112, 4], [], None) else f"{games} actions, {kept}: {notice}"


PARTS: Final = {
    "a backup is restored": Part(_make_backup, _restore, _judge_restored),
    "a backup that waited is restored": Part(_make_waiting, _restore_waiting, _judge_waiting),
    "an update is taken back": Part(_make_update, _update, _judge_update),
    "tags are learned": Part(_make_tags, _learn_tags, _judge_tags),
    "a deck is learned": Part(_make_deck, _learn_deck, _judge_deck),
    "the first start": Part(_make_first_start, _first_start, _judge_first_start),
    "a journal of cardtable 0.2 is opened": Part(_make_old, _open_old, _judge_old),
    "a damaged journal makes room": Part(_make_damaged, _save_games, _judge_saved),
}
