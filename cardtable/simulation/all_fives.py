"""Robots that play All Fives: legal, varied, and now and then as careless as people are.

They deal a real pack and hold real hands; the table that they keep in their heads (`engine.table.Table`) sees no
more of the hands than a camera does, so that what they do is what a perfect camera would have recorded.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Final

from cardtable.simulation.acts import Act, Face
from engine.actions import Action
from engine.cards import RANKS, STANDARD_DECK, Card
from engine.observations import Word, Zone
from engine.record import Header
from engine.table import Table
from engine.views import Event, View

# How often people do what is not plain play, of the times when they might.
TIE: Final = 0.25
"""The second card cut has the rank of the first."""
TAKE_BACK: Final = 0.05
REVOKE: Final = 0.07
REVOKE_TAKEN_BACK: Final = 0.5
REVOKE_CALLED: Final = 0.75
EXPOSE: Final = 0.025
CALL: Final = 0.6

_SIZE: Final = 6
_MORE: Final = 3
_WORTH: Final = {"A": 4, "K": 3, "Q": 2, "J": 1, "10": 10, "5": 5}


class AllFives:
    """One game: `acts` plays it. `table` is what has really happened up to the act given last."""

    def __init__(self, header: Header, rng: random.Random) -> None:
        self.table: Final = Table(header)
        self._rng = rng
        self._seats = range(len(header.players))
        self._hands: list[list[Card]] = [[] for _ in self._seats]
        self._pack: list[Card] = []
        self._turn_up: Card | None = None
        self._trick: list[tuple[int, Card]] = []
        self._open: dict[int, Card] = {}
        self._called: Card | None = None
        self._revoked: tuple[int, str] | None = None
        self._news: tuple[Event, ...] = ()

    def acts(self) -> Iterator[Act]:
        """Everything that is done, from the cut to the end of the game."""
        if self.table.phase == "cut":
            yield from self._cut()
        while not self.table.over:
            yield from self._deal_and_turn()
            while self.table.phase == "play":
                yield from self._before_card()
                yield from self._card()
            yield from self._clear()

    # The deal

    def _cut(self) -> Iterator[Act]:
        while self.table.phase == "cut":
            pack = self._shuffled()
            seats = [seat for seat in self._seats if self.table.can(Action("cut", seat=seat, card=pack[0]))]
            cut: list[tuple[int, Card]] = []
            for seat in seats:
                same = [card for card in pack[1:] if cut and card.rank == cut[0][1].rank]
                card = same[0] if same and self._rng.random() < TIE else pack[0]
                pack.remove(card)
                cut.append((seat, card))
                yield self._lay(seat, card, Zone("play", seat), Action("cut", seat=seat, card=card))
            for seat, card in cut:
                yield Act("lift", seat, card, Zone("play", seat), tidy=True)

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
            for hand in self._hands:
                hand += [self._pack.pop() for _ in range(_SIZE if afresh else _MORE)]
            yield Act("deal", dealer, tidy=True)
            self._turn_up = self._pack.pop()
            yield self._lay(dealer, self._turn_up, Zone("turn-up"), Action("turn", card=self._turn_up))
            if self.table.phase == "say":
                trump = self._turn_up.suit
                begs = self._rng.random() < (0.2 if self._strength(eldest, trump) >= 6 else 0.7)
                yield from self._say(eldest, "beg" if begs else "stand")
                if self.table.phase == "say":
                    gives = self._rng.random() < (0.75 if self._strength(dealer, trump) >= 6 else 0.35)
                    yield from self._say(dealer, "take-one" if gives else "change")
            afresh = any(event.event == "redeal" for event in self._news)

    def _say(self, seat: int, word: str) -> Iterator[Act]:
        face, zone = Word(word), Zone("say", seat)
        yield self._lay(seat, face, zone, Action("say", seat=seat, word=word))
        yield Act("lift", seat, face, zone, tidy=True)

    def _strength(self, seat: int, trump: str) -> int:
        return sum(2 + (_WORTH.get(card.rank, 0) > 2) for card in self._hands[seat] if card.suit == trump)

    # The play

    def _before_card(self) -> Iterator[Act]:
        """A card shown by accident, and the call of one."""
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
                face, zone = Word("call"), Zone("say", caller)
                yield self._lay(caller, face, zone, action)
                yield Act("lift", caller, face, zone, tidy=True)

    def _card(self) -> Iterator[Act]:
        """One card of a trick, with what may go wrong about it; the trick turned over when it is complete."""
        seat = self.table.turn
        assert seat is not None
        card, revokes = self._choose(seat)
        was_open = self._open.get(seat) is card
        yield self._play(seat, card)
        last = not any(self._hands)
        wants = (revokes and self._rng.random() < REVOKE_TAKEN_BACK) or self._rng.random() < TAKE_BACK
        if wants and not last and not was_open:
            yield from self._take_back(seat, card)
        elif revokes:
            self._revoked = (seat, self._trick[0][1].suit)
        winner = next((event.seat for event in self._news if event.event == "trick"), None)
        if winner is not None:
            yield from self._gather(winner)

    def _choose(self, seat: int) -> tuple[Card, bool]:
        """The card that `seat` plays, and whether that revokes."""
        hand = self._hands[seat]
        if self._called in hand:
            card, self._called = self._called, None
            assert card is not None
            return card, False
        following = [card for card in hand if self._trick and card.suit == self._trick[0][1].suit]
        others = [card for card in hand if card not in following]
        if following and others and len(hand) > 2 and self._rng.random() < REVOKE:
            wrong = self._rng.choice(others)
            if self.table.can(Action("play", seat=seat, card=wrong)) and wrong is not self._open.get(seat):
                return wrong, True
        may = [card for card in following or hand if self.table.can(Action("play", seat=seat, card=card))]
        if self._rng.random() < 0.5:
            return self._rng.choice(may), False
        high = self._rng.random() < 0.5
        return sorted(may, key=lambda card: RANKS[1:].index(card.rank) if card.rank != "A" else 99)[-high], False

    def _play(self, seat: int, card: Card) -> Act:
        action, zone = Action("play", seat=seat, card=card), Zone("play", seat)
        self._hands[seat].remove(card)
        self._trick.append((seat, card))
        if self._open.get(seat) is card:
            del self._open[seat]
            expect = self._do(action)
            return Act("move", seat, card, Zone("show", seat), to=zone, action=action, expect=expect)
        return self._lay(seat, card, zone, action)

    def _take_back(self, seat: int, card: Card) -> Iterator[Act]:
        """The card just played is taken up again, and another is played."""
        led = self._trick[0][1].suit if len(self._trick) > 1 else None
        hand = self._hands[seat]
        right = [other for other in hand if other.suit == led] if led else hand
        if not right and led and card.suit != led:
            right = hand
        right = [other for other in right if other is not self._open.get(seat)]
        complete = len(self._trick) == len(self._seats)
        withdrawal = Action("withdraw", seat=seat, card=card)
        if not right or not self.table.can(withdrawal):
            self._forget_revoke_of(seat, card)
            return
        expect = self._do(withdrawal)
        self._trick.pop()
        hand.append(card)
        # A complete trick with a card missing may still be laid back: the board waits for the other card.
        yield Act("lift", seat, card, Zone("play", seat), action=withdrawal, expect=None if complete else expect)
        yield self._play(seat, self._rng.choice(right))

    def _forget_revoke_of(self, seat: int, card: Card) -> None:
        """A revoke that could not be taken back stands."""
        led = self._trick[0][1].suit
        if card.suit != led and any(other.suit == led for other in self._hands[seat]):
            self._revoked = (seat, led)

    def _gather(self, winner: int) -> Iterator[Act]:
        faces: tuple[tuple[Face, Zone], ...] = tuple((card, Zone("play", seat)) for seat, card in self._trick)
        self._trick = []
        action = Action("gather", seat=winner)
        if self.table.can(action):
            yield Act("sweep", winner, faces=faces, action=action, expect=self._do(action))
        else:
            yield Act("sweep", winner, faces=faces, tidy=True)
        revoked, self._revoked = self._revoked, None
        if revoked and self.table.phase == "play" and self._rng.random() < REVOKE_CALLED:
            yield from self._call_revoke(*revoked)

    def _call_revoke(self, revoker: int, led: str) -> Iterator[Act]:
        evidence = next((card for card in self._hands[revoker] if card.suit == led), None)
        caller = self._rng.choice([seat for seat in self._seats if seat != revoker])
        action = Action("say", seat=caller, word="revoke", against=revoker, card=evidence)
        if evidence is None or evidence is self._open.get(revoker) or not self.table.can(action):
            return
        face, say, show = Word("revoke"), Zone("say", caller), Zone("show", revoker)
        yield Act("lay", caller, face, say)
        yield self._lay(revoker, evidence, show, action)
        yield Act("lift", revoker, evidence, show, tidy=True)
        yield Act("lift", caller, face, say, tidy=True)

    def _clear(self) -> Iterator[Act]:
        """After the hand: the turn-up goes, and the next dealer takes the pack."""
        if self._turn_up:
            yield Act("lift", self._dealer(), self._turn_up, Zone("turn-up"), tidy=True)
        self._turn_up, self._trick, self._open, self._called, self._revoked = None, [], {}, None, None

    # What all of it needs

    def _lay(self, seat: int, face: Face, zone: Zone, action: Action) -> Act:
        return Act("lay", seat, face, zone, action=action, expect=self._do(action))

    def _do(self, action: Action) -> View:
        self._news = self.table.do(action).events
        return self.table.view(None)

    def _dealer(self) -> int:
        dealer = self.table.view(None).dealer
        assert dealer is not None
        return dealer

    def _shuffled(self) -> list[Card]:
        pack = list(STANDARD_DECK)
        self._rng.shuffle(pack)
        return pack
