"""Tricks: who plays after whom, which card wins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from engine.cards import Card

HIGH_ACE: Final = {
    rank: strength
    for strength, rank in enumerate(("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"), start=2)
}
"""How high a rank is where the ace is high: 2 to 14."""


class Play(NamedTuple):
    """A card that a seat played to a trick."""

    seat: int
    card: Card


def winning(plays: Sequence[Play], trump: str | None) -> Play:
    """The play that wins: the highest trump, else the highest card of the suit led. Needs at least one play."""
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

    `turned_over`: gathered, or as good as that: nothing can be taken back from it. `called`: the seats whose revoke
    in this trick was called.
    """

    __slots__ = ("called", "leader", "players", "plays", "trump", "turned_over")

    def __init__(self, leader: int, players: int, trump: str | None) -> None:
        self.leader = leader
        self.players = players
        self.trump = trump
        self.plays: list[Play] = []
        self.turned_over = False
        self.called: set[int] = set()

    @property
    def led(self) -> str | None:
        """The suit led; None before the lead."""
        return self.plays[0].card.suit if self.plays else None

    @property
    def complete(self) -> bool:
        """Whether every seat has played to it."""
        return len(self.plays) == self.players

    @property
    def turn(self) -> int:
        """Who plays next: to this trick, or to the next one."""
        played = len(self.plays)
        return self.winner if played == self.players else (self.leader + played) % self.players

    @property
    def winner(self) -> int:
        """Who has won it, or would if it ended now; before the lead, the leader."""
        return winning(self.plays, self.trump).seat if self.plays else self.leader

    @property
    def cards(self) -> tuple[Card, ...]:
        """The cards in it, in the order played."""
        return tuple(play.card for play in self.plays)

    def failed(self, seat: int) -> bool:
        """Whether `seat` played to it and did not follow the suit led."""
        return any(play.seat == seat and play.card.suit != self.led for play in self.plays)
