"""The ace of hearts of German-suited decks that print a D, for Daus, in its corners.

With any other sign such a D is read as an ace. A D beside a heart is also the queen, the Dame, of decks with French
suits, and that is what the nets read: only the whole card shows which of the two it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from engine.cards import RANKS, SUITS, Card
from vision.faces.geometry import Floats, Quad
from vision.faces.settings import DEFAULTS, FusionSettings
from vision.readings import Reading

QUEEN: Final = Card("Q", "H")
DEUCE: Final = Card("A", "H")


class GermanDeuce:
    """Tells the two apart, and remembers at a table whether the deck prints a D on its ace of hearts."""

    def __init__(self, settings: FusionSettings = DEFAULTS.fusion) -> None:
        self._settings = settings
        self._seen = 0

    def __call__(
        self, readings: Sequence[Reading], whole: Callable[[Quad], Floats], only_once: bool = True
    ) -> list[Reading]:
        """Return the readings; queens of hearts that are aces as such, with the confidence of the whole card.

        `whole`: the logarithm of the likelihood of each card that a net sees in an outline, (53,). `only_once`: the
        picture teaches nothing about others. Once a deck has shown such an ace, a queen of hearts counts only where
        the whole card shows her.
        """
        return [each for each in (self._judged(one, whole, only_once) for one in readings) if each is not None]

    def _judged(self, reading: Reading, whole: Callable[[Quad], Floats], only_once: bool) -> Reading | None:
        if reading.face != QUEEN or reading.by != "face":
            return reading
        evidence = ace_evidence(whole(reading.outline)) / self._settings.whole_rank
        least = self._settings.least_ace_evidence
        if evidence >= least:
            self._seen += not only_once
            return replace(reading, face=DEUCE, confidence=float(1 / (1 + np.exp(-evidence))), alternatives=())
        return None if self._seen and evidence > -least else reading


def ace_evidence(whole: Floats) -> float:
    """Return the logarithm of how many times likelier `whole`, (53,), is of the ace of hearts than of the queen."""
    ace, queen = (4 * RANKS.index(card.rank) + SUITS.index(card.suit) for card in (DEUCE, QUEEN))
    return float(whole[ace] - whole[queen])
