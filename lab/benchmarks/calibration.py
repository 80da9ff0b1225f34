"""Calibration of the confidence of readings: `python -m lab.benchmarks.calibration [PICTURES] [--repeated]`.

Cards of drawn decks that no net was trained on (`tests/drawing/faces.py`: English, French and German
letters, two and four colours), separate and in rows, small, blurred, dim and noisy, so that many cannot be read with
certainty. For each interval of confidence the fraction of right readings is printed next to the mean confidence. The
goal: the fraction is at most 0.05 lower, in intervals with fifty readings or more. Photographs: `lab.benchmarks.faces`.

With `--repeated` each table is photographed three times, with other noise, as a camera sees cards that lie still. The
correlation of the readings of a card that is not read with certainty is printed (one-way intraclass correlation of
their log-odds, those of wrong readings negative), and how often a reading is right that a second picture agrees with.
"""

from __future__ import annotations

import argparse
import math
import sys
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np

from engine.cards import Card
from engine.observations import ActionCard
from lab.benchmarks.photographs import binned
from tests.drawing.faces import hard_picture, verdicts
from vision.faces import FaceReader
from vision.faces.net_threads import use_one_thread
from vision.tracking.settings import DEFAULTS

PICTURES: Final = 150
BINS: Final = (0.8, 0.85, 0.9, 0.95, 0.98, 1.0)
SLACK, ENOUGH = 0.05, 50
FRAMES: Final = 3
"""Number of pictures of one table."""
NEAR_PX: Final = 12.0
"""Readings whose centres are closer than this belong to the same card."""
UNSURE: Final = 0.99
VOTES: Final = DEFAULTS.votes


class Repeated(NamedTuple):
    """A reading from one of several pictures of a card: place, face, confidence, and whether it is right."""

    centre: tuple[float, float]
    face: Card | ActionCard
    confidence: float
    right: bool

    @property
    def log_odds(self) -> float:
        """Natural logarithm of the odds that the reading is right, as it says; negative if it is wrong."""
        confidence = min(self.confidence, VOTES.max_confidence)
        return math.log(confidence / (1 - confidence)) * (1 if self.right else -1)


def repeated(reader: FaceReader, seeds: range) -> list[list[Repeated]]:
    """Return the readings of each card that was read in the first and in another of its table's pictures."""
    groups: list[list[Repeated]] = []
    for seed in seeds:
        here: list[list[Repeated]] = []
        for frame in range(FRAMES):
            picture, cards = hard_picture(seed, frame)
            for reading in reader.read(picture):
                seen = Repeated(reading.centre, reading.face, reading.confidence, reading.face in cards)
                near = [group for group in here if math.dist(group[0].centre, reading.centre) < NEAR_PX]
                if near:
                    near[0].append(seen)
                elif frame == 0:
                    here.append([seen])
        groups += [group for group in here if len(group) > 1]
    return groups


def correlation(groups: list[list[float]]) -> float:
    """Return the one-way intraclass correlation of values in groups: 1 if those of each group are equal."""
    every = np.concatenate([np.array(group) for group in groups])
    between = sum(len(group) * (np.mean(group) - every.mean()) ** 2 for group in groups) / (len(groups) - 1)
    within = sum(((np.array(group) - np.mean(group)) ** 2).sum() for group in groups) / (len(every) - len(groups))
    size = len(every) / len(groups)
    return float((between - within) / (between + (size - 1) * within))


def _print_repeated(groups: list[list[Repeated]]) -> None:
    unsure = [group for group in groups if min(repeated.confidence for repeated in group) < UNSURE]
    values = [[repeated.log_odds for repeated in group] for group in unsure]
    print(f"{len(groups)} cards read in several pictures, {len(unsure)} of them below {UNSURE} in one")
    print(f"correlation of the readings of those: {correlation(values):.2f}")
    for low, high in pairwise(BINS):
        first = [group for group in groups if low <= group[0].confidence < high]
        agreed = [group for group in first if group[1].face == group[0].face]
        if agreed:
            right = sum(group[0].right for group in first), sum(group[0].right for group in agreed)
            print(
                f"{low:.2f} to {high:.2f} in the first picture: {right[0]} of {len(first)} right; "
                f"if the second agrees: {right[1]} of {len(agreed)}"
            )


def main(argv: list[str] | None = None) -> int:
    """Print the table; return 1 if the goal is missed."""
    use_one_thread()
    parser = argparse.ArgumentParser(prog="python -m lab.benchmarks.calibration", description=__doc__.splitlines()[0])
    parser.add_argument("pictures", type=int, nargs="?", default=PICTURES, help=f"pictures (default {PICTURES})")
    parser.add_argument("--repeated", action="store_true", help="photograph each table several times")
    args = parser.parse_args(argv or [])
    if args.repeated:
        _print_repeated(repeated(FaceReader(), range(args.pictures)))
        return 0
    scored = verdicts(FaceReader(), range(args.pictures))
    missed = False
    print(f"{'confidence':14} {'readings':>9} {'mean':>7} {'right':>7}")
    for low, high, count, mean, right in binned(scored, BINS):
        too_low = count >= ENOUGH and right < mean - SLACK
        missed |= too_low
        print(f"{low:.2f} to {high:.2f}   {count:9d} {mean:7.3f} {right:7.3f}{'   MISSED' if too_low else ''}")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
