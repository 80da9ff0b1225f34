"""Load over time: hours of play in one process, and many pages watching.

The table is a process of its own (`lab.torture.load_table`): session, referee, journal and board are the program's. Its
memory and its file handles are measured over 8 hours of play in compressed time, part of them before the simulated
camera. Then 50 spectators and 6 seats connect to its board by real WebSockets, and finally clients that never read.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from typing import IO, Any, Final

from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from lab.torture.harness import Figure, Scale

HOURS: Final = 8.0
CAMERA_HOURS: Final = 1.0
"""Hours that are played before the simulated camera."""
PAGES_HOURS: Final = 2.0
"""Hours that are played, five observations a second, for the pages."""
SPECTATORS: Final = 50
SEATS: Final = 6
DEAD: Final = 3
MAX_LAST_PAGE_MS: Final = 100.0
"""The 95th percentile of the time from an observation to the last page."""
MAX_MB_PER_HOUR: Final = 4.0
MAX_SLOWDOWN: Final = 1.5
"""The limit for the median in the last third of the games, as a multiple of the first third's."""

_NUMBER: Final = re.compile(r'"n": (\d+)')


def run(scale: Scale) -> Iterator[Figure]:
    """Yield the figures of a long evening, and of many pages."""
    for kind, hours in (("scenes", HOURS), ("camera", CAMERA_HOURS)):
        if scale.has(kind):
            yield from long_evening(hours * scale.share, kind, scale)
    if scale.has("pages"):
        yield from many_pages(PAGES_HOURS * scale.share, scale)


# A long evening


def long_evening(hours: float, kind: str, scale: Scale) -> Iterator[Figure]:
    """Play `hours` by the clock of the observations, as fast as possible."""
    with table(hours, kind, scale.seed) as process:
        if kind != "camera":
            next_line(process)
            answer(process)
        games = []
        for line in lines(process):
            if "game" in line:
                games.append(line)
                took = f"{line['held']:.0f} MB held, {line['mb']:.0f} MB resident, {line['handles']} handles"
                scale.report(f"{line['hours']:.2f} h: {took}, {line['game']}")
    yield memory(games, kind)
    first, last = games[0], games[-1]
    more = [
        f"{what}: {first[what]} after the first game, {last[what]} after the last" for what in ("handles", "threads")
    ]
    kept = [text for text, what in zip(more, ("handles", "threads"), strict=True) if last[what] > first[what]]
    yield Figure(f"games in one process ({kind}): handles and threads", len(games), tuple(kept), "; ".join(more))
    yield pace(games, kind)


def memory(games: list[dict[str, Any]], kind: str) -> Figure:
    """Return the memory that the process holds over the hours; the first third is warm-up."""
    hours = games[-1]["hours"]
    warm = [game for game in games if game["hours"] >= hours / 3]
    what, note = (
        f"hours of play in one process ({kind}): memory",
        f"{hours:.2f} h, {games[0]['held']:.0f} to {games[-1]['held']:.0f} MB, "
        f"at most {max(game['mb'] for game in games):.0f} MB with what malloc keeps free",
    )
    if len(warm) < 3:
        return Figure(what, len(games), (), note)
    slope, _ = statistics.linear_regression([game["hours"] for game in warm], [game["held"] for game in warm])
    note += f", {slope:+.2f} MB per hour after the first third"
    # In less than an hour, a filling cache looks like a leak.
    grows = hours >= 1 and slope > MAX_MB_PER_HOUR
    return Figure(what, len(games), (f"the memory grows by {slope:.1f} MB per hour",) * grows, note)


def pace(games: list[dict[str, Any]], kind: str) -> Figure:
    """Return whether an observation or a frame takes as long at the end as at the start."""
    third = max(len(games) // 3, 1)
    start, end = (statistics.median(game["ms"] for game in part) for part in (games[:third], games[-third:]))
    note = f"median {start:.1f} ms in the first third, {end:.1f} ms in the last"
    slower = len(games) >= 6 and end > MAX_SLOWDOWN * start
    return Figure(f"games in one process ({kind}): time of an observation", len(games), (note,) * slower, note)


# Many pages


@dataclass
class Pages:
    """Connected pages, in a thread of their own: when each received which number of actions."""

    url: str
    count: int
    came: dict[int, list[tuple[int, float]]] = field(default_factory=lambda: defaultdict(list))
    """By page: the number of actions in a state, and when it was received, seconds on the monotonic clock."""
    ready: threading.Event = field(default_factory=threading.Event)
    changed: threading.Event = field(default_factory=threading.Event)
    _over: threading.Event = field(default_factory=threading.Event)
    _connected: set[int] = field(default_factory=set)

    def __enter__(self) -> Pages:
        self._thread = threading.Thread(target=asyncio.run, args=(self._all(),), daemon=True)
        self._thread.start()
        assert self.ready.wait(60), f"only {len(self._connected)} pages are connected"
        return self

    def __exit__(self, *error: object) -> None:
        self._over.set()
        self._thread.join(10)

    def wait_for(self, n: int, seconds: float) -> int:
        """Wait until all pages have a state with `n` actions, but no longer than allowed; return how many have."""
        until = time.monotonic() + seconds
        while True:
            have = sum(any(number == n for number, _ in list(came)) for came in list(self.came.values()))
            if have == self.count or time.monotonic() > until:
                return have
            self.changed.wait(0.1)
            self.changed.clear()

    async def _all(self) -> None:
        tasks = [asyncio.create_task(self._page(number)) for number in range(self.count)]
        while not self._over.is_set():
            await asyncio.sleep(0.05)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _page(self, number: int) -> None:
        while True:  # the board ends with each game, and returns with the next
            with suppress(OSError, WebSocketException):
                async with connect(f"{self.url.replace('http', 'ws')}/live", proxy=None, open_timeout=60) as page:
                    async for message in page:
                        now = time.monotonic()
                        if found := _NUMBER.search(str(message)):
                            self.came[number].append((int(found[1]), now))
                            self.changed.set()
                        self._connected.add(number)
                        if len(self._connected) == self.count:
                            self.ready.set()
            await asyncio.sleep(0.2)


def dead_client(url: str) -> socket.socket:
    """Return a page's connection that never reads."""
    host, _, port = url.removeprefix("http://").rpartition(":")
    connection = socket.create_connection((host, int(port)), 10)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    request = (
        f"GET /live HTTP/1.1\r\nhost: {host}:{port}\r\nupgrade: websocket\r\nconnection: upgrade\r\n"
        "sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    )
    connection.sendall(request.encode())
    return connection


def many_pages(hours: float, scale: Scale) -> Iterator[Figure]:
    """Play `hours` with spectators and seats; in the second half, clients that never read are connected too."""
    what = f"observations to the last of {SPECTATORS} spectators and {SEATS} seats"
    yield delays(what, before_pages(hours / 2, 0, scale.seed))
    yield delays(f"the same beside {DEAD} clients that never read", before_pages(hours / 2, DEAD, scale.seed))


def before_pages(hours: float, dead: int, seed: int) -> list[float]:
    """Return how long the last page waited for each observation, in ms, beside `dead` clients that never read."""
    shown: list[tuple[int, float]] = []
    with table(hours, "slow", seed) as process, ExitStack() as stack:
        url, beside = next_line(process)["url"], 0
        pages = stack.enter_context(Pages(url, SPECTATORS + SEATS))
        answer(process)
        for line in lines(process):
            if "game" in line:
                beside = 0  # their connections have ended with the game's board
            elif beside == dead:
                shown.append((line["n"], line["at"]))
            else:
                while beside < dead:
                    stack.enter_context(dead_client(url))
                    beside += 1
    return list(last_pages(shown, pages))


def last_pages(shown: list[tuple[int, float]], pages: Pages) -> Iterator[float]:
    """Yield, for each observation that led to an action, how long the last page waited, in ms.

    Pages that were still connecting after a game had ended are left out.
    """
    for n, at in shown:
        first = [
            min((time for number, time in came if number >= n and at <= time < at + 5), default=None)
            for came in pages.came.values()
        ]
        if None not in first:
            yield 1000 * (max(time for time in first if time) - at)


def delays(what: str, took: list[float]) -> Figure:
    """Return the percentiles; a failure only if the machine had a core to spare."""
    if not took:
        return Figure(what, 0, (), "none")
    ordered = sorted(took)
    p50, p95 = ordered[len(ordered) // 2], ordered[int(len(ordered) * 0.95)]
    load, cores = os.getloadavg()[0], os.cpu_count() or 1
    note = f"p50 {p50:.0f} ms, p95 {p95:.0f} ms, greatest {ordered[-1]:.0f} ms; load {load:.1f} on {cores} cores"
    late = p95 > MAX_LAST_PAGE_MS and load < cores
    return Figure(what, len(took), (f"p95 is {p95:.0f} ms",) * late, note)


# The table's process


@contextmanager
def table(hours: float, pace: str, seed: int) -> Iterator[subprocess.Popen[str]]:
    """A table that plays."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "lab.torture.load_table", folder, str(hours), pace, str(seed)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            try:
                yield process
            finally:
                process.kill()


def lines(process: subprocess.Popen[str]) -> Iterator[dict[str, Any]]:
    """Yield what the table reports, until it ends. Raises `RuntimeError` if it fails."""
    for line in _pipe(process.stdout):
        yield json.loads(line)
    if process.wait():
        raise RuntimeError(f"the table ended with exit code {process.returncode}")


def next_line(process: subprocess.Popen[str]) -> dict[str, Any]:
    """Return the first thing that the table reports: its address."""
    return dict(json.loads(_pipe(process.stdout).readline()))


def answer(process: subprocess.Popen[str]) -> None:
    """Start the table."""
    pipe = _pipe(process.stdin)
    pipe.write("\n")
    pipe.flush()


def _pipe(pipe: IO[str] | None) -> IO[str]:
    assert pipe
    return pipe
