"""Robots for trick games. They make the mistakes that people make: cards taken back, suits not followed."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Final

from cardtable.simulation.director import Act
from cardtable.simulation.players import Players
from engine.actions import Action
from engine.cards import RANKS, Card
from engine.observations import Zone
from engine.record import Header

TAKE_BACK: Final = 0.05
"""Probability that a card played is taken back."""
REVOKE: Final = 0.07
"""Probability of a revoke if one is possible."""
REVOKE_TAKEN_BACK: Final = 0.5
"""Probability that a revoke is taken back at once."""


class TrickPlayers(Players):
    """Players of a trick game. `_trick`: the seats and cards of the current trick."""

    def __init__(self, header: Header, rng: Random) -> None:
        super().__init__(header, rng)
        self._trick: list[tuple[int, Card]] = []

    def _card(self) -> Iterator[Act]:
        """Play one card of a trick, perhaps with a mistake, and gather the trick when it is complete."""
        seat = self.table.turn
        assert seat is not None
        if self.across:
            yield from self._try_to_revoke(seat)
        card, revokes = self._choose(seat)
        was_open = self._lies_open(seat, card)
        yield self._play(seat, card)
        last = not any(self._hands)
        wants = (revokes and self._rng.random() < REVOKE_TAKEN_BACK) or self._rng.random() < TAKE_BACK
        if wants and not last and not was_open:
            yield from self._take_back(seat, card)
        elif revokes:
            self._revoke_stands(seat, self._trick[0][1].suit)
        winner = next((event.seat for event in self._news if event.event == "trick"), None)
        if winner is not None:
            yield from self._gather(winner)

    def _lies_open(self, seat: int, card: Card) -> bool:
        """Return whether `card`, which `seat` holds, is exposed on the table."""
        return False

    def _revoke_stands(self, seat: int, led: str) -> None:
        """Note that `seat` did not follow the suit `led`, although it could, and has not taken its card back."""

    def _choose(self, seat: int) -> tuple[Card, bool]:
        """Return the card that `seat` plays, and whether it is a revoke."""
        hand = self._hands[seat]
        following = [card for card in hand if self._trick and card.suit == self._trick[0][1].suit]
        others = [card for card in hand if card not in following]
        if following and others and len(hand) > 2 and self._rng.random() < REVOKE:
            wrong = self._rng.choice(others)
            if self.table.can(Action("play", seat=seat, card=wrong)) and not self._lies_open(seat, wrong):
                return wrong, True
        may = [card for card in following or hand if self.table.can(Action("play", seat=seat, card=card))]
        if self._rng.random() < 0.5:
            return self._rng.choice(may), False
        high = self._rng.random() < 0.5
        return sorted(may, key=lambda card: RANKS[1:].index(card.rank) if card.rank != "A" else 99)[-high], False

    def _try_to_revoke(self, seat: int) -> Iterator[Act]:
        """Sometimes lay a card that does not follow suit; a table that knows the hand refuses it."""
        hand, zone = self._hands[seat], Zone("play", seat)
        refused = [card for card in hand if not self.table.can(Action("play", seat=seat, card=card))]
        wrong = [card for card in refused if not self._lies_open(seat, card)]
        if wrong and self._rng.random() < REVOKE:
            card = self._rng.choice(wrong)
            yield Act("lay", seat, card, zone, refused=True)
            yield Act("lift", seat, card, zone)

    def _play(self, seat: int, card: Card) -> Act:
        self._hands[seat].remove(card)
        self._trick.append((seat, card))
        return self._lay(seat, card, Zone("play", seat), Action("play", seat=seat, card=card))

    def _take_back(self, seat: int, card: Card) -> Iterator[Act]:
        """Take the card just played back, and play another one."""
        led = self._trick[0][1].suit if len(self._trick) > 1 else None
        hand = self._hands[seat]
        right = [other for other in hand if other.suit == led] if led else hand
        if not right and led and card.suit != led:
            right = hand
        right = [other for other in right if not self._lies_open(seat, other)]
        complete = len(self._trick) == len(self._seats)
        withdrawal = Action("withdraw", seat=seat, card=card)
        # If the winner takes up the last card, it could be the start of gathering, and the board would ask.
        unclear = complete and self.table.turn == seat
        if not right or unclear or not self.table.can(withdrawal):
            led = self._trick[0][1].suit
            if card.suit != led and any(other.suit == led for other in hand):
                self._revoke_stands(seat, led)
            return
        expect = self._do(withdrawal)
        self._trick.pop()
        hand.append(card)
        # After a card is lifted from a complete trick the board waits: the card may be laid back.
        yield Act("lift", seat, card, Zone("play", seat), action=withdrawal, expect=None if complete else expect)
        yield self._play(seat, self._rng.choice(right))

    def _gather(self, winner: int) -> Iterator[Act]:
        faces = tuple((card, Zone("play", seat)) for seat, card in self._trick)
        self._trick = []
        action = Action("gather", seat=winner)
        if self.table.can(action):
            yield Act("sweep", winner, faces=faces, action=action, expect=self._do(action))
        else:
            yield Act("sweep", winner, faces=faces, tidy=True)
