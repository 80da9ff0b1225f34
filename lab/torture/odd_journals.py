"""Journals of other versions, and other things in a journal's place: `torture odd_journals`.

The real program, `demo` and `history`, is started on each. It must go on, or end with one line that says what to do.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

from cardtable.journal.journal import Journal
from cardtable.journal.schema import VERSION
from lab.torture.harness import Figure, Scale
from lab.torture.lives import Table, page_of
from lab.torture.programs import Program, Programs
from tests.cardtable.stored import append

_HALF: Final = 20
"""Number of actions in the journals."""
_END_S: Final = 60.0
"""Longest time until the program ends with a message, seconds; a busy machine is slow."""


def _journal(path: Path, table: Table) -> None:
    """Write a game into a new journal."""
    with closing(Journal(path)) as journal:
        journal.begin(table.setting.header)
        append(journal, table.truth[:_HALF])


def _version(number: int) -> Callable[[Path, Table], None]:
    """Return a function that writes a journal marked with this version."""

    def write(path: Path, table: Table) -> None:
        _journal(path, table)
        with closing(sqlite3.connect(path, isolation_level=None)) as database:
            database.execute(f"PRAGMA user_version = {number}")

    return write


def _other_database(path: Path, table: Table) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE game (id INTEGER)")


def _loop(path: Path, table: Table) -> None:
    path.symlink_to(path.name)


def _dangling(path: Path, table: Table) -> None:
    path.symlink_to(path.with_name("elsewhere.sqlite"))


def _link(path: Path, table: Table) -> None:
    real = path.with_name("real.sqlite")
    _journal(real, table)
    path.symlink_to(real.name)


def _log_alone(path: Path, table: Table) -> None:
    other = path.with_name("other.sqlite")
    with closing(Journal(other)) as journal:
        journal.begin(table.setting.header)
        append(journal, table.truth[:_HALF])
        shutil.copy(other.with_name("other.sqlite-wal"), path.with_name(f"{path.name}-wal"))


def _log_of_another(path: Path, table: Table) -> None:
    _log_alone(path, table)
    log = path.with_name(f"{path.name}-wal")
    content = log.read_bytes()
    log.unlink()
    _journal(path, table)
    log.write_bytes(content)


def _directory_as_log(path: Path, table: Table) -> None:
    _journal(path, table)
    path.with_name(f"{path.name}-wal").mkdir()


CASES: Final[dict[str, tuple[Callable[[Path, Table], None], int | None]]] = {
    "this version": (_journal, _HALF),
    "an older version": (_version(VERSION - 1), None),
    "a newer version": (_version(VERSION + 1), None),
    "an empty file": (lambda path, table: path.touch(), 0),
    "a folder": (lambda path, table: path.mkdir(), None),
    "a link to itself": (_loop, None),
    "a link to nothing": (_dangling, 0),
    "a link to a journal": (_link, _HALF),
    "a text": (lambda path, table: path.write_text("This is not a journal.\n" * 500) and None, None),
    "another program's database": (_other_database, None),
    "a pipe": (lambda path, table: os.mkfifo(path), None),
    "a device": (lambda path, table: path.symlink_to("/dev/full"), None),
    "zeros": (lambda path, table: path.write_bytes(bytes(8192)) and None, None),
    "a log without its journal": (_log_alone, None),
    "a log of another journal": (_log_of_another, _HALF),
    "a folder as its log": (_directory_as_log, None),
}
"""What is in the journal's place, and with how many actions the program goes on; None if it ends with a message or
begins a new game."""


def run(scale: Scale) -> Iterator[Figure]:
    """Start the program on every case."""
    with tempfile.TemporaryDirectory() as folder, Programs(Path(folder)) as programs:
        yield figure(programs, Path(folder))


def figure(programs: Programs, folder: Path) -> Figure:
    """Start the program on every case."""
    failures: list[str] = []
    ended = 0
    for number, (what, (make, actions)) in enumerate(CASES.items()):
        table = Table(programs, folder / f"odd {number}", "its-15", 12)
        table.journal.parent.mkdir(parents=True)
        make(table.journal, table)
        listing = programs.start(["history", "--journal", str(table.journal)])
        status = listing.status(_END_S)
        listing.kill()
        if status is None or "Traceback" in listing.errors or (status and not _message(listing)):
            failures.append(f"{what}: history ended with {status}: {listing.errors[-300:]}")
        program = table.start()
        page = page_of(program)
        state = page.wait_for_first() if page else None
        status = program.status(0.0 if state else _END_S)
        program.kill()
        if page:
            page.close()
        if "Traceback" in program.errors:
            failures.append(f"{what}: {program.errors[-500:]}")
        elif state is None:
            ended += 1
            if status not in (1, 2) or not _message(program) or actions is not None:
                failures.append(f"{what}: it ended with {status}: {program.errors[-300:]}")
        elif actions is not None and state["n"] < actions:
            failures.append(f"{what}: it goes on with {state['n']} actions of {actions}")
    return Figure("another file in the journal's place", len(CASES), tuple(failures), f"{ended} ended with a message")


def _message(program: Program) -> bool:
    lines = program.errors.strip().splitlines()
    return bool(lines) and lines[-1].startswith("cardtable: ")
