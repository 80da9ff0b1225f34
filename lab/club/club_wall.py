"""When the wall of a club shows what tables have scored, for `lab.club.club`: a client of its WebSocket."""

from __future__ import annotations

import json
import math
import threading
import time
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import takewhile
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
    """Records the states of the wall at `port`, and every change of scores in them, until `close`.

    It reconnects whenever the connection ends. `tables`: how many there are. `all_there`: when the wall first showed
    all of them as connected; infinite until then.
    """

    def __init__(self, port: int, tables: int) -> None:
        self._url, self._tables = f"ws://127.0.0.1:{port}/live", tables
        self.all_there = math.inf
        self._ending = False
        self.shown: Final[list[Scored]] = []
        self.states: Final[list[float]] = []
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
                        with suppress(TimeoutError):
                            self._note(json.loads(wall.recv(timeout=_AGAIN_S)), time.monotonic(), last)
            except (OSError, WebSocketException):
                time.sleep(_AGAIN_S)

    def _note(self, state: dict[str, Any], now: float, last: dict[str, tuple[int, ...]]) -> None:
        tables = state.get("tables", ())
        self.states.append(now)
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


def delays(scored: Iterable[Scored], shown: Iterable[Scored], states: Sequence[float]) -> list[tuple[float, float]]:
    """Return for each score when it was committed, and the seconds until a state of the wall had it, or a later one.

    `shown`: the changes that the wall showed. `states`: when its states came. A score that is replaced before the next
    state is never shown.

    >>> table = [Scored(1.0, "a", (0, 0)), Scored(2.0, "a", (2, 0)), Scored(2.1, "a", (0, 0))]
    >>> [(at, round(late, 1)) for at, late in delays(table, [Scored(1.2, "a", (0, 0))], [1.2, 1.7, 2.5])]
    [(1.0, 0.2), (2.0, 0.5), (2.1, 0.4)]
    """
    committed, changed = _by_table(scored), _by_table(shown)
    found = []
    for table, events in committed.items():
        changes = changed.get(table, [])
        at = [each.at for each in changes]
        for k, event in enumerate(events):
            for state in states[bisect_left(states, event.at) :]:
                last = bisect_right(at, state) - 1
                if last >= 0 and any(change.scores == changes[last].scores for change in _until(events[k:], state)):
                    found.append((event.at, state - event.at))
                    break
    return sorted(found)


def _by_table(every: Iterable[Scored]) -> dict[str, list[Scored]]:
    found: dict[str, list[Scored]] = defaultdict(list)
    for each in every:
        found[each.table].append(each)
    return found


def _until(events: Iterable[Scored], time: float) -> Iterator[Scored]:
    return takewhile(lambda each: each.at <= time, events)
