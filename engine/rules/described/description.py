"""The description of a trick game, as docs/games-in-toml.md explains its keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from engine.cards import SUITS, Card, Deck
from engine.rules.tricks import HIGH_ACE

HIGHEST_FIRST: Final = tuple(reversed(HIGH_ACE))
"""The ranks of an ordinary pack, ace high."""
LOWEST_CLUB: Final = "lowest club"
RUN: Final = 3
"""The cards that the dealer runs, if the description does not say how many."""


@dataclass(frozen=True)
class Description:
    """A trick game in data; every field is what a key of the same name says.

    `deals`: the cards of each hand; one number if it is always the same, none if all cards are dealt. `points`: what
    each card is worth; `trump_points`: what a trump of each rank is worth, instead. `counts`: what each card counts for
    `most`. `closed`: the suit that may not be
    led before a card of it, or of `opened_by`, was played; None for no such suit.
    """

    title: str
    about: str
    players: tuple[int, ...]
    partners: bool
    ranks: tuple[str, ...]
    leave_out: tuple[Card, ...]
    deals: tuple[int, ...]
    passed: int
    pass_to: tuple[str, ...]
    choose: str
    suits: tuple[str, ...]
    named_by: str
    trump_ranks: tuple[str, ...]
    beg: int
    run: int
    bids: bool
    made: int
    made_trick: int
    missed: int
    hook: bool
    lead: str
    follow: str
    closed: str | None
    opened_by: tuple[Card, ...]
    not_first: tuple[Card, ...]
    points: Mapping[Card, int]
    trump_points: Mapping[str, int]
    counts: Mapping[Card, int]
    tricks: int
    above: int
    sweep: int
    sweep_to: str
    high: int
    low: int
    most: int
    revoke: int
    target: int
    wins: str

    @property
    def deck(self) -> Deck:
        """The pack before cards are left out."""
        return Deck(Card(rank, suit) for suit in SUITS for rank in self.ranks)

    @property
    def by_hand(self) -> bool:
        """Whether the number of cards differs from hand to hand; the game ends after the last of them."""
        return len(self.deals) > 1

    @property
    def has_trumps(self) -> bool:
        """Whether there are trumps in some hand."""
        return any(self.suits) if self.choose == "suits" else self.choose != "none"

    def hand_sizes(self, players: int) -> tuple[int, ...]:
        """Return the cards that each of so many players is dealt, hand by hand; one number if it is always the same."""
        return self.deals or (len(self.deck) // players,)

    def deals_all(self, players: int) -> bool:
        """Return whether so many players are dealt every card of the pack in every hand, but those left out."""
        return all(size * players == len(self.deck) for size in self.deals)
