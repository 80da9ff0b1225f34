"""German suit signs drawn with OpenCV: acorns for clubs, leaves for spades, hearts, and bells for diamonds.

They are not those of `lab/training/german_signs.py`: a reader that was trained on its signs is measured on these.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from engine.cards import STANDARD_DECK
from tests.drawing.faces import Style, cloth, face_of, lay, photographed
from vision.frames import Image

LETTERS: Final = {"Q": "O", "J": "U"}
"""Ober and Unter."""
GREEN, DARK_GREEN, RED, YELLOW, BROWN, BLACK = (
    (50, 140, 40), (20, 70, 10), (40, 30, 200), (40, 190, 235), (40, 85, 130), (20, 20, 20),
)  # fmt: skip
_FINE: Final = 8
"""Signs are drawn this many times larger, so that edges are soft."""


def german_sign(suit: str, size: int) -> Image:
    """Return the sign, (size, size, 4): BGR and how much ink, 0 to 255."""
    u = _FINE * size
    big = np.zeros((u, u, 4), np.uint8)

    def at(x: float, y: float) -> tuple[int, int]:
        return round(x * u), round(y * u)

    def disc(x: float, y: float, radius: float, colour: tuple[int, int, int], share: float = 1.0) -> None:
        cv2.ellipse(big, at(x, y), at(radius, radius * share), 0, 0, 360, (*colour, 255), -1)

    def fill(colour: tuple[int, int, int], *points: tuple[float, float]) -> None:
        cv2.fillPoly(big, [np.array([at(*p) for p in points], np.int32)], (*colour, 255))

    def line(colour: tuple[int, int, int], start: tuple[float, float], end: tuple[float, float], wide: float) -> None:
        cv2.line(big, at(*start), at(*end), (*colour, 255), round(wide * u))

    match suit:
        case "H":
            disc(0.27, 0.28, 0.25, RED)
            disc(0.73, 0.28, 0.25, RED)
            fill(RED, (0.04, 0.40), (0.5, 0.30), (0.96, 0.40), (0.5, 1.0))
        case "S":
            line(BROWN, (0.5, 0.6), (0.56, 0.98), 0.06)
            disc(0.31, 0.57, 0.24, GREEN)
            disc(0.69, 0.57, 0.24, GREEN)
            fill(GREEN, (0.09, 0.48), (0.5, 0.0), (0.91, 0.48), (0.5, 0.72))
            line(DARK_GREEN, (0.5, 0.12), (0.5, 0.76), 0.03)
            for y in (0.38, 0.55):
                line(DARK_GREEN, (0.5, y + 0.12), (0.28, y), 0.025)
                line(DARK_GREEN, (0.5, y + 0.12), (0.72, y), 0.025)
        case "D":
            disc(0.5, 0.1, 0.09, YELLOW)
            disc(0.5, 0.56, 0.42, YELLOW)
            fill(RED, (0.1, 0.44), (0.9, 0.44), (0.92, 0.56), (0.08, 0.56))
            disc(0.5, 0.74, 0.05, BLACK)
            line(BLACK, (0.5, 0.74), (0.5, 0.95), 0.04)
        case _:
            line(BROWN, (0.5, 0.8), (0.5, 0.99), 0.08)
            disc(0.5, 0.42, 0.27, YELLOW, 1.4)
            fill(GREEN, (0.16, 0.56), (0.84, 0.56), (0.74, 0.78), (0.5, 0.86), (0.26, 0.78))
    return np.asarray(cv2.resize(big, (size, size), interpolation=cv2.INTER_AREA), np.uint8)


def german_style(index_mm: float = 9.0, weight: int = 500) -> Style:
    """Return a style of deck with these signs and dark letters."""
    return Style(index_mm, weight, letters=LETTERS, inks=dict.fromkeys("SHDC", BLACK), sign=german_sign)


def german_table(seed: int) -> Image:
    """Return a 1080p picture of eight cards of a pack of 32, apart, at any angle, with a small or a larger index."""
    rng = np.random.default_rng(seed)
    style = german_style() if seed % 2 else german_style(7.5, 650)
    pack = [card for card in STANDARD_DECK if card.rank not in "23456"]
    table = cloth(1920, 1080, rng)
    for k, number in enumerate(rng.permutation(len(pack))[:8]):
        middle = (240 + 480 * (k % 4), 270 + 540 * (k // 4))
        lay(table, face_of(pack[number], style), middle, rng.uniform(0, 360), 3.0)
    return photographed(table, rng)
