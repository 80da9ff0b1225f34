"""Kill the real program at every commit point and at random moments, and start it again: `torture kills`.

A game is played in many lives. In each life the process gets SIGKILL before, in the middle of, or after one of its own
operations on the journal's files (sent by the preloaded library of `faults.py`), or after a random time, which may fall
into the start. The journal is then read with plain SQLite and compared with what a page of the board was shown and with
what the robots did. The next life must show the same game within 3 s, and the last one must finish it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from firmware_bridge import NotBuilt
from firmware_bridge.building import build_simulator
from lab.torture.faults import Mode
from lab.torture.harness import Figure, Scale, with_programs
from lab.torture.lives import GAMES, Table, Tally, live, shortest
from lab.torture.programs import Programs

_START: Final = 8
"""Operations on the journal at a start, before the first action."""
_GOES_ON: Final = 15
_SOON_OVER: Final = 100
"""After the last kill, a slow game is played on by `_GOES_ON` actions, or to its end if at most `_SOON_OVER` remain."""
_KILLS: Final = (Mode.KILL_BEFORE, Mode.KILL_TORN, Mode.KILL_AFTER)


@dataclass(frozen=True)
class Way:
    """A kind of table, and how often it is killed. `commit`: at an operation on the journal instead of after a time."""

    what: str
    kills: int
    commit: bool
    readers: bool = False
    drawn: bool = False
    games: tuple[str, ...] = GAMES

    @property
    def slow(self) -> bool:
        """Whether a game takes minutes; a long game is then played on by some actions only."""
        return self.readers or self.drawn


WAYS: Final = (
    Way("kill -9 at a commit point, camera without pictures", 1_000, commit=True),
    Way("kill -9 at a random moment, camera without pictures", 750, commit=False),
    Way("kill -9 at a commit point, readers", 250, commit=True, readers=True),
    Way("kill -9 at a random moment, readers", 250, commit=False, readers=True),
    Way("kill -9 at a random moment, camera with its pictures", 100, commit=False, drawn=True),
)


def run(scale: Scale) -> Iterator[Figure]:
    """Run every way, over all games."""
    return with_programs(_figures, scale)


def _figures(programs: Programs, folder: Path, scale: Scale) -> Iterator[Figure]:
    for number, way in enumerate(WAYS):
        if not scale.has(way.what):
            continue
        if way.readers and not _simulator():
            yield Figure(f"{way.what}: left out, the simulated board cannot be built", 0)
            continue
        tally = kill(programs, folder / str(number), way, scale.of(way.kills), scale)
        yield Figure(way.what, tally.killed, tuple(tally.failures), tally.note)


def kill(programs: Programs, folder: Path, way: Way, kills: int, scale: Scale) -> Tally:
    """Kill the program `kills` times, then let the game finish or go on."""
    rng = random.Random(f"{scale.seed}/{way.what}")
    tally = Tally()
    order = rng.sample(way.games, len(way.games))
    number = 0
    while tally.killed < kills and len(tally.failures) < 20:
        game = order[number % len(order)]
        seed = rng.randrange(1, 100_000) if not way.slow else shortest(game, rng)
        table = Table(programs, folder / str(number), game, seed, way.readers, way.drawn)
        share = max(kills // len(order), 1)
        stop = min(tally.killed + share, kills)
        over = False
        while not over and tally.killed < stop:
            over = _one_life(table, tally, way, rng)
        while not over:
            before = tally.lives
            done = len(table.stored())
            most = done + _GOES_ON if way.slow and len(table.truth) - done > _SOON_OVER else None
            over = live(table, tally, None, None, most)
            if tally.lives > before + 1 or most is not None:
                break
        number += 1
        scale.report(f"{way.what}: {tally.killed} kills, {table.name} over, {len(tally.failures)} failed")
        for failure in tally.failures[-3:]:
            scale.report(failure)
    return tally


def _one_life(table: Table, tally: Tally, way: Way, rng: random.Random) -> bool:
    if not way.commit:
        return live(table, tally, None, rng.choice((0.3, 1.5, 5.0)) * rng.random() * (6 if way.drawn else 1))
    faults = table.faults()
    faults.kill_at(rng.randint(1, _START + rng.choice((12, 30))), rng.choice(_KILLS))
    try:
        return live(table, tally, faults, None)
    finally:
        faults.close()


def _simulator() -> bool:
    try:
        build_simulator()
    except NotBuilt:
        return False
    return True
