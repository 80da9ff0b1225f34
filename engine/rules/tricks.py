"""Tricks: the order of play, and the card that wins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from engine.cards import Card

HIGH_ACE: Final = {
    rank: strength
    for strength, rank in enumerate(("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"), start=2)
}
"""The strength of each rank if the ace is high: 2 to 14."""


class Play(NamedTuple):
    """A card that a seat played to a trick."""

    seat: int
    card: Card


def winning(plays: Sequence[Play], trump: str | None) -> Play:
    """Return the winning play: the highest trump, else the highest card of the suit led. `plays` must not be empty."""
    best = plays[0]
    for play in plays[1:]:
        if play.card.suit == best.card.suit:
            if HIGH_ACE[play.card.rank] > HIGH_ACE[best.card.rank]:
                best = play
        elif play.card.suit == trump:
            best = play
    return best


class Trick:
    """One trick, played clockwise from its leader.

    `led`: the suit led; None before the lead. `complete`: every seat has played. `turn`: the seat that plays next, to
    this trick or to the one after it. `turned_over`: the trick is over, and no card can be taken back from it.
    `called`: the seats whose revoke in this trick was called.
    """

    __slots__ = ("called", "complete", "leader", "led", "players", "plays", "trump", "turn", "turned_over")

    def __init__(self, leader: int, players: int, trump: str | None) -> None:
        self.leader = leader
        self.players = players
        self.trump = trump
        self.plays: list[Play] = []
        self.turned_over = False
        self.called: set[int] = set()
        self.led: str | None = None
        self.complete = False
        self.turn = leader

    def add(self, card: Card) -> None:
        """Add `card`, played by the seat on turn."""
        plays = self.plays
        plays.append(Play(self.turn, card))
        if self.led is None:
            self.led = card.suit
        if len(plays) < self.players:
            self.turn = (self.turn + 1) % self.players
        else:
            self.complete = True
            self.turn = self.winner

    def take_back(self) -> Play:
        """Take back the last play, and return it."""
        play = self.plays.pop()
        self.complete = False
        self.turn = play.seat
        if not self.plays:
            self.led = None
        return play

    @property
    def winner(self) -> int:
        """The seat that has won the trick, or is winning it; before the lead, the leader."""
        return winning(self.plays, self.trump).seat if self.plays else self.leader

    @property
    def cards(self) -> tuple[Card, ...]:
        """The cards in it, in the order played."""
        return tuple(play.card for play in self.plays)

    def failed(self, seat: int) -> bool:
        """Return whether `seat` has played to it without following the suit led."""
        return any(play.seat == seat and play.card.suit != self.led for play in self.plays)
