"""Number cards drawn with pips and indices of any shape: what packaged decks do not vary enough."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from engine.cards import RANKS, SUITS
from lab.training.artwork import HEIGHT, SCALE, WIDTH
from lab.training.german_signs import Sign, german_letters, german_sign, letter_ink
from lab.training.glyphs import any_font, any_ink, letter, stamp, varied
from lab.training.suit_shapes import any_suit, strange_suit
from vision.frames import Image

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


def number_card(
    rng: np.random.Generator, strange: bool = False, german: bool = False
) -> tuple[Image, tuple[Pip, ...], str]:
    """Return a card from ace to ten with an index in two corners, where its pips are, and its name.

    `strange`: with the sign of a fifth suit; the name is empty then. `german`: with a German sign.
    """
    suit, count = SUITS[rng.integers(4)], int(rng.integers(1, 11))
    card = np.full((HEIGHT, WIDTH, 3), 255, np.uint8)
    ink = any_ink(suit, rng)
    if german and not strange:
        sign = german_sign(suit, rng)
    else:
        sign = Sign(strange_suit(rng, german) if strange else any_suit(suit, rng), ink)
    mask = sign.mask
    size = rng.uniform(9, 26) if count == 1 else rng.uniform(6.5, 12.5 if count < 9 else 10.5)
    aspect = mask.shape[1] / mask.shape[0] * rng.uniform(0.85, 1.1)
    wide, tall = (size, size / aspect) if aspect > 1 else (size * aspect, size)
    narrow, flat = rng.uniform(0.85, 1.1), rng.uniform(0.85, 1.08)
    pips: list[Pip] = []
    places = [(COLUMNS[column], ROWS[row]) for column, row in LAYOUTS[count]]
    if german and rng.random() < 0.6:
        places = _deuce(card, rng) if count == 1 else _in_columns(count, rng)
        wide, tall = (side * min(1.0, 13.0 / size) for side in (wide, tall))
    for across, down in places:
        x = WIDE / 2 + (across - 0.5) * WIDE * narrow
        y = LONG / 2 + (down - 0.5) * LONG * flat
        upright = sign if down <= 0.5 else _upside_down(sign)
        left, top = (x - wide / 2) * SCALE, (y - tall / 2) * SCALE
        stamp(card, upright.mask, left, top, wide * SCALE, tall * SCALE, upright.ink)
        pips.append((x, y, max(wide, tall)))
    rank = RANKS[count - 1]
    if german:
        print_indices(card, german_letters(rank, rng), sign, letter_ink(sign, rng), rng)
    else:
        print_indices(card, rank, sign, ink, rng)
    return card, tuple(pips), "" if strange else rank + suit


def _in_columns(count: int, rng: np.random.Generator) -> list[tuple[float, float]]:
    """Return the places of the signs on a German number card: two columns, and up to two signs between them.

    They are in widths and heights of the card. The columns reach nearly from end to end, so that signs touch or overlap
    on high cards.
    """
    left, top = rng.uniform(0.22, 0.38), rng.uniform(0.08, 0.2)
    between = 2 if count % 2 == 0 and count > 2 and rng.random() < 0.3 else count % 2
    if count - between == 2:
        pairs = [(left, top), (1 - left, 1 - top)] if rng.random() < 0.5 else [(0.5, top), (0.5, 1 - top)]
    else:
        rows = np.linspace(top, 1 - top, (count - between) // 2).tolist()
        pairs = [(x, y) for y in rows for x in (left, 1 - left)]
    middle = [(0.5, y) for y in ((top, 1 - top) if between == 2 else (rng.choice([top, 0.5]),))[:between]]
    return pairs + middle


def _deuce(card: Image, rng: np.random.Generator) -> list[tuple[float, float]]:
    """Return where the signs of a German ace stand: it shows two, often in frames, and often more in its corners."""
    places = [(0.5, 0.33), (0.5, 0.67)]
    if rng.random() < 0.6:
        colour = rng.uniform(0, 230, 3).tolist()
        high, low = rng.uniform(0.2, 0.25), rng.uniform(0.43, 0.5)
        frame = [(0.3, high), (0.7, high), (0.7, low - 0.06), (0.5, low), (0.3, low - 0.06)]
        for turn in (0, 1):
            points = np.array([(abs(turn - x) * WIDTH, abs(turn - y) * HEIGHT) for x, y in frame])
            cv2.polylines(card, [np.round(points).astype(np.int32)], True, colour, int(rng.integers(1, 9)), cv2.LINE_AA)
    if rng.random() < 0.5:
        places += [(0.24, 0.1), (0.76, 0.1), (0.24, 0.9), (0.76, 0.9)]
    return places


def _upside_down(sign: Sign) -> Sign:
    ink = sign.ink if sign.ink.ndim == 1 else np.ascontiguousarray(sign.ink[::-1])
    return Sign(np.ascontiguousarray(sign.mask[::-1]), ink)


def print_indices(card: Image, rank: str, suit: Sign, ink: object, rng: np.random.Generator) -> None:
    """Print the letters of a rank, of one colour, and a suit's sign in two opposite corners of the card."""
    mask = varied(letter(any_font(rng), rank), rank, rng)
    high = rng.uniform(4.5, 8.5) if rng.random() < 0.75 else rng.uniform(8.5, 13)
    broad = min(high * float(np.clip(mask.shape[1] / mask.shape[0], 0.25, 1.2)) * rng.uniform(0.7, 1.0), 12)
    left, top, small = rng.uniform(1.2, 3.5), rng.uniform(1.5, 5), high * rng.uniform(0.45, 1.05)
    wide = small * float(np.clip(suit.mask.shape[1] / suit.mask.shape[0], 0.5, 1.4))
    middle = left + max(broad, wide) / 2
    for _ in range(2):
        stamp(card, mask, (middle - broad / 2) * SCALE, top * SCALE, broad * SCALE, high * SCALE, ink)
        below = (middle - wide / 2) * SCALE, (top + high + 0.8) * SCALE
        stamp(card, suit.mask, *below, wide * SCALE, small * SCALE, suit.ink)
        card[:] = card[::-1, ::-1].copy()
