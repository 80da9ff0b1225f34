"""Robots for All Fives. They expose cards by accident, revoke, and call both."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Final

from cardtable.simulation.director import Act
from cardtable.simulation.tricks import TrickPlayers
from engine.actions import Action
from engine.cards import Card
from engine.observations import Zone
from engine.record import Header

REVOKE_CALLED: Final = 0.75
"""Probability that a revoke is called."""
EXPOSE: Final = 0.025
"""Probability, before each card, that a card is exposed by accident."""
CALL: Final = 0.6
"""Probability that an exposed card is called when its owner is on turn."""

_SIZE: Final = 6
_MORE: Final = 3
_WORTH: Final = {"A": 4, "K": 3, "Q": 2, "J": 1, "10": 10, "5": 5}


class AllFives(TrickPlayers):
    """The players of All Fives. `_open`: each seat's exposed card. `_revoked`: the last revoker and the suit led."""

    def __init__(self, header: Header, rng: random.Random) -> None:
        super().__init__(header, rng)
        self._turn_up: Card | None = None
        self._open: dict[int, Card] = {}
        self._called: Card | None = None
        self._revoked: tuple[int, str] | None = None

    def _hand(self) -> Iterator[Act]:
        yield from self._deal_and_turn()
        while self.table.phase == "play":
            yield from self._before_card()
            yield from self._card()
        yield from self._put_away()

    # The deal

    def _deal_and_turn(self) -> Iterator[Act]:
        dealer = self._dealer()
        eldest = (dealer + 1) % len(self._seats)
        afresh = True
        while self.table.phase in ("deal", "turn"):
            if self._turn_up:
                yield Act("lift", dealer, self._turn_up, Zone("turn-up"), tidy=True)
            if afresh:
                self._pack = self._shuffled()
                self._hands = [[] for _ in self._seats]
            yield self._deal(_SIZE if afresh else _MORE)
            self._turn_up = self._pack.pop()
            yield self._lay(dealer, self._turn_up, Zone("turn-up"), Action("turn", card=self._turn_up))
            if self.table.phase == "say":
                trump = self._turn_up.suit
                begs = self._rng.random() < (0.2 if self._strength(eldest, trump) >= 6 else 0.7)
                yield from self._say(eldest, "beg" if begs else "stand")
                if self.table.phase == "say":
                    gives = self._rng.random() < (0.75 if self._strength(dealer, trump) >= 6 else 0.35)
                    yield from self._say(dealer, "take-one" if gives else "change")
            if afresh := self._happened("redeal"):
                yield self._shuffle()

    def _strength(self, seat: int, trump: str) -> int:
        return sum(2 + (_WORTH.get(card.rank, 0) > 2) for card in self._hands[seat] if card.suit == trump)

    # The play

    def _before_card(self) -> Iterator[Act]:
        """Sometimes expose a card by accident; sometimes call an exposed card."""
        turn = self.table.turn
        assert turn is not None
        if self._rng.random() < EXPOSE:
            seat = self._rng.choice(self._seats)
            card = self._rng.choice(self._hands[seat]) if len(self._hands[seat]) > 1 else None
            action = Action("expose", seat=seat, card=card)
            if card and seat not in self._open and self.table.can(action):
                self._open[seat] = card
                yield self._lay(seat, card, Zone("show", seat), action)
        shown = self._open.get(turn)
        if shown and self._rng.random() < CALL:
            caller = self._rng.choice([seat for seat in self._seats if seat != turn])
            action = Action("say", seat=caller, word="call", card=shown)
            if self.table.can(action):
                self._called = shown
                yield from self._speak(caller, action)

    def _lies_open(self, seat: int, card: Card) -> bool:
        return self._open.get(seat) is card

    def _choose(self, seat: int) -> tuple[Card, bool]:
        """Return the card that was called, or otherwise one as in any trick game."""
        called = self._called
        if called is None or called not in self._hands[seat]:
            return super()._choose(seat)
        self._called = None
        return called, False

    def _play(self, seat: int, card: Card) -> Act:
        if not self._lies_open(seat, card):
            return super()._play(seat, card)
        action, zone = Action("play", seat=seat, card=card), Zone("play", seat)
        self._hands[seat].remove(card)
        self._trick.append((seat, card))
        del self._open[seat]
        return Act("move", seat, card, Zone("show", seat), to=zone, action=action, expect=self._do(action))

    def _revoke_stands(self, seat: int, led: str) -> None:
        """Note the revoke; the others may call it after the trick is gathered."""
        self._revoked = (seat, led)

    def _gather(self, winner: int) -> Iterator[Act]:
        yield from super()._gather(winner)
        revoked, self._revoked = self._revoked, None
        if revoked and self.table.phase == "play" and self._rng.random() < REVOKE_CALLED:
            yield from self._call_revoke(*revoked)

    def _call_revoke(self, revoker: int, led: str) -> Iterator[Act]:
        evidence = next((card for card in self._hands[revoker] if card.suit == led), None)
        caller = self._rng.choice([seat for seat in self._seats if seat != revoker])
        action = Action("say", seat=caller, word="revoke", against=revoker, card=evidence)
        if evidence and not self._lies_open(revoker, evidence) and self.table.can(action):
            yield from self._speak(caller, action)

    def _put_away(self) -> Iterator[Act]:
        """Take the turn-up away after the hand."""
        if self._turn_up:
            yield Act("lift", self._dealer(), self._turn_up, Zone("turn-up"), tidy=True)
        self._turn_up, self._trick, self._open, self._called, self._revoked = None, [], {}, None, None
