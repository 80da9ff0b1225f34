"""Who makes trumps at Belote: by taking the turn-up in classic Belote, by the auction in contrée (coinche).

In contrée a bid is a number of points, and the bidder then names trumps. The players call in turn until all others have
passed after the last bid or double. A bid is higher in points than the last one; the suits have no order. After a
double there are no more bids; a redouble ends the auction.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from engine.actions import Action
from engine.cards import SUIT_GLYPHS, SUIT_TEXTS, Card
from engine.rules.auction import Auction, AuctionGame, Call
from engine.rules.bidding import PASS
from engine.rules.game import Rules
from engine.rules.offers import Deal
from engine.rules.questions import Question, Say
from engine.rules.trick_game import TrickGame
from engine.rules.tricks import Trick
from engine.rules.trumps import SUIT_OF, TAKE_UP
from engine.texts import Text, commas, spaced, text, word_text

REDOUBLED: Final = 4
CAPOT: Final = "capot"
"""The bid of all tricks."""
BIDS: Final = {**{str(value): value for value in range(80, 170, 10)}, CAPOT: 250}
"""What each bid is worth, by its word, the lowest first."""
FIRST, DEALT = 5, 8
"""The cards dealt before the turn-up is taken, and after that."""


class PointContract(NamedTuple):
    """The last bid, the word for its trumps, who made it, and `risk`: 1, or 2 if it is doubled, 4 if redoubled."""

    bid: str
    trumps: str
    seat: int
    risk: int = 1

    @property
    def label(self) -> Text:
        """The contract for people: `100 ♥ ×2`."""
        suit = SUIT_OF.get(self.trumps)
        parts = [word_text(self.bid), SUIT_GLYPHS[suit] if suit else word_text(self.trumps)]
        return spaced([*parts, *([f"×{self.risk}"] if self.risk > 1 else [])])


class ContreeGame(AuctionGame):
    """A trick game with the auction of contrée.

    `contract`: the last bid; None before the first. Among the calls, a bid goes with the word for its trumps:
    `100-heart`.
    """

    def clear_tricks(self) -> None:
        """Begin a hand without bids."""
        super().clear_tricks()
        self.contract: PointContract | None = None

    def deal_and_call(self, trumps: tuple[str, ...]) -> Rules[PointContract | None]:
        """Deal all cards, named or not, and hold the auction, which eldest begins. Return the contract.

        `trumps`: the words that may be named.
        """
        auction = Auction([*BIDS], self.seats_from(self.eldest), self.side_of, double_ends=True)
        self.auction = auction
        first = yield from self.deal_out(self.offer_call(auction), then=self.ask_call(auction), turn=auction.turn)
        word, seat = first.word or "", auction.turn
        while True:
            auction.add(word)
            if word in BIDS:
                hint = text("{name} bids {what}: trumps?", name=self.players[seat], what=word_text(word))
                named = yield from self.ask(Say(self, seat, trumps), hint)
                self.contract = PointContract(word, named, seat)
                auction.calls[-1] = Call(seat, f"{word}-{named}")
            elif self.contract:
                self.contract = self.contract._replace(risk=auction.risk)
            if auction.over:
                return self.contract
            seat = auction.turn
            word = yield from self.ask(self.offer_call(auction), self.ask_call(auction))

    def bid_text(self, auction: Auction) -> Text:
        """Return the last bid with its trumps and what it was doubled to: `100 ♥ ×2`."""
        assert self.contract is not None  # trumps are named before the next call
        return self.contract.label

    def is_made(self, contract: PointContract, points: int) -> bool:
        """Return whether the side that bid `contract` makes it with `points`, after the last trick."""
        if contract.bid == CAPOT:
            return self.tricks_of(self.side_of(contract.seat)) == len(self.tricks)
        return points >= BIDS[contract.bid]

    def contract_points(self) -> int:
        """Return the points of the contract, multiplied if it was doubled; 0 without a contract."""
        if self.contract is None:
            return 0
        risk: int = self.values["surcoinche"] if self.contract.risk == REDOUBLED else self.contract.risk
        return BIDS[self.contract.bid] * risk

    def facts(self) -> tuple[tuple[str, str], ...]:
        """Add the contract, or the last bid, with its bidder."""
        if self.contract is None:
            return super().facts()
        contract = commas([self.contract.label, self.players[self.contract.seat]])
        return ((text("contract"), contract), *super().facts())


class Taken(NamedTuple):
    """Who took the turn-up, and the word for trumps."""

    seat: int
    trumps: str


class ClassicGame(TrickGame):
    """A trick game in which a player takes the turn-up and makes trumps, and the rest of the cards is dealt after that.

    `taken`: who took it, and trumps; None before. `rest`: the offer to name the cards dealt last, which is open until
    the first word or card of the play.
    """

    def clear_tricks(self) -> None:
        """Begin a hand in which nothing is dealt yet."""
        super().clear_tricks()
        self.taken: Taken | None = None
        self.rest = Deal(self, {})

    def deal_and_take(self) -> Rules[Taken | None]:
        """Deal five cards each and turn one up; let one player take it; deal on to eight cards each.

        Each seat is asked, from eldest: `take-up` makes the suit of the turn-up trumps; if all pass, another suit may
        be named. The turn-up is the taker's either way. Return None if all pass twice.
        """
        self.new_pack()
        dealer = self.players[self.dealer]
        hint = text("{name} deals {count} cards to each player and turns the next one up.", name=dealer, count=FIRST)
        turned = yield from self.deal_and_turn_up(FIRST, hint)
        taken = self.taken = yield from self._take(turned)
        self.match.turn_up = None
        if taken is not None:
            self.hands[taken.seat].deal([turned])
            counts = {hand.seat: DEALT - hand.size for hand in self.hands}
            for hand in self.hands:
                hand.counted = True
                hand.deal_unseen(counts[hand.seat])
            self.rest = Deal(self, counts)
        return taken

    def _take(self, turned: Card) -> Rules[Taken | None]:
        suit = SUIT_TEXTS[turned.suit]
        others = tuple(word for word in SUIT_OF if SUIT_OF[word] != turned.suit)
        for words in ((TAKE_UP.name,), others):
            for seat in self.seats_from(self.eldest):
                hint = text("{name}: {suit} as trumps?", name=self.players[seat], suit=suit)
                if words is others:
                    hint = text("{name}: another suit than {suit}?", name=self.players[seat], suit=suit)
                word = yield from self.ask(Say(self, seat, (*words, PASS.name)), hint, phase="say")
                if word == TAKE_UP.name:
                    return Taken(seat, next(word for word, suit in SUIT_OF.items() if suit == turned.suit))
                if word in SUIT_OF:
                    return Taken(seat, word)
        return None

    def play_question(self, trick: Trick) -> Question:
        """Let the cards dealt last be named before the first word or card."""
        question = super().play_question(trick)
        if not self.rest.seats:
            return question
        dealer, leader = self.players[self.dealer], self.players[trick.turn]
        hint = text("{dealer} deals the rest. {name} plays.", dealer=dealer, name=leader)
        return Question("deal", question.turn, {"deal": self.rest, **question.offers}, hint)

    def play(self, trick: Trick, card: Card) -> None:
        """Also close the deal."""
        self.rest.seats = ()
        super().play(trick, card)

    def meanwhile(self, trick: Trick, action: Action) -> None:
        """Also name the cards dealt last; a word closes that deal."""
        if action.do == "deal":
            hand = self.hand_of(action)
            for card in action.cards or ():
                hand.show(card)
            self.rest.done_by(hand.seat)
            return
        if action.do == "say":
            self.rest.seats = ()
        super().meanwhile(trick, action)

    def facts(self) -> tuple[tuple[str, str], ...]:
        """Add who took the turn-up."""
        taker = [(text("taker"), self.players[self.taken.seat])] if self.taken else []
        return (*taker, *super().facts())
