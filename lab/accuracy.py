"""Measure the tables of docs/reference/accuracy.md: `python -m lab.accuracy PHOTOS DECKS [NAME …]`.

Each table is a file `docs/data/NAME.csv`, which the command replaces. `PHOTOS`: a folder of photo sets
(`lab.benchmarks.photographs`). `DECKS`: what `python -m lab.training render --unseen --out DECKS` wrote. Without a name
all tables are measured, which takes half a day: `at-the-table` lays 28,000 cards.
"""

from __future__ import annotations

import argparse
import csv
import os
import statistics
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np

from lab.benchmarks import calibration, degradations, laying, outlines, reading
from lab.benchmarks.outline_fits import true_outlines
from lab.benchmarks.photo_heights import measured
from lab.benchmarks.photographs import binned, read_sets
from lab.benchmarks.yolo_shaped import yolo_ms
from tests.drawing import unseen_decks
from tests.drawing.degrading import NEED_PLACES, degraded
from tests.drawing.faces import verdicts
from tests.drawing.outlines import compare
from tests.drawing.tables import BOXES, drawn_decks, packaged_decks
from vision.faces import FaceReader
from vision.faces.net_threads import use_one_thread

Row = Sequence[object]
"""Cells of a table; the first row has the names of the columns with their units."""

OUT: Final = Path(__file__).parents[1] / "docs" / "data"
PHOTOS_PER_SET: Final = 30
_PERCENT: Final = "{:.1f}".format
_SHOWN: Final = (
    ("blur", 2.0, "blur, sigma 2 pixels"),
    ("motion", 7, "motion, 7 pixels"),
    ("overexposed", 2.0, "overexposed, factor 2"),
    ("overexposed", 2.5, "overexposed, factor 2.5"),
    ("index, px", 12, "index 12 pixels high"),
    ("index, px", 10, "index 10 pixels high"),
    ("noise", 50, "noise, sigma 50"),
    ("JPEG", 5, "JPEG, quality 5"),
    ("tilt", 70, "tilt, 70°"),
)
"""The degradations of the page, each with its strength and its name there."""


def photographs(photos: Path, decks: Path) -> Iterator[Row]:
    """Yield how many cards of each set of photographs are read, the best set first."""
    yield "set", "cards", "recall, %", "precision, %", "F1", "wrong"
    results = [(name, result.every) for name, result in read_sets(FaceReader(), photos)]
    for name, score in sorted(results, key=lambda each: -each[1].f1):
        shares = _PERCENT(100 * score.recall), _PERCENT(100 * score.precision)
        yield name, score.cards, *shares, f"{score.f1:.3f}", score.wrong


def confidence(photos: Path, decks: Path) -> Iterator[Row]:
    """Yield how often readings of each interval of confidence are right."""
    yield "confidence", "drawn cards", "right, %", "photographs", "right, %"
    reader = FaceReader()
    judged = [each for _, result in read_sets(reader, photos) for each in result.verdicts]
    drawn = {each[:2]: each for each in binned(verdicts(reader, range(calibration.PICTURES)), calibration.BINS)}
    taken = {each[:2]: each for each in binned(judged, calibration.BINS)}
    for low, high in sorted(drawn.keys() | taken.keys()):
        cells = [
            cell
            for _, _, count, _, right in (table.get((low, high), (low, high, 0, 0.0, 0.0)) for table in (drawn, taken))
            for cell in (count, _PERCENT(100 * right) if count else "")
        ]
        yield f"{low:.2f} to {high:.2f}", *cells


def outline_table(photos: Path, decks: Path) -> Iterator[Row]:
    """Yield how exact the outlines of cards in photographs are."""
    yield "set", "cards measured", "read", "median IoU", f"{outlines.GOAL_IOU} and more, %"
    reader = FaceReader()
    measured_by_set: dict[str, list[float]] = {}
    cards: dict[str, int] = {}
    for name, _, image in outlines.photographs(photos, (), 1):
        truths = true_outlines(image)
        found = [each[0] for each in compare(reader.read(image), truths) if each is not None]
        measured_by_set.setdefault(name, []).extend(found)
        cards[name] = cards.get(name, 0) + len(truths)
    for name, values in sorted(measured_by_set.items(), key=lambda each: -len(each[1])):
        if values:
            share = 100 * statistics.fmean(value >= outlines.GOAL_IOU for value in values)
            yield name, cards[name], len(values), f"{statistics.median(values):.3f}", _PERCENT(share)


def hard_light(photos: Path, decks: Path) -> Iterator[Row]:
    """Yield the recall in degraded pictures."""
    yield "degradation", "drawn decks, %", "packaged decks, %", "photographs, %"
    reader = FaceReader()
    drawn, packaged = drawn_decks(), packaged_decks(decks, BOXES)
    scaled = list(measured(photos, PHOTOS_PER_SET, degradations.USUAL_PX))
    for kind, strength, name in _SHOWN:
        height = {"index, px": float(strength), "tilt": 60.0}.get(kind, degradations.USUAL_PX)
        sources = [
            ((photo, {"cards": photo.cards}) for photo in degradations.pictures(those, degradations.ROUNDS, height))
            for those in (drawn, packaged)
        ]
        if kind not in NEED_PLACES:
            sources.append((each.photo(height), each.labelled.entry) for each in scaled)
        cells = []
        for source in sources:
            total = degradations.Tally()
            for number, (photo, entry) in enumerate(source):
                total.add(degradations.read(reader, degraded(photo, kind, strength, number), entry))
            cells.append(_PERCENT(100 * total.score.recall))
        yield name, *cells, *([""] * (3 - len(cells)))


def at_the_table(photos: Path, decks: Path) -> Iterator[Row]:
    """Yield how well the complete camera pipeline reads cards that hands lay."""
    yield "decks", "laid", "wrong", "laid again"
    twelve, twenty = unseen_decks.names(), unseen_decks.random_names(20, 0)
    xskat = "kde-xskat-german"

    def of(names: Sequence[str], first: int, deals: int, tilt: float = 0.0) -> list[laying.Dealt]:
        return [laying.Dealt(name, first + k, decks, (), True, tilt) for k in range(deals) for name in names]

    german = partial(laying.Dealt, suits="german")
    groups = {
        "twelve decks": of(twelve, 791000, 39),
        "twenty random decks": of(twenty, 751000, 2),
        "twelve decks, camera inclined by 40°": of(twelve, 750, 1, 40.0),
        "XSkat's German deck": [german(xskat, 740000 + k, decks / xskat) for k in range(10)],
        "drawn German decks": [german("drawn, German suits", 4000 + k) for k in range(20)],
    }
    for name, deals in groups.items():
        total = sum((tally for _, tally in laying.results(deals, None, os.cpu_count() or 1)), laying.Tally())
        yield name, total.laid, total.wrong, total.again


def reading_speed(photos: Path, decks: Path) -> Iterator[Row]:
    """Yield the processor time of reading, on one thread."""
    yield "what", "mean, ms", "95th percentile, ms", "as a share of the graph"
    use_one_thread()
    unit = yolo_ms() or float("nan")
    frames, calls = reading.game()
    yield "a frame of a game", f"{frames[0]:.0f}", "", f"{frames[0] / unit:.2f} (mean)"
    spent = {"a changed card": calls} | {
        f"a picture with {name}": reading.timed(FaceReader(), some) for name, some in reading.pictures().items()
    }
    for name, values in spent.items():
        high = float(np.percentile(values, 95))
        yield name, f"{statistics.fmean(values):.0f}", f"{high:.0f}", f"{high / unit:.2f}"


TABLES: Final[dict[str, Callable[[Path, Path], Iterator[Row]]]] = {
    "photographs": photographs,
    "confidence": confidence,
    "outlines": outline_table,
    "hard-light": hard_light,
    "reading-speed": reading_speed,
    "at-the-table": at_the_table,
}


def main(argv: Sequence[str] | None = None) -> int:
    """Measure the tables that are named, or all, and write each as soon as it is complete."""
    parser = argparse.ArgumentParser(prog="python -m lab.accuracy", description="Measure the tables of accuracy.md.")
    parser.add_argument("photos", type=Path, help="folder of photo sets")
    parser.add_argument("decks", type=Path, help="folder of decks that no network was trained on")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(TABLES)}; all by default")
    parser.add_argument("--out", type=Path, default=OUT, help="folder to write to (default: docs/data)")
    args = parser.parse_args(argv)
    if unknown := sorted(set(args.names) - TABLES.keys()):
        parser.error(f"there is no table {unknown[0]!r}; known: {', '.join(TABLES)}")
    for name in args.names or TABLES:
        rows = list(TABLES[name](args.photos, args.decks))
        with (args.out / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)
        print(args.out / f"{name}.csv", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
