"""How large the cards of a deck are, learned from cards that are sure."""

from __future__ import annotations

from typing import Final

import numpy as np

from engine.cards import Card
from vision.faces.geometry import Quad, dimensions
from vision.faces.index_settings import PlaceSettings
from vision.faces.settings import DEFAULTS
from vision.readings import CARD_MM

Size = tuple[float, float]
"""Width and height, millimetres."""
USUAL: Final[tuple[Size, ...]] = (CARD_MM, (57.0, 88.0), (45.0, 68.0))
"""Poker, bridge and miniature (patience) size."""
_ROUGHLY: Final = 0.85
"""Part of its long side that the rough outline of a card has at least."""


class CardSize:
    """The size of the cards at one table. `fixed`: the size from the settings; None if it is to be learned.

    >>> size = CardSize()
    >>> for card in (Card("A", "S"), Card("2", "H")):
    ...     size.learn(card, (44.6, 68.5))
    >>> size.mm
    (45.0, 68.0)
    """

    def __init__(self, fixed: Size | None = None, settings: PlaceSettings = DEFAULTS.places) -> None:
        self._fixed = fixed
        self._settings = settings
        self._measured: dict[Card, Size] = {}
        self.mm = fixed or CARD_MM
        """The size: as set, as measured on two different cards and more, or poker size."""

    def _learned(self) -> Size:
        """Return the size by what has been measured; poker size while that is too little or not clear."""
        if len(self._measured) < self._settings.min_cards:
            return CARD_MM
        width, height = np.median(np.array(list(self._measured.values())), axis=0).tolist()
        usual = min(USUAL, key=lambda size: difference((width, height), size))
        if difference((width, height), usual) < self._settings.usual_size:
            return usual
        return (width, height) if difference((width, height), CARD_MM) > self._settings.other_size else CARD_MM

    @property
    def known(self) -> bool:
        """Whether the size is set, or was measured on enough cards."""
        return self._fixed is not None or len(self._measured) >= self._settings.min_cards

    @property
    def smallest(self) -> float:
        """Height of the smallest cards to expect, relative to poker size."""
        return (self.mm[1] if self.known else min(size[1] for size in USUAL)) / CARD_MM[1]

    def least_mm(self, tolerance: float) -> float:
        """Return a length, millimetres, well below the long side of any card to expect: what is shorter is not a card.

        `tolerance`: factor by which a card's sides may differ from the size.
        """
        return _ROUGHLY * (self.mm[1] / tolerance if self.known else self._settings.sizes[0] * CARD_MM[1])

    def in_pixels(self, mm_per_px: float) -> tuple[float, float]:
        """Return width and height of the cards in a picture of this scale, pixels."""
        return self.mm[0] / mm_per_px, self.mm[1] / mm_per_px

    def error(self, outline: Quad, mm_per_px: float) -> float:
        """Return the relative difference of an outline's size from the known one; 0 while none is known.

        `outline`: (4, 2) pixels.
        """
        return difference(dimensions(outline), self.in_pixels(mm_per_px)) if self.known else 0.0

    def learn(self, card: Card, size: Size) -> None:
        """Count the measured `size` of a card that is sure."""
        if self._fixed is None and self.possible(size):
            self._measured[card] = size
            self.mm = self._learned()

    def possible(self, size: Size) -> bool:
        """Return whether cards may have this size."""
        least, most = self._settings.sizes
        return all(least < own / other < most for own, other in zip(size, CARD_MM, strict=True))


def difference(size: Size, other: Size) -> float:
    """Return the greater relative difference of the widths and of the heights."""
    return max(abs(own / theirs - 1) for own, theirs in zip(size, other, strict=True))
