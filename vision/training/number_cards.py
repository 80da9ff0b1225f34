"""Number cards drawn with pips and indices of any shape: what packaged decks do not vary enough."""

from __future__ import annotations

from typing import Final

import numpy as np

from engine.cards import RANKS, SUITS
from vision.frames import Image
from vision.training.artwork import HEIGHT, WIDTH
from vision.training.corners import SCALE
from vision.training.glyphs import any_font, any_ink, letter, stamp, varied
from vision.training.suit_shapes import any_suit, strange_suit

WIDE, LONG = WIDTH / SCALE, HEIGHT / SCALE
"""Width and height of a card, millimetres."""
Pip = tuple[float, float, float]
"""Middle of a pip, right and down from the card's corner, and its size, millimetres."""
COLUMNS, ROWS = (0.29, 0.5, 0.71), (0.16, 0.27, 0.32, 0.39, 0.5, 0.61, 0.68, 0.73, 0.84)
"""Where pips stand, in widths and heights of the card."""
LAYOUTS: Final[dict[int, tuple[tuple[int, int], ...]]] = {
    1: ((1, 4),),
    2: ((1, 0), (1, 8)),
    3: ((1, 0), (1, 4), (1, 8)),
    4: ((0, 0), (2, 0), (0, 8), (2, 8)),
    5: ((0, 0), (2, 0), (1, 4), (0, 8), (2, 8)),
    6: ((0, 0), (2, 0), (0, 4), (2, 4), (0, 8), (2, 8)),
    7: ((0, 0), (2, 0), (1, 2), (0, 4), (2, 4), (0, 8), (2, 8)),
    8: ((0, 0), (2, 0), (1, 2), (0, 4), (2, 4), (1, 6), (0, 8), (2, 8)),
    9: ((0, 0), (2, 0), (0, 3), (2, 3), (1, 4), (0, 5), (2, 5), (0, 8), (2, 8)),
    10: ((0, 0), (2, 0), (1, 1), (0, 3), (2, 3), (0, 5), (2, 5), (1, 7), (0, 8), (2, 8)),
}
"""Columns and rows of the pips of the number cards."""


def number_card(rng: np.random.Generator, strange: bool = False) -> tuple[Image, tuple[Pip, ...], str]:
    """Return a card from ace to ten with an index in two corners, where its pips are, and its name.

    `strange`: with the sign of a fifth suit; the name is empty then.
    """
    suit, count = SUITS[rng.integers(4)], int(rng.integers(1, 11))
    card = np.full((HEIGHT, WIDTH, 3), 255, np.uint8)
    ink, mask = any_ink(suit, rng), strange_suit(rng) if strange else any_suit(suit, rng)
    size = rng.uniform(9, 26) if count == 1 else rng.uniform(6.5, 12.5 if count < 9 else 10.5)
    aspect = mask.shape[1] / mask.shape[0] * rng.uniform(0.85, 1.1)
    wide, tall = (size, size / aspect) if aspect > 1 else (size * aspect, size)
    narrow, flat = rng.uniform(0.85, 1.1), rng.uniform(0.85, 1.08)
    pips: list[Pip] = []
    for column, row in LAYOUTS[count]:
        x = WIDE / 2 + (COLUMNS[column] - 0.5) * WIDE * narrow
        y = LONG / 2 + (ROWS[row] - 0.5) * LONG * flat
        upright = mask if row <= 4 else np.ascontiguousarray(mask[::-1])
        stamp(card, upright, (x - wide / 2) * SCALE, (y - tall / 2) * SCALE, wide * SCALE, tall * SCALE, ink)
        pips.append((x, y, max(wide, tall)))
    rank = RANKS[count - 1]
    print_indices(card, rank, mask, ink, rng)
    return card, tuple(pips), "" if strange else rank + suit


def print_indices(card: Image, rank: str, suit: Image, ink: object, rng: np.random.Generator) -> None:
    """Print a rank and the mask of a suit in two opposite corners of the card."""
    mask = varied(letter(any_font(rng), rank), rank, rng)
    high = rng.uniform(4.5, 8.5) if rng.random() < 0.75 else rng.uniform(8.5, 13)
    broad = min(high * float(np.clip(mask.shape[1] / mask.shape[0], 0.25, 1.2)) * rng.uniform(0.7, 1.0), 12)
    left, top, small = rng.uniform(1.2, 3.5), rng.uniform(1.5, 5), high * rng.uniform(0.45, 1.05)
    wide = small * float(np.clip(suit.shape[1] / suit.shape[0], 0.5, 1.4))
    middle = left + max(broad, wide) / 2
    for _ in range(2):
        stamp(card, mask, (middle - broad / 2) * SCALE, top * SCALE, broad * SCALE, high * SCALE, ink)
        below = (middle - wide / 2) * SCALE, (top + high + 0.8) * SCALE
        stamp(card, suit, *below, wide * SCALE, small * SCALE, ink)
        card[:] = card[::-1, ::-1].copy()
