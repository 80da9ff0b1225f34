"""The measurements of `lab.club.club`: every journal compared with the hub's database, delays, and the hub's cost."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

from cardtable_club.hub.store import Key, Store
from cardtable_club.member.outbox import JournalStreams
from lab.club.club_wall import WallWatcher, delays, read_scores

TABLES_EACH: Final = 25
"""Tables in one process."""
SETTLE_S: Final = 9.0
"""Seconds after a kill in which latency is not measured: a table reconnects after at most 8 s."""
CLOCKS_S: Final = (0.0, 3 * 3600.0, -7 * 3600.0, 26 * 3600.0)
"""How many seconds the clocks of the tables are ahead, by process."""


class Figures(NamedTuple):
    """The results; times are in seconds.

    `wrong`: sentences about what is lost, doubled or changed. `hub`, `wall`: median and 99th percentile of the time
    from the commit at the table to the hub and to the wall. `table_cpu`, `hub_cpu`: the share of a core for one table,
    and for the hub; `hub_mb`: the memory of the hub.
    """

    lines: int
    games: int
    wrong: tuple[str, ...]
    hub: tuple[float, float]
    wall: tuple[float, float]
    kills: int = 0
    caught_up: float = 0.0
    table_cpu: float = 0.0
    hub_cpu: float = 0.0
    hub_mb: float = 0.0


def clock_of(number: int) -> float:
    """Return how many seconds the clock of a table is ahead if clocks differ."""
    return CLOCKS_S[number // TABLES_EACH % len(CLOCKS_S)]


def usage(process: int) -> tuple[float, float]:
    """Return the share of a core that a process has used since it began, and its memory in MB."""
    words = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    ticks, up = os.sysconf("SC_CLK_TCK"), float(Path("/proc/uptime").read_text().split()[0])
    seconds = up - int(words[19]) / ticks
    return (int(words[11]) + int(words[12])) / ticks / seconds, int(words[21]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def compared(journals: Path, store: Store, wall: WallWatcher, calm: Callable[[float], bool], far: bool) -> Figures:
    """Compare every journal in a folder with what the hub has.

    `wall`: what the wall has shown. `calm`: whether everything was up at a monotonic time. `far`: the clocks of the
    tables differ.
    """
    wrong: list[str] = []
    lines, there = 0, dict(store.cursors())
    for path in sorted(journals.glob("*.sqlite")):
        streams = JournalStreams(path)
        counts = streams.counts(0.0) or {}
        for game, count in counts.items():
            key = Key(path.stem, game)
            wanted, found = streams.lines(game, 0, count), store.lines(key)
            lines += count
            if wanted != found:
                wrong.append(f"{key.table} {game}: {len(wanted)} lines in the journal, {len(found)} at the hub")
            if there.pop(key, 0) != count:
                wrong.append(f"{key.table} {game}: the cursor is not at {count}")
        streams.close()
    wrong += [f"{key.table} {key.game} is in no journal" for key in there]
    since_boot = time.time() - time.monotonic()
    received = []
    for table, time_there, arrived in store.times():
        sent = time_there - (clock_of(int(table.rpartition("-")[2])) if far else 0.0)
        if calm(sent - since_boot):
            received.append(arrived - sent)
    seen = [late for at, late in delays(read_scores(journals), wall.shown, wall.states) if calm(at)]
    return Figures(lines, len(store.results()), tuple(wrong), _typical(received), _typical(seen))


def _typical(found: list[float]) -> tuple[float, float]:
    """Return the median and the 99th percentile; 0 if there are no values."""
    found = sorted(found)
    return (statistics.median(found), found[int(len(found) * 0.99)]) if found else (0.0, 0.0)
