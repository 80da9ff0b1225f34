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
_TINTED: Final = np.log(np.array([[0.1, 0.001, 1, 0.01], [0.01, 0.001, 0.01, 1], [0.001, 1, 1, 0.001]], np.float32))
"""Logarithm of the likelihood of blue, green and red pips for spades, hearts, diamonds and clubs: decks with four
colours have blue diamonds, sometimes blue spades, and green clubs."""
_BLACK: Final = np.log(np.array([1, 0.01, 0.01, 1], np.float32))
"""The same of black ones. Not less for red suits: in a bad picture colours may be lost."""
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
    which the pips have their middle, at least one. In a picture without colours, and for a colour between black and
    another one, every suit is as likely as before.
    """
    every = np.stack([np.minimum(plane, 1.0) for plane in planes])
    if float(np.ptp(every, axis=0).mean()) < settings.least_colour:
        return _ALL_ALIKE
    tall, wide = every.shape[1] // CELL, every.shape[2] // CELL
    cells = every[:, : tall * CELL, : wide * CELL].reshape(3, tall, CELL, wide, CELL).mean(axis=(2, 4))
    pips = cells[:, rows, columns]
    ink = np.maximum(1 - pips.min(axis=0), settings.least_ink)
    ordered = np.sort(pips, axis=0)
    tint = np.median((pips - ordered[1]) / ink, axis=1)  # of the brightest channel, how far it exceeds the next one
    strongest = int(tint.argmax())
    if tint[strongest] >= settings.tinted_pip:
        return np.asarray(_TINTED[strongest], np.float32)
    return np.asarray(_BLACK if tint[strongest] < settings.black_pip else _ALL_ALIKE, np.float32)
