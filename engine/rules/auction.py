"""Auctions, as in bridge and contrée: the players call in turn until all others have passed after the last bid.

A call is `pass`, a bid higher than the last one, `double` of the opponents' last bid, or `redouble` of their double.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from engine.rules.bidding import PASS
from engine.rules.dealing import DealtOutGame
from engine.rules.questions import Say
from engine.rules.trick_game import TrickGame
from engine.texts import Text, text


class Call(NamedTuple):
    """What a seat called."""

    seat: int
    word: str


class Auction:
    """One auction.

    `calls`: those made, in order. `bid`: the last bid; None before the first. `risk`: 1, or 2 if the bid is doubled, 4
    if it is redoubled.

    >>> auction = Auction(("1h", "2c", "2h"), (1, 2, 3, 0), lambda seat: seat % 2)
    >>> for word in ("1h", "double", "pass", "2c", "pass", "pass", "pass"):
    ...     auction.add(word)
    >>> auction.bid, auction.risk, auction.over
    (Call(seat=0, word='2c'), 1, True)
    """

    def __init__(
        self, bids: Sequence[str], seats: Sequence[int], side_of: Callable[[int], int], double_ends: bool = False
    ) -> None:
        """Begin an auction.

        `bids`: the words of the bids, the lowest first. `seats`: in the order in which they call. `side_of`: returns
        the side of a seat. `double_ends`: there are no bids after a double, and a redouble ends the auction.
        """
        self._bids = bids
        self._seats = seats
        self._side_of = side_of
        self._double_ends = double_ends
        self.calls: list[Call] = []
        self.bid: Call | None = None
        self.risk = 1
        self._passes = 0

    @property
    def turn(self) -> int:
        """The seat that calls next."""
        return self._seats[len(self.calls) % len(self._seats)]

    @property
    def over(self) -> bool:
        """Whether all others have passed after the last bid, or all have passed without a bid."""
        ended = self._double_ends and self.risk > 2
        return ended or self._passes == len(self._seats) - (self.bid is not None)

    def allowed(self) -> tuple[str, ...]:
        """Return the words that the seat on turn may call."""
        if self.bid is None:
            return (PASS.name, *self._bids)
        words = [PASS.name]
        opponents = self._side_of(self.bid.seat) != self._side_of(self.turn)
        words += ["double"] if self.risk == 1 and opponents else []
        words += ["redouble"] if self.risk == 2 and not opponents else []
        higher = self._bids[self._bids.index(self.bid.word) + 1 :]
        return (*words, *(() if self._double_ends and self.risk > 1 else higher))

    def add(self, word: str) -> None:
        """Add the call `word` of the seat on turn, one of those allowed."""
        call = Call(self.turn, word)
        self.calls.append(call)
        self._passes = self._passes + 1 if word == PASS.name else 0
        if word in ("double", "redouble"):
            self.risk *= 2
        elif word != PASS.name:
            self.bid, self.risk = call, 1


class AuctionGame(DealtOutGame, TrickGame):
    """A trick game that begins with an auction. Its `words` include `CALLS` and the bids.

    `auction`: the auction of this hand.
    """

    auction: Auction | None = None

    def offer_call(self, auction: Auction) -> Say:
        """Return the offer to call."""
        return Say(self, auction.turn, auction.allowed())

    def ask_call(self, auction: Auction) -> Text:
        """Return the request to call."""
        name = self.players[auction.turn]
        if auction.bid is None:
            return text("{name}: bid or pass.", name=name)
        bidder = self.players[auction.bid.seat]
        return text("{name} to call: {bid} by {bidder}.", name=name, bid=self.bid_text(auction), bidder=bidder)

    def bid_text(self, auction: Auction) -> Text:
        """Return the last bid with what it was doubled to: `4 ♠ ×2`."""
        raise NotImplementedError

    def calls(self) -> tuple[tuple[int, str], ...]:
        """Return the calls of this hand."""
        return tuple(self.auction.calls) if self.auction else ()
