"""The latency from an observation to the board: `python -m lab.benchmarks.latency`.

Whole games of All Fives are fed to the game as scenes of a camera. Each observation is timed from the call that
processes it until a page has received the message that shows it. This covers rules and referee, the journal on the disk
(`synchronous=FULL`), the board's server, and a WebSocket on loopback. It does not include drawing the page, or reading
the frames (`lab.benchmarks.eye`). "Computing" is the processor time of the whole process in that interval, including
the clients of the WebSockets.
"""

from __future__ import annotations

import json
import random
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Final

from websockets.sync.client import connect

from cardtable.journal.journal import Journal
from cardtable.table.live_game import LiveGame
from engine.actions import Action
from engine.observations import Observation, Said, Scene, Sighting, Zone
from engine.record import Header
from engine.table import Table
from lab.benchmarks.yolo_shaped import print_yolo, shares
from tests.cardtable.boards import board_for

GOAL_MS: Final = 20.0
GAMES: Final = 3
SECONDS: Final = 5.0
"""Time between two actions: a card that is laid again sooner counts as laid back."""
PAGES: Final = (1, 8)
HEADER: Final = Header("all-fives", ("Ann", "Bo"), 0, {"target": 31})


def observations(table: Table, rng: random.Random) -> Iterator[Observation]:
    """Yield the observations of a camera and the page for a random game, one for each action, until `table` is over."""
    lying: dict[str, Sighting] = {}
    while not table.over:
        now = SECONDS * len(table.actions)
        action = _choose(table, rng)
        seat = action.seat if isinstance(action.seat, int) else None
        if action.do == "say" and action.word is not None and seat is not None:
            yield Said(now, "page", seat, action.word)
            continue
        zone = {"turn": Zone("turn-up"), "play": Zone("play", seat)}.get(action.do)
        swept = ("play",) if action.do == "gather" else ("play", "turn-up") if action.do == "turn" else ()
        lying = {
            name: sighting for name, sighting in lying.items() if sighting.zone and sighting.zone.name not in swept
        }
        if zone is not None:
            lying[f"p{len(table.actions)}"] = Sighting(f"p{len(table.actions)}", action.card, zone, now)
        yield Scene(now, "camera", tuple(lying.values()))


def _choose(table: Table, rng: random.Random) -> Action:
    kinds = ("gather", "turn", "play", "say")
    legal = [a for a in table.legal_actions() if a.do in kinds and a.word not in ("revoke", "call")]
    return next((a for a in legal if a.do == "gather"), None) or rng.choice(legal)


def measure(folder: Path, pages: int) -> dict[str, list[float]]:
    """Return for each observation, in ms, the time until it was stored, until all pages had it, and processor time."""
    times: dict[str, list[float]] = {"stored": [], "shown": [], "computing": []}
    with ExitStack() as stack:
        journal = stack.enter_context(closing(Journal(folder / f"{pages}.sqlite")))
        board = stack.enter_context(closing(board_for("All Fives", lambda message, sender: None, port=0)))
        live = f"{board.url.replace('http', 'ws')}/live"
        readers = [stack.enter_context(connect(live, proxy=None)) for _ in range(pages)]
        for seed in range(GAMES):
            journal.begin(HEADER)
            table = Table(HEADER)
            game = LiveGame(table, journal, [board])
            game.take(Scene(-SECONDS, "camera", ()))  # the table is clear
            for observation in observations(table, random.Random(seed)):
                before = game.snapshot.n
                begin, computed = time.perf_counter(), time.process_time()
                game.take(observation)
                stored = time.perf_counter()
                assert game.snapshot.n > before, "nothing was found in the observation"
                for reader in readers:
                    while json.loads(reader.recv(timeout=10)).get("n") != game.snapshot.n:
                        pass
                times["shown"].append((time.perf_counter() - begin) * 1000)
                times["computing"].append((time.process_time() - computed) * 1000)
                times["stored"].append((stored - begin) * 1000)
    return times


def main() -> int:
    """Print the table; return 1 if the goal is missed."""
    found: dict[str, list[float]] = {}
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        for pages in PAGES:
            times = measure(Path(folder), pages)
            count += len(times["shown"])
            who = "one page" if pages == 1 else f"all of {pages} pages"
            found |= {"stored on the disk": times["stored"]} if pages == 1 else {}
            found |= {f"received by {who}": times["shown"], f"  computing, {who}": times["computing"]}
    print_yolo()
    print(f"{'from an observation until it is':<36} {'median ms':>10} {'95 % ms':>10} {'most ms':>10}   of YOLO: each")
    for name, values in found.items():
        three = statistics.median(values), _most(values), max(values)
        print(f"{name:<36} {three[0]:>10.2f} {three[1]:>10.2f} {three[2]:>10.2f}  {shares(*three, width=9)}")
    reached = _most(found["  computing, one page"]) <= GOAL_MS
    print(f"{count} observations; the rest is waiting for the disk, and for a processor where others are busy")
    print(f"goal: 95 % with at most {GOAL_MS:.0f} ms of computing: {'reached' if reached else 'NOT reached'}")
    return 0 if reached else 1


def _most(values: list[float]) -> float:
    """Return the 95th percentile."""
    return statistics.quantiles(values, n=20)[-1]


if __name__ == "__main__":
    raise SystemExit(main())
