"""Disk faults in the real program: full, read-only, failing writes and fsyncs. Run: `torture disk_faults`.

While a game is played, operations on the journal's files begin to fail, once or until the harness ends the fault. The
board must say so within seconds; when the disk works again, the game goes on by itself, and the record has everything
that was done. If operations fail at the start, the program says why and ends, or goes on.
"""

from __future__ import annotations

import errno
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from lab.torture.faults import Faults, Kind
from lab.torture.harness import Figure, Scale, with_programs
from lab.torture.lives import GAMES, Table, page_of, shortest
from lab.torture.pages import Page
from lab.torture.programs import Program, Programs
from lab.torture.stored import differs_from_shown

REPORTED_S: Final = 3.0
"""Seconds after the first failure within which the board must say that nothing can be stored."""
_LASTS_S: Final = 0.3
_ONCE_S: Final = 1.5
"""Seconds in which the board may report a single failed operation; not every failure keeps it from storing."""


@dataclass(frozen=True)
class Fault:
    """A fault of the disk. `times`: how many operations fail; -1 until the harness ends it."""

    what: str
    error: int
    kinds: Kind
    times: int = -1
    short: bool = False


WHILE_PLAYING: Final = (
    Fault("disk full", errno.ENOSPC, Kind.WRITE | Kind.TRUNCATE | Kind.OPEN),
    Fault("disk full in the middle of a write", errno.ENOSPC, Kind.WRITE, short=True),
    Fault("quota exceeded", errno.EDQUOT, Kind.WRITE | Kind.SYNC),
    Fault("file system read-only", errno.EROFS, Kind.WRITE | Kind.TRUNCATE | Kind.OPEN | Kind.UNLINK),
    Fault("I/O error at every operation", errno.EIO, Kind.ALL),
    Fault("I/O error at one write", errno.EIO, Kind.WRITE, times=1),
    Fault("fsync fails once", errno.EIO, Kind.SYNC, times=1),
    Fault("fsync fails", errno.EIO, Kind.SYNC),
    Fault("fsync finds the disk full", errno.ENOSPC, Kind.SYNC),
)


def run(scale: Scale) -> Iterator[Figure]:
    """Cause every fault in every game, and at every operation of a start."""
    return with_programs(_figures, scale)


def _figures(programs: Programs, folder: Path, scale: Scale) -> Iterator[Figure]:
    for number, fault in enumerate(WHILE_PLAYING):
        yield _while_playing(programs, folder / str(number), fault, scale)
    yield _at_the_start(programs, folder / "start", scale)


def _while_playing(programs: Programs, folder: Path, fault: Fault, scale: Scale) -> Figure:
    rng = random.Random(f"{scale.seed}/{fault.what}")
    failures: list[str] = []
    delays: list[float] = []
    times = 0
    order = rng.sample(GAMES, len(GAMES))
    for number in range(scale.of(len(GAMES))):
        game = order[number % len(GAMES)]
        table = Table(programs, folder / str(number), game, shortest(game, rng))
        happened, wrong = one_game(table, fault, rng, scale.of(6), delays)
        times += happened
        failures += [f"{fault.what}, {table.name}: {line}" for line in wrong]
        scale.report(f"{fault.what}: {times}, {len(failures)} failed")
    note = f"reported after {max(delays):.1f} s at most" if delays else ""
    return Figure(fault.what, times, tuple(failures), note)


def one_game(table: Table, fault: Fault, rng: random.Random, most: int, delays: list[float]) -> tuple[int, list[str]]:
    """Play one game with up to `most` faults; return how many there were, and what went wrong."""
    wrong: list[str] = []
    faults = table.faults()
    program = table.start(faults)
    try:
        page = page_of(program)
        if page is None:
            return 0, [f"it does not start: {program.errors[-300:]}"]
        happened = 0
        while happened < most and program.status() is None:
            next_at = faults.count + rng.randint(1, 40)
            _until(lambda at=next_at: faults.count >= at, program, 20)
            if program.status() is not None:
                break
            happened += 1
            table.slow.touch()
            wrong += _one_fault(table, fault, faults, program, page, delays)
            table.slow.unlink()
            if wrong:
                break
        status = program.wait(120)
        page.close()
        if not wrong and (late := table.wrong_at_end(program, status)):
            wrong.append(late)
        return happened, wrong
    finally:
        program.kill()
        faults.close()


def _one_fault(
    table: Table, fault: Fault, faults: Faults, program: Program, page: Page, delays: list[float]
) -> list[str]:
    """Cause one fault and end it; return what went wrong."""
    failed, changes = faults.failed, len(page.troubles)
    faults.fail(fault.error, fault.kinds, fault.times, fault.short)
    if not _until(lambda: faults.failed > failed, program, 20):
        faults.end()
        return [] if program.status() is not None else ["nothing was stored for 20 s"]
    begun = time.monotonic()
    if fault.times < 0:
        if not _until(lambda: any(trouble for _, trouble in page.troubles[changes:]), program, REPORTED_S + 5):
            faults.end()
            return [f"the board does not say it: {program.errors[-300:]}"]
        delays.append(next(at for at, trouble in page.troubles[changes:] if trouble) - begun)
        if delays[-1] > REPORTED_S:
            return [f"reported after {delays[-1]:.1f} s"]
        _until(lambda: time.monotonic() > begun + _LASTS_S, program, 5)
        if page.last and (wrong := differs_from_shown(page.last, table.stored(), table.setting)):
            return [wrong]
    else:
        # Otherwise the robots play on at full speed before the board reports it, and lose patience within a second.
        _until(lambda: any(trouble for _, trouble in page.troubles[changes:]), program, _ONCE_S)
    faults.end()
    if not _until(lambda: page.troubles[-1][1] is None, program, 10):
        return [f"the board still says: {page.troubles[-1][1]}"]
    return []


def _at_the_start(programs: Programs, folder: Path, scale: Scale) -> Figure:
    """Make each operation of a start fail: the program ends with a message or goes on, and the next start works."""
    rng = random.Random(f"{scale.seed}/start")
    failures: list[str] = []
    cases: list[tuple[int, int, bool]] = [
        (error, at, forever)
        for error in (errno.ENOSPC, errno.EROFS, errno.EIO)
        for at in range(1, 16)
        for forever in (False, True)
    ]
    chosen = rng.sample(cases, min(scale.of(len(cases)), len(cases)))
    for number, (error, at, forever) in enumerate(chosen):
        table = Table(programs, folder / str(number), "its-15", shortest("its-15", rng))
        faults = table.faults()
        faults.fail(error, Kind.ALL, -1 if forever else 1)
        faults.start_at(at)
        program = table.start(faults)
        what = f"{errno.errorcode[error]} at operation {at}{' and later' if forever else ''}"
        page = page_of(program)
        status = program.status(0.5)
        if status is None:
            faults.end()
        program.kill()
        if page:
            page.close()
        if "Traceback" in program.errors or (status is not None and not _message(program, status)):
            failures.append(f"{what}: it ended with {status}: {program.errors[-400:]}")
        again = table.start(None)
        page = page_of(again)
        if page is None or page.wait_for_first(20) is None:
            failures.append(f"{what}: it does not start afterwards: {again.errors[-400:]}")
        again.kill()
        if page:
            page.close()
        if wrong := table.wrong_with_record():
            failures.append(f"{what}: {wrong}")
        faults.close()
    return Figure("an operation of the start fails", len(chosen), tuple(failures))


def _message(program: Program, status: int) -> bool:
    lines = program.errors.strip().splitlines()
    return status in (1, 2) and bool(lines) and lines[-1].startswith("cardtable: ")


def _until(true: Any, program: Program, within: float) -> bool:
    """Wait until `true()`; return False if the program ends before, or after `within` seconds."""
    end = time.monotonic() + within
    while not true():
        if time.monotonic() > end or program.status(0.003) is not None:
            return bool(true())
    return True
