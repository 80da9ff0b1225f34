"""A deck as it is dealt: the hands, and the known place of every card."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine.cards import Card, Deck
from engine.rules.hands import SEEN, Hand, Pile
from engine.rules.ranking import Ranking


class Pack:
    """One deck as it is dealt: the hands, and the known place of every card.

    `place[card]` is a `Hand`, a `Pile`, or missing if the card may be in any hidden hand or in the stock. The
    deck must have one copy of each card; games whose deck has several copies count them themselves. `ranking`: how the
    cards rank in tricks; None if the ace is high and every card belongs to its own suit.
    """

    def __init__(self, deck: Deck, players: int) -> None:
        self.deck: Final = deck
        self.place: Final[dict[Card, Hand | Pile]] = {}
        self.hands: Final = tuple([Hand(seat, self.place) for seat in range(players)])
        self.ranking: Ranking | None = None

    def rank(self, ranking: Ranking) -> None:
        """Let the cards rank in this way from now on."""
        self.ranking = ranking
        for hand in self.hands:
            hand.ranking = ranking

    def put(self, card: Card, pile: Pile = SEEN) -> None:
        """Put `card` into `pile`: turned up from the stock, or moved there."""
        self.place[card] = pile

    def seen(self) -> frozenset[Card]:
        """Return the cards that everybody has seen played or turned up; without those of which the deck has copies."""
        return frozenset([card for card, where in self.place.items() if where is SEEN and self.deck.copies(card) == 1])

    def unaccounted(self) -> Iterator[Card]:
        """Return the cards whose place the table does not know."""
        return (card for card in self.deck if card not in self.place)
