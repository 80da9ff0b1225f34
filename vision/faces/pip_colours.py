"""The suits that the colour of a card's pips allows: the suit finder itself sees only how dark they are.

In a blurred picture a club looks like a diamond and a spade like a heart, but not in colour.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from vision.faces.crops import paper_levels
from vision.faces.fusion_settings import FusionSettings
from vision.faces.geometry import Floats
from vision.faces.settings import DEFAULTS
from vision.frames import Image

CELL: Final = 4
"""Side of a cell of the suit finder's output, pixels of the card's picture."""
_TINTED: Final = np.log(np.array([[0.1, 0.001, 1, 0.01], [0.1, 0.001, 0.01, 1], [0.001, 1, 1, 0.001]], np.float32))
"""Logarithm of the likelihood of blue, green and red pips, one row for each, for spades, hearts, diamonds and clubs:
decks with four colours have blue diamonds, sometimes blue spades, and green clubs, sometimes green
spades; blue clubs are hardly ever printed."""
_BLACK: Final = np.log(np.array([1, 0.01, 0.01, 1], np.float32))
"""The same of black ones. Red suits keep 0.01, because a bad picture may lose their colour."""
_ALL_ALIKE: Final = np.zeros(4, np.float32)
"""The same if the colour shows nothing."""


def suits_by_colour(
    card: Image,
    rows: npt.NDArray[np.intp],
    columns: npt.NDArray[np.intp],
    settings: FusionSettings = DEFAULTS.fusion,
) -> Floats:
    """Return the logarithm of the likelihood of each suit, (4,), from the colour of its pips.

    `card`: its picture, (220, 160, 3) uint8 BGR. `rows`, `columns`: the cells in which the pips have their middle, at
    least one. Every suit is as likely as before if the card shows no colours, if coloured light leaves little of one
    channel, or if the pips have hardly any ink or another colour: yellow, violet, or one between black and red.
    """
    levels = np.array(paper_levels(card), np.float32)
    relative = np.minimum(card / levels, 1)
    blue, green, red = cv2.split(relative)  # much faster than numpy along an axis of three
    spread = np.maximum(np.maximum(blue, green), red) - np.minimum(np.minimum(blue, green), red)
    shows_colours = float(spread.mean()) >= settings.least_colour
    if not shows_colours or levels.min() < settings.dimmest_paper * levels.max():
        return _ALL_ALIKE
    pips = np.stack(
        [
            relative[row * CELL : (row + 1) * CELL, column * CELL : (column + 1) * CELL].mean(axis=(0, 1))
            for row, column in zip(rows, columns, strict=True)
        ]
    )
    darkest, second, brightest = np.sort(pips, axis=1).T
    ink = np.maximum(1 - darkest, 1e-6)
    if float(np.median(ink)) < settings.least_ink:
        return _ALL_ALIKE
    # Of each channel, how far it exceeds the second brightest: more than 0 for the brightest alone.
    excess = np.median((pips - second[:, None]) / ink[:, None], axis=0)
    strongest = int(excess.argmax())
    if excess[strongest] >= settings.tinted_pip:
        return np.asarray(_TINTED[strongest], np.float32)
    is_black = float(np.median((brightest - darkest) / ink)) < settings.black_pip
    return np.asarray(_BLACK if is_black else _ALL_ALIKE, np.float32)
