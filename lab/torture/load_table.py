"""A table that plays one game after another, as a process of its own: what `lab.torture.load` measures.

    python -m lab.torture.load_table FOLDER HOURS KIND SEED

Game loop, referee, journal (in FOLDER), board and server are the program's own. With KIND `camera`, so is everything
before them, from the simulated table's pictures on, as fast as possible. With `scenes`, a thread supplies the
observations of people at a table as fast as they are stored and shown; with `slow`, one every fifth of a second. It
ends after HOURS by the clock of the observations. It prints JSON Lines: `url`, then for each snapshot `n` and `at`, the
observation's time on the monotonic clock, and for each game the resources that the process has used so far.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import re
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, Final

import cv2

from cardtable.config.model import BoardConfig
from cardtable.evening.playing import Parts, Playing, one_game, open_game
from cardtable.journal.journal import Journal
from cardtable.simulation.source import ROBOTS, Setting, SyntheticSource
from cardtable.simulation.sprites import texture
from cardtable.table.cameras import card_readers, mat_for
from cardtable.table.messages import Refusal
from cardtable.table.snapshot import Snapshot
from cardtable.table.sources import Received
from engine.actions import Action
from engine.games import HOUSE, load_game
from engine.observations import Observation
from tests.cardtable.people.people import People
from tests.cardtable.shown import Shown
from vision.camera_pipeline import CameraPipeline

GAMES: Final = tuple(sorted(HOUSE, key=lambda game: game not in ROBOTS))
PAUSE_S: Final = 0.2
"""Seconds between two observations of the kind `slow`."""

OpenGame = Callable[[list[CameraPipeline]], AbstractContextManager[Playing]]
"""Opens a game with these cameras."""


def settings(seed: int) -> Iterator[Setting]:
    """Yield one game after another, each with a different seed."""
    for number in count(seed):
        game = GAMES[number % len(GAMES)]
        yield Setting(game, load_game(game).seats[0], number, "aruco", "fast")


def report(**values: Any) -> None:
    """Print a line for `lab.torture.load`."""
    print(json.dumps(values), flush=True)


def resident_mb() -> float:
    """Return the memory that this process has in RAM."""
    found = re.search(r"VmRSS:\s+(\d+)", Path("/proc/self/status").read_text())
    assert found
    return int(found[1]) / 1024


def held_mb() -> float:
    """Return the process's memory in RAM after the C library has returned its free memory to the system.

    Otherwise memory kept for the next pictures looks like a leak. Without glibc nothing is returned.
    """
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
    return resident_mb()


class Clock:
    """When the observation arrived whose effect is shown next, and how long each one took."""

    def __init__(self) -> None:
        self.at = 0.0
        self.took_ms: list[float] = []

    def show(self, snapshot: Snapshot) -> None:
        """Report a snapshot that has news."""
        if snapshot.news and self.at:
            report(n=snapshot.n, at=self.at)


def with_camera(setting: Setting, clock: Clock, hours: float, open_one: OpenGame) -> tuple[float, int]:
    """Play a game, at most `hours`, before the simulated camera. Return its hours and the board's port."""
    source = SyntheticSource(setting)
    camera = CameraPipeline(source, mat_for(setting.header), card_readers([setting.marks], None, setting.game))
    before = [time.perf_counter()]

    def over() -> bool:
        now = time.perf_counter()
        clock.took_ms.append(1000 * (now - before[0]))
        before[0] = now
        return camera.ended or source.stage.time >= hours * 3600

    with open_one([camera]) as playing:
        playing.run(until=over)
        assert playing.board
        return source.stage.time / 3600, playing.board.port


def with_scenes(setting: Setting, clock: Clock, hours: float, pause: float, open_one: OpenGame) -> tuple[float, int]:
    """Play a game, at most `hours`, from its observations. Return its hours and the board's port."""
    observations = [each for each in observed(setting) if each.time <= hours * 3600]
    over = threading.Event()

    def feed(playing: Playing) -> None:
        done, process = threading.Semaphore(0), playing.game.process

        def processed(received: Received) -> Refusal | None:
            refusal = process(received)
            done.release()
            return refusal

        playing.game.process = processed  # type: ignore[method-assign]
        for observation in observations:
            clock.at = time.monotonic()
            playing.enter(observation)
            while not done.acquire(timeout=1.0):
                if over.is_set():
                    return
            clock.took_ms.append(1000 * (time.monotonic() - clock.at))
            over.wait(pause)
        over.set()

    with open_one([]) as playing:
        thread = threading.Thread(target=feed, args=(playing,), daemon=True)
        thread.start()
        try:
            playing.run(until=over.is_set)
        finally:
            over.set()
            thread.join()
        assert playing.board
        return observations[-1].time / 3600, playing.board.port


def observed(setting: Setting) -> list[Observation]:
    """Return the observations of a whole game of people without mishaps."""
    people, out = People(setting.game, setting.players, setting.seed), list[Observation]()
    observe = people.observe

    def observed(observation: Observation) -> None:
        out.append(observation)
        observe(observation)

    people.observe = observed  # type: ignore[method-assign]
    people.play(0.0, [], sys.maxsize)
    return out


def play_at(
    setting: Setting,
    journal: Journal,
    past: Sequence[Action],
    port: int,
    clock: Clock,
    cameras: list[CameraPipeline],
) -> AbstractContextManager[Playing]:
    """Open a game."""
    return one_game(Parts(setting.header, cameras, journal, past, outputs=[Shown(clock.show)]), BoardConfig(port=port))


def main(folder: str, hours: str, kind: str, seed: str) -> None:
    """Play for `hours` by the clock of the observations."""
    cv2.setNumThreads(1)  # as `cardtable.cli` does
    played, port = 0.0, 0
    for number, setting in enumerate(settings(int(seed))):
        clock, left = Clock(), float(hours) - played
        with closing(Journal(Path(folder) / f"{setting.name}.sqlite")) as journal:
            past = open_game(journal, setting.header, report=lambda message: None)

            if kind != "camera" and not number:  # a port for all games, and pages before the first of them
                with play_at(setting, journal, past, 0, clock, []) as playing:
                    assert playing.board
                    port = playing.board.port
                    report(url=playing.board.url)
                    sys.stdin.readline()
            open_one = partial(play_at, setting, journal, past, port, clock)
            if kind == "camera":
                took, port = with_camera(setting, clock, left, open_one)
            else:
                took, port = with_scenes(setting, clock, left, PAUSE_S if kind == "slow" else 0.0, open_one)
        texture.cache_clear()  # the pictures of this game's cards, which only the simulated table caches
        played += took
        report(
            game=setting.game,
            hours=played,
            mb=resident_mb(),
            held=held_mb(),
            handles=len(os.listdir("/proc/self/fd")),
            threads=threading.active_count(),
            ms=statistics.median(clock.took_ms),
        )
        if played >= float(hours) * 0.999:
            return


if __name__ == "__main__":
    main(*sys.argv[1:])
