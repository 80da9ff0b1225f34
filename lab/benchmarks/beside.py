"""The reader beside that of another commit: `python -m lab.benchmarks.beside COMMIT FOLDER [SET...] [--every N]`.

Every Nth photograph of each set in FOLDER (as for `lab.benchmarks.faces`) is read by the program of COMMIT and by that
of the working tree in turn, each in a process of its own, so that whatever else the machine does slows both. The time
of a picture is the shorter of two measurements: processor time on one thread, or with `--threads N` elapsed time. The
nets use the N threads, as in the program; in older commits, whose nets use one thread, OpenCV does. Printed for each
set, and for all sets together except those named: the mean and the 95th percentile of the working tree's times, as
shares of the commit's, and in how many pictures the two read different cards.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np

ROOT: Final = Path(__file__).parents[2]
READER: Final = """
import json, sys, time
import cv2
threads = int(sys.argv[1])
cv2.setNumThreads(threads)
clock = time.process_time if threads == 1 else time.perf_counter
from vision.faces import FaceReader
try:
    from vision.faces.net_threads import limit_net_threads
except ImportError:  # an older commit, whose nets use one thread
    pass
else:  # as the program does
    limit_net_threads(threads)
    cv2.setNumThreads(1)
reader = FaceReader()
for line in sys.stdin:
    picture, times = cv2.imread(line.strip()), []
    for _ in range(2):
        begun = clock()
        found = reader.read(picture)
        times.append(clock() - begun)
    print(json.dumps([min(times), sorted(str(one.face) for one in found)]), flush=True)
"""
"""A program that reads names of pictures and writes for each the seconds and the cards, as JSON. It runs in the
folder of a commit, and uses only what every commit has."""


@dataclass
class Times:
    """Seconds for each picture with the commit and with this program; in how many pictures the cards differ."""

    before: list[float] = field(default_factory=list)
    now: list[float] = field(default_factory=list)
    differing: int = 0

    def add(self, other: Times) -> None:
        """Add the pictures of another set."""
        self.before += other.before
        self.now += other.now
        self.differing += other.differing

    @property
    def ratios(self) -> tuple[float, float]:
        """The mean and the 95th percentile of this program's times, as shares of those of the commit."""
        high = [float(np.percentile(times, 95)) for times in (self.now, self.before)]
        return sum(self.now) / sum(self.before), high[0] / high[1]


class Program:
    """A reader in a process of its own."""

    def __init__(self, folder: Path, threads: int = 1) -> None:
        """`folder`: the project as it is in a commit. `threads`: how many it may use."""
        self._folder = folder
        settings = os.environ | {"PYTHONPATH": str(folder), "OMP_NUM_THREADS": "1"}
        self._process = subprocess.Popen(
            [sys.executable, "-c", READER, str(threads)], cwd=folder, env=settings, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip

    def read(self, picture: Path) -> tuple[float, list[str]]:
        """Return the seconds that the picture took, and its cards. Raises `SystemExit` if the program failed."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(f"{picture}\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit(f"lab.benchmarks.beside: the program in {self._folder} could not read {picture}")
        seconds, cards = json.loads(line)
        return float(seconds), list(cards)

    def __enter__(self) -> Program:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


@contextmanager
def files_of(commit: str) -> Iterator[Path]:
    """A temporary folder with the files of a commit of this repository. Raises `SystemExit` if there is none."""
    packed = subprocess.run(["git", "archive", commit], cwd=ROOT, capture_output=True)
    if packed.returncode:
        raise SystemExit(f"lab.benchmarks.beside: there is no commit {commit!r} here: {packed.stderr.decode().strip()}")
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as files:
            files.extractall(folder, filter="data")
        yield Path(folder)


def compared(before: Program, now: Program, pictures: list[Path]) -> Times:
    """Return the times of some pictures, each read by both programs in turn."""
    times = Times()
    for picture in pictures:
        (first, cards), (second, others) = before.read(picture), now.read(picture)
        times.before.append(first)
        times.now.append(second)
        times.differing += cards != others
    return times


def main(argv: list[str] | None = None) -> int:
    """Print the ratios of each set and of all."""
    parser = argparse.ArgumentParser(prog="python -m lab.benchmarks.beside", description=__doc__.splitlines()[0])
    parser.add_argument("commit", nargs="?", help="the commit to compare with, as git names it")
    parser.add_argument("folder", nargs="?", type=Path, help="folder with sets of photographs")
    parser.add_argument("sets", nargs="*", help="sets that do not count in the line for all")
    parser.add_argument("--every", type=int, default=4, help="read only every Nth photograph of a set (default 4)")
    parser.add_argument("--threads", type=int, default=1, help="threads of each program (default 1)")
    args = parser.parse_intermixed_args(argv or [])
    if args.commit is None or args.folder is None:
        print("give a commit and a folder of photographs: python -m lab.benchmarks.beside COMMIT FOLDER")
        return 0
    total = Times()
    print(f"{'set':28} {'pictures':>8} {'mean':>6} {'95 %':>6} {'other cards':>12}")
    with ExitStack() as open_ones:
        folder = open_ones.enter_context(files_of(args.commit))
        before, now = (open_ones.enter_context(Program(each, args.threads)) for each in (folder, ROOT))
        for truth in sorted(args.folder.glob("*/truth.json")):
            names = [entry["image"] for entry in json.loads(truth.read_text("utf-8"))]
            times = compared(before, now, [truth.parent.absolute() / "images" / name for name in names[:: args.every]])
            _report(truth.parent.name, times)
            if truth.parent.name not in args.sets:
                total.add(times)
    _report("all", total)
    return 0


def _report(name: str, times: Times) -> None:
    if times.now:
        mean, high = times.ratios
        print(f"{name:28} {len(times.now):8} {mean:6.3f} {high:6.3f} {times.differing:12}", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
