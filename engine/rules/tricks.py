"""Tricks: how cards rank, the order of play, and the card that wins."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final, NamedTuple

from engine.cards import RANKS_DOWN, SUITS, Card


class Ranking:
    """How cards rank if the ace is not high in every suit, or if some cards belong to another suit than their own.

    `trump`: the suit of trumps, or None. `trumps`: all its cards, the highest first; cards of other suits among them
    belong to it in play. `ranks`: the ranks of the other suits, the highest first. `moved`: the suit in play of each
    card that does not belong to its own.

    With hearts as trumps in Euchre, the jack of diamonds is the second highest heart:

    >>> hearts = Ranking("H", [Card("J", "H"), Card("J", "D"), Card("A", "H")], ["A", "K", "Q", "J", "10", "9"])
    >>> hearts.suit(Card("J", "D")), hearts.suit(Card("Q", "D"))
    ('H', 'D')
    >>> hearts.beats(Card("J", "D"), Card("A", "H")), hearts.beats(Card("A", "D"), Card("J", "D"))
    (True, False)
    """

    __slots__ = ("_strength", "moved", "trump")

    def __init__(self, trump: str | None, trumps: Sequence[Card], ranks: Sequence[str]) -> None:
        self.trump = trump
        self.moved: Mapping[Card, str] = {card: trump for card in trumps if trump and card.suit != trump}
        self._strength = {Card(rank, suit): -place for place, rank in enumerate(ranks) for suit in SUITS}
        self._strength |= {card: -place for place, card in enumerate(trumps)}

    def suit(self, card: Card) -> str:
        """Return the suit that `card` belongs to in play."""
        return self.moved.get(card, card.suit)

    def cards(self, suit: str | None) -> frozenset[Card]:
        """Return the cards that belong to `suit` in play; None: all cards."""
        return frozenset(card for card in self._strength if suit in (None, self.suit(card)))

    def above(self, best: Card) -> frozenset[Card]:
        """Return the cards of the same suit in play that are higher than `best`."""
        suit, strength = self.suit(best), self._strength[best]
        return frozenset(card for card in self.cards(suit) if self._strength[card] > strength)

    def beats(self, card: Card, best: Card) -> bool:
        """Return whether `card`, played later, beats `best`, the best card of the trick so far."""
        suit = self.suit(card)
        if suit == self.suit(best):
            return self._strength[card] > self._strength[best]
        return suit == self.trump


HIGH_ACE: Final = {rank: strength for strength, rank in enumerate(reversed(RANKS_DOWN), start=2)}
"""The strength of each rank if the ace is high: 2 to 14."""


class Play(NamedTuple):
    """A card that a seat played to a trick."""

    seat: int
    card: Card


def beats(card: Card, best: Card, trump: str | None) -> bool:
    """Return whether `card`, played later, beats `best`, the best card so far: it is higher in its suit, or a trump."""
    if card.suit == best.suit:
        return HIGH_ACE[card.rank] > HIGH_ACE[best.rank]
    return card.suit == trump


class Trick:
    """One trick, played clockwise from its leader.

    `step`: what is added to a seat for the next one: 1, or -1 or `players` - 1 if play goes to the right.
    `sitting_out`: the seats that do not play. `led`: the suit led; None before the lead. `complete`: all others have
    played. `turn`: the seat that plays next, to this trick or to the one after it. `winner`: the seat that has won the
    trick, or is winning it; before the lead, the leader. `turned_over`: the trick is over, and no card can be taken
    back from it. `called`: the seats whose revoke in this trick was called.
    """

    __slots__ = (
        *("_best", "called", "complete", "leader", "led", "players", "plays", "sitting_out", "step", "trump", "turn"),
        *("turned_over", "winner"),
    )

    def __init__(
        self, leader: int, players: int, trump: str | None, sitting_out: Collection[int] = (), step: int = 1
    ) -> None:
        self.leader = leader
        self.players = players
        self.trump = trump
        self.sitting_out = sitting_out
        self.step = step
        self.turned_over = False
        self.called: set[int] = set()
        self._begin()

    def _begin(self) -> None:
        self.plays: list[Play] = []
        self.led: str | None = None
        self.complete = False
        self.turn = self.winner = self.leader
        self._best: Card | None = None

    def add(self, card: Card) -> None:
        """Add `card`, played by the seat on turn."""
        plays, best = self.plays, self._best
        plays.append(Play(self.turn, card))
        if best is None:
            self.led, self._best = card.suit, card
        elif beats(card, best, self.trump):
            self._best, self.winner = card, self.turn
        if len(plays) < self.players and not self.sitting_out:
            self.turn = (self.turn + self.step) % self.players
        else:
            self._pass_on()

    def _pass_on(self) -> None:
        """Set the next turn after a play."""
        if len(self.plays) == self.players - len(self.sitting_out):
            self.complete = True
            self.turn = self.winner
            return
        turn = (self.turn + self.step) % self.players
        while turn in self.sitting_out:
            turn = (turn + self.step) % self.players
        self.turn = turn

    def pass_over(self) -> None:
        """Let the seat on turn play no card to this trick."""
        self.sitting_out = (*self.sitting_out, self.turn)
        self._pass_on()
        if not self.plays:
            self.leader = self.winner = self.turn

    def take_back(self) -> Play:
        """Take back the last play, and return it."""
        *earlier, last = self.plays
        self._begin()
        for play in earlier:
            self.add(play.card)
        return last

    @property
    def best(self) -> Card | None:
        """The card that has won the trick, or is winning it; None before the lead."""
        return self._best

    @property
    def cards(self) -> tuple[Card, ...]:
        """The cards in it, in the order played."""
        return tuple(play.card for play in self.plays)

    def failed(self, seat: int) -> bool:
        """Return whether `seat` has played to it without following the suit led."""
        return any(play.seat == seat and play.card.suit != self.led for play in self.plays)


class RankedTrick(Trick):
    """A trick whose cards rank by `ranking`, which also has the suit of trumps."""

    __slots__ = ("ranking",)

    def __init__(
        self, leader: int, players: int, ranking: Ranking, sitting_out: Collection[int] = (), step: int = 1
    ) -> None:
        super().__init__(leader, players, ranking.trump, sitting_out, step)
        self.ranking = ranking

    def add(self, card: Card) -> None:
        """Add `card`, played by the seat on turn."""
        best = self._best
        self.plays.append(Play(self.turn, card))
        if best is None:
            self.led, self._best = self.ranking.suit(card), card
        elif self.ranking.beats(card, best):
            self._best, self.winner = card, self.turn
        self._pass_on()

    def failed(self, seat: int) -> bool:
        """Return whether `seat` has played to it without following the suit led."""
        return any(play.seat == seat and self.ranking.suit(play.card) != self.led for play in self.plays)
