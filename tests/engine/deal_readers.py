"""Readers across which cards are dealt and laid away."""

from __future__ import annotations

from collections.abc import Iterable

from engine.cards import Card
from engine.observations import Swipe, Swiped


class DealReaders:
    """The deal readers of all seats, as one source. Cards swiped earlier were seen elsewhere since."""

    def __init__(self) -> None:
        self._count = 0

    def swipe(self, time: float, seat: int, cards: Iterable[Card]) -> Swiped:
        """Return what is reported once these cards have passed the reader of `seat`."""
        swipes = tuple(Swipe(number, seat, card) for number, card in enumerate(cards, self._count + 1))
        self._count += len(swipes)
        return Swiped(time, "readers", swipes)
