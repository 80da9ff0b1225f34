"""A club with real mosquitto and PostgreSQL, and kills: `python -m lab.club.club --tables 500 --minutes 10`.

Many tables play; broker, hub, database and tables are killed (SIGKILL) at random and started again. At the end every
line of every journal must be in the database, once, in order, with the content that the journal gives it. Exits 1
otherwise. Delays are measured from the commit at the table to the hub's database and to the wall's WebSocket, while
everything is up: all tables connected, and nothing killed within the last seconds.
"""

from __future__ import annotations

import argparse
import contextlib
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
from typing import Final

from cardtable_club.hub.broker import Mosquitto
from cardtable_club.hub.store import Store
from lab.club.club_database import Postgres
from lab.club.club_figures import SETTLE_S, TABLES_EACH, Figures, clock_of, compared, usage
from lab.club.club_network import SlowNetwork
from lab.club.club_tables import CLUB
from lab.club.club_wall import WallWatcher

KINDS: Final = ("broker", "hub", "database", "tables")
OUTAGE_FROM_S: Final = 15.0
"""Second of a run from which the broker is away for the rest of it."""
START_S: Final = 60.0
"""Longest time that a hub may take to start, seconds."""
PAUSE_S: Final = 0.7
"""Seconds from a kill to the restart."""
SLOW: Final = (0.15, 20_000.0, 40.0)
"""A slow network: delay in seconds, bytes a second, seconds until a connection is cut."""


class Club:
    """Everything that runs, in `folder`, until `close`."""

    def __init__(self, folder: Path, tables: int, seconds: float, rate: float, seed: int, far: bool) -> None:
        self._far = far
        self.folder, self._tables, self._rate, self._seed = folder, tables, rate, seed
        self._ends = time.monotonic() + seconds
        self._stack = ExitStack()
        self.port, self.wall_port = _free_port(), _free_port()
        self.postgres = Postgres(folder / "database")
        self._stack.callback(self.postgres.close)
        self.mosquitto = self._start_broker()
        self._stack.callback(lambda: self.mosquitto.close())
        config = folder / "hub.toml"
        config.write_text(
            f"name = {json.dumps(CLUB)}\ndatabase = {json.dumps(self.postgres.url)}\n"
            f"port = {self.wall_port}\n"
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

    def _await_hub(self) -> None:
        """Wait until the wall is served: a hub that finds no broker at its start ends, and is not started again."""
        until = time.monotonic() + START_S
        while self.hub.poll() is None and time.monotonic() < until:
            with contextlib.suppress(OSError):
                socket.create_connection(("127.0.0.1", self.wall_port), 1.0).close()
                return
            time.sleep(0.02)
        raise RuntimeError("the hub does not start")

    def _start_tables(self, first: int) -> subprocess.Popen[str]:
        left = max(self._ends - time.monotonic(), 0.5)
        count = min(TABLES_EACH, self._tables - first)
        at = first // TABLES_EACH
        port = self._slow[at % len(self._slow)].port if self._slow else self.port
        numbers = (port, first, count, left, self._rate, self._seed, clock_of(first) if self._far else 0.0)
        command = [sys.executable, "-m", "lab.club.club_tables", str(self.folder / "journals"), *map(str, numbers)]
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    def kill(self, kind: str, chance: random.Random) -> None:
        """Kill one process of this kind, and start it again after `PAUSE_S`."""
        if kind == "broker":
            self.mosquitto.kill()
            time.sleep(PAUSE_S)
            self.mosquitto = self._start_broker()
        elif kind == "hub":
            _end(self.hub, signal.SIGKILL)
            time.sleep(PAUSE_S)
            self.hub = self._start_hub()
            self._await_hub()
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

    def away(self, since: float, until: float) -> None:
        """Kill the broker at one monotonic time, and start it again at another."""
        time.sleep(max(since - time.monotonic(), 0.0))
        self.mosquitto.kill()
        time.sleep(max(until - time.monotonic(), 0.0))
        self.mosquitto = self._start_broker()

    def caught_up(self) -> tuple[float, float]:
        """Wait until the tables end; return how many seconds the slowest needed to finish, and a table's CPU use."""
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
    outage: bool = False,
) -> Figures:
    """Run a club of `tables` tables for `seconds`, each with `rate` actions a second, and compare at the end.

    `kills`: after how many seconds each of `KINDS` is killed. `far`: with slow networks and clocks that differ.
    `outage`: the broker is away from `OUTAGE_FROM_S` until the tables stop playing.
    """
    chance = random.Random(seed)
    club = Club(folder, tables, seconds, rate, seed, far)
    watcher = WallWatcher(club.wall_port, tables)
    try:
        began, times = time.monotonic(), []
        for at, kind in kills:
            time.sleep(max(began + at - time.monotonic(), 0.0))
            times.append(time.monotonic())
            club.kill(kind, chance)
        if outage:
            club.away(began + OUTAGE_FROM_S, began + seconds)
        slowest, share = club.caught_up()
        used, memory = usage(club.hub.pid)
        watcher.close()
        up = watcher.all_there

        def calm(at: float) -> bool:
            return up <= at and not outage and not any(kill - 1.0 < at < kill + SETTLE_S for kill in times)

        store = Store(club.postgres.url)
        figures = compared(folder / "journals", store, watcher, calm, far)
        store.close()
        return figures._replace(kills=len(kills), caught_up=slowest, table_cpu=share, hub_cpu=used, hub_mb=memory)
    finally:
        watcher.close()
        club.close()


def main() -> int:
    """Measure as the arguments say, and print the figures."""
    parser = argparse.ArgumentParser(prog="python -m lab.club.club", description=__doc__)
    parser.add_argument("--tables", type=int, nargs="+", default=[50], help="several numbers: one run after the other")
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--rate", type=float, default=0.2, help="actions of a table in a second")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--calm", action="store_true", help="kill nothing")
    parser.add_argument("--outage", action="store_true", help="the broker is away all the time, and nothing is killed")
    parser.add_argument("--far", action="store_true", help="slow networks that are cut, and clocks off by hours")
    options = parser.parse_args()
    seconds, chance = options.minutes * 60.0, random.Random(options.seed)
    kills: list[tuple[float, str]] = []
    at = 8.0
    while at < seconds - 5.0 and not options.calm and not options.outage:
        kills.append((at, chance.choice(KINDS)))
        at += chance.uniform(8.0, 20.0)
    wrong = False
    for tables in options.tables:
        with tempfile.TemporaryDirectory(prefix="club-") as folder:
            os.chmod(folder, 0o755)  # the database runs as another user if this one is root
            figures = measure(
                Path(folder), tables, seconds, kills, options.rate, options.seed, options.far, options.outage
            )
        _print(tables, seconds, figures)
        wrong |= bool(figures.wrong)
    return int(wrong)


def _print(tables: int, seconds: float, figures: Figures) -> None:
    print(f"{tables} tables, {seconds:.0f} s, {figures.kills} kills: {figures.lines} lines of {figures.games} games")
    for where, (median, last) in (("hub", figures.hub), ("wall", figures.wall)):
        print(f"to the {where}: median {median * 1000:.0f} ms, 99 % {last * 1000:.0f} ms")
    print(
        f"cost: {figures.table_cpu:.2%} of a core for a table, {figures.hub_cpu:.0%} and {figures.hub_mb:.0f} MB "
        "for the hub"
    )
    print(f"caught up {figures.caught_up:.1f} s after the last action; wrong: {len(figures.wrong)}", flush=True)
    for sentence in figures.wrong[:20]:
        print(sentence)


def _free_port() -> int:
    """Return a free port that no outgoing connection can take while the broker is away."""
    last = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    for port in random.sample(range(10_000, last), 100):
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
    raise RuntimeError("no port is free")


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
