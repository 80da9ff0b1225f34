"""Robots for Fifteen. They beg, give, switch hands, and show the crib at the end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from cardtable.simulation.director import Act
from cardtable.simulation.tricks import TrickPlayers
from engine.actions import Action
from engine.cards import Card
from engine.games.fifteen import DEALT, LAID_AWAY
from engine.observations import Zone

SATISFIED: Final = 3
"""Number of cards of the turn-up's suit or rank with which a player is content with the turn-up."""
WHIM: Final = 0.2
"""Probability of deciding the other way."""
SWITCH: Final = 0.35
"""Probability that the eldest, if not content, switches hands instead of begging."""

_TURN_UP: Final = Zone("turn-up")


class Fifteen(TrickPlayers):
    """The players of Fifteen."""

    def _hand(self) -> Iterator[Act]:
        dealer = self._dealer()
        eldest = 1 - dealer
        self._pack, self._hands, self._crib, self._trick = self._shuffled(), [[], []], [], []
        yield self._deal(DEALT)
        for seat in (eldest, dealer):
            chosen = self._rng.sample(self._hands[seat], LAID_AWAY)
            yield from self._lay_away_named(seat, chosen)
            yield from self._lay_in_crib(seat, chosen)
        turned = self._pack.pop()
        yield self._lay(dealer, turned, _TURN_UP, Action("turn", card=turned))
        yield from self._talk(eldest, dealer, turned)
        while self.table.phase == "play":
            yield from self._card()
        if self.table.phase == "show":
            yield from self._show_crib(dealer)
        yield from self._clear(dealer)

    # About the turn-up

    def _talk(self, eldest: int, dealer: int, turned: Card) -> Iterator[Act]:
        if self._content(eldest, turned):
            yield from self._say(eldest, "accept")
        elif self._rng.random() < SWITCH:
            yield from self._say(eldest, "switch")
            yield from self._switch(eldest, dealer, turned)
        else:
            yield from self._say(eldest, "beg")
            yield from self._answer_beg(dealer, turned)

    def _content(self, seat: int, turned: Card) -> bool:
        counting = sum(card.suit == turned.suit or card.rank == turned.rank for card in self._hands[seat])
        return (counting >= SATISFIED) != (self._rng.random() < WHIM)

    def _answer_beg(self, dealer: int, turned: Card) -> Iterator[Act]:
        hand = self._hands[dealer]
        fitting = [card for card in hand if card.suit != turned.suit and card.rank != turned.rank]
        if not fitting or self._content(dealer, turned):
            yield from self._say(dealer, "take-one")
            return
        card = self._rng.choice(fitting)
        yield Act("lift", dealer, turned, _TURN_UP)
        hand.remove(card)
        hand.append(turned)
        yield self._lay(dealer, card, _TURN_UP, Action("give", seat=dealer, card=card))

    def _switch(self, eldest: int, dealer: int, turned: Card) -> Iterator[Act]:
        """Let the eldest take the crib and the turn-up; its own cards become the crib."""
        yield self._take_crib(eldest)
        yield Act("lift", eldest, turned, _TURN_UP)
        taken, self._crib = [*self._crib, turned], []
        yield from self._lay_in_crib(eldest, list(self._hands[eldest]))
        self._hands[eldest] = taken
        card = self._pack.pop()
        yield self._lay(dealer, card, _TURN_UP, Action("turn", card=card))
