"""Auctions: the players call in turn until all others have passed after the last bid.

A call is `pass`, a bid higher than the last one, `double` of the opponents' last bid, or `redouble` of their double.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, Final, NamedTuple

from engine.rules.dealing import DealtOutGame
from engine.rules.game import Rules
from engine.rules.questions import Say
from engine.rules.trick_game import TrickGame
from engine.texts import Text, commas, spaced, text, word_text
from engine.views import FactDisplay
from engine.words import Word

CALLS: Final = (Word("pass", mark=112), Word("double", mark=197), Word("redouble", mark=196))
"""The calls besides the bids, for the `words` of a game."""
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
    """What a seat has called."""

    seat: int
    word: str


class Contract(NamedTuple):
    """What the declarer has to make: `level` and `strain` are the two parts of the last bid; `risk` as in `Auction`."""

    level: int
    strain: str
    declarer: int
    risk: int


class Auction:
    """One auction, which `first` begins. `bids`: the bids from the lowest to the highest. `side_of`: the sides.

    `calls`: in order. `turn`: the seat that calls next. `bid`: the last bid; None before the first. `risk`: 1, or 2 if
    it is doubled, 4 if it is redoubled. `over`: no call may follow.

    >>> auction = Auction([word.name for word in BIDS], 1, lambda seat: seat % 2)
    >>> for word in ("1h", "double", "pass", "2c", "pass", "pass", "pass"):
    ...     auction.add(word)
    >>> auction.bid, auction.risk, auction.over
    (Call(seat=0, word='2c'), 1, True)
    """

    def __init__(self, bids: Sequence[str], first: int, side_of: Callable[[int], int], players: int = 4) -> None:
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
        """Whether all others have passed after the last bid, or everybody has passed."""
        return self._passes == (self._players if self.bid is None else self._players - 1)

    def allowed(self) -> tuple[str, ...]:
        """Return the words that the seat on turn may call."""
        words = ["pass"]
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
        self._passes = self._passes + 1 if word == "pass" else 0
        if word in ("double", "redouble"):
            self.risk *= 2
        elif word != "pass":
            self.bid, self.risk = call, 1
        self.turn = (self.turn + 1) % self._players

    def contract(self) -> Contract | None:
        """Return the contract; None if there was no bid. The declarer was the first of the side to bid its strain."""
        if self.bid is None:
            return None
        side, level, strain = self._side_of(self.bid.seat), int(self.bid.word[0]), self.bid.word[1:]
        bids = (call for call in self.calls if call.word in self._bids and call.word[1:] == strain)
        return Contract(level, strain, next(seat for seat, _ in bids if self._side_of(seat) == side), self.risk)


class AuctionGame(DealtOutGame, TrickGame):
    """A trick game that begins with an auction. Its `words` include `CALLS` and `BIDS`.

    `auction`: that of this hand. `contract`: its result; None before.
    """

    auction: Auction | None = None
    contract: Contract | None = None

    def clear_tricks(self) -> None:
        """Begin a hand without a contract."""
        super().clear_tricks()
        self.contract = None

    def deal_and_call(self, first: int) -> Rules[Contract | None]:
        """Deal all cards, named or not, and hold the auction, which the seat `first` begins. Return the contract."""
        auction = self.auction = Auction([word.name for word in BIDS], first, self.side_of, len(self.players))
        action = yield from self.deal_out(self._say(auction), then=self.ask_call(auction), turn=first)
        auction.add(action.word or "")
        while not auction.over:
            hint = self.ask_call(auction)
            action = yield self.question("bid", auction.turn, self._say(auction), hint=hint)
            auction.add(action.word or "")
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
        bid = word_text(auction.bid.word if auction.bid else "pass")
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


# Trick games in which each seat in turn bids how many tricks it will take, by saying the number.

HIGHEST: Final = 13
_FIRST_NUMBER_MARK: Final = 236
NUMBERS: Final = tuple(Word(str(number), mark=_FIRST_NUMBER_MARK + number) for number in range(HIGHEST + 1))
"""The words `0` to `13`, for the `words` of a game."""


class NumberBidGame(TrickGame):
    """A trick game with one round of bids before the play. Its `words` include `NUMBERS`.

    `bids`: what each seat has bid, in the order of the bids. Declared voids are left out on displays: the bids matter
    more, and seven players have many.
    """

    fact_displays: ClassVar[Mapping[str, FactDisplay]] = {**TrickGame.fact_displays, "bids": "symbol", "void": "symbol"}

    def clear_tricks(self) -> None:
        """Begin a hand without bids."""
        super().clear_tricks()
        self.bids: dict[int, int] = {}

    def bid_in_turn(self, tricks: int) -> Rules[None]:
        """Let each seat that has not bid yet, beginning with eldest, bid one of `may_bid`.

        `tricks`: the number of tricks in the hand.
        """
        for seat in self.seats_from(self.eldest):
            if seat in self.bids:
                continue
            numbers = self.may_bid(seat, tricks)
            say = Say(self, seat, tuple(map(str, numbers)))
            action = yield self.question("bid", seat, say, hint=self.bid_hint(seat, tricks, numbers))
            self.bids[seat] = int(action.word or 0)

    def may_bid(self, seat: int, tricks: int) -> tuple[int, ...]:
        """Return the numbers that `seat` may bid, here 0 to `tricks`."""
        return tuple(range(tricks + 1))

    def bid_hint(self, seat: int, tricks: int, numbers: tuple[int, ...]) -> Text:
        """Return the request to bid one of `numbers`."""
        name, barred = self.players[seat], {*range(tricks + 1)} - {*numbers}
        if barred:
            return text("{name} bids, but not {barred}.", name=name, barred=min(barred))
        return text("{name}: how many tricks?", name=name)

    # Views

    def tricks_bid(self) -> tuple[int | None, ...]:
        """Return the bid of each seat, None if it has not bid yet."""
        return tuple(map(self.bids.get, self.every_seat))

    def facts(self) -> tuple[tuple[str, str], ...]:
        """Add the bids."""
        bids = [text("{name}: {what}", name=self.players[seat], what=bid) for seat, bid in self.bids.items()]
        return (*super().facts(), *((text("bids"), bid) for bid in bids))
