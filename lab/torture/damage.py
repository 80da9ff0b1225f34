"""Journals that are damaged at one place or cut off: `torture damage`.

The journal of a program that was killed in the middle of a game, with its log and index, is copied, damaged, and opened
by the real program. The program must either end with one line that says what to do, or go on with the game as it was
played up to some action. It must never end with a traceback or show another game, and it must report lost actions that
were on the disk.
"""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, redirect_stderr, redirect_stdout, suppress
from io import StringIO
from pathlib import Path
from typing import Final

from cardtable.cli import main
from cardtable.errors import CardtableError
from cardtable.evening.playing import open_game
from cardtable.journal.games import Result, open_games
from cardtable.journal.journal import Journal, ProcessedEvents
from cardtable.simulation.source import Setting
from engine.actions import Action
from engine.cards import parse_card
from engine.record import Header
from engine.table import Table as Rules
from engine.texts import Text
from lab.torture.harness import Figure, Scale
from lab.torture.lives import Table, page_of, shortest
from lab.torture.pages import State
from lab.torture.programs import Programs
from lab.torture.stored import ENDINGS, copy_journal, differs_from_shown, first_difference, truth
from tests.cardtable.stored import append


def flip(path: Path, at: int) -> None:
    """Invert one bit of the byte."""
    data = bytearray(path.read_bytes())
    data[at] ^= 1 << (at * 7 + len(data)) % 8
    path.write_bytes(data)


def replace(path: Path, at: int) -> None:
    """Replace the byte with another, which often gives another digit or letter."""
    data = bytearray(path.read_bytes())
    data[at] = (data[at] + 1) % 256
    path.write_bytes(data)


def blank(path: Path, at: int) -> None:
    """Fill the sector of 512 bytes with zeros."""
    data = bytearray(path.read_bytes())
    start = at // 512 * 512
    data[start : start + 512] = bytes(len(data[start : start + 512]))
    path.write_bytes(data)


def cut(path: Path, at: int) -> None:
    """Cut the file off before the byte."""
    os.truncate(path, at)


WAYS: Final = {"a bit flipped": flip, "a byte changed": replace, "a sector blank": blank, "cut off": cut}
LOST_IN_SILENCE: Final = {"a sector blank": 1, "cut off": 1_000}
"""How many of the last actions may be lost without notice: the log then looks as if they had never been written."""


def opened(path: Path, header: Header) -> tuple[tuple[Action, ...] | None, list[str]]:
    """Open the journal as the program does; return the game that it goes on with, and its message.

    The game is None if the program ends. Any error but a `CardtableError` is raised.
    """
    messages: list[str] = []

    def report(message: Text) -> None:
        messages.append(str(message))

    try:
        with closing(Journal(path)) as journal:
            messages += [str(line) for line in getattr(journal, "warnings", ())]
            return open_game(journal, header, report=report), messages
    except CardtableError as error:
        return None, [*messages, str(error)]


def listed(path: Path) -> str | None:
    """List and print the games as `history` does; return its message if that fails. Other errors are raised."""
    try:
        with open_games(path) as games:
            for number in games.numbers():
                try:
                    games.replayed(number)
                except CardtableError:
                    continue
    except CardtableError as error:
        return str(error)
    assert main(["history", "--json", "--journal", str(path)]) in (0, 1)
    return None


class Judge:
    """Compares what the program makes of a damaged journal with the game stored.

    `lost_in_silence`: how many of the last actions may be missing without notice.
    """

    def __init__(self, stored: Sequence[Action], lost_in_silence: int = 0) -> None:
        self._stored = tuple(stored)
        self._lost_in_silence = lost_in_silence
        self.counts = {"whole": 0, "a part": 0, "a part, and said so": 0, "ended with a message": 0}

    def wrong(self, game: Sequence[Action] | None, messages: Sequence[str]) -> str | None:
        """Return what is wrong with going on with `game` after saying `messages`; None if it is right."""
        if game is None:
            self.counts["ended with a message"] += 1
            return None if messages and messages[-1].strip() else "it ended without a message"
        if tuple(game) == self._stored:
            self.counts["whole"] += 1
            return None
        if tuple(game) != self._stored[: len(game)]:
            return "it goes on with ANOTHER GAME"
        if not messages and len(self._stored) - len(game) > self._lost_in_silence:
            return f"it goes on with {len(game)} of {len(self._stored)} actions and says nothing"
        self.counts["a part, and said so" if messages else "a part"] += 1
        return None

    @property
    def note(self) -> str:
        """What became of the journals, for the table."""
        return ", ".join(f"{count} {what}" for what, count in self.counts.items() if count)


class Crashed:
    """Journals as a killed program leaves them.

    `kinds`: for each kind, a folder and the actions that it holds. The kinds: everything in the log; everything in the
    file, without a log; and a file with an older game, beside a log that is longer than its part of the last game.
    """

    def __init__(self, folder: Path, rng: random.Random) -> None:
        self.setting: Final = Setting("its-15", 2, shortest("its-15", rng), "aruco", "fast")
        self.real: Final = truth(self.setting)
        header = self.setting.header
        self.kinds: Final[list[tuple[Path, tuple[Action, ...]]]] = []
        most = len(self.real) * 2 // 3
        for kind in ("log", "file", "both"):
            path = folder / kind / "journal.sqlite"
            path.parent.mkdir(parents=True)
            with closing(Journal(path)) as journal:
                table = Rules(header)
                if kind == "both":
                    journal.begin(Header("all-fives", ("Cy", "Di"), 0))
                    append(journal, [Action("turn", card=parse_card("4H"))])
                    journal.begin(header)
                else:
                    open_game(journal, header)
                for number, action in enumerate(self.real[:most]):
                    table.do(action)
                    processed = ProcessedEvents("board 0", 7, number + 1) if kind == "both" else None
                    append(journal, [action], table.over, processed, Result.of(table))
                    if kind == "both" and number == most // 2:
                        with closing(sqlite3.connect(path)) as other:
                            other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                if kind != "file":
                    (folder / f"{kind} copy").mkdir()
                    copy_journal(path, folder / f"{kind} copy")
            where = folder / f"{kind} copy" if kind != "file" else path.parent
            self.kinds.append((where, tuple(self.real[:most])))

    def damaged(self, folder: Path, change: Callable[[Path, int], None], rng: random.Random) -> tuple[Path, str]:
        """Copy one of them into `folder` and damage one of its files; return its path, and what was done."""
        where, _ = rng.choice(self.kinds)
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(where, folder)
        files = [path for path in sorted(folder.iterdir()) if path.stat().st_size and not path.name.endswith("-lock")]
        weights = [1 if path.name.endswith("-shm") else 8 for path in files]
        path = rng.choices(files, weights)[0]
        at = rng.randrange(path.stat().st_size)
        change(path, at)
        return folder / "journal.sqlite", f"{where.name}: {path.name}, byte {at}"


def run(scale: Scale) -> Iterator[Figure]:
    """Damage journals at random places."""
    rng = random.Random(f"{scale.seed}/damage")
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as name:
        folder = Path(name)
        crashed = Crashed(folder / "crashed", rng)
        for what, change in WAYS.items():
            yield opened_many(folder / "opened", crashed, what, change, scale.of(5_000), rng)
            scale.report(f"damage: {what}")
        yield _started_many(folder, crashed, scale.of(200), rng)


def opened_many(
    folder: Path, crashed: Crashed, what: str, change: Callable[[Path, int], None], times: int, rng: random.Random
) -> Figure:
    failures: list[str] = []
    judge = Judge(crashed.kinds[0][1], LOST_IN_SILENCE.get(what, 0))
    for _ in range(times):
        path, where = crashed.damaged(folder, change, rng)
        try:
            with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
                listed(path)
            wrong = judge.wrong(*opened(path, crashed.setting.header))
        except Exception as error:
            wrong = f"{type(error).__name__}: {error}"
        if wrong:
            failures.append(f"{what}, {where}: {wrong}")
    return Figure(f"journal: {what}", times, tuple(failures), judge.note)


def _started_many(folder: Path, crashed: Crashed, times: int, rng: random.Random) -> Figure:
    """Start the whole program on damaged journals, until its board shows the game, or it ends."""
    failures: list[str] = []
    ended = 0
    with Programs(folder) as programs:
        for number in range(times):
            table = Table(programs, folder / f"started {number}", crashed.setting.game, crashed.setting.seed)
            table.journal.parent.mkdir(parents=True)
            what, change = rng.choice(list(WAYS.items()))
            path, where = crashed.damaged(folder / "one", change, rng)
            for ending in ENDINGS:
                if (part := path.with_name(path.name + ending)).exists():
                    part.rename(table.journal.with_name(table.journal.name + ending))
            program = table.start()
            page = page_of(program)
            state = page.wait_for_first() if page else None
            status = program.status()
            program.kill()
            if page:
                page.close()
            if "Traceback" in program.errors:
                failures.append(f"started, {what}, {where}: {program.errors[-500:]}")
            elif state is None:
                ended += 1
                last = program.errors.strip().splitlines()[-1:]
                if status not in (1, 2) or not last or not last[0].startswith("cardtable: "):
                    failures.append(f"started, {what}, {where}: it ended with {status}: {program.errors[-300:]}")
            else:
                wrong = _wrong_with_shown(state, table, crashed)
                failures += [f"started, {what}, {where}: {wrong}"] if wrong else []
            shutil.rmtree(table.folder)
    return Figure("journal: started after damage", times, tuple(failures), f"{ended} ended with a message")


def _wrong_with_shown(state: State, table: Table, crashed: Crashed) -> str | None:
    """Return what is wrong with the first state of the board; None if it is the game as played up to some action.

    The players go on before the page is connected. Their actions are compared with what is stored by then, because a
    bid may have only some of its cards, and a card may be laid twice. A journal in which SQLite finds another game
    damaged is not read.
    """
    games = [actions for _, actions in crashed.kinds]
    with suppress(AssertionError, sqlite3.Error):
        stored = table.stored()
        if wrong := first_difference(stored, crashed.real):
            return wrong
        games.append(tuple(stored))
    differences = [differs_from_shown(state, actions, crashed.setting) for actions in games]
    return differences[-1] if all(differences) else None
