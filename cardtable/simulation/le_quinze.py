"""Robots for Le Quinze. They usually take the cards worth most, and sometimes overlook that they could take."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from cardtable.simulation.director import Act
from cardtable.simulation.players import Players
from engine.actions import Action
from engine.cards import Card
from engine.games.le_quinze import FIFTEEN, PACKET, SEVEN_OF_CLUBS, TABLE, VALUE, sums
from engine.observations import Zone

OVERLOOK: Final = 0.1
"""Probability that a player overlooks a take, if the rules allow it."""
CARELESS: Final = 0.1
"""Probability that a card is played at random."""
STRAIGHT: Final = 0.33
"""Probability that a card is laid among the cards of the table, not in front of the player."""

_TABLE: Final = Zone("table")


class LeQuinze(Players):
    """The players of Le Quinze."""

    def _hand(self) -> Iterator[Act]:
        dealer = self._dealer()
        self._pack, self._hands = self._shuffled(), [[] for _ in self._seats]
        yield self._deal(PACKET)
        for card in self._from_pack(TABLE):
            yield self._lay(dealer, card, _TABLE, Action("turn", card=card))
        while self._pack or any(self._hands):
            if not any(self._hands):
                yield self._deal(PACKET)
            yield from self._turn()
        yield from self._clear(dealer)

    def _turn(self) -> Iterator[Act]:
        """Let the seat on turn play a card, and take, or leave the card among the others."""
        seat = self.table.turn
        assert seat is not None
        table = [lying.card for lying in self.table.lying]
        card, taken = self._choose(seat, table)
        self._hands[seat].remove(card)
        straight = self._rng.random() < STRAIGHT
        zone = _TABLE if straight else Zone("play", seat)
        yield self._lay(seat, card, zone, Action("play", seat=seat, card=card))
        must = self.table.turn == seat
        if taken and (must or self._rng.random() >= OVERLOOK):
            faces = ((card, zone), *((other, _TABLE) for other in taken))
            action = Action("take", seat=seat, cards=taken)
            yield Act("sweep", seat, faces=faces, action=action, expect=self._do(action))
        elif not straight and not self._happened("hand-over"):
            yield Act("move", seat, card, zone, to=_TABLE, tidy=True)

    def _choose(self, seat: int, table: Sequence[Card]) -> tuple[Card, tuple[Card, ...]]:
        """Return the card to play and the cards it takes: the best take, or a random card if there is none."""
        hand = self._hands[seat]
        ways = [(card, taken) for card in hand for taken in sums(table, FIFTEEN - VALUE[card.rank], VALUE)]
        if ways and self._rng.random() >= CARELESS:
            return max(ways, key=lambda way: _worth((way[0], *way[1])) + 20 * (len(way[1]) == len(table)))
        card = self._rng.choice(hand)
        return card, next((taken for other, taken in ways if other is card), ())


def _worth(cards: Sequence[Card]) -> int:
    """Return a rough value of cards taken: most cards, clubs and sevens, and the seven of clubs, score points."""
    return sum(2 + 2 * (card.suit == "C") + 3 * (card.rank == "7") + 8 * (card is SEVEN_OF_CLUBS) for card in cards)
