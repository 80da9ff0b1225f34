"""Time and memory of reading faces in a game and in single pictures: `python -m lab.benchmarks.reading`.

All at 1080p; processor time of one thread, including OpenCV's:

- a game: every frame of hands laying cards at a human pace, including readers (goal: 15 ms per frame on average);
- a changed card: one call of the reader for the changed part, at a known scale (goal: 60 ms, 95th percentile);
- a single picture of unknown scale (goal: 150 ms, 95th percentile): cards apart, cards in a row, one card far away,
  and an empty table;
- memory: the peak of `cardtable see`, and of `cardtable watch` of a video (goal: 300 MiB).

Each time is also printed as a share of that of a graph shaped like YOLOv8n, in the same run (`yolo_shaped.py`), which
holds on any machine. Goal for a frame of a game: a fifteenth (0.067).
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

from cardtable.simulation.stage import HUMAN
from engine.cards import STANDARD_DECK
from lab.benchmarks.eye import Timed, shoot
from lab.benchmarks.laying import Deal
from lab.benchmarks.yolo_shaped import print_yolo, share_of_yolo, yolo_ms
from tests.drawing.cards import DrawnTable, apart, face_picture, row
from tests.drawing.unseen_decks import drawn
from vision.faces import FaceReader
from vision.faces.net_threads import use_one_thread
from vision.frames import Frame, Image

FRAME_MS, CARD_MS, PICTURE_MS, MEMORY_MIB = 15.0, 60.0, 150.0, 300.0
FRAME_OF_YOLO: Final = 1 / 15
PICTURES: Final = 10
TRICKS: Final = 5
_ASK: Final = """
import resource, subprocess, sys
subprocess.run([sys.executable, *sys.argv[1:]], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)
"""


def game() -> tuple[list[float], list[float]]:
    """Return the mean milliseconds of the frames of a game, and those of each call of the reader."""
    reader = Timed(FaceReader())
    deal = Deal(3, cache(drawn), reader, HUMAN)
    tally = deal.run(4 + 4 * TRICKS)
    return [tally.ms / tally.frames], reader.spent


def pictures(count: int = PICTURES) -> dict[str, list[Image]]:
    """Return `count` single pictures of each kind."""
    far = []
    for seed in range(count):
        rng = random.Random(seed)
        table = DrawnTable((1920, 1080), px_per_mm=1.3)
        table.lay(face_picture(rng.choice(STANDARD_DECK.cards)), (960, 540), rng.uniform(0, 360))
        far.append(table.photo(seed))
    return {
        "cards apart": [apart(2.0, seed)[0] for seed in range(count)],
        "cards in a row": [row(3.0, seed)[0] for seed in range(count)],
        "one card, far away": far,
        "no card": [DrawnTable((1920, 1080)).photo(seed) for seed in range(count)],
    }


def timed(reader: FaceReader, some: list[Image]) -> list[float]:
    """Read each picture; return the milliseconds of processor time that each took."""
    spent = []
    for picture in some:
        begun = time.thread_time()
        reader.read(picture)
        spent.append(1e3 * (time.thread_time() - begun))
    return spent


def memory(frames: list[Frame]) -> dict[str, float]:
    """Return the peak memory of each command, MiB."""
    peak: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        picture, video = Path(folder, "table.png"), Path(folder, "table.avi")
        cv2.imwrite(str(picture), frames[0].image)
        writer = cv2.VideoWriter(str(video), cv2.VideoWriter.fourcc(*"MJPG"), 30, (1920, 1080))
        for frame in frames:
            writer.write(frame.image)
        writer.release()
        game = ("--game", "all-fives", "--players", "Ann,Bo", "--json")
        for name, arguments in (("see", ("see", str(picture), "--json")), ("watch", ("watch", str(video), *game))):
            # A small program starts it and measures, because this process's own memory would count as its children's.
            command = [sys.executable, "-c", _ASK, "-m", "cardtable", *arguments]
            peak[name] = float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return peak


def _row(name: str, values: list[float], goal: float, unit: str, at_most: float | None = None) -> bool:
    """Print a row; return whether the goal is missed. `at_most`: the value to compare with it, by default the mean."""
    middle, high = statistics.fmean(values), float(np.percentile(values, 95))
    missed = (middle if at_most is None else at_most) > goal
    shares = [share_of_yolo(value) if unit == "ms" else "" for value in (middle, high)]
    print(
        f"{name:32} {middle:8.1f} {high:8.1f} {goal:8.1f} {shares[0]:>8} {shares[1]:>8} {unit}"
        f"{'   MISSED' if missed else ''}",
        flush=True,
    )
    return missed


def main() -> int:
    """Print each number with its goal; return 1 if one is missed."""
    use_one_thread()
    unit = yolo_ms()
    print_yolo()
    print(f"{'':32} {'mean':>8} {'95 %':>8} {'goal':>8} {'of YOLO':>8} {'95 %':>8}")
    frames, calls = game()
    missed = _row("a game, a frame", frames, min(FRAME_MS, FRAME_OF_YOLO * (unit or 1e9)), "ms")
    missed |= _row("a game, a changed card, a look", calls, CARD_MS, "ms", float(np.percentile(calls, 95)))
    reader = FaceReader()
    for name, some in pictures().items():
        spent = timed(reader, some)
        missed |= _row(f"a picture, {name}", spent, PICTURE_MS, "ms", float(np.percentile(spent, 95)))
    for name, most in memory(shoot("faces")[1]).items():
        missed |= _row(f"memory, cardtable {name}", [most], MEMORY_MIB, "MiB")
    return int(missed)


if __name__ == "__main__":
    raise SystemExit(main())
