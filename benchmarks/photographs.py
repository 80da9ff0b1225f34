"""How real photographs are read, set by set, and whether the confidence is what it says.

A folder of photo sets: `<set>/truth.json` (a list of `{"image", "cards", "complete", "optional"}`) and
`<set>/images/`. One picture in four, by its name, is never learnt from (`vision.training.files.left_out`): those are
counted once more by themselves.
"""

from __future__ import annotations

import json
import statistics
import time
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from vision.faces import FaceReader
from vision.readings import Reading
from vision.see import load_picture
from vision.training.files import left_out

BINS = (0.8, 0.9, 0.95, 0.98, 1.0)
"""Edges of the confidences that are counted together."""


@dataclass
class Counts:
    """What was read of some pictures: `ms` of processor time for each."""

    cards: int = 0
    right: int = 0
    wrong: int = 0
    ms: list[float] = field(default_factory=list)

    def add(self, other: Counts) -> None:
        """Takes another's pictures in."""
        self.cards, self.right, self.wrong = (
            self.cards + other.cards,
            self.right + other.right,
            self.wrong + other.wrong,
        )
        self.ms += other.ms

    @property
    def scores(self) -> tuple[float, float, float]:
        """Recall, precision and F1."""
        recall, precision = self.right / max(self.cards, 1), self.right / max(self.right + self.wrong, 1)
        return recall, precision, 2 * recall * precision / max(recall + precision, 1e-9)

    def __str__(self) -> str:
        recall, precision, f1 = self.scores
        return f"{self.cards:6d} {recall:7.3f} {precision:9.3f} {f1:6.3f} {self.wrong:5d}"

    @property
    def times(self) -> str:
        """The median and the 95th percentile of the milliseconds."""
        times = sorted(self.ms) or [0.0]
        return f"{statistics.median(times):6.0f} {times[int(0.95 * (len(times) - 1))]:6.0f}"


def judged(entry: dict[str, Any], readings: list[Reading]) -> tuple[Counts, list[tuple[float, bool]]]:
    """The counts of one picture, and for each reading that can be judged its confidence and whether it is right.

    A card named `8?` may be read as any eight. In a picture that is not labelled completely nothing is wrong.
    """
    wanted, optional = Counter(entry["cards"]), Counter(entry.get("optional", []))
    counts = Counts(cards=wanted.total())
    verdicts: list[tuple[float, bool]] = []
    for reading in sorted(readings, key=lambda r: -r.confidence):
        name = str(reading.face)
        match = next((known for known in (name, f"{name[:-1]}?") if wanted[known] > 0), None)
        if match is not None:
            wanted[match] -= 1
            counts.right += 1
        elif optional[name] > 0:
            optional[name] -= 1
            continue
        elif entry.get("complete", True):
            counts.wrong += 1
        else:
            continue
        verdicts.append((reading.confidence, match is not None))
    return counts, verdicts


def photographs(reader: FaceReader, folder: Path, beside: frozenset[str] = frozenset()) -> None:
    """Reads the sets in `folder` and prints recall, precision, F1 and times of each, and the calibration of all.

    `beside`: sets that are printed and not counted with the others.
    """
    head = f"{'cards':>6} {'recall':>7} {'precision':>9} {'F1':>6} {'wrong':>5}"
    print(f"\n{'photographs':26} {head}   {'ms':>6} {'95 %':>6}   left out: {head}")
    totals = Counts(), Counts()
    verdicts: list[tuple[float, bool]] = []
    for truth in sorted(folder.glob("*/truth.json")):
        every, kept = Counts(), Counts()
        for entry in json.loads(truth.read_text("utf-8")):
            image = load_picture(truth.parent / "images" / entry["image"])
            begun = time.process_time()
            readings = reader.read(image)
            taken = 1000 * (time.process_time() - begun)
            one, told = judged(entry, readings)
            one.ms.append(taken)
            every.add(one)
            verdicts += told
            if left_out(truth.parent.name, entry["image"]):
                kept.add(one)
        print(f"{truth.parent.name:26} {every}   {every.times}             {kept}", flush=True)
        if truth.parent.name not in beside:
            for total, counts in zip(totals, (every, kept), strict=True):
                total.add(counts)
    print(f"{'all but those beside' if beside else 'all':26} {totals[0]}   {totals[0].times}             {totals[1]}")
    print(f"\n{'confidence':26} {'cards':>6} {'mean':>7} {'right':>9}")
    for low, high in pairwise(BINS):
        some = [(sure, right) for sure, right in verdicts if low <= sure < high or (high == 1 and sure == 1)]
        if some:
            mean, right = (sum(column) / len(some) for column in zip(*some, strict=True))
            print(f"{f'{low:.2f} to {high:.2f}':26} {len(some):6d} {mean:7.3f} {right:9.3f}")
