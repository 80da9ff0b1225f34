"""The suits that the colour of a card's pips allows: the suit finder itself sees only how dark they are.

In a blurred picture a club looks like a diamond and a spade like a heart, but not in colour.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from vision.faces.geometry import Floats
from vision.faces.settings import DEFAULTS, FusionSettings

CELL: Final = 4
"""Side of a cell of the suit finder's output, pixels of the card's picture."""
_TINTED: Final = np.log(np.array([[0.1, 0.001, 1, 0.01], [0.1, 0.001, 0.01, 1], [0.001, 1, 1, 0.001]], np.float32))
"""Logarithm of the likelihood of blue, green and red pips, one row for each, for spades, hearts, diamonds and clubs:
decks with four colours have blue diamonds, sometimes blue spades, and green clubs, sometimes green spades."""
_BLACK: Final = np.log(np.array([1, 0.01, 0.01, 1], np.float32))
"""The same of black ones. Red suits keep 0.01, because a bad picture may lose their colour."""
_ALL_ALIKE: Final = np.zeros(4, np.float32)
"""The same if the colour shows nothing."""


def suits_by_colour(
    planes: Sequence[Floats],
    rows: npt.NDArray[np.intp],
    columns: npt.NDArray[np.intp],
    settings: FusionSettings = DEFAULTS.fusion,
) -> Floats:
    """Return the logarithm of the likelihood of each suit, (4,), from the colour of its pips.

    `planes`: the blue, green and red of the card's picture, relative to its paper. `rows`, `columns`: the cells in
    which the pips have their middle, at least one. If the whole card shows no colour, as in a grey or overexposed
    picture, if the pips have another one, as yellow, or hardly any ink, every suit is as likely as before.
    """
    relative = np.stack([np.minimum(plane, 1.0) for plane in planes])
    if float(np.ptp(relative, axis=0).mean()) < settings.least_colour:
        return _ALL_ALIKE
    tall, wide = relative.shape[1] // CELL, relative.shape[2] // CELL
    cells = relative[:, : tall * CELL, : wide * CELL].reshape(3, tall, CELL, wide, CELL).mean(axis=(2, 4))
    pips = cells[:, rows, columns]
    darkest, middle, brightest = np.sort(pips, axis=0)
    ink = 1 - darkest
    if float(np.median(ink)) < settings.least_ink:
        return _ALL_ALIKE
    ink = np.maximum(ink, settings.least_ink)
    excess = np.median((pips - middle) / ink, axis=1)
    strongest = int(excess.argmax())
    if excess[strongest] >= settings.tinted_pip:
        return np.asarray(_TINTED[strongest], np.float32)
    is_black = float(np.median((brightest - darkest) / ink)) < settings.black_pip
    return np.asarray(_BLACK if is_black else _ALL_ALIKE, np.float32)
