"""How exact the outlines of cards are: `python -m lab.benchmarks.outlines [FOLDER [SET...]] [--pictures DIR]`.

Without a folder, drawn cards are measured, whose outlines are known exactly: apart, thrown on one another, in a row, in
a fan, with and without a printed frame. With a folder of photo sets (`lab.benchmarks.photographs`), the cards that lie
apart are measured against outlines that `lab.benchmarks.outline_fits` fits to their edges without the reader.

Printed for each set: the cards measured, how many of them were read, the median of the intersection over union (IoU) of
the outlines read, its 5th percentile, the share with 0.85 or more, how many outlines are reported as inferred from the
index, and the share with 0.85 or more of the others, which are reported as lying on edges. A card that is not read has
no outline; `python -m lab.benchmarks.faces` counts those.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from lab.benchmarks.outline_fits import true_outlines
from tests.drawing.outline_scenes import pictures
from tests.drawing.outlines import Outline, compare
from vision.faces import FaceReader
from vision.faces.net_threads import use_one_thread
from vision.frames import Image
from vision.image_files import load_picture
from vision.readings import Reading

GOAL_MEDIAN, GOAL_IOU, GOAL_SHARE = 0.95, 0.85, 0.95
WORST: Final = 5
"""How many names of pictures are printed for each set."""


@dataclass
class Tally:
    """The outlines of one set: the IoU of each card read, with its picture, and of those reported as on edges."""

    cards: int = 0
    measured: list[tuple[float, str]] = field(default_factory=list)
    on_edges: list[float] = field(default_factory=list)

    def line(self) -> str:
        """Return the row of the table."""
        values = np.array([value for value, _ in self.measured] or [0.0])
        extrapolated = len(self.measured) - len(self.on_edges)
        return (
            f"{self.cards:6d} {len(self.measured):6d} {np.median(values):8.3f} {np.percentile(values, 5):8.3f} "
            f"{(values >= GOAL_IOU).mean():9.1%} {extrapolated:6d} {self._share_on_edges:9.1%}"
        )

    @property
    def _share_on_edges(self) -> float:
        """Share with an IoU of 0.85 or more of the outlines reported as on edges; 1 if there are none."""
        return float((np.array(self.on_edges or [1.0]) >= GOAL_IOU).mean())

    def missed(self, lie_apart: bool) -> bool:
        """Return whether the goal is missed.

        Of the outlines reported as on edges, 95 % must have an IoU of 0.85 or more; of cards that `lie_apart` all
        outlines count, and their median must be 0.95.
        """
        if not self.measured or self._share_on_edges < GOAL_SHARE:
            return bool(self.measured)
        values = np.array([value for value, _ in self.measured])
        return lie_apart and bool(np.median(values) < GOAL_MEDIAN or (values >= GOAL_IOU).mean() < GOAL_SHARE)

    def worst(self) -> list[tuple[float, str]]:
        """Return the worst outlines below the goal, with the names of their pictures."""
        return [measure for measure in sorted(self.measured)[:WORST] if measure[0] < GOAL_IOU]


def photographs(folder: Path, sets: Sequence[str], every: int) -> Iterator[tuple[str, str, Image]]:
    """Yield set, name and picture of one in `every` photographs of the `sets` in `folder`; without `sets`, of all."""
    for truth in sorted(folder.glob("*/truth.json")):
        if not sets or truth.parent.name in sets:
            for entry in json.loads(truth.read_text("utf-8"))[::every]:
                yield truth.parent.name, entry["image"], load_picture(truth.parent / "images" / entry["image"])


def overlay(image: Image, truths: Sequence[Outline], readings: Sequence[Reading]) -> Image:
    """Return the picture with the true outlines in green and those read in red, a dot at each first corner."""
    shown = image.copy()
    wide = max(1, max(image.shape[:2]) // 600)
    for colour, quads in (((0, 0, 255), [reading.outline for reading in readings]), ((0, 220, 0), truths)):
        for quad in quads:
            cv2.polylines(shown, [np.rint(16 * np.asarray(quad)).astype(np.int32)], True, colour, wide, cv2.LINE_AA, 4)
    for reading in readings:
        cv2.circle(
            shown, (round(float(reading.outline[0, 0])), round(float(reading.outline[0, 1]))), 3 * wide, (0, 0, 255), -1
        )
    return np.asarray(shown, np.uint8)


def _add(tally: Tally, name: str, readings: Sequence[Reading], truths: Sequence[Outline]) -> None:
    """Count the outlines of one picture."""
    tally.cards += len(truths)
    for pair in compare(readings, truths):
        if pair is not None:
            tally.measured.append((pair[0], name))
            if pair[1].outline_from == "edges":
                tally.on_edges.append(pair[0])


def _write(folder: Path | None, name: str, image: Image) -> None:
    """Write the picture to `folder`, if there is one."""
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        cv2.imwrite(str(folder / f"{name.replace('/', '-').replace(', ', '-')}.jpg"), image)


def main(argv: list[str] | None = None) -> int:
    """Print the table; return 1 if the goal is missed."""
    parser = argparse.ArgumentParser(prog="python -m lab.benchmarks.outlines", description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?", help="folder of photo sets; without it drawn cards")
    parser.add_argument("sets", nargs="*", help="names of the sets, without any all")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only one photograph in N")
    parser.add_argument("--rounds", type=int, default=1, help="drawn pictures of each deck in each layout")
    parser.add_argument("--first", type=int, default=0, metavar="N", help="number of the first of these pictures")
    parser.add_argument("--pictures", type=Path, metavar="DIR", help="write each picture with its outlines to DIR")
    args = parser.parse_args(argv or [])
    use_one_thread()
    reader = FaceReader()
    tallies: dict[str, Tally] = {}
    if args.folder is None:
        for number, (group, drawn) in enumerate(pictures(args.rounds, args.first)):
            truths = [outline for _, outline in drawn.cards]
            readings = reader.read(drawn.image)
            _add(tallies.setdefault(group, Tally()), str(number), readings, truths)
            _write(args.pictures, f"{group}-{number}", overlay(drawn.image, truths, readings))
    else:
        for group, name, image in photographs(args.folder, args.sets, args.every):
            fitted, readings = true_outlines(image), reader.read(image)
            _add(tallies.setdefault(group, Tally()), name, readings, fitted)
            _write(args.pictures, f"{group}-{Path(name).stem}", overlay(image, fitted, readings))
    head = f"{'cards':>6} {'read':>6} {'median':>8} {'5 %':>8} {f'>= {GOAL_IOU}':>9} {'index':>6} {'on edges':>9}"
    print(f"{'outlines, IoU':26} {head}")
    missed = False
    for group, tally in tallies.items():
        below = tally.missed(args.folder is not None or group.endswith("apart"))
        print(f"{group:26} {tally.line()}{'   MISSED' if below else ''}")
        missed |= below
    for group, tally in tallies.items():
        for value, name in tally.worst():
            print(f"{group:26} {value:.3f} {name}")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
