"""What a reader finds in a picture, and what a reader is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol

import numpy as np
import numpy.typing as npt

from engine.cards import Card
from engine.observations import ActionCard
from vision.frames import Image

By = Literal["face", "qr", "aruco"]
CARD_MM = (63.0, 88.0)
"""Width and height of a poker card, millimetres."""


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """One card found in a picture.

    `outline`: (4, 2) float32, the card's corners in pixels, clockwise from its own top left; where they must be
    for a card that is partly covered. `confidence`: 0 to 1, the share of such readings that are right. `alternatives`:
    what else it may be, each with its own confidence, the likeliest first.
    """

    face: Card | ActionCard
    confidence: float
    by: By
    outline: npt.NDArray[np.float32]
    alternatives: tuple[tuple[Card, float], ...] = ()


class Reader(Protocol):
    """Reads cards of one kind: printed faces, QR or ArUco marks.

    `least_px_per_mm`: below it nothing is read, for it would be read wrongly; 0 where there is no such limit.
    """

    least_px_per_mm: ClassVar[float]

    def read(self, image: Image, mm_per_px: float | None = None) -> list[Reading]:
        """All cards in `image` (BGR), one `Reading` for each physical card.

        `mm_per_px`: the scale, where the table's corner marks tell it; None where it must be found.
        """
