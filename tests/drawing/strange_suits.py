"""Decks that print a star, a disc or another sign in the place of their suits: no card of theirs can be read."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

import cv2
import numpy as np

from tests.drawing.faces import Style, face_of
from tests.drawing.tables import Box, Deck, DrawnCards
from vision.frames import Image


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
    return Deck(DrawnCards(partial(face_of, style=style)), box)
