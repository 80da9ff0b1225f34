"""One card from the two corners that show its index."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.cards import Card
from vision.faces.index_classifier import RANKS, SUITS

Floats = npt.NDArray[np.float32]
HIDDEN = 0.25
"""How likely it is that a card shows one index only, against showing both."""
LEAST_LIKELY = 0.01
"""A card with less confidence is not among those that the corners may show."""
MOST_OTHERS = 3
DIFFERENT = 0.1
"""How likely it is that the corners show two cards: with 52 cards, chance seldom makes two corners agree."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the two index corners of a quadrilateral say together.

    `confidence`: 0 to 1; low where they say nothing or do not agree. `corners`: those that show the card: 0 the
    first, 2 the one across from it. `alternatives`: what else the card may be, each with its confidence, the
    likeliest first.
    """

    card: Card
    confidence: float
    corners: tuple[int, ...]
    alternatives: tuple[tuple[Card, float], ...]


def fuse(rank: Floats, suit: Floats) -> Verdict:
    """One card from two corners: `rank` (2, 14), `suit` (2, 5) probabilities, the last of each `no index`.

    Both corners show the same card, or one of them is hidden. The probabilities of each card under both are summed
    and set against all else the corners may mean: two different cards, or none.
    """
    shows = (rank[:, :13, None] * suit[:, None, :4]).reshape(2, -1)
    blank = np.minimum(1.0, rank[:, 13] + suit[:, 4] - rank[:, 13] * suit[:, 4])
    both = shows[0] * shows[1]
    alone = HIDDEN * (shows[0] * blank[1] + shows[1] * blank[0])
    evidence = both + alone
    best = int(evidence.argmax())
    nothing = blank[0] * blank[1]
    differ = DIFFERENT * (shows[0].sum() * shows[1].sum() - both.sum())
    share = evidence / max(evidence.sum() + nothing + differ, 1e-9)
    corners = (0, 2) if both[best] > alone[best] else (0,) if shows[0, best] > shows[1, best] else (2,)
    return Verdict(_card(best), float(share[best]), corners, alternatives(share))


def alternatives(share: Floats) -> tuple[tuple[Card, float], ...]:
    """What a card may be beside the likeliest, by `share` (52,): the confidence of each, rank by rank."""
    likely = np.argsort(-share, kind="stable")[1 : 1 + MOST_OTHERS]
    return tuple((_card(int(k)), float(share[k])) for k in likely if share[k] >= LEAST_LIKELY)


def _card(k: int) -> Card:
    return Card(RANKS[k // 4], SUITS[k % 4])
