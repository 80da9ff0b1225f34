"""What a reader finds in a picture, and the interface of a reader."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from engine.cards import Card
from engine.observations import ActionCard
from vision.frames import Image

By = Literal["face", "qr", "aruco"]
"""How a card was read."""
OutlineFrom = Literal["edges", "index", "mark"]
"""What an outline follows: the card's edges on every side, or the card's index or mark, and what edges can be seen."""
CARD_MM = (63.0, 88.0)
"""Width and height of a poker card, millimetres."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Reading:
    """One card found in a picture.

    `face`: the card, or the word of an action card. `confidence`: 0 to 1, the fraction of such readings that are right.
    `outline`: (4, 2) float32, the card's corners in pixels, clockwise from its own top left; those of a partly covered
    card are extrapolated. `alternatives`: other cards that it may be, each with its confidence, most likely first.
    `outline_from`: `edges` if the outline lies on visible edges, `index` or `mark` if it is extrapolated from those.

    >>> corners = np.array([[10, 20], [70, 20], [70, 104], [10, 104]], np.float32)
    >>> Reading(Card("Q", "S"), 0.99871, "face", corners)
    <Reading QS, confidence 0.999, by face, centre (40, 62)>
    """

    face: Card | ActionCard
    confidence: float
    by: By
    outline: npt.NDArray[np.float32]
    alternatives: tuple[tuple[Card, float], ...] = ()
    outline_from: OutlineFrom = "edges"

    @property
    def centre(self) -> tuple[float, float]:
        """Mean of the corners (x, y), pixels."""
        x, y = self.outline.mean(axis=0)
        return float(x), float(y)

    def __repr__(self) -> str:
        x, y = self.centre
        return f"<Reading {self.face}, confidence {self.confidence:.3f}, by {self.by}, centre ({x:.0f}, {y:.0f})>"


class Reader(Protocol):
    """Reads cards of one kind: printed faces, QR codes or ArUco marks."""

    min_px_per_mm: ClassVar[float]
    """Resolution below which nothing is read, because it would be read wrongly; 0 for no limit."""

    def read(self, image: Image, mm_per_px: float | None = None) -> list[Reading]:
        """Return the cards in `image` ((H, W, 3) uint8 BGR), one `Reading` for each physical card.

        `mm_per_px`: the scale, if the table's corner marks give it; None if it has to be found.
        """


@runtime_checkable
class LearnsDeck(Protocol):
    """A reader that learns at the table what its deck looks like."""

    @property
    def card_mm(self) -> tuple[float, float]:
        """Width and height of the cards, millimetres."""
        ...

    @property
    def drawback(self) -> str:
        """Why the deck suits the table badly, and what to do; empty if it does not, or if too little is known."""
        ...

    @property
    def unread_advice(self) -> str:
        """What to do if hardly any card of the deck is read."""
        ...
