"""Accuracy and confidence in bad pictures: `python -m lab.benchmarks.degradations [--decks FOLDER] [--photos FOLDER]`.

Six separate cards of a deck that no net was trained on in a picture, their indices 30 pixels high unless stated. Each
degradation is applied to the same pictures at several strengths. Printed for each: recall, also of hearts and diamonds
alone, precision, and the number of wrong readings, also of those with a confidence of 0.95 and more; then, over all
pictures, recall and precision at several thresholds of the confidence, and the fraction of right readings in each
interval of confidence. A line says which of its goals it misses, recall of 90 % and precision of 99.5 %; the last line
counts the goals that are met.

The decks are drawn ones, or with `--decks` six of those that `python -m lab.training render --unseen` writes; with
`--ordinary` two others of these, which look like the decks that most shops sell; with `--german` those with German
suits. With `--photos` the pictures are photographs, degraded as a whole; degradations that need the place or the size
of a card are left out. With `--scaled` each photograph is made smaller until the median height of its indices is that
of drawn pictures, and small indices are among the degradations; photographs with lower indices, or without complete
labels, are not used. Fixed seeds: the same command prints the same numbers.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from lab.benchmarks.photo_heights import measured, photographs
from lab.benchmarks.photographs import judge
from lab.benchmarks.score import Score
from tests.drawing.degrading import NEED_PLACES, NEED_SIZE, STEPS, Photo, degraded, six_cards
from tests.drawing.german import german_style
from tests.drawing.tables import (
    BOXES,
    GERMAN_BOXES,
    ORDINARY_BOXES,
    Deck,
    drawn_decks,
    packaged_decks,
)
from vision.faces import FaceReader
from vision.faces.net_threads import use_one_thread

ROUNDS: Final = 2
"""Pictures of each deck."""
USUAL_PX: Final = 30.0
"""Height of the indices unless stated, pixels."""
THRESHOLDS: Final = (0.8, 0.9, 0.95, 0.98, 0.99, 0.995)
RECALL, PRECISION = 0.9, 0.995
"""The goals for each degradation at each strength, and for all together."""
SLACK, ENOUGH = 0.02, 50
"""How far the fraction of right readings may be below the mean confidence, in intervals with at least this many."""


class Goals:
    """Counts the goals that are met, and says at the end of a line which ones are missed."""

    def __init__(self) -> None:
        self.met = 0
        self.of = 0

    def check(self, **goals: bool) -> str:
        """Count these goals, each with whether it is met; return the end of the line that is printed."""
        self.of += len(goals)
        self.met += sum(goals.values())
        missed = [name for name, met in goals.items() if not met]
        return f"   MISSED: {', '.join(missed)}" if missed else ""


def is_precise(score: Score) -> bool:
    """Return whether hardly any reading is wrong; with no readings, none is."""
    return score.wrong <= (1 - PRECISION) * (score.right + score.wrong)


class Judged(NamedTuple):
    """One reading: its confidence, and whether it is right."""

    confidence: float
    right: bool


def pictures(decks: dict[str, Deck], rounds: int, height: float) -> Iterator[Photo]:
    """Yield `rounds` pictures of each deck."""
    for number, deck in enumerate(decks.values()):
        for k in range(rounds):
            yield six_cards(deck, height, 100 * number + k)


class Tally:
    """The score of the cards of some pictures, that of hearts and diamonds alone, and every reading."""

    def __init__(self) -> None:
        self.score, self.red = Score(), Score()
        self.judged: list[Judged] = []

    def add(self, other: Tally) -> None:
        """Add other pictures."""
        self.score.add(other.score)
        self.red.add(other.red)
        self.judged += other.judged


def read(reader: FaceReader, photo: Photo, entry: dict[str, Any]) -> Tally:
    """Read one picture and compare with its labels."""
    begun = time.process_time()
    readings = reader.read(photo.image)
    seconds = time.process_time() - begun
    total = Tally()
    total.score, judged = judge(entry, readings)
    total.score.ms.append(1000 * seconds)
    total.judged = [Judged(*values) for values in judged]
    total.red.count(_red(entry["cards"]), _red(str(reading.face) for reading in readings), seconds)
    return total


def _red(cards: Iterable[str]) -> list[str]:
    """Return the hearts and diamonds."""
    return [card for card in cards if card[-1] in "HD"]


def curve(judged: list[Judged], cards: int) -> Iterator[tuple[float, float, float, int]]:
    """Yield for each threshold of the confidence: the threshold, recall, precision, and the wrong readings."""
    for threshold in THRESHOLDS:
        some = [reading.right for reading in judged if reading.confidence >= threshold]
        yield threshold, sum(some) / max(cards, 1), sum(some) / max(len(some), 1), len(some) - sum(some)


def line(name: str, strength: str, total: Tally, goals: Goals) -> str:
    """Return the line for a degradation, or all of them, with the goals that it misses."""
    red = f"{total.red.recall:8.1%}" if total.red.cards else f"{'-':>8}"
    score, confident = total.score, sum(not each.right and each.confidence >= 0.95 for each in total.judged)
    missed = goals.check(recall=score.recall >= RECALL, precision=is_precise(score))
    return (
        f"{name:14} {strength:>8} {score.cards:6d} {score.recall:8.1%} {red} {score.precision:10.2%} "
        f"{score.wrong:6d} {confident:5d}{missed}"
    )


def _print_totals(judged: list[Judged], cards: int, goals: Goals) -> None:
    """Print the curve and the calibration over all degraded pictures, and count their goals."""
    print(f"\n{'reported from':>14} {'recall':>8} {'precision':>10} {'wrong':>6}")
    for threshold, recall, precision, wrong in curve(judged, cards):
        print(f"{threshold:14.3f} {recall:8.1%} {precision:10.2%} {wrong:6d}")
    print(f"\n{'confidence':14} {'readings':>9} {'mean':>7} {'right':>7}")
    for low, high in pairwise((*THRESHOLDS[:-1], 1.0)):
        some = [
            reading for reading in judged if low <= reading.confidence < high or (high == 1 and reading.confidence == 1)
        ]
        if some:
            mean = float(np.mean([reading.confidence for reading in some]))
            right = float(np.mean([reading.right for reading in some]))
            missed = goals.check(confidence=right >= mean - SLACK) if len(some) >= ENOUGH else ""
            print(f"{low:.2f} to {high:.2f}   {len(some):9d} {mean:7.3f} {right:7.3f}{missed}")


def _decks(folder: Path | None, *, german: bool, ordinary: bool) -> dict[str, Deck]:
    """Return the packaged decks in a folder, or drawn ones."""
    if german:
        styles = {"German": german_style(), "German, small": german_style(7.5, 650)}
        return packaged_decks(folder, GERMAN_BOXES) if folder else drawn_decks(styles)
    return packaged_decks(folder, ORDINARY_BOXES if ordinary else BOXES) if folder else drawn_decks()


def _left_out(args: argparse.Namespace) -> frozenset[str]:
    """Return the degradations that the pictures cannot have."""
    if not args.photos:
        return frozenset()
    return NEED_PLACES if args.scaled else NEED_PLACES | NEED_SIZE


def _source(args: argparse.Namespace) -> Callable[[float], Iterator[tuple[Photo, dict[str, Any]]]]:
    """Return a function that yields the requested pictures, with indices of a given height, and their labels."""
    if args.scaled:
        scaled = list(measured(args.photos, args.rounds, USUAL_PX, args.sets))
        if not scaled:
            raise SystemExit(f"{args.photos}: no photograph has indices of {USUAL_PX:g} pixels; use larger ones")
        return lambda height: ((photo.photo(height), photo.labelled.entry) for photo in scaled)
    if args.photos:
        return lambda _: ((photo.photo(), photo.entry) for photo in photographs(args.photos, args.rounds, args.sets))
    decks = _decks(args.decks, german=args.german, ordinary=args.ordinary)
    return lambda height: ((photo, {"cards": photo.cards}) for photo in pictures(decks, args.rounds, height))


def main(argv: list[str] | None = None) -> int:
    """Print the tables; return 1 if a goal is missed."""
    parser = argparse.ArgumentParser(prog="python -m lab.benchmarks.degradations", description=__doc__.splitlines()[0])
    parser.add_argument("--decks", type=Path, help="folder with rendered decks; without it drawn ones")
    parser.add_argument("--photos", type=Path, help="folder of photo sets, to be degraded instead of drawn pictures")
    parser.add_argument("--scaled", action="store_true", help="scale the photographs to indices of the same height")
    parser.add_argument("--sets", nargs="+", default=[], metavar="NAME", help="only these sets of --photos")
    parser.add_argument("--german", action="store_true", help="decks with German suits")
    parser.add_argument("--ordinary", action="store_true", help="the two ordinary decks in the folder of --decks")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="pictures of each deck, or of each photo set")
    parser.add_argument("--only", nargs="+", choices=[kind for kind, _ in STEPS], help="these degradations only")
    args = parser.parse_args(argv or [])
    if args.ordinary and (args.german or args.photos or not args.decks):
        parser.error("--ordinary needs --decks, and excludes --german and --photos")
    if (args.scaled or args.sets) and not args.photos:
        parser.error("--scaled and --sets need --photos")
    if args.photos and (args.decks or args.german):
        parser.error("--photos excludes --decks and --german")
    left_out = _left_out(args)
    if args.only and left_out.issuperset(args.only):
        parser.error(f"photographs cannot be degraded so: {', '.join(args.only)}")
    use_one_thread()
    source = _source(args)
    reader = FaceReader(suits="german" if args.german else "french")
    every, goals = Tally(), Goals()
    heads = f"{'recall':>8} {'of H, D':>8} {'precision':>10} {'wrong':>6} {'sure':>5}"
    print(f"{'degradation':14} {'strength':>8} {'cards':>6} {heads}")
    for kind, strengths in STEPS:
        if (args.only and kind not in args.only) or kind in left_out:
            continue
        for strength in strengths:
            total = Tally()
            height = {"index, px": strength, "tilt": 60.0}.get(kind, USUAL_PX)
            for number, (photo, entry) in enumerate(source(height)):
                total.add(read(reader, degraded(photo, kind, strength, number), entry))
            print(line(kind, f"{strength:g}", total, goals), flush=True)
            every.add(total)
    print(line("all", "", every, goals))
    _print_totals(every.judged, every.score.cards, goals)
    print(f"\ngoals met: {goals.met} of {goals.of}")
    return int(goals.met < goals.of)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
