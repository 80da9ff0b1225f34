"""A wall clock that jumps both ways while the real program plays: `torture clocks`.

A Raspberry Pi has no battery for its clock: it starts years in the past and jumps once the network is up. The preloaded
library changes only `CLOCK_REALTIME`. The game must go on as if nothing had happened, even after a kill, and the list
of games must print it.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from lab.torture.faults import Faults
from lab.torture.harness import Figure, Scale, with_programs
from lab.torture.lives import GAMES, Table, page_of, shortest
from lab.torture.programs import Programs

_HOUR: Final = 3600.0
_YEAR: Final = 365.25 * 24 * _HOUR
JUMPS: Final = (1.0, 60.0, _HOUR, 24 * _HOUR, _YEAR, 20 * _YEAR)
"""Seconds by which the clock jumps, in both directions."""
_EARLIEST: Final = 86_400.0
"""Seconds since 1970 to which the clock may jump back."""
_STALLED_S: Final = 3.0
"""Seconds without an action after which a game counts as stuck."""


def run(scale: Scale) -> Iterator[Figure]:
    """Play every game while the clock jumps."""
    return with_programs(_figures, scale)


def _figures(programs: Programs, folder: Path, scale: Scale) -> Iterator[Figure]:
    rng = random.Random(f"{scale.seed}/clocks")
    failures: list[str] = []
    jumps = 0
    longest = 0.0
    order = rng.sample(GAMES, len(GAMES))
    for number in range(scale.of(2 * len(GAMES))):
        game = order[number % len(order)]
        table = Table(programs, folder / str(number), game, shortest(game, rng))
        done, stalled, wrong = one_game(table, rng, 0.15 if scale.share < 1 else 0.3)
        jumps, longest = jumps + done, max(longest, stalled)
        failures += [f"{table.name}: {line}" for line in wrong]
        scale.report(f"clocks: {jumps} jumps, {len(failures)} failed")
    note = f"the longest time without an action or frame {longest:.1f} s"
    yield Figure("the wall clock jumps", jumps, tuple(failures), note)


def one_game(table: Table, rng: random.Random, every: float, fps: int = 400) -> tuple[int, float, list[str]]:
    """Play one game; return how often the clock jumped, the longest pause of the page, and what went wrong."""
    jumps, longest = 0, 0.0
    faults = table.faults()
    offset = _jump(faults, rng, 0.0)
    killed = False
    try:
        program = table.start(faults, fps)
        while True:
            page = page_of(program)
            stored = 0
            changed = time.monotonic()
            while program.status(rng.uniform(0.5, 1.5) * every) is None:
                offset = _jump(faults, rng, offset)
                jumps += 1
                now = page.last["n"] if page and page.last else 0
                if now != stored:
                    stored, changed = now, time.monotonic()
                longest = max(longest, time.monotonic() - changed)
                if longest > _STALLED_S and stored:
                    return jumps, longest, [f"it has stopped after {stored} actions"]
                if not killed and stored >= len(table.truth) // 2:
                    break
            if page:
                page.close()
            if program.status() is not None:
                break
            program.kill()
            killed = True
            program = table.start(faults, fps)
        wrong = table.wrong_at_end(program, program.wait())
        return jumps, longest, [wrong] if wrong else _listed(table, faults)
    finally:
        program.kill()
        faults.close()


def _listed(table: Table, faults: Faults) -> list[str]:
    """Return what is wrong with the list of games."""
    program = table.programs.start(["history", "--journal", str(table.journal)], faults=faults.path)
    status = program.wait(20)
    if status != 0 or program.errors or program.printed.count("\n") != 1 or " won, " not in program.printed:
        return [f"history ended with {status}: {program.printed} {program.errors[-300:]}"]
    return []


def _jump(faults: Faults, rng: random.Random, offset: float) -> float:
    """Let the clock jump from `offset`; return the new one, seconds."""
    offset += rng.choice((-1, 1)) * rng.choice(JUMPS)
    offset = min(max(offset, _EARLIEST - time.time()), 60 * _YEAR)
    faults.shift_clock(offset)
    return offset
