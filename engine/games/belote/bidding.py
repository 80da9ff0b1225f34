"""Who makes trumps at Belote: by taking the turn-up in classic Belote, by the auction in contrée (coinche).

In contrée a bid is a number of points, and the bidder then names trumps. The players call in turn until all others have
passed after the last bid or double. A bid is higher in points than the last one; the suits have no order. After a
double there are no more bids; a redouble ends the auction.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from engine.actions import Action
from engine.cards import SUIT_GLYPHS, SUIT_TEXTS, Card
from engine.rules.bidding import CALLS, PASS
from engine.rules.dealing import DealtOutGame
from engine.rules.game import Rules
from engine.rules.offers import Deal
from engine.rules.questions import Question, Say
from engine.rules.trick_game import TrickGame
from engine.rules.tricks import Trick
from engine.rules.trumps import SUIT_OF, TAKE_UP
from engine.texts import Text, commas, spaced, text, word_text
from engine.views import Poster

_, _DOUBLE, _REDOUBLE = (call.name for call in CALLS)
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


class ContreeGame(DealtOutGame, TrickGame):
    """A trick game with the auction of contrée.

    `contract`: the last bid; None before the first. `calls_made`: the calls of this hand, in order; a bid goes with the
    word for its trumps, `100-heart`.
    """

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
            passes = passes + 1 if word == PASS.name else 0
            if contract and word in (_DOUBLE, _REDOUBLE):
                self.contract = contract._replace(risk=2 * contract.risk)
            elif word != PASS.name:
                hint = text("{name} bids {what}: trumps?", name=self.players[seat], what=word_text(word))
                named = yield from self.ask(Say(self, seat, trumps), hint)
                self.contract = PointContract(word, named, seat)
                self.calls_made[-1] = seat, f"{word}-{named}"
            contract = self.contract
            if passes == len(self.players) - (contract is not None) or (contract and contract.risk == REDOUBLED):
                return contract
            seat = self.next_seat(seat)
            action = yield self.question("bid", seat, self._call(seat), hint=self.ask_bid(seat))

    def _call(self, seat: int) -> Say:
        """Return the offer of the words that `seat` may call."""
        contract, words, bids = self.contract, [PASS.name], list(BIDS)
        if contract is not None:
            opponents = self.side_of(contract.seat) != self.side_of(seat)
            words += [_DOUBLE] if contract.risk == 1 and opponents else []
            words += [_REDOUBLE] if contract.risk == 2 and not opponents else []
            bids = bids[bids.index(contract.bid) + 1 :] if contract.risk == 1 else []
        return Say(self, seat, (*words, *bids))

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

    def ask_bid(self, seat: int) -> Text:
        """Return the request to call."""
        name = self.players[seat]
        if self.contract is None:
            return text("{name}: bid or pass.", name=name)
        bidder = self.players[self.contract.seat]
        return text("{name} to call: {bid} by {bidder}.", name=name, bid=self.contract.label, bidder=bidder)

    def poster(self) -> Poster | None:
        """Return the contract, or the last bid, with its bidder."""
        if self.contract is None:
            return super().poster()
        return Poster(self.contract.label, (self.players[self.contract.seat],))

    def calls(self) -> tuple[tuple[int, str], ...]:
        """Return the calls of this hand."""
        return tuple(self.calls_made)

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
        """Play the card, which ends the time in which the cards dealt last can be named."""
        self.rest.seats = ()
        super().play(trick, card)

    def meanwhile(self, trick: Trick, action: Action) -> None:
        """Carry out an action between two cards; add naming the cards dealt last, for which a word ends the time."""
        if action.do == "deal":
            hand = self.hand_of(action)
            for card in action.cards or ():
                hand.show(card)
            self.rest.done_by(hand.seat)
            return
        if action.do == "say":
            self.rest.seats = ()
        super().meanwhile(trick, action)

    def poster(self) -> Poster | None:
        """Return trumps, and who took them."""
        if self.taken is None:
            return super().poster()
        return Poster(
            SUIT_GLYPHS[SUIT_OF[self.taken.trumps]], (text("{name} takes", name=self.players[self.taken.seat]),)
        )

    def facts(self) -> tuple[tuple[str, str], ...]:
        """Add who took the turn-up."""
        taker = [(text("taker"), self.players[self.taken.seat])] if self.taken else []
        return (*taker, *super().facts())
