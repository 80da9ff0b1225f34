"""Tricks in which players revoke, take back and call, for second implementations of games (`lab.twins`).

It is written from docs/reference/record.md and docs/reference/games/index.md alone, by another hand than the engine's,
and shares no code with it. Hands are hidden, because from a known one no revoke is accepted.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from engine.actions import Action
from engine.cards import Card
from engine.table import Table
from lab.benchmarks.agreement import agree

RANKS: Final = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"]
REVOKES: Final = 0.12
"""Probability that a player who could follow plays another suit."""
BACK: Final = 0.2
"""Probability that a revoke is taken back at once."""
CALLS: Final = 0.4
"""Probability that a revoke is called before the next lead."""


class Revoke(NamedTuple):
    """A revoke that was proved. `trick`: the first one in which the seat failed to follow; `called`: by a player."""

    seat: int
    trick: int
    called: bool


Plays = list[tuple[int, Card]]
"""Seats and their cards in the order of play."""


class Trick(NamedTuple):
    """A trick that is complete."""

    winner: int
    cards: Plays


def printed_suit(card: Card) -> str:
    """Return the suit of a card in games that have no bowers."""
    return card.suit


def by_rank(card: Card) -> int:
    """Return the place of a card in its suit, ace high."""
    return RANKS.index(card.rank)


def all_of(hand: Hand, seat: int, cards: list[Card], trick: Plays) -> list[Card]:
    """Return those of these cards that a seat may play if it has no others of the suit led."""
    return cards


@dataclass
class Hand:
    """One hand of tricks on both sides.

    `sides`: of each seat, for calls. `free`: what else than following suit the rules demand.
    `failed`: for each seat and suit, the trick in which it first failed to follow since the last proof. `shown`: the
    cards that are known to lie in a hidden hand.
    `duties`: the most that one card can prove to be neglected: following suit, and playing higher.
    """

    rng: random.Random
    table: Table
    hands: dict[int, list[Card]]
    sides: Sequence[int]
    trump: str | None = None
    suit: Callable[[Card], str] = printed_suit
    rank: Callable[[Card], int] = by_rank
    free: Callable[[Hand, int, list[Card], Plays], list[Card]] = all_of
    known: frozenset[int] = frozenset()
    tricks: list[Trick] = field(default_factory=list)
    revokes: list[Revoke] = field(default_factory=list)
    failed: dict[tuple[int, str], int] = field(default_factory=dict)
    shown: dict[int, set[Card]] = field(default_factory=dict)
    duties: int = 1

    def play_trick(self, order: Iterable[int], last: bool = False) -> int:
        """Play a trick on both sides, and return its winner. `last`: no card is left afterwards."""
        trick: Plays = []
        for seat in order:
            agree("turn", self.table.turn, seat, self.table)
            self.play_card(seat, trick)
        return self.finish(trick, last)

    def best(self, trick: Plays) -> tuple[int, Card]:
        """Return the seat and the card that win a trick so far."""
        wins = self.trump if any(self.suit(card) == self.trump for _, card in trick) else self.suit(trick[0][1])
        return max((each for each in trick if self.suit(each[1]) == wins), key=lambda each: self.rank(each[1]))

    def won(self, seats: Iterable[int]) -> int:
        """Return how many tricks these seats have won."""
        return sum(trick.winner in seats for trick in self.tricks)

    def finish(self, trick: Plays, last: bool) -> int:
        """Return the winner of a trick, after its revokes may have been called."""
        led = self.suit(trick[0][1])
        winner = self.best(trick)[0]
        self.tricks.append(Trick(winner, trick))
        if not last:
            if self.hands[winner]:
                agree("winner of the trick", self.table.turn, winner, self.table)
            for seat, card in trick:
                if self.suit(card) != led:
                    self.call(seat, led)
        return winner

    def play_card(self, seat: int, trick: Plays) -> None:
        """Play a card of a seat on both sides; it may be a revoke."""
        hand = self.hands[seat]
        led = self.suit(trick[0][1]) if trick else None
        follow = [card for card in hand if self.suit(card) == led]
        others = [card for card in hand if self.suit(card) != led]
        bound = seat in self.known or any(self.suit(card) == led for card in self.shown.get(seat, ()))
        if follow and others and self.rng.random() < REVOKES:
            card = self.rng.choice(self.free(self, seat, others, trick))
            agree("may revoke", self.table.can(Action("play", seat, card)), not bound, self.table)
            if not bound:
                self.lay(seat, card, trick, led)
                if self.rng.random() > BACK:
                    return
                self.table.do(Action("withdraw", seat, card))
                trick.pop()
                hand.append(card)
                self.shown.setdefault(seat, set()).add(card)
                if led and self.failed.get((seat, led)) == len(self.tricks):
                    del self.failed[seat, led]
        self.lay(seat, self.rng.choice(self.free(self, seat, follow or hand, trick)), trick, led)

    def lay(self, seat: int, card: Card, trick: Plays, led: str | None) -> None:
        """Lay a card on both sides, and compare what it proves."""
        outcome = self.table.do(Action("play", seat, card))
        ours = [event.seat for event in outcome.events if event.event == "revoke-proven"]
        proved = self.prove(seat, self.suit(card), called=False)
        if not (ours and self.duties > 1 and any(revoke.seat == seat for revoke in self.revokes)):
            agree("proved", ours, [seat] if proved else [], self.table)
        self.hands[seat].remove(card)
        self.shown.get(seat, set()).discard(card)
        trick.append((seat, card))
        if led and self.suit(card) != led:
            self.failed.setdefault((seat, led), len(self.tricks))

    def prove(self, seat: int, suit: str, called: bool) -> bool:
        """A card of this suit was seen from this seat: return whether that proves a revoke."""
        failed = self.failed.pop((seat, suit), None)
        if failed is None:
            return False
        self.revokes.append(Revoke(seat, failed, called))
        return True

    def call(self, seat: int, led: str) -> None:
        """Let a player of another side call the revoke of a seat, if it has revoked in the trick that is complete."""
        held = [card for card in self.hands[seat] if self.suit(card) == led]
        if held and self.rng.random() < CALLS:
            caller = self.rng.choice([each for each in self.hands if self.sides[each] != self.sides[seat]])
            evidence = self.rng.choice(held)
            self.table.do(Action("say", caller, word="revoke", against=seat, card=evidence))
            agree("called", self.prove(seat, led, called=True), True, self.table)
            self.shown.setdefault(seat, set()).add(evidence)
