"""Accuracy and speed of reading printed faces: `python -m lab.benchmarks.faces [PHOTOS [SET …]]`.

Drawn cards at several scales, separate and on one another, with fixed seeds; fraction read right, wrong readings, and
milliseconds of processor time on one thread. For comparison, a typical hobby reader in the same run: one global
threshold, contours with four corners, and the corner matched against templates cut from the same deck at the same
scale.

`PHOTOS`: a folder of photo sets (`<set>/truth.json`, `<set>/images/`) to read as well. The sets named after it are
printed but not counted in the total.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from engine.cards import STANDARD_DECK, Card
from lab.benchmarks.photographs import photographs
from lab.benchmarks.score import Score
from lab.benchmarks.yolo_shaped import share_of_yolo
from tests.drawing.cards import FINE, apart, face_picture, on_top, row
from vision.faces import FaceReader
from vision.faces.crops import CROP, PX_PER_MM, corner_crop
from vision.faces.geometry import Quad, clockwise, portrait, starting_at
from vision.faces.net_threads import use_one_thread
from vision.frames import Image

SCALES: Final = (1.1, 1.5, 2.0, 3.0)
GOAL: Final = 0.97
"""Required recall of separate cards at 2 or more pixels per millimetre."""
GOAL_ON_OTHERS: Final = 0.8
"""Required recall of cards on others in one picture; at the table, several pictures are read."""
ROW_SCALES: Final = (2.0, 4.0)
GOAL_IN_A_ROW: Final = 0.9
"""Required recall of cards in a row of which only the indices are visible."""
PICTURES: Final = 9
Read = Callable[[Image, float], list[str]]


def _line(score: Score) -> str:
    return f"{score.recall:6.3f} {score.wrong:5d} {score.mean_ms:7.0f} {share_of_yolo(score.mean_ms):>8}"


class Hobbyist:
    """The hobby reader: one threshold, four corners, templates of the deck in the pictures."""

    def __init__(self) -> None:
        size = (round(CROP[0] / PX_PER_MM * FINE), round(CROP[1] / PX_PER_MM * FINE))
        self._templates = {
            card: cv2.resize(_ink(face_picture(card)[: size[1], : size[0]]), CROP, interpolation=cv2.INTER_AREA)
            for card in STANDARD_DECK
        }

    def __call__(self, image: Image, px_per_mm: float) -> list[str]:
        """Return the cards that it reads."""
        mask = _ink(image) ^ 255
        contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
        found = []
        for contour in contours:
            corners = cv2.approxPolyDP(contour, 0.02 * cv2.arcLength(contour, True), True)
            if len(corners) == 4 and cv2.contourArea(contour) > 1000:
                quad = portrait(clockwise(np.asarray(corners, np.float32).reshape(4, 2)))
                card, difference = min(
                    (self._nearest(image, starting_at(quad, k)) for k in (0, 2)), key=lambda match: match[1]
                )
                if difference < 40:
                    found.append(str(card))
        return found

    def _nearest(self, image: Image, quad: Quad) -> tuple[Card, float]:
        crop = _ink(corner_crop([image], quad))
        return min(
            ((card, float(cv2.absdiff(crop, template).mean())) for card, template in self._templates.items()),
            key=lambda match: match[1],
        )


def _ink(picture: Image) -> Image:
    grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
    return np.asarray(cv2.threshold(grey, 0, 255, cv2.THRESH_BINARY_INV | cv2.THRESH_OTSU)[1], np.uint8)


def main(argv: list[str] | None = None) -> int:
    """Print the table; return 1 if a goal is missed."""
    use_one_thread()
    reader, hobbyist = FaceReader(), Hobbyist()
    readers: dict[str, Read] = {
        "ours": lambda image, _: [str(reading.face) for reading in reader.read(image)],
        "one threshold, templates": hobbyist,
    }
    missed = False
    print(f"{'1080p, six cards':26} {'px/mm':>6}  right wrong      ms  of YOLO")
    for scale in SCALES:
        scores = {name: Score() for name in readers}
        for seed in range(PICTURES):
            image, cards = apart(scale, seed)
            for name, read in readers.items():
                begun = time.process_time()
                found = read(image, scale)
                scores[name].count([str(card) for card in cards], found, time.process_time() - begun)
        for name, score in scores.items():
            print(f"{name:26} {scale:6.1f} {_line(score)}")
        ours = scores["ours"]
        missed |= scale >= 2 and (ours.right < GOAL * ours.cards or ours.wrong > 0)
    score = Score()
    for seed in range(60):
        image, top, cards = on_top(seed)
        begun = time.process_time()
        read_there = {str(reading.face) for reading in reader.read(image, 0.5)}
        seconds = time.process_time() - begun
        others = read_there - {str(card) for card in cards}
        score.count([str(top)], [name for name in read_there if name == str(top) or name in others], seconds)
    print(f"{'laid on others, ours':26} {2.0:6.1f} {_line(score)}")
    missed |= score.right < GOAL_ON_OTHERS * score.cards or score.wrong > 0
    for scale in ROW_SCALES:
        score = Score()
        for seed in range(PICTURES):
            image, cards = row(scale, seed)
            begun = time.process_time()
            found = [str(reading.face) for reading in reader.read(image)]
            score.count([str(card) for card in cards], found, time.process_time() - begun)
        print(f"{'in a row, ours':26} {scale:6.1f} {_line(score)}")
        missed |= score.right < GOAL_IN_A_ROW * score.cards or score.wrong > 0
    print(f"most memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")
    if argv:
        photographs(reader, Path(argv[0]), frozenset(argv[1:]))
    return int(missed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
