"""Whether the confidence of a reading is what it says: `python -m benchmarks.calibration [PICTURES]`.

Cards of the drawn decks that no net has seen (`tests/vision/faces/drawn_faces.py`: English, French and German letters, two
and four colours), apart and in rows, small, blurred, dim and noisy: so bad that many cannot be read for sure. Of the
readings with a confidence in each span the share that is right is printed beside the mean confidence. The goal: that
share is nowhere more than 0.05 below it, where there are fifty readings or more. Photographs: `benchmarks.faces`.
"""

from __future__ import annotations

import sys
from itertools import pairwise
from typing import Final

import cv2
import numpy as np

from engine.cards import Card
from engine.observations import ActionCard
from tests.vision.faces.drawn_faces import hard_picture
from vision.faces import FaceReader

PICTURES: Final = 150
BINS: Final = (0.8, 0.85, 0.9, 0.95, 0.98, 1.0)
SLACK, ENOUGH = 0.05, 50


def verdicts(reader: FaceReader, seeds: range) -> list[tuple[float, bool]]:
    """Of each reading of the pictures its confidence, and whether such a card lies there and is told no oftener."""
    told: list[tuple[float, bool]] = []
    for seed in seeds:
        picture, cards = hard_picture(seed)
        lying: list[Card | ActionCard] = list(cards)
        for reading in sorted(reader.read(picture), key=lambda each: -each.confidence):
            right = reading.face in lying
            if right:
                lying.remove(reading.face)
            told.append((reading.confidence, right))
    return told


def main(argv: list[str] | None = None) -> int:
    """Prints the table; 1 where the goal is missed."""
    cv2.setNumThreads(1)
    told = verdicts(FaceReader(), range(int(argv[0]) if argv else PICTURES))
    missed = False
    print(f"{'confidence':14} {'readings':>9} {'mean':>7} {'right':>7}")
    for low, high in pairwise(BINS):
        some = [(sure, right) for sure, right in told if low <= sure < high or (high == 1 and sure == 1)]
        if some:
            mean, right = (float(np.mean(column)) for column in zip(*some, strict=True))
            late = len(some) >= ENOUGH and right < mean - SLACK
            missed |= late
            print(f"{low:.2f} to {high:.2f}   {len(some):9d} {mean:7.3f} {right:7.3f}{'   MISSED' if late else ''}")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
