"""The auction of bridge: its bids, and the contract."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from engine.rules.auction import Auction, AuctionGame
from engine.rules.bidding import PASS
from engine.rules.game import Rules
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


class Contract(NamedTuple):
    """What the declarer must make: `level` and `strain` are the parts of the last bid; `risk` is as in `Auction`."""

    level: int
    strain: str
    declarer: int
    risk: int


class BridgeAuction(Auction):
    """An auction of bridge, in which the seat `first` calls first. `side_of`: returns the side of a seat."""

    def __init__(self, first: int, side_of: Callable[[int], int], players: int = 4) -> None:
        seats = [(first + step) % players for step in range(players)]
        super().__init__([word.name for word in BIDS], seats, side_of)

    def contract(self) -> Contract | None:
        """Return the contract; None if there was no bid.

        The declarer is the first player of the side to have bid the strain of the contract.
        """
        if self.bid is None:
            return None
        side, level, strain = self._side_of(self.bid.seat), int(self.bid.word[0]), self.bid.word[1:]
        bids = (call for call in self.calls if call.word in self._bids and call.word[1:] == strain)
        return Contract(level, strain, next(seat for seat, _ in bids if self._side_of(seat) == side), self.risk)


class ContractGame(AuctionGame):
    """A trick game with the auction of bridge.

    `contract`: its result; None before its end, or if all passed.
    """

    contract: Contract | None = None

    def clear_tricks(self) -> None:
        """Begin a hand without a contract."""
        super().clear_tricks()
        self.contract = None

    def deal_and_call(self, first: int) -> Rules[Contract | None]:
        """Deal all cards, named or not, and hold the auction; the seat `first` calls first. Return the contract."""
        auction = self.auction = BridgeAuction(first, self.side_of, len(self.players))
        action = yield from self.deal_out(self.offer_call(auction), then=self.ask_call(auction), turn=first)
        auction.add(action.word or "")
        while not auction.over:
            auction.add((yield from self.ask(self.offer_call(auction), self.ask_call(auction))))
        self.contract = auction.contract()
        return self.contract

    def bid_text(self, auction: Auction) -> Text:
        """Return the last bid with what it was doubled to: `4 ♠ ×2`."""
        bid = word_text(auction.bid.word if auction.bid else PASS.name)
        return bid if auction.risk == 1 else spaced([bid, f"×{auction.risk}"])

    def facts(self) -> tuple[tuple[str, str], ...]:
        """Add the contract and the declarer."""
        if self.auction is None or self.contract is None:
            return super().facts()
        contract = commas([self.bid_text(self.auction), self.players[self.contract.declarer]])
        return ((text("contract"), contract), *super().facts())
