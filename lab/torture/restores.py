"""A restored backup and an update that is taken back, killed at every operation on files. Run: `torture restores`.

The preloaded library kills the real command, and the real updater with the `cp` that it calls, before, after and in the
middle of each operation, or lets it fail once. The next start goes on: the games of the backup, or those from before
the update, are there, and what they have replaced is kept beside them, once.
"""

from __future__ import annotations

import errno
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from cardtable.cli import main
from cardtable.config.load import read_config
from cardtable.maintenance.backup import restore_waiting
from lab.torture.faults import Faults, Kind, Mode, build
from lab.torture.harness import Figure, Scale, with_programs
from lab.torture.programs import ROOT, Programs
from tests.cardtable.history.past_games import GAMES, store, whole_game
from tests.cardtable.stored import read_games

_MODES: Final = (Mode.KILL_BEFORE, Mode.KILL_AFTER, Mode.KILL_TORN, Mode.FAIL)
_UPDATER: Final = ROOT / "packaging/debian/updater"
_PUT_BACK: Final = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from cardtable_updater.updater import KeptState
here = Path(sys.argv[2])
kept = KeptState(here / "updater", here / "games", here / "config")
note = kept.read_note() if kept.is_unfinished else {"step": "set-aside", "aside": kept.new_aside()}
kept.store_note(note)
if note["step"] == "set-aside":
    kept.set_aside(note["aside"])
    kept.store_note({"step": "going-back"})
kept.put_back()
"""

Attempt = Callable[[Path, Path | None], int]
"""Do the work in a folder, with the control file of faults or without; return the exit status."""
Judge = Callable[[Path, int], str | None]
"""Finish the work in a folder after an attempt with this status, and return what is wrong then."""


def run(scale: Scale) -> Iterator[Figure]:
    """Kill both at every operation, in every way; with a share, at some of them."""
    return with_programs(_figures, scale)


def _figures(programs: Programs, folder: Path, scale: Scale) -> Iterator[Figure]:
    yield _everywhere("a backup is restored", *_restoring(programs, folder / "restore"), folder / "restore", scale)
    yield _everywhere("an update is taken back", *_updating(folder / "update"), folder / "update", scale)


def _everywhere(what: str, attempt: Attempt, judge: Judge, folder: Path, scale: Scale) -> Figure:
    """Copy the folder `first` in `folder` for each operation and each kind of fault, and try it there."""
    rng, failures, number = random.Random(f"{scale.seed}/{what}"), list[str](), 0
    faults = Faults(folder / "faults", match=f"{folder.name}/0/")
    attempt(_copy(folder, 0), faults.path)
    cases = [(mode, at) for mode in _MODES for at in range(1, faults.count + 1)]
    faults.close()
    for number, (mode, at) in enumerate(rng.sample(cases, scale.of(len(cases))), 1):
        here = _copy(folder, number)
        faults = Faults(folder / "faults", match=f"{folder.name}/{number}/")
        if mode == Mode.FAIL:
            faults.fail(errno.EIO, Kind.ALL, 1)
            faults.start_at(at)
        else:
            faults.kill_at(at, mode)
        status = attempt(here, faults.path)
        faults.close()
        if wrong := judge(here, status):
            failures.append(f"{what}, {mode.name} at {at}: {wrong}")
        shutil.rmtree(here)
        if number % 100 == 0:
            scale.report(f"{what}: {number} of {len(cases)}, {len(failures)} failed")
    return Figure(what, number, tuple(failures))


def _copy(folder: Path, number: int) -> Path:
    return Path(shutil.copytree(folder / "first", folder / str(number)))


def _restoring(programs: Programs, folder: Path) -> tuple[Attempt, Judge]:
    for name, language in (("first", "en"), ("theirs", "fr")):
        (folder / name / "decks").mkdir(parents=True)
        (folder / name / "table.toml").write_text(f'language = "{language}"\n', "utf-8")
        (folder / name / "decks" / "mine.deck").write_text(name, "utf-8")
        store(folder / name / "journal.sqlite", [(GAMES[4], whole_game(4, len(name)))])
    backup = folder / "backup.zip"
    main(["backup", "-c", str(folder / "theirs" / "table.toml"), "-o", str(backup)])
    ours, theirs = (read_games(folder / name / "journal.sqlite") for name in ("first", "theirs"))

    def attempt(here: Path, faults: Path | None) -> int:
        command = ["backup", "-c", str(here / "table.toml"), "--restore", str(backup)]
        return programs.start(command, faults=faults).wait()

    def judge(here: Path, status: int) -> str | None:
        restore_waiting(here / "table.toml")
        games = read_games(here / "journal.sqlite")
        kept = [
            read_games(path) for path in here.glob("journal.sqlite.before*") if not path.name.endswith(("-wal", "-shm"))
        ]
        if (games, kept) not in ((theirs, [ours]), (ours, [])):
            return f"{len(games)} games, and {len(kept)} journals set aside"
        if status == 0 and games != theirs:
            return "it says that it has restored the backup"
        if hidden := [path.name for path in here.rglob(".*")]:
            return f"{hidden} is left"
        content = [path.read_text("utf-8") for path in sorted(here.glob("decks/mine.deck*"))]
        if content != (["theirs", "first"] if games == theirs else ["first"]):
            return f"{len(games)} games with the deck {content}"
        language = read_config(here / "table.toml").language
        return None if language == ("fr" if games == theirs else "en") else f"{len(games)} games with {language}"

    return attempt, judge


def _updating(folder: Path) -> tuple[Attempt, Judge]:
    sys.path.insert(0, str(_UPDATER))
    from cardtable_updater.updater import ASIDE, KeptState

    first = folder / "first"
    for name in ("updater", "games/pictures", "config"):
        (first / name).mkdir(parents=True)
    old = {"games/journal.sqlite": "old", "games/pictures/1.png": "same", "config/table.toml": "old"}
    new = {"games/journal.sqlite": "new", "games/journal.sqlite-wal": "new", "config/new.deck": "new"}
    for name, content in old.items():
        (first / name).write_text(content, "utf-8")
    KeptState(first / "updater", first / "games", first / "config").copy()
    for name, content in new.items():
        (first / name).write_text(content, "utf-8")
    environment = os.environ | {"LD_PRELOAD": str(build())}

    def attempt(here: Path, faults: Path | None) -> int:
        with_faults = environment | {"FAULTS_CONTROL": str(faults)} if faults else dict(os.environ)
        command = [sys.executable, "-I", "-c", _PUT_BACK, str(_UPDATER), str(here)]
        return subprocess.run(command, env=with_faults, capture_output=True, check=False).returncode

    def judge(here: Path, status: int) -> str | None:
        if attempt(here, None):
            return "the second attempt fails"
        found = {path.relative_to(here).as_posix(): path.read_text() for path in here.rglob("*") if path.is_file()}
        there = {name: each for name, each in found.items() if not name.startswith("updater/") and ASIDE not in name}
        if there != old:
            return f"there is {there}"
        aside = [each for name, each in found.items() if ASIDE in name and each]
        return None if aside.count("new") == len(new) else f"set aside: {aside}"

    return attempt, judge
