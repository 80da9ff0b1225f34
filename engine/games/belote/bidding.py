"""Auctions for partners in which a bid is a number of points, and the bidder then names trumps.

The players call in turn until all others have passed after the last bid or double. A bid is higher than the last one in
points; the suits have no order. After a double there are no more bids; a redouble ends the auction.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final, NamedTuple

from engine.actions import Action
from engine.cards import SUIT_GLYPHS, SUIT_TEXTS, Card
from engine.rules.bidding import CALLS
from engine.rules.dealing import DealCounts, DealtOutGame
from engine.rules.game import Option, Rules
from engine.rules.questions import Question, Say
from engine.rules.trick_game import TrickGame
from engine.rules.tricks import Trick
from engine.rules.trumps import PASS, SUIT_OF, TAKE_UP
from engine.texts import Text, commas, spaced, text, word_text

_PASS, _DOUBLE, _REDOUBLE = (call.name for call in CALLS)
REDOUBLED: Final = 4


class PointContract(NamedTuple):
    """The last bid: its word and trumps as said, who made it, and `risk`: 1, or 2 if doubled, 4 if redoubled."""

    bid: str
    trumps: str
    seat: int
    risk: int = 1

    @property
    def said(self) -> Text:
        """The contract for people: `100 ♥ ×2`."""
        suit = SUIT_OF.get(self.trumps)
        parts = [word_text(self.bid), SUIT_GLYPHS[suit] if suit else word_text(self.trumps)]
        return spaced([*parts, *([f"×{self.risk}"] if self.risk > 1 else [])])


class PointBidGame(DealtOutGame, TrickGame):
    """A trick game that may begin with such an auction. Its `words` include `CALLS`, the bids, and words for trumps.

    `point_bids`: the points of each bid by its word, the lowest first. `every_trick_bid`: the bid of all tricks; "" if
    there is none. Its `options` include `REDOUBLED`, what a redoubled contract is multiplied by. `contract`: the last
    bid; None before the first. `calls_made`: the calls of this hand, in order; a bid goes with the word for its trumps,
    `100-heart`.
    """

    REDOUBLED: ClassVar = Option(
        "surcoinche", 4, text("what a redoubled contract is multiplied by"), least=2, label=text("Redoubled")
    )
    point_bids: ClassVar[Mapping[str, int]]
    every_trick_bid: ClassVar[str] = ""

    def clear_tricks(self) -> None:
        """Begin a hand without bids."""
        super().clear_tricks()
        self.contract: PointContract | None = None
        self.calls_made: list[tuple[int, str]] = []

    def auction(self, trumps: tuple[str, ...]) -> Rules[PointContract | None]:
        """Deal all cards, named or not, and hold the auction, which eldest begins. Return the contract.

        `trumps`: the words that may be named.
        """
        seat, passes = self.eldest, 0
        action = yield from self.deal_out(self._call(seat), then=self.ask_bid(seat), turn=seat)
        while True:
            word, contract = action.word or "", self.contract
            self.calls_made.append((seat, word))
            passes = passes + 1 if word == _PASS else 0
            if contract and word in (_DOUBLE, _REDOUBLE):
                self.contract = contract._replace(risk=2 * contract.risk)
            elif word != _PASS:
                hint = text("{name} bids {what}: trumps?", name=self.players[seat], what=word_text(word))
                named = yield self.question("bid", seat, Say(self, seat, trumps), hint=hint)
                self.contract = PointContract(word, named.word or "", seat)
                self.calls_made[-1] = seat, f"{word}-{named.word}"
            contract = self.contract
            if passes == len(self.players) - (contract is not None) or (contract and contract.risk == REDOUBLED):
                return contract
            seat = self.next_seat(seat)
            action = yield self.question("bid", seat, self._call(seat), hint=self.ask_bid(seat))

    def _call(self, seat: int) -> Say:
        """Return the offer of the words that `seat` may call."""
        contract, higher = self.contract, 0
        words = [_PASS]
        if contract is not None:
            own = self.side_of(contract.seat) == self.side_of(seat)
            words += [_DOUBLE] if contract.risk == 1 and not own else []
            words += [_REDOUBLE] if contract.risk == 2 and own else []
            higher = [*self.point_bids].index(contract.bid) + 1 if contract.risk == 1 else len(self.point_bids)
        return Say(self, seat, (*words, *[*self.point_bids][higher:]))

    def is_made(self, contract: PointContract, points: int) -> bool:
        """Return whether the side that bid `contract` makes it with so many points, after the last trick."""
        if contract.bid == self.every_trick_bid:
            return self.tricks_of(self.side_of(contract.seat)) == len(self.tricks)
        return points >= self.point_bids[contract.bid]

    def contract_points(self) -> int:
        """Return the points of the contract, multiplied if it was doubled; 0 without a contract."""
        if self.contract is None:
            return 0
        risk: int = self.values["surcoinche"] if self.contract.risk == REDOUBLED else self.contract.risk
        return self.point_bids[self.contract.bid] * risk

    def ask_bid(self, seat: int) -> Text:
        """Return the request to call."""
        name = self.players[seat]
        if self.contract is None:
            return text("{name}: bid or pass.", name=name)
        bidder = self.players[self.contract.seat]
        return text("{name} to call: {bid} by {bidder}.", name=name, bid=self.contract.said, bidder=bidder)

    def calls(self) -> tuple[tuple[int, str], ...]:
        """Return the calls of this hand."""
        return tuple(self.calls_made)

    def facts(self) -> tuple[tuple[str, str], ...]:
        """Add the contract, or the last bid, with its bidder."""
        if self.contract is None:
            return super().facts()
        said = commas([self.contract.said, self.players[self.contract.seat]])
        return ((text("contract"), said), *super().facts())


# Trick games in which a player takes the turn-up and makes trumps, and the rest of the cards is dealt after that.


class Taken(NamedTuple):
    """Who took the turn-up, and the word for trumps."""

    seat: int
    trumps: str


class TakingGame(TrickGame):
    """A trick game with two rounds: for the suit of the turn-up, then for another one.

    Its `words` include `TAKE_UP`, `PASS` and `SUIT_WORDS`. `taken`: by whom, and trumps; None before. `rest`: the offer
    to name the cards dealt last, which is open until the first word or card of the play.
    """

    def clear_tricks(self) -> None:
        """Begin a hand in which nothing is dealt yet."""
        super().clear_tricks()
        self.taken: Taken | None = None
        self.rest = DealCounts(self, {})

    def deal_and_take(self, first: int, whole: int) -> Rules[Taken | None]:
        """Deal `first` cards each and turn one up; let one player take it; deal on to `whole` cards each.

        Each seat is asked, from eldest: `take-up` makes the suit of the turn-up trumps; if all pass, another suit may
        be named. The turn-up is the taker's either way. Return None if all pass twice.
        """
        self.new_pack()
        dealer = self.players[self.dealer]
        hint = text("{name} deals {count} cards to each player and turns the next one up.", name=dealer, count=first)
        turned = yield from self.deal_and_turn_up(first, hint)
        taken = self.taken = yield from self._take(turned)
        self.match.turn_up = None
        if taken is not None:
            self.hands[taken.seat].deal([turned])
            counts = {hand.seat: whole - hand.size for hand in self.hands}
            for hand in self.hands:
                hand.counted = True
                hand.deal_unseen(counts[hand.seat])
            self.rest = DealCounts(self, counts)
        return taken

    def _take(self, turned: Card) -> Rules[Taken | None]:
        suit = SUIT_TEXTS[turned.suit]
        others = tuple(word for word in SUIT_OF if SUIT_OF[word] != turned.suit)
        for words in ((TAKE_UP.name,), others):
            for seat in self.seats_from(self.eldest):
                hint = text("{name}: {suit} as trumps?", name=self.players[seat], suit=suit)
                if words is others:
                    hint = text("{name}: another suit than {suit}?", name=self.players[seat], suit=suit)
                action = yield self.question("say", seat, Say(self, seat, (*words, PASS.name)), hint=hint)
                if action.word == TAKE_UP.name:
                    return Taken(seat, next(word for word, suit in SUIT_OF.items() if suit == turned.suit))
                if action.word in SUIT_OF:
                    return Taken(seat, action.word)
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
        """Also name cards dealt last; a word closes that deal."""
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
