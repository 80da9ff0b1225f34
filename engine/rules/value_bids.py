"""Auctions of three players, as in Skat: one bids a value, another holds it, until one of the two passes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import ClassVar, Final

from engine.rules.dealing_out import DealtOutGame
from engine.rules.game import Rules
from engine.rules.making_trumps import PASS
from engine.rules.questions import Say
from engine.rules.trick_game import TrickGame
from engine.texts import Text, text
from engine.words import Word

HOLD: Final = Word("hold", mark=123)
OFFERED: Final = 5
"""How many of the next values are shown as words."""


def value_words(values: Iterable[int], first_mark: int, marked: int) -> tuple[Word, ...]:
    """Return the words of the values. The first `marked` have ids from `first_mark` on; the others are rarely bid."""
    marks = range(first_mark, first_mark + marked)
    return tuple(Word(str(value), mark=mark, rare=mark is None) for value, mark in zip_longest(values, marks))


class ValueBidGame(DealtOutGame, TrickGame):
    """A trick game with such an auction. Its `words` include `PASS`, `HOLD` and the values.

    `values_bid`: the values that can be bid, in ascending order. `bid`: the highest bid, 0 if there is none.
    """

    values_bid: ClassVar[Sequence[int]]

    def clear_tricks(self) -> None:
        """Begin a hand without bids."""
        super().clear_tricks()
        self.bid = 0

    def auction(self) -> Rules[int | None]:
        """Middlehand bids to forehand, rearhand to the one left; return the declarer, None if all pass."""
        forehand, middlehand, rearhand = self.seats_from(self.eldest)[:3]
        least = self.values_bid[0]
        first = yield from self.deal_out(Bid(self, middlehand), then=self.ask_bid(middlehand), turn=middlehand)
        left = yield from self.duel(middlehand, forehand, first.word or "")
        left = yield from self.duel(rearhand, left)
        if self.bid:
            return left
        hint = text("{name}: play for {value}?", name=self.players[forehand], value=least)
        if (yield from self.ask(Say(self, forehand, (str(least), PASS.name)), hint)) == PASS.name:
            return None
        self.bid = least
        return forehand

    def duel(self, bidder: int, holder: int, said: str = "") -> Rules[int]:
        """Let `bidder` bid until one of the two passes; return the other. `said`: the bidder's first word, if said."""
        while (word := said or (yield from self.ask(Bid(self, bidder), self.ask_bid(bidder)))) != PASS.name:
            self.bid, said = int(word), ""
            hint = text("{name} holds {value}?", name=self.players[holder], value=self.bid)
            if (yield from self.ask(Say(self, holder, (HOLD.name, PASS.name)), hint)) == PASS.name:
                return bidder
        return holder

    def ask_bid(self, seat: int) -> Text:
        """Return the request to bid."""
        return text("{name} bids or passes.", name=self.players[seat])

    def ask(self, say: Say, hint: Text) -> Rules[str]:
        """Let a seat say a word, and return it."""
        action = yield self.question("bid", say.seats[0], say, hint=hint)
        return action.word or ""

    def facts(self) -> tuple[tuple[str, str], ...]:
        """Add the highest bid."""
        return (*super().facts(), *([(text("highest bid"), str(self.bid))] if self.bid else []))


class Bid(Say):
    """Bidding a higher value than the one before, or passing. Only the next values are shown as words."""

    __slots__ = ()

    def __init__(self, game: ValueBidGame, seat: int) -> None:
        super().__init__(game, seat, (*(str(value) for value in game.values_bid if value > game.bid), PASS.name))

    def words(self, seat: int) -> tuple[str, ...]:
        """Return the next values and `pass`."""
        *values, last = self.plain
        shown = (*values[:OFFERED], last) if seat in self.seats else ()
        return (*shown, *(word for word in super().words(seat) if word not in self.plain))
