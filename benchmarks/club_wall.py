"""When the wall of a club shows what tables have scored, for `benchmarks.club`: a client of its WebSocket."""

from __future__ import annotations

import json
import math
import threading
import time
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, NamedTuple

from websockets.exceptions import WebSocketException
from websockets.sync.client import connect

_AGAIN_S: Final = 0.1


class Scored(NamedTuple):
    """The scores of a table, and when it committed them to its journal, or when the wall showed them (monotonic)."""

    at: float
    table: str
    scores: tuple[int, ...]


class WallWatcher:
    """Notes every change of scores that the wall at `port` shows, until `close`. It connects again and again.

    `tables`: how many there are; `all_there` is when the wall first shows all of them as connected, infinite before.
    """

    def __init__(self, port: int, tables: int) -> None:
        self._url, self._tables = f"ws://127.0.0.1:{port}/live", tables
        self.all_there = math.inf
        self._ending = False
        self.shown: Final[list[Scored]] = []
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop watching."""
        self._ending = True
        self._thread.join(5.0)

    def _watch(self) -> None:
        last: dict[str, tuple[int, ...]] = {}
        while not self._ending:
            try:
                with connect(self._url, max_size=None, open_timeout=2.0) as wall:
                    while not self._ending:
                        self._note(json.loads(wall.recv(timeout=_AGAIN_S)), time.monotonic(), last)
            except TimeoutError:
                continue
            except (OSError, WebSocketException):
                time.sleep(_AGAIN_S)

    def _note(self, state: dict[str, Any], now: float, last: dict[str, tuple[int, ...]]) -> None:
        tables = state.get("tables", ())
        if sum(table["online"] for table in tables) >= self._tables:
            self.all_there = min(self.all_there, now)
        for table in tables:
            name, scores = str(table["name"]), tuple(side["score"] for side in table["sides"])
            if scores and last.get(name) != scores:
                last[name] = scores
                self.shown.append(Scored(now, name, scores))


def read_scores(folder: Path) -> list[Scored]:
    """Return what the tables have written: files `scores-*.txt` with lines of time, table and scores."""
    found = []
    for path in sorted(folder.glob("scores-*.txt")):
        for line in path.read_text().splitlines():
            at, table, *scores = line.split()
            found.append(Scored(float(at), table, tuple(map(int, scores))))
    return sorted(found)


def delays(scored: Iterable[Scored], shown: Iterable[Scored]) -> list[tuple[float, float]]:
    """Return for each score when it was committed, and the seconds until the wall showed it, or a later one.

    A score that another one has followed within the time between two states of the wall is never shown itself.

    >>> table = [Scored(1.0, "a", (0, 0)), Scored(2.0, "a", (2, 0)), Scored(2.1, "a", (2, 1))]
    >>> [(at, round(late, 1)) for at, late in delays(table, [Scored(1.2, "a", (0, 0)), Scored(2.5, "a", (2, 1))])]
    [(1.0, 0.2), (2.0, 0.5), (2.1, 0.4)]
    """
    waiting: dict[str, list[Scored]] = defaultdict(list)
    for each in scored:
        waiting[each.table].append(each)
    found = []
    for seen in shown:
        of_table = waiting[seen.table]
        known = [k for k, each in enumerate(of_table) if each.at <= seen.at and each.scores == seen.scores]
        if known:
            found += [(each.at, seen.at - each.at) for each in of_table[: known[-1] + 1]]
            del of_table[: known[-1] + 1]
    return sorted(found)
