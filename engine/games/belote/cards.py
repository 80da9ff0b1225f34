"""The cards of Belote: how they rank, and what they count, with trumps, without, or with all suits as trumps."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

from engine.cards import SUITS, Card, Deck
from engine.rules.tricks import Ranking
from engine.rules.trumps import SUIT_OF
from engine.words import Word

TRUMP_RANKS: Final = ("J", "9", "A", "10", "K", "Q", "8", "7")
PLAIN_RANKS: Final = ("A", "10", "K", "Q", "J", "9", "8", "7")
PLAIN: Final = {"A": 11, "10": 10, "K": 4, "Q": 3, "J": 2}
TRUMPS: Final = {"J": 20, "9": 14, "A": 11, "10": 10, "K": 4, "Q": 3}
NO_TRUMPS: Final = {**PLAIN, "A": 19}
ALL_TRUMPS: Final = {"J": 14, "9": 9, "A": 6, "10": 5, "K": 3, "Q": 1}
"""What a card counts, by its rank. All cards together count 152 in each case."""
DECK: Final = Deck(Card(rank, suit) for suit in SUITS for rank in PLAIN_RANKS)
NO_SUITS: Final = (Word("no-trumps", mark=154), Word("all-suits", mark=155))
"""The words for trumps besides the suits, for the `words` of a game."""


@cache
def ranking_of(trumps: str) -> Ranking:
    """Return how the cards rank after `trumps` was named: the word for a suit, or one of `NO_SUITS`."""
    suit = SUIT_OF.get(trumps)
    if suit is None:
        return Ranking(None, (), TRUMP_RANKS if trumps == "all-suits" else PLAIN_RANKS)
    return Ranking(suit, tuple(Card(rank, suit) for rank in TRUMP_RANKS), PLAIN_RANKS)


@cache
def points_of_cards(trumps: str) -> Mapping[Card, int]:
    """Return what each card counts after `trumps` was named: the word for a suit, or one of `NO_SUITS`."""
    suit, others = SUIT_OF.get(trumps), {"all-suits": ALL_TRUMPS, "no-trumps": NO_TRUMPS}.get(trumps, PLAIN)
    return {card: (TRUMPS if card.suit == suit else others).get(card.rank, 0) for card in DECK}
