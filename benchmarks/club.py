"""A club with real mosquitto and PostgreSQL, and kills: `python -m benchmarks.club --tables 500 --minutes 10`.

Many tables play; broker, hub, database and tables are killed (SIGKILL) at random and started again. At the end every
line of every journal must be in the database, once, in order, with the content that the journal gives it. Exits 1
otherwise. Latency is the time from the commit at the table to the hub, of the lines sent while everything was up.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Final, NamedTuple

from benchmarks.club_database import Postgres
from benchmarks.club_network import SlowNetwork
from benchmarks.club_tables import CLUB
from cardtable.club.journal_streams import JournalStreams
from cardtable.hub.broker import Mosquitto
from cardtable.hub.store import Key, Store

TABLES_EACH: Final = 25
"""Tables in one process."""
KINDS: Final = ("broker", "hub", "database", "tables")
PAUSE_S: Final = 0.7
"""Seconds until what was killed is started again."""
SETTLE_S: Final = 4.0
"""Seconds after a kill of which the latency is not counted."""
CLOCKS_S: Final = (0.0, 3 * 3600.0, -7 * 3600.0, 26 * 3600.0)
"""How many seconds the clocks of the tables are ahead, for one process after the other."""
SLOW: Final = (0.15, 20_000.0, 40.0)
"""A slow network: delay in seconds, bytes a second, seconds until a connection is cut."""


class Figures(NamedTuple):
    """What was measured. `wrong`: what is lost, doubled or changed, as sentences; latencies are in seconds.

    `table_cpu`, `hub_cpu`: the share of a core for one table, and for the hub; `hub_mb`: the memory of the hub.
    """

    lines: int
    games: int
    kills: int
    wrong: tuple[str, ...]
    median: float
    percentile99: float
    caught_up: float
    table_cpu: float
    hub_cpu: float
    hub_mb: float


class Club:
    """Everything that runs, in `folder`, until `close`."""

    def __init__(self, folder: Path, tables: int, seconds: float, rate: float, seed: int, far: bool) -> None:
        self._far = far
        self.folder, self._tables, self._rate, self._seed = folder, tables, rate, seed
        self._ends = time.monotonic() + seconds
        self._stack = ExitStack()
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = int(free.getsockname()[1])
        self.postgres = Postgres(folder / "database")
        self._stack.callback(self.postgres.close)
        self.mosquitto = self._start_broker()
        self._stack.callback(lambda: self.mosquitto.close())
        config = folder / "hub.toml"
        config.write_text(
            f"name = {json.dumps(CLUB)}\ndatabase = {json.dumps(self.postgres.url)}\nport = 0\n"
            f"[broker]\nport = {self.port}\nstart = false\n"
        )
        self.hub = self._start_hub()
        self._stack.callback(lambda: _end(self.hub))
        self._slow = [SlowNetwork(self.port, *SLOW, number) for number in range(3)] if far else []
        for network in self._slow:
            self._stack.callback(network.close)
        (folder / "journals").mkdir()
        firsts = range(0, tables, TABLES_EACH)
        self.workers = {first: self._start_tables(first) for first in firsts}
        self._stack.callback(self._end_tables)

    def _end_tables(self) -> None:
        for worker in self.workers.values():
            _end(worker)

    def _start_broker(self) -> Mosquitto:
        return Mosquitto(self.folder / "mosquitto", "127.0.0.1", self.port)

    def _start_hub(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "cardtable", "hub", "-c", str(self.folder / "hub.toml")],
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def _start_tables(self, first: int) -> subprocess.Popen[str]:
        left = max(self._ends - time.monotonic(), 0.5)
        count = min(TABLES_EACH, self._tables - first)
        at = first // TABLES_EACH
        port = self._slow[at % len(self._slow)].port if self._slow else self.port
        numbers = (port, first, count, left, self._rate, self._seed, clock_of(first) if self._far else 0.0)
        command = [sys.executable, "-m", "benchmarks.club_tables", str(self.folder / "journals"), *map(str, numbers)]
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    def kill(self, kind: str, chance: random.Random) -> None:
        """Kill something of this kind, and start it again after `PAUSE_S`."""
        if kind == "broker":
            self.mosquitto.kill()
            time.sleep(PAUSE_S)
            self.mosquitto = self._start_broker()
        elif kind == "hub":
            _end(self.hub, signal.SIGKILL)
            time.sleep(PAUSE_S)
            self.hub = self._start_hub()
        elif kind == "database":
            self.postgres.kill()
            time.sleep(PAUSE_S)
            self.postgres.start()
        else:
            first = chance.choice(list(self.workers))
            _end(self.workers[first], signal.SIGKILL)
            time.sleep(PAUSE_S)
            self._seed += 1
            self.workers[first] = self._start_tables(first)

    def caught_up(self) -> tuple[float, float]:
        """Wait until the tables end; return the seconds that the slowest needed at the end, and the CPU of a table."""
        slowest, shares = 0.0, [0.0]
        for worker in self.workers.values():
            words = worker.communicate()[0].split()
            slowest = max(slowest, float(words[-1]) if words else float("inf"))
            shares += [float(words[0])] if words else []
        return slowest, statistics.mean(shares)

    def close(self) -> None:
        """End everything."""
        self._stack.close()


def measure(
    folder: Path,
    tables: int,
    seconds: float,
    kills: list[tuple[float, str]],
    rate: float = 1.0,
    seed: int = 1,
    far: bool = False,
) -> Figures:
    """Run a club of `tables` tables for `seconds`, each with `rate` actions a second, and compare at the end.

    `kills`: after how many seconds what is killed (`KINDS`). `far`: with slow networks and clocks that differ.
    """
    chance = random.Random(seed)
    club = Club(folder, tables, seconds, rate, seed, far)
    try:
        began, times = time.monotonic(), []
        for at, kind in kills:
            time.sleep(max(began + at - time.monotonic(), 0.0))
            times.append(time.time())
            club.kill(kind, chance)
        slowest, share = club.caught_up()
        used, memory = usage(club.hub.pid)
        store = Store(club.postgres.url)
        figures = compared(folder / "journals", store, times, far)
        store.close()
        return figures._replace(kills=len(kills), caught_up=slowest, table_cpu=share, hub_cpu=used, hub_mb=memory)
    finally:
        club.close()


def clock_of(number: int) -> float:
    """Return how many seconds the clock of a table is ahead if clocks differ."""
    return CLOCKS_S[number // TABLES_EACH % len(CLOCKS_S)]


def usage(process: int) -> tuple[float, float]:
    """Return the share of a core that a process has used since it began, and its memory in MB."""
    words = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    ticks, up = os.sysconf("SC_CLK_TCK"), float(Path("/proc/uptime").read_text().split()[0])
    seconds = up - int(words[19]) / ticks
    return (int(words[11]) + int(words[12])) / ticks / seconds, int(words[21]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def compared(journals: Path, store: Store, kills: list[float], far: bool = False) -> Figures:
    """Compare every journal in a folder with what the hub has. `far`: the clocks of the tables differ."""
    wrong: list[str] = []
    delays: list[float] = []
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
    for table, time_there, received in store.times():
        sent = time_there - (clock_of(int(table.rpartition("-")[2])) if far else 0.0)
        if not any(at - 1.0 < sent < at + SETTLE_S for at in kills) and received - sent < 60.0:
            delays.append(received - sent)
    delays.sort()
    median = statistics.median(delays) if delays else 0.0
    last = delays[int(len(delays) * 0.99)] if delays else 0.0
    return Figures(lines, len(store.results()), 0, tuple(wrong), median, last, 0.0, 0.0, 0.0, 0.0)


def main() -> int:
    """Measure as the arguments say, and print the figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.club", description=__doc__)
    parser.add_argument("--tables", type=int, default=50)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--rate", type=float, default=1.0, help="actions of a table in a second")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--calm", action="store_true", help="kill nothing")
    parser.add_argument("--far", action="store_true", help="slow networks that are cut, and clocks off by hours")
    options = parser.parse_args()
    seconds, chance = options.minutes * 60.0, random.Random(options.seed)
    kills: list[tuple[float, str]] = []
    at = 8.0
    while at < seconds - 5.0 and not options.calm:
        kills.append((at, chance.choice(KINDS)))
        at += chance.uniform(8.0, 20.0)
    with tempfile.TemporaryDirectory(prefix="club-") as folder:
        os.chmod(folder, 0o755)  # the database runs as another user if this one is root
        figures = measure(Path(folder), options.tables, seconds, kills, options.rate, options.seed, options.far)
    print(
        f"{options.tables} tables, {seconds:.0f} s, {figures.kills} kills: "
        f"{figures.lines} lines of {figures.games} games"
    )
    print(f"to the hub: median {figures.median * 1000:.0f} ms, 99 % {figures.percentile99 * 1000:.0f} ms")
    print(
        f"cost: {figures.table_cpu:.2%} of a core for a table, {figures.hub_cpu:.0%} and {figures.hub_mb:.0f} MB "
        "for the hub"
    )
    print(f"caught up {figures.caught_up:.1f} s after the last action; wrong: {len(figures.wrong)}")
    for sentence in figures.wrong[:20]:
        print(sentence)
    return 1 if figures.wrong else 0


def _end(process: subprocess.Popen[str], how: signal.Signals = signal.SIGTERM) -> None:
    process.send_signal(how)
    try:
        process.wait(10.0)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdout is not None:
        process.stdout.close()


if __name__ == "__main__":
    sys.exit(main())
