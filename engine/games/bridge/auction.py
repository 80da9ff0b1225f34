"""The auction of bridge: the players call in turn until all others have passed after the last bid.

A call is `pass`, a bid higher than the last one, `double` of the opponents' last bid, or `redouble` of their double.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from engine.rules.bidding import PASS
from engine.rules.dealing import DealtOutGame
from engine.rules.game import Rules
from engine.rules.questions import Say
from engine.rules.trick_game import TrickGame
from engine.texts import Text, commas, spaced, text, word_text
from engine.words import Word

STRAINS: Final = ("c", "d", "h", "s", "nt")
"""The last part of a bid, the lowest first: clubs, diamonds, hearts, spades, no trumps."""
_FIRST_BID_MARK: Final = 198
BIDS: Final = tuple(
    Word(f"{level}{strain}", group="bid", mark=_FIRST_BID_MARK + 5 * (level - 1) + place)
    for level in range(1, 8)
    for place, strain in enumerate(STRAINS)
)
"""The bids `1c` to `7nt`, the lowest first."""


class Call(NamedTuple):
    """What a seat called."""

    seat: int
    word: str


class Contract(NamedTuple):
    """What the declarer must make: `level` and `strain` are the parts of the last bid; `risk` is as in `Auction`."""

    level: int
    strain: str
    declarer: int
    risk: int


class Auction:
    """One auction.

    `calls`: those made, in order. `turn`: the seat that calls next. `bid`: the last bid; None before the first.
    `risk`: 1, or 2 if the bid is doubled, 4 if it is redoubled.

    >>> auction = Auction([word.name for word in BIDS], 1, lambda seat: seat % 2)
    >>> for word in ("1h", "double", "pass", "2c", "pass", "pass", "pass"):
    ...     auction.add(word)
    >>> auction.bid, auction.risk, auction.over
    (Call(seat=0, word='2c'), 1, True)
    """

    def __init__(self, bids: Sequence[str], first: int, side_of: Callable[[int], int], players: int = 4) -> None:
        """Begin an auction in which the seat `first` calls first.

        `bids`: the words of the bids, the lowest first. `side_of`: returns the side of a seat.
        """
        self._bids = bids
        self._side_of = side_of
        self._players = players
        self.calls: list[Call] = []
        self.turn = first
        self.bid: Call | None = None
        self.risk = 1
        self._passes = 0

    @property
    def over(self) -> bool:
        """Whether all others have passed after the last bid, or all have passed without a bid."""
        return self._passes == (self._players if self.bid is None else self._players - 1)

    def allowed(self) -> tuple[str, ...]:
        """Return the words that the seat on turn may call."""
        words = [PASS.name]
        if self.bid is not None:
            opponents = self._side_of(self.bid.seat) != self._side_of(self.turn)
            words += ["double"] if self.risk == 1 and opponents else []
            words += ["redouble"] if self.risk == 2 and not opponents else []
        higher = self._bids.index(self.bid.word) + 1 if self.bid else 0
        return (*words, *self._bids[higher:])

    def add(self, word: str) -> None:
        """Add the call `word` of the seat on turn, one of those allowed."""
        call = Call(self.turn, word)
        self.calls.append(call)
        self._passes = self._passes + 1 if word == PASS.name else 0
        if word in ("double", "redouble"):
            self.risk *= 2
        elif word != PASS.name:
            self.bid, self.risk = call, 1
        self.turn = (self.turn + 1) % self._players

    def contract(self) -> Contract | None:
        """Return the contract; None if there was no bid.

        The declarer is the first player of the side to have bid the strain of the contract.
        """
        if self.bid is None:
            return None
        side, level, strain = self._side_of(self.bid.seat), int(self.bid.word[0]), self.bid.word[1:]
        bids = (call for call in self.calls if call.word in self._bids and call.word[1:] == strain)
        return Contract(level, strain, next(seat for seat, _ in bids if self._side_of(seat) == side), self.risk)


class AuctionGame(DealtOutGame, TrickGame):
    """A trick game that begins with an auction. Its `words` include `CALLS` and `BIDS`.

    `auction`: the auction of this hand. `contract`: its result; None before its end, or if all passed.
    """

    auction: Auction | None = None
    contract: Contract | None = None

    def clear_tricks(self) -> None:
        """Begin a hand without a contract."""
        super().clear_tricks()
        self.contract = None

    def deal_and_call(self, first: int) -> Rules[Contract | None]:
        """Deal all cards, named or not, and hold the auction; the seat `first` calls first. Return the contract."""
        auction = self.auction = Auction([word.name for word in BIDS], first, self.side_of, len(self.players))
        action = yield from self.deal_out(self._say(auction), then=self.ask_call(auction), turn=first)
        auction.add(action.word or "")
        while not auction.over:
            auction.add((yield from self.ask(self._say(auction), self.ask_call(auction))))
        self.contract = auction.contract()
        return self.contract

    def _say(self, auction: Auction) -> Say:
        return Say(self, auction.turn, auction.allowed())

    def ask_call(self, auction: Auction) -> Text:
        """Return the request to call."""
        name = self.players[auction.turn]
        if auction.bid is None:
            return text("{name}: bid or pass.", name=name)
        bidder = self.players[auction.bid.seat]
        return text("{name} to call: {bid} by {bidder}.", name=name, bid=self._bid_text(auction), bidder=bidder)

    def _bid_text(self, auction: Auction) -> Text:
        """Return the last bid with what it was doubled to: `4 ♠ ×2`."""
        bid = word_text(auction.bid.word if auction.bid else PASS.name)
        return bid if auction.risk == 1 else spaced([bid, f"×{auction.risk}"])

    def calls(self) -> tuple[tuple[int, str], ...]:
        """Return the calls of this hand."""
        return tuple(self.auction.calls) if self.auction else ()

    def facts(self) -> tuple[tuple[str, str], ...]:
        """Add the contract and the declarer."""
        if self.auction is None or self.contract is None:
            return super().facts()
        contract = commas([self._bid_text(self.auction), self.players[self.contract.declarer]])
        return ((text("contract"), contract), *super().facts())
