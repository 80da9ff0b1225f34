"""Cards of a fifth suit, which must not be read as one of the four: `python -m lab.benchmarks.strange_suits`.

Six separate cards in a picture, with the ranks of ordinary cards, in red and in black, and with a star, a disc or the
like instead of a suit, in the index and on the card. Printed for each sign: the cards, those that were reported all the
same, how many of these are court cards, which show the sign in their indices alone, and the highest confidence. The
nets were trained on signs that `lab/training/suit_shapes.py` draws, not on these pictures. `--height` is the height
of an index, pixels.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import partial
from typing import Final

import cv2
import numpy as np

from engine.cards import STANDARD_DECK
from lab.benchmarks.degradations import picture
from tests.drawing.faces import Style, face_of
from tests.drawing.tables import Box, Deck
from vision.faces import FaceReader
from vision.faces.net_threads import use_one_thread
from vision.frames import Image
from vision.readings import Reading

ROUNDS: Final = 10
"""Pictures of each deck."""
GOAL: Final = 0.02
"""Fraction of the cards that may be reported."""


def star(points: int, inner: float, suit: str, size: int) -> Image:
    """Return a star, (size, size), 255 is ink; `inner`: radius of the inner corners, relative to the outer ones."""
    angles = np.arange(2 * points) * np.pi / points - np.pi / 2
    radii = np.where(np.arange(2 * points) % 2 == 0, 0.5, 0.5 * inner)
    return _filled(size, np.stack([0.5 + radii * np.cos(angles), 0.5 + radii * np.sin(angles)], axis=1))


def disc(suit: str, size: int) -> Image:
    """Return a disc."""
    angles = np.linspace(0, 2 * np.pi, 60)
    return _filled(size, 0.5 + 0.48 * np.stack([np.cos(angles), np.sin(angles)], axis=1))


def square(suit: str, size: int) -> Image:
    """Return a square that stands on a side."""
    return _filled(size, np.array([[0.1, 0.1], [0.9, 0.1], [0.9, 0.9], [0.1, 0.9]]))


def triangle(suit: str, size: int) -> Image:
    """Return a triangle."""
    return _filled(size, np.array([[0.5, 0.0], [1.0, 1.0], [0.0, 1.0]]))


def cross(suit: str, size: int) -> Image:
    """Return an upright cross."""
    low, high = 1 / 3, 2 / 3
    return _filled(size, np.array([
        [low, 0], [high, 0], [high, low], [1, low], [1, high], [high, high],
        [high, 1], [low, 1], [low, high], [0, high], [0, low], [low, low],
    ]))  # fmt: skip


def _filled(size: int, corners: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> Image:
    big = np.zeros((16 * size, 16 * size), np.uint8)  # drawn large, so that edges are soft
    cv2.fillPoly(big, [np.round(corners * 16 * size).astype(np.int32)], 255)
    return np.asarray(cv2.resize(big, (size, size), interpolation=cv2.INTER_AREA), np.uint8)


SIGNS: Final[dict[str, Callable[[str, int], Image]]] = {
    "star": partial(star, 5, 0.4), "star of four": partial(star, 4, 0.35), "star of six": partial(star, 6, 0.55),
    "disc": disc, "square": square, "triangle": triangle, "cross": cross,
}  # fmt: skip


def deck_of(sign: Callable[[str, int], Image], index_mm: float = 9.0) -> Deck:
    """Return a deck with this sign instead of each suit; spades and clubs are black."""
    style = Style(index_mm, 500, sign=sign)
    box = Box(2.0, 3.5, 2.4 + 1.1 * index_mm, 4.8 + 1.72 * index_mm)
    return Deck({card: face_of(card, style) for card in STANDARD_DECK.cards}, box)


def reported(reader: FaceReader, deck: Deck, rounds: int, height: float) -> tuple[int, list[Reading]]:
    """Return the number of cards laid, and the readings: all of them are wrong."""
    cards, readings = 0, []
    for seed in range(rounds):
        photo = picture(deck, height, seed)
        cards += len(photo.cards)
        readings += reader.read(photo.image)
    return cards, readings


def main(argv: list[str] | None = None) -> int:
    """Print the table; return 1 if more is reported than the goal allows."""
    parser = argparse.ArgumentParser(prog="python -m lab.benchmarks.strange_suits", description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="pictures of each sign (default %(default)s)")
    parser.add_argument("--height", type=float, default=30.0, help="of an index, pixels (default %(default)g)")
    args = parser.parse_args(argv or [])
    use_one_thread()
    reader = FaceReader()
    laid = wrong = courts = 0
    print(f"{'sign':14} {'cards':>6} {'reported':>9} {'courts':>7} {'surest':>7}")
    for name, sign in SIGNS.items():
        cards, readings = reported(reader, deck_of(sign), args.rounds, args.height)
        surest = max((one.confidence for one in readings), default=0.0)
        of_courts = sum(str(one.face)[0] in "JQK" for one in readings)
        print(f"{name:14} {cards:6d} {len(readings):9d} {of_courts:7d} {surest:7.3f}", flush=True)
        laid, wrong, courts = laid + cards, wrong + len(readings), courts + of_courts
    print(f"{'all':14} {laid:6d} {wrong:9d} {courts:7d}{'   MISSED' if wrong > GOAL * laid else ''}")
    return int(wrong > GOAL * laid)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
