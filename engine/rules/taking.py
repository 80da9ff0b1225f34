"""Trick games in which a player takes the turn-up and makes trumps, and the rest of the cards is dealt after that."""

from __future__ import annotations

from typing import NamedTuple

from engine.actions import Action
from engine.cards import SUIT_TEXTS, Card
from engine.rules.dealing_out import DealCounts
from engine.rules.game import Rules
from engine.rules.making_trumps import PASS, TAKE_UP
from engine.rules.questions import Question, Say
from engine.rules.suit_words import SUIT_OF
from engine.rules.trick_game import TrickGame
from engine.rules.tricks import Trick
from engine.texts import text


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
