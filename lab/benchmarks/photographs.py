"""Accuracy on real photographs, set by set, and the calibration of the confidence.

A folder of photo sets: `<set>/truth.json` (a list of `{"image", "cards", "complete", "optional"}`) and `<set>/images/`.
One picture in four, chosen by its name, is never used for training (`lab.training.files.held_out`); these are also
counted separately.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from lab.benchmarks.score import Score
from lab.benchmarks.yolo_shaped import with_share
from lab.training.files import held_out
from vision.faces import FaceReader
from vision.image_files import load_picture
from vision.readings import Reading

BINS = (0.8, 0.9, 0.95, 0.98, 1.0)
"""Edges of the confidence intervals."""


def _line(score: Score) -> str:
    return f"{score.cards:6d} {score.recall:7.3f} {score.precision:9.3f} {score.f1:6.3f} {score.wrong:5d}"


def _times(score: Score) -> str:
    median, high = score.median_and_95
    return f"{with_share(median, 6, 0)} {with_share(high, 6, 0)}"


def judge(entry: dict[str, Any], readings: list[Reading]) -> tuple[Score, list[tuple[float, bool]]]:
    """Return the score of one picture, and for each reading that can be judged its confidence and whether it is right.

    A card labelled `8?` may be read as any eight. In a picture without complete labels no reading counts as wrong.
    """
    wanted, optional = Counter(entry["cards"]), Counter(entry.get("optional", []))
    score = Score(cards=wanted.total())
    verdicts: list[tuple[float, bool]] = []
    for reading in sorted(readings, key=lambda r: -r.confidence):
        name = str(reading.face)
        match = next((known for known in (name, f"{name[:-1]}?") if wanted[known] > 0), None)
        if match is not None:
            wanted[match] -= 1
            score.right += 1
        elif optional[name] > 0:
            optional[name] -= 1
            continue
        elif entry.get("complete", True):
            score.wrong += 1
        else:
            continue
        verdicts.append((reading.confidence, match is not None))
    return score, verdicts


@dataclass
class PhotoSet:
    """What was read in the photographs of one set.

    `every`: the score of all of them; `kept`: of those never used for training. `verdicts`: for each reading that can
    be judged, its confidence and whether it is right.
    """

    every: Score = field(default_factory=Score)
    kept: Score = field(default_factory=Score)
    verdicts: list[tuple[float, bool]] = field(default_factory=list)

    def add(self, other: PhotoSet) -> None:
        """Add the photographs of another set."""
        self.every.add(other.every)
        self.kept.add(other.kept)
        self.verdicts += other.verdicts


def read_sets(reader: FaceReader, folder: Path) -> Iterator[tuple[str, PhotoSet]]:
    """Read the photographs of each set in `folder`; yield its name and what was read."""
    for truth in sorted(folder.glob("*/truth.json")):
        result = PhotoSet()
        for entry in json.loads(truth.read_text("utf-8")):
            image = load_picture(truth.parent / "images" / entry["image"])
            begun = time.process_time()
            readings = reader.read(image)
            ms = 1000 * (time.process_time() - begun)
            score, verdicts = judge(entry, readings)
            score.ms.append(ms)
            result.every.add(score)
            result.verdicts += verdicts
            if held_out(truth.parent.name, entry["image"]):
                result.kept.add(score)
        yield truth.parent.name, result


def binned(
    verdicts: Iterable[tuple[float, bool]], edges: Sequence[float] = BINS
) -> Iterator[tuple[float, float, int, float, float]]:
    """Yield each interval of confidence that has readings: its ends, their number, mean confidence, and share right."""
    judged = list(verdicts)
    for low, high in pairwise(edges):
        some = [each for each in judged if low <= each[0] < high or (high == 1 and each[0] == 1)]
        if some:
            mean, right = (sum(column) / len(some) for column in zip(*some, strict=True))
            yield low, high, len(some), mean, right


def photographs(reader: FaceReader, folder: Path, beside: frozenset[str] = frozenset()) -> None:
    """Read the sets in `folder`; print recall, precision, F1 and times of each, and the calibration of all.

    `beside`: sets that are printed but not counted in the total.
    """
    head = f"{'cards':>6} {'recall':>7} {'precision':>9} {'F1':>6} {'wrong':>5}"
    print(f"\n{'photographs':26} {head}   {'ms':>6} {'of YOLO':>8} {'95 %':>6} {'of YOLO':>8}   left out: {head}")

    def row(name: str, result: PhotoSet) -> None:
        print(f"{name:26} {_line(result.every)}   {_times(result.every)}             {_line(result.kept)}", flush=True)

    total = PhotoSet()
    verdicts = []
    for name, result in read_sets(reader, folder):
        row(name, result)
        verdicts += result.verdicts
        if name not in beside:
            total.add(result)
    row("all but those beside" if beside else "all", total)
    print(f"\n{'confidence':26} {'cards':>6} {'mean':>7} {'right':>9}")
    for low, high, count, mean, right in binned(verdicts):
        print(f"{f'{low:.2f} to {high:.2f}':26} {count:6d} {mean:7.3f} {right:9.3f}")
