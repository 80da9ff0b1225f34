"""Calibration of the confidence of readings: `python -m benchmarks.calibration [PICTURES]`.

Cards of drawn decks that no net was trained on (`benchmarks/drawn/faces.py`: English, French and German
letters, two and four colours), separate and in rows, small, blurred, dim and noisy, so that many cannot be read with
certainty. For each interval of confidence the fraction of right readings is printed next to the mean confidence. The
goal: the fraction is at most 0.05 lower, in intervals with fifty readings or more. Photographs: `benchmarks.faces`.
"""

from __future__ import annotations

import sys
from itertools import pairwise
from typing import Final

import cv2
import numpy as np

from benchmarks.drawn.faces import hard_picture
from engine.cards import Card
from engine.observations import ActionCard
from vision.faces import FaceReader

PICTURES: Final = 150
BINS: Final = (0.8, 0.85, 0.9, 0.95, 0.98, 1.0)
SLACK, ENOUGH = 0.05, 50


def verdicts(reader: FaceReader, seeds: range) -> list[tuple[float, bool]]:
    """Return the confidence of each reading, and whether it is right; a card read twice is right once."""
    scored: list[tuple[float, bool]] = []
    for seed in seeds:
        picture, cards = hard_picture(seed)
        remaining: list[Card | ActionCard] = list(cards)
        for reading in sorted(reader.read(picture), key=lambda each: -each.confidence):
            right = reading.face in remaining
            if right:
                remaining.remove(reading.face)
            scored.append((reading.confidence, right))
    return scored


def main(argv: list[str] | None = None) -> int:
    """Print the table; return 1 if the goal is missed."""
    cv2.setNumThreads(1)
    scored = verdicts(FaceReader(), range(int(argv[0]) if argv else PICTURES))
    missed = False
    print(f"{'confidence':14} {'readings':>9} {'mean':>7} {'right':>7}")
    for low, high in pairwise(BINS):
        some = [(sure, right) for sure, right in scored if low <= sure < high or (high == 1 and sure == 1)]
        if some:
            mean, right = (float(np.mean(column)) for column in zip(*some, strict=True))
            too_low = len(some) >= ENOUGH and right < mean - SLACK
            missed |= too_low
            print(f"{low:.2f} to {high:.2f}   {len(some):9d} {mean:7.3f} {right:7.3f}{'   MISSED' if too_low else ''}")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
