"""How cards rank in tricks if the ace is not high in every suit, or if cards belong to another suit than their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.cards import SUITS, Card


class Ranking:
    """The suit of each card in play, and which of two cards of a suit is higher.

    `trump`: the suit of trumps, or None. `trumps`: all its cards, the highest first; those of other suits belong to it
    while it is trumps. `ranks`: the ranks of the other suits, the highest first. `moved`: the suit of each card that
    does not belong to its own.

    With hearts as trumps in Euchre, the jack of diamonds is the second highest heart:

    >>> hearts = Ranking("H", [Card("J", "H"), Card("J", "D"), Card("A", "H")], ["A", "K", "Q", "J", "10", "9"])
    >>> hearts.suit(Card("J", "D")), hearts.suit(Card("Q", "D"))
    ('H', 'D')
    >>> hearts.beats(Card("J", "D"), Card("A", "H")), hearts.beats(Card("A", "D"), Card("J", "D"))
    (True, False)
    """

    __slots__ = ("_strength", "moved", "trump")

    def __init__(self, trump: str | None, trumps: Sequence[Card], ranks: Sequence[str]) -> None:
        self.trump = trump
        self.moved: Mapping[Card, str] = {card: trump for card in trumps if trump and card.suit != trump}
        self._strength = {Card(rank, suit): -place for place, rank in enumerate(ranks) for suit in SUITS}
        self._strength |= {card: -place for place, card in enumerate(trumps)}

    def suit(self, card: Card) -> str:
        """Return the suit that `card` belongs to in play."""
        return self.moved.get(card, card.suit)

    def cards(self, suit: str | None) -> frozenset[Card]:
        """Return the cards that belong to `suit` in play; None: all cards."""
        return frozenset(card for card in self._strength if suit in (None, self.suit(card)))

    def above(self, best: Card) -> frozenset[Card]:
        """Return the cards of the same suit in play that are higher than `best`."""
        suit, strength = self.suit(best), self._strength[best]
        return frozenset(card for card in self.cards(suit) if self._strength[card] > strength)

    def beats(self, card: Card, best: Card) -> bool:
        """Return whether `card`, played later, beats `best`, the best card of the trick so far."""
        suit = self.suit(card)
        if suit == self.suit(best):
            return self._strength[card] > self._strength[best]
        return suit == self.trump
