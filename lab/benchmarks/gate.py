"""What the gate of the index detector saves, and what it costs: `python -m lab.benchmarks.gate [FOLDER] [--every N]`.

Indices are detected in every eighth photograph of the sets in FOLDER, or in the drawn pictures of
`lab.benchmarks.reading`, once everywhere and once where the gate expects any. Printed for each set or kind: the time
with the gate, including its own, as a share of the time without; how many indices are read with a confidence of 0.9 or
more without the gate; and how many of these are not read with it. The goal is at most one in a hundred.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from lab.benchmarks.outlines import photographs
from lab.benchmarks.reading import pictures
from vision.faces.card_assembly import IndexReading
from vision.faces.index_detector import IndexDetector
from vision.faces.index_reader import IndexReader, same_place
from vision.faces.net_threads import use_one_thread
from vision.faces.pyramid import image_pyramid
from vision.faces.settings import DEFAULTS
from vision.frames import Image

SURE: Final = 0.9
"""Least confidence of the readings that are counted: a single index needs it to count as a card."""
BESIDE: Final = 0.5
"""Readings closer than this are the same one; in heights of the larger index."""
MOST_LEFT_OUT: Final = 0.01


@dataclass
class Found:
    """Seconds of the detector in some pictures, `everywhere` and `gated`; indices read, and those left out."""

    pictures: int = 0
    everywhere: float = 0.0
    gated: float = 0.0
    read: int = 0
    left_out: int = 0

    def add(self, other: Found) -> None:
        """Add other pictures."""
        self.pictures += other.pictures
        self.everywhere += other.everywhere
        self.gated += other.gated
        self.read += other.read
        self.left_out += other.left_out


def left_out(everywhere: list[IndexReading], gated: list[IndexReading]) -> int:
    """Return how many of the readings have none of the same card beside them among those with the gate."""
    return sum(
        not any(reading.card is other.card and same_place(reading.pose, other.pose, BESIDE) for other in gated)
        for reading in everywhere
    )


def examined(picture: Image, without: IndexDetector, gated: IndexDetector, reader: IndexReader) -> Found:
    """Return what is found in a picture, (H, W, 3) uint8 BGR, by a detector `without` a gate and by one with it.

    Each time is the shorter of two, because the first run at a new size takes longer.
    """
    levels, spent = image_pyramid(picture), []
    for detector in (without, gated):
        times = []
        for _ in range(2):
            begun = time.process_time()
            detector(levels)
            times.append(time.process_time() - begun)
        spent.append(min(times))
    every, some = (reader.read(levels, detector(levels)) for detector in (without, gated))
    confident = [reading for reading in every if reading.confidence >= SURE]
    return Found(1, spent[0], spent[1], len(confident), left_out(confident, some))


def _pictures(folder: Path | None, every: int) -> Iterator[tuple[str, Image]]:
    if folder is not None:
        yield from ((name, picture) for name, _, picture in photographs(folder, (), every))
    else:
        yield from ((kind, picture) for kind, some in pictures().items() for picture in some)


def main(argv: list[str] | None = None) -> int:
    """Print the table; return 1 if the goal is missed."""
    parser = argparse.ArgumentParser(prog="python -m lab.benchmarks.gate", description=__doc__.splitlines()[0])
    parser.add_argument(
        "folder", nargs="?", type=Path, help="folder with sets of photographs (default: drawn pictures)"
    )
    parser.add_argument("--every", type=int, default=8, help="only every Nth photograph of a set (default 8)")
    args = parser.parse_args(argv or [])
    use_one_thread()
    without = IndexDetector(settings=replace(DEFAULTS.detector, gate_score=0.0))
    gated, reader = IndexDetector(), IndexReader()
    found: dict[str, Found] = {}
    for kind, picture in _pictures(args.folder, args.every):
        found.setdefault(kind, Found()).add(examined(picture, without, gated, reader))
    if not found:
        parser.error(f"{args.folder}: there are no photographs")
    total = Found()
    print(f"{'':28} {'pictures':>8} {'time':>6} {'indices':>8} {'left out':>9}")
    for kind, found_there in found.items():
        total.add(found_there)
        _report(kind, found_there)
    _report("all", total)
    missed = total.left_out > MOST_LEFT_OUT * total.read
    print(f"more than {MOST_LEFT_OUT:.0%} are left out: MISSED" if missed else "goal met")
    return int(missed)


def _report(name: str, found: Found) -> None:
    share = found.gated / max(found.everywhere, 1e-9)
    print(f"{name:28} {found.pictures:8} {share:6.2f} {found.read:8} {found.left_out:9}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
