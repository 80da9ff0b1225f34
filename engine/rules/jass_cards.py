"""The cards of Belote and its relatives: with trumps, without, or with all suits as trumps."""

from __future__ import annotations

from functools import cache
from typing import Final

from engine.cards import Card
from engine.rules.ranking import Ranking
from engine.rules.suit_words import SUIT_OF

TRUMP_RANKS: Final = ("J", "9", "A", "10", "K", "Q", "8", "7")
PLAIN_RANKS: Final = ("A", "10", "K", "Q", "J", "9", "8", "7")
PLAIN: Final = {"A": 11, "10": 10, "K": 4, "Q": 3, "J": 2}
TRUMPS: Final = {"J": 20, "9": 14, "A": 11, "10": 10, "K": 4, "Q": 3}
NO_TRUMPS: Final = {**PLAIN, "A": 19}
ALL_TRUMPS: Final = {"J": 14, "9": 9, "A": 6, "10": 5, "K": 3, "Q": 1}
"""What a card counts, by its rank. All cards together count 152 in each kind of contract."""


@cache
def ranking_of(trumps: str) -> Ranking:
    """Return how the cards rank if `trumps`, a word, was named."""
    suit = SUIT_OF.get(trumps)
    if suit is None:
        return Ranking(None, (), TRUMP_RANKS if trumps == "all-suits" else PLAIN_RANKS)
    return Ranking(suit, tuple(Card(rank, suit) for rank in TRUMP_RANKS), PLAIN_RANKS)


def card_points(card: Card, trumps: str) -> int:
    """Return what `card` counts if `trumps`, a word, was named."""
    values = {"all-suits": ALL_TRUMPS, "no-trumps": NO_TRUMPS}.get(trumps, PLAIN)
    return (TRUMPS if SUIT_OF.get(trumps) == card.suit else values).get(card.rank, 0)
