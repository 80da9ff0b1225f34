"""What reading faces costs in a game and in single pictures: `python -m benchmarks.reading`.

All at 1080p, processor time of one thread, OpenCV's included:

- a game: every frame of hands laying cards at a human pace, readers and all (goal: 15 ms a frame on average);
- a changed card: one look of the reader at what has changed, scale known (goal: 60 ms, 19 times in 20);
- a single picture: nothing known of it, scale least of all (goal: 150 ms, 19 times in 20): cards apart, cards in a row,
  one card far away, and a table without any;
- memory: the most that `cardtable see` and `cardtable watch` of a video held (goal: 300 MiB).
"""

from __future__ import annotations

import random
import statistics
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from benchmarks.eye import Timed, shoot
from benchmarks.faces import apart
from benchmarks.laying import Deal, drawn
from cardtable.simulation.pace import HUMAN
from engine.cards import STANDARD_DECK
from tests.vision.drawn_cards import DrawnTable, face_picture, row
from vision.faces import FaceReader
from vision.frames import Frame, Image

FRAME_MS, CARD_MS, PICTURE_MS, MEMORY_MIB = 15.0, 60.0, 150.0, 300.0
PICTURES: Final = 10
TRICKS: Final = 5
_ASK: Final = """
import resource, subprocess, sys
subprocess.run([sys.executable, *sys.argv[1:]], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)
"""


def game() -> tuple[list[float], list[float]]:
    """Milliseconds of each frame of a game, and of each look of the reader in it."""
    reader = Timed(FaceReader())
    deal = Deal(3, cache(drawn), reader, HUMAN)
    tally = deal.run(4 + 4 * TRICKS)
    return [tally.ms / tally.frames], reader.spent


def pictures() -> dict[str, list[Image]]:
    """Single pictures of each kind."""
    far = []
    for seed in range(PICTURES):
        rng = random.Random(seed)
        table = DrawnTable((1920, 1080), px_per_mm=1.3)
        table.lay(face_picture(rng.choice(STANDARD_DECK.cards)), (960, 540), rng.uniform(0, 360))
        far.append(table.photo(seed))
    return {
        "cards apart": [apart(2.0, seed)[0] for seed in range(PICTURES)],
        "cards in a row": [row(3.0, seed)[0] for seed in range(PICTURES)],
        "one card, far away": far,
        "no card": [DrawnTable((1920, 1080)).photo(seed) for seed in range(PICTURES)],
    }


def memory(frames: list[Frame]) -> dict[str, float]:
    """MiB that each command held at most."""
    held: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        picture, video = Path(folder, "table.png"), Path(folder, "table.avi")
        cv2.imwrite(str(picture), frames[0].image)
        writer = cv2.VideoWriter(str(video), cv2.VideoWriter.fourcc(*"MJPG"), 30, (1920, 1080))
        for frame in frames:
            writer.write(frame.image)
        writer.release()
        game = ("--game", "all-fives", "--players", "Ann,Bo", "--json")
        for name, arguments in (("see", ("see", str(picture), "--json")), ("watch", ("watch", str(video), *game))):
            # A small program starts it and asks: what this process holds would be counted with its own children.
            command = [sys.executable, "-c", _ASK, "-m", "cardtable", *arguments]
            held[name] = float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return held


def _row(name: str, values: list[float], goal: float, unit: str, at_most: float | None = None) -> bool:
    """Prints a row; True where the goal is missed. `at_most`: what the goal is held against, else the mean."""
    middle, high = statistics.fmean(values), float(np.percentile(values, 95))
    missed = (middle if at_most is None else at_most) > goal
    print(f"{name:32} {middle:8.1f} {high:8.1f} {goal:8.0f} {unit}{'   MISSED' if missed else ''}", flush=True)
    return missed


def main() -> int:
    """Prints each number beside its goal; 1 where one is missed."""
    cv2.setNumThreads(1)
    print(f"{'':32} {'mean':>8} {'95 %':>8} {'goal':>8}")
    frames, looks = game()
    missed = _row("a game, a frame", frames, FRAME_MS, "ms")
    missed |= _row("a game, a changed card, a look", looks, CARD_MS, "ms", float(np.percentile(looks, 95)))
    reader = FaceReader()
    for name, some in pictures().items():
        spent = []
        for picture in some:
            begun = time.thread_time()
            reader.read(picture)
            spent.append(1e3 * (time.thread_time() - begun))
        missed |= _row(f"a picture, {name}", spent, PICTURE_MS, "ms", float(np.percentile(spent, 95)))
    for name, most in memory(shoot("faces")[1]).items():
        missed |= _row(f"memory, cardtable {name}", [most], MEMORY_MIB, "MiB")
    return int(missed)


if __name__ == "__main__":
    raise SystemExit(main())
