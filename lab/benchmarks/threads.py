"""What threads gain: `python -m lab.benchmarks.threads [FOLDER]`.

The camera's pipeline sees a film of hands that lay cards, and the reader single pictures: those of
`lab.benchmarks.reading`, or every fourth photograph of the sets in FOLDER. OpenCV and the nets each use one thread or
one for each core, the nets at most four. Printed for each way: elapsed time and processor time, for a frame and for a
picture, in milliseconds, the shortest of three rounds. The program's way is marked with `*`. The benchmark fails if
another one takes less than `WORTH` of its elapsed or processor time.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import cv2

from lab.benchmarks.eye import Film, shoot
from lab.benchmarks.outlines import photographs
from lab.benchmarks.reading import pictures
from lab.benchmarks.yolo_shaped import print_yolo, share_of_yolo
from vision.camera_pipeline import CameraPipeline
from vision.faces import FaceReader
from vision.faces.net_threads import MOST, limit_net_threads
from vision.frames import Frame, Image
from vision.mat.layout import Mat

ROUNDS: Final = 3
WORTH: Final = 0.8
"""Share of the time of the program's way below which another way would be better."""


@dataclass(slots=True)
class Spent:
    """Milliseconds for a frame or a picture, the shortest of the rounds: elapsed (`passed`), and of the processor."""

    passed: float = field(default=float("inf"))
    processor: float = field(default=float("inf"))

    def measure(self, work: Callable[[], object], count: int) -> None:
        """Do `work`, which is `count` frames or pictures."""
        begun, used = time.perf_counter(), time.process_time()
        work()
        self.passed = min(self.passed, 1e3 * (time.perf_counter() - begun) / count)
        self.processor = min(self.processor, 1e3 * (time.process_time() - used) / count)


@dataclass(frozen=True)
class Way:
    """Threads of OpenCV and of the nets, and what they take."""

    opencv: int
    nets: int
    frame: Spent = field(default_factory=Spent)
    picture: Spent = field(default_factory=Spent)

    @property
    def is_used(self) -> bool:
        """Whether the program works this way."""
        return self.opencv == 1 and self.nets > 1

    def run(self, mat: Mat, film: list[Frame], some: list[Image]) -> None:
        """Measure one round."""
        cv2.setNumThreads(self.opencv)
        limit_net_threads(self.nets)
        pipeline, reader = CameraPipeline(Film(film), mat, [FaceReader()]), FaceReader()
        self.frame.measure(lambda: [pipeline.step() for _ in film], len(film))
        self.picture.measure(lambda: [reader.read(picture) for picture in some], len(some))


def wasted(ways: Iterable[Way]) -> bool:
    """Return whether another way would take much less than the program's."""
    (used,) = (way for way in ways if way.is_used)
    return any(
        getattr(getattr(way, of), kind) < WORTH * getattr(getattr(used, of), kind)
        for way in ways
        for of in ("frame", "picture")
        for kind in ("passed", "processor")
    )


def main(argv: list[str] | None = None) -> int:
    """Print the table; return 1 if the program's way is not the best one on this machine."""
    cores = cv2.getNumberOfCPUs()
    if cores == 1:
        print("This machine has one core: there is nothing to compare.")
        return 0
    some = (
        [image for *_, image in photographs(Path(argv[0]), (), 4)]
        if argv
        else [picture for kind in pictures(3).values() for picture in kind]
    )
    stage, film, _ = shoot("faces")
    ways = [Way(opencv, nets) for opencv in (1, cores) for nets in (1, min(MOST, cores))]
    for _ in range(ROUNDS):
        for way in ways:
            way.run(stage.mat, film, some)
    print_yolo()
    print(
        f"{'threads: OpenCV':>15} {'nets':>5} {'frame, ms':>12} {'processor':>10} {'picture, ms':>14} {'processor':>10}"
    )
    for way in ways:
        times = (way.frame.passed, way.frame.processor, way.picture.passed, way.picture.processor)
        row = "{:12.2f} {:10.2f} {:14.1f} {:10.1f}".format(*times)
        print(f"{way.opencv:15d} {way.nets:5d} {row} {'*' if way.is_used else ''}")
        print("{:>21} {:>12} {:>10} {:>14} {:>10}".format("of YOLO", *map(share_of_yolo, times)))
    if missed := wasted(ways):
        print("MISSED")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
