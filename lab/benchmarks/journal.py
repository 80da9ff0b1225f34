"""Start of `run` and `history` on a journal of 10,000 games, compared with reading the whole file.

`python -m lab.benchmarks.journal`. The journal is written here: whole games of cribbage for two with known hands, the
last one not over. Each row is the best of three:

- `run`: open the journal, find the game to be continued, read and replay it, make the first snapshot;
- `history`, alone and with `--stats` and `--evenings`: the command in a process of its own, and how much of that is the
  start of Python;
- the alternatives: `sqlite3` and `json` read every action of the file; the rules replay every game (estimated from one
  game in fifty).
"""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Final

from cardtable.evening.playing import open_game
from cardtable.journal.games import Result, Summary, store_summaries
from cardtable.journal.journal import Journal
from cardtable.table.live_game import LiveGame
from engine.record import Header
from engine.table import Table
from lab.benchmarks.cribbage import game_of_cribbage

GAMES: Final = 10_000
DIFFERENT: Final = 20
"""Number of different games in the journal; each is stored many times."""
REPLAYED: Final = 200
GOAL: Final = 0.1
"""Longest permitted time of `run`, and of `history` without the start of Python, as a share of reading every action."""
ROUNDS: Final = 3


def write(path: Path, games: int) -> Header:
    """Write the journal; return the header of its games."""
    tables = [game_of_cribbage(seed) for seed in range(DIFFERENT)]
    rows = [[json.dumps(action.to_json()) for action in table.actions] for table in tables]
    results = [Result.of(table) for table in tables]
    header = tables[0].header
    with closing(Journal(path)):
        pass  # its tables are made
    with closing(sqlite3.connect(path)) as database, database:
        last = games - 1
        stored = ((number + 1, json.dumps(header.to_json()), 1.7e9 + number, number != last) for number in range(games))
        database.executemany("INSERT INTO game (id, header, started, over) VALUES (?, ?, ?, ?)", stored)
        database.executemany(
            "INSERT INTO action (game, n, action, time) VALUES (?, ?, ?, 1.7e9)",
            (
                (number + 1, n, action)
                for number in range(games)
                for n, action in enumerate(rows[number % DIFFERENT][: -1 if number == last else None])
            ),
        )
        written = json.dumps(header.to_json())
        store_summaries(
            database,
            (
                Summary(number + 1, written, len(rows[number % DIFFERENT]), 1.7e9, True, results[number % DIFFERENT])
                for number in range(last)
            ),
        )
    return header


def start(path: Path, header: Header) -> int:
    """Do what `run` does with the journal before it shows the table; return the number of actions replayed."""
    with closing(Journal(path)) as journal:
        past = open_game(journal, header)
        return LiveGame(Table(header), journal, (), past).snapshot.n


def history(path: Path, *more: str) -> int:
    """Run `cardtable history`; return the number of lines."""
    command = [sys.executable, "-m", "cardtable", "history", "--journal", str(path), *more]
    return len(subprocess.run(command, capture_output=True, check=True).stdout.splitlines())


def python_start() -> int:
    """Start the command without a journal."""
    return subprocess.run([sys.executable, "-m", "cardtable", "history", "--help"], capture_output=True).returncode


def read_whole(path: Path) -> int:
    """Read every action of the file; return their number."""
    with closing(sqlite3.connect(path)) as database:
        return sum(1 for (row,) in database.execute("SELECT action FROM action ORDER BY game, n") if json.loads(row))


def replay(path: Path, games: int) -> int:
    """Replay some games; return their number."""
    with closing(Journal(path)) as journal:
        numbers = list(islice(journal.games.numbers(), games))
        return len([journal.games.replayed(number) for number in numbers])


def best(function: Callable[[], int], rounds: int = ROUNDS) -> float:
    """Return the shortest time of some calls, seconds."""
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        function()
        times.append(time.perf_counter() - begin)
    return min(times)


def main() -> int:
    """Print the table. Return 1 if the goal is not reached."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "journal.sqlite"
        header = write(path, GAMES)
        times = {
            "run, until the table is shown": best(partial(start, path, header)),
            "history": best(partial(history, path)),
            "history --stats": best(partial(history, path, "--stats")),
            "history --evenings": best(partial(history, path, "--evenings")),
            "of each, the start of Python": best(python_start),
            "sqlite3 and json read every action": best(partial(read_whole, path), 1),
            "the rules replay every game": best(partial(replay, path, REPLAYED), 1) * GAMES / REPLAYED,
        }
        size = path.stat().st_size / 1e6
    whole = times["sqlite3 and json read every action"]
    print(f"{GAMES:,} games, {size:.0f} MB\n\n{'what':<40} {'seconds':>8} {'of reading all':>15}")
    for what, seconds in times.items():
        print(f"{what:<40} {seconds:>8.2f} {seconds / whole:>14.1%}")
    reading = max(times["history"], times["history --stats"]) - times["of each, the start of Python"]
    slow = max(times["run, until the table is shown"], reading) > GOAL * whole
    print(f"goal: run, and history itself, in {GOAL:.0%} of the time of reading all: {'NOT ' if slow else ''}reached")
    return int(slow)


if __name__ == "__main__":
    raise SystemExit(main())
