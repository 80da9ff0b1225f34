"""Training data of the suit finder: whole cards as a bad picture shows them, and where their pips are.

Half of the cards are of packaged decks, whose pips are found as regions of ink on the clean artwork; half are drawn
(`number_cards`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from engine.cards import COURT_RANKS, SUITS
from lab.training.artwork import SCALE
from lab.training.corner_crops import exposed
from lab.training.corners import Decks, tinted
from lab.training.hardships import moved
from lab.training.number_cards import LONG, WIDE, Pip, number_card
from lab.training.suit_net import CELL, CLASSES
from vision.faces.crops import from_levels
from vision.faces.suit_finder import CARD_PX, PX_PER_MM, paper_relative
from vision.frames import Image

NEW_CARDS = 24
"""Cards drawn for a step; as many are repeated from an earlier one."""
REPEAT_AFTER = 6
"""Steps after which cards are repeated."""
PX_PER_MM_SEEN = (0.55, 4.0)
"""Least and greatest scale of the card in the picture."""
BLUR_MM = (0.15, 1.3)
"""Sigma of the blur, millimetres on the card."""
MOTION_MM = (0.8, 4.5)
"""Length of a smear, millimetres on the card."""
HARD_SHARE = 0.35
"""Fraction of the cards with a hardship (`hardships`) instead of a blur or a smear."""
CORNER_MM: Final = (14.0, 31.0)
"""Part of a card, right and down from a corner, that may show an index."""
COURT_CORNER_MM: Final = (25.0, 36.0)
"""The same of a court card, with the pip beside the figure."""
PIP_MM: Final = (4.0, 24.0)
"""Least and greatest width and height of a pip."""

Sample = tuple[npt.NDArray[np.float32], npt.NDArray[np.int64], npt.NDArray[np.float32]]


class SuitCards:
    """Cards drawn during training; they depend on the seed and the step only."""

    lookback = REPEAT_AFTER

    def __init__(self, decks: Decks, seed: int) -> None:
        self._decks, self._seed = decks, seed

        @cache
        def pips(number: int) -> tuple[Pip, ...]:
            return artwork_pips(decks.cards[number][2])

        self._pips = pips

    def draw(self, step: int) -> list[Sample]:
        """Return the cards that are new at a step."""
        rng = np.random.default_rng((self._seed, 11, step))
        return [self._sample(rng) for _ in range(NEW_CARDS)]

    def batch(self, step: int, drawn: Callable[[int], list[Sample]]) -> Sample:
        """Return cards (N, 1, 220, 160), classes (N, 55, 40) and weights (N, 55, 40) of a step."""
        samples = drawn(step) + drawn(max(step - REPEAT_AFTER, 0))
        cards, classes, weights = zip(*samples, strict=True)
        return np.stack(cards)[:, None], np.stack(classes), np.stack(weights)

    def _sample(self, rng: np.random.Generator) -> Sample:
        if rng.random() < 0.5:
            picture, pips, name = number_card(rng)
            suit, free = name[-1], CORNER_MM
        else:
            number = int(rng.integers(len(self._decks.cards)))
            _, name, picture = self._decks.cards[number]
            court, suit = name[:-1] in COURT_RANKS, name[-1]
            pips, free = () if court else self._pips(number), COURT_CORNER_MM if court else CORNER_MM
        if rng.random() < 0.5:
            picture = np.ascontiguousarray(picture[::-1, ::-1])
            pips = tuple((WIDE - x, LONG - y, size) for x, y, size in pips)
        classes, weights = labels(picture, pips, SUITS.index(suit), free)
        return seen(tinted(picture, rng), rng), classes, weights


def artwork_pips(picture: Image) -> tuple[Pip, ...]:
    """Return the pips of a number card's clean picture, outside its corners."""
    ink = _ink(picture)
    _, _, stats, _ = cv2.connectedComponentsWithStats(ink)
    found = []
    for x, y, wide, tall, area in (stats[1:] / np.array([SCALE, SCALE, SCALE, SCALE, SCALE**2])).tolist():
        middle = x + wide / 2, y + tall / 2
        shaped = all(PIP_MM[0] < side < PIP_MM[1] for side in (wide, tall)) and 0.6 < wide / tall < 1.6
        filled = 0.35 < area / (wide * tall) < 0.9
        if shaped and filled and not _in_corner(*middle, CORNER_MM):
            found.append((*middle, max(wide, tall)))
    return tuple(found)


def labels(
    picture: Image, pips: tuple[Pip, ...], suit: int, free: tuple[float, float]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
    """Return the class of each cell, (55, 40), and its weight.

    `free`: part of each corner, right and down in millimetres, whose cells have no weight.
    """
    rows, columns = CARD_PX[1] // CELL, CARD_PX[0] // CELL
    y, x = (np.mgrid[:rows, :columns] + 0.5) * CELL / PX_PER_MM
    classes = np.full((rows, columns), CLASSES - 1, np.int64)
    weights = np.ones((rows, columns), np.float32)
    weights[_in_corner(x, y, free)] = 0
    for pip_x, pip_y, size in pips:
        away = np.hypot(x - pip_x, y - pip_y)
        weights[away < 0.75 * size] = 0
    for pip_x, pip_y, size in pips:
        away = np.hypot(x - pip_x, y - pip_y)
        near = away < max(1.2, 0.12 * size)
        classes[near], weights[near] = suit, 1
    if not pips:  # an ace, or a card whose pips touch: anything not known to be a pip may be one
        weights[_in_corner(x, y, (WIDE, LONG)) & (cv2.resize(_ink(picture), (columns, rows)) > 0)] *= 0.5
    return classes, weights


def seen(picture: Image, rng: np.random.Generator) -> npt.NDArray[np.float32]:
    """Return the net's input, (220, 160), of a card that a bad picture shows at a random scale."""
    scale = float(np.exp(rng.uniform(*np.log(PX_PER_MM_SEEN))))
    size = (round(WIDE * scale), round(LONG * scale))
    small = cv2.resize(picture, size, interpolation=cv2.INTER_AREA).astype(np.float32)
    hard = rng.random() < HARD_SHARE
    if not hard:
        small = _blurred(small, scale, rng)
    taken = exposed(np.clip(small, 0, 255).astype(np.uint8), scale, rng, 1.0 if hard else 0.0)
    corners = np.array([[0, 0], [size[0], 0], [size[0], size[1]], [0, size[1]]], np.float64) - 0.5
    corners += rng.normal(0, 0.5 * scale, (4, 2))
    target = np.array([[0, 0], [WIDE, 0], [WIDE, LONG], [0, LONG]], np.float32) * PX_PER_MM - 0.5
    matrix = cv2.getPerspectiveTransform(corners.astype(np.float32), target)
    card = cv2.warpPerspective(taken, matrix, CARD_PX, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(from_levels(paper_relative(np.asarray(card, np.uint8)).astype(np.float32)), np.float32)


def _blurred(card: npt.NDArray[np.float32], scale: float, rng: np.random.Generator) -> npt.NDArray[np.float32]:
    """Return the card out of focus, moved, or as it is. `scale`: pixels per millimetre."""
    if rng.random() < 0.6:
        return np.asarray(cv2.GaussianBlur(card, (0, 0), max(0.3, rng.uniform(*BLUR_MM) * scale)), np.float32)
    if rng.random() < 0.5:
        return moved(card, rng.uniform(*MOTION_MM) * scale, rng.uniform(0, np.pi))
    return card


def _ink(picture: Image) -> Image:
    paper = np.percentile(picture.reshape(-1, 3), 85, axis=0)
    return np.asarray(np.abs(picture.astype(np.float32) - paper).max(axis=2) > 70, np.uint8)


def _in_corner(x: npt.ArrayLike, y: npt.ArrayLike, reach: tuple[float, float]) -> npt.NDArray[np.bool_]:
    right, down = (np.minimum(place, side - np.asarray(place)) for place, side in ((x, WIDE), (y, LONG)))
    return np.asarray((right < reach[0]) & (down < reach[1]))
