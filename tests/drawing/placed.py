"""Decks drawn with OpenCV that print their indices in unusual places, or on cards of another size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

import cv2
import numpy as np

from engine.cards import RANKS, Card
from tests.drawing.faces import (
    INK,
    PX_PER_MM,
    cloth,
    lay,
    letter_mask,
    paper,
    photographed,
    suit_mask,
    upside_down,
)
from vision.frames import Image
from vision.readings import CARD_MM

TABLE_PX_PER_MM: Final = 2.0
"""Scale of `table_of`."""
BRIDGE_MM: Final = (57.0, 88.0)
MINIATURE_MM: Final = (45.0, 68.0)
Corners = Literal[1, 2, 4]


@dataclass(frozen=True)
class Layout:
    """Where and how a deck prints its indices.

    `side_mm`, `top_mm`: from the card's long and short edge to the ink. `letter_mm`: height of the rank; an index is
    1.85 times as high. `corners`: 1: top left only; 2: also bottom right; 4: all. `court_mm`: `side_mm` and `top_mm` of
    jacks, queens and kings, if they differ. `frame_mm`: distance of a printed frame from the edges; 0 for none.
    """

    side_mm: float = 2.2
    top_mm: float = 3.5
    letter_mm: float = 9.0
    corners: Corners = 2
    card_mm: tuple[float, float] = CARD_MM
    court_mm: tuple[float, float] | None = None
    frame_mm: float = 0.0

    @property
    def px(self) -> tuple[int, int]:
        """Width and height of the card, pixels."""
        return round(self.card_mm[0] * PX_PER_MM), round(self.card_mm[1] * PX_PER_MM)


def index_mask(card: Card, letter_mm: float) -> Image:
    """Return the rank above the suit, 255 is ink."""
    letter = letter_mask(card.rank, round(letter_mm * PX_PER_MM), 500)
    sign = suit_mask(card.suit, round(0.7 * letter_mm * PX_PER_MM))
    gap = round(0.15 * letter_mm * PX_PER_MM)
    width = max(letter.shape[1], sign.shape[1])
    mask = np.zeros((letter.shape[0] + gap + sign.shape[0], width), np.uint8)
    for part, top in ((letter, 0), (sign, letter.shape[0] + gap)):
        left = (width - part.shape[1]) // 2
        mask[top : top + part.shape[0], left : left + part.shape[1]] = part
    return mask


@lru_cache(maxsize=160)
def placed_face(card: Card, layout: Layout) -> Image:
    """Return the card's face, uint8 BGR, upright, with square corners, at `PX_PER_MM`."""
    width, height = layout.px
    picture = paper(width, height, (250, 252, 252)).copy()
    ink = INK[card.suit]
    court = card.rank in RANKS[10:]
    if layout.frame_mm:
        inset = round(layout.frame_mm * PX_PER_MM)
        cv2.rectangle(picture, (inset, inset), (width - 1 - inset, height - 1 - inset), (90, 90, 90), 2)
    if court:
        cv2.rectangle(
            picture, (width // 4, int(0.44 * height)), (width - width // 4, int(0.56 * height)), (30, 160, 220), -1
        )
        cv2.circle(picture, (width // 2, height // 2), width // 12, (200, 120, 60), -1)
    else:
        _stamp(picture, suit_mask(card.suit, width // 6), (width - width // 6) // 2, (height - width // 6) // 2, ink)
    side_mm, top_mm = layout.court_mm if court and layout.court_mm else (layout.side_mm, layout.top_mm)
    mask = index_mask(card, layout.letter_mm)
    left, top = round(side_mm * PX_PER_MM), round(top_mm * PX_PER_MM)
    for end in range(2):
        if end == 0 or layout.corners > 1:
            _stamp(picture, mask, left, top, ink)
        if layout.corners == 4:
            _stamp(picture, mask, width - left - mask.shape[1], top, ink)
        picture = upside_down(picture)
    return picture


def table_of(
    layout: Layout,
    cards: Sequence[tuple[Card, tuple[float, float], float]],
    seed: int = 1,
    size: tuple[int, int] = (1100, 520),
) -> Image:
    """Return the picture of a table with the cards at their middles, pixels, turned by degrees; later ones on top.

    `size`: width and height of the picture, pixels.
    """
    rng = np.random.default_rng(seed)
    table = cloth(*size, rng)
    for card, middle, degrees in cards:
        lay(table, placed_face(card, layout), middle, degrees, TABLE_PX_PER_MM)
    return photographed(table, rng)


def _stamp(picture: Image, mask: Image, left: int, top: int, ink: tuple[int, int, int]) -> None:
    """Print `mask` in `ink` with its top left corner at (left, top) pixels."""
    height, width = mask.shape
    part = picture[top : top + height, left : left + width]
    share = mask[..., None].astype(np.float32) / 255
    part[:] = np.rint(part * (1 - share) + np.array(ink, np.float32) * share).astype(np.uint8)
