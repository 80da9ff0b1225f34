"""Trick games in which a player makes the suit of the turn-up trumps, or else another one, and may play alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from engine.cards import SUIT_TEXTS, Card
from engine.rules.game import Rules
from engine.rules.hand_claims import SayOfHand
from engine.rules.questions import Say
from engine.rules.suit_words import SUIT_OF, SUIT_WORDS
from engine.rules.trick_game import TrickGame
from engine.texts import Text, both, text
from engine.words import Word

PASS: Final = Word("pass", mark=112)
ALONE: Final = Word("alone", mark=119)
TAKE_UP: Final = Word("take-up", mark=234)
MAKING: Final = (Word("order-up", mark=235), TAKE_UP, ALONE, PASS, *SUIT_WORDS)


class MakingTrumpsGame(TrickGame):
    """A trick game with two rounds in which trumps are made. Its `words` include `MAKING`.

    `maker`: the seat that made trumps, or None. `alone`: the seats that play without their partners.
    """

    def clear_tricks(self) -> None:
        """Begin a hand without trumps."""
        super().clear_tricks()
        self.maker: int | None = None
        self.alone: tuple[int, ...] = ()

    def make_trumps(self, turned: Card, stuck: bool, claims: Mapping[str, frozenset[Card]]) -> Rules[str]:
        """Ask each seat, from eldest, for the suit of `turned`; if all pass, for another suit.

        The player who says `alone` plays without a partner; in the second round the suit is named after that. Return
        the word said last, `pass` if no player makes trumps. `stuck`: the dealer, who is last, may not pass the second
        time. `claims`: words that end the first round, with the cards of which the hand must consist.
        """
        suit = SUIT_TEXTS[turned.suit]
        for seat in self.seats_from(self.eldest):
            ask = text("{name}: {suit} as trumps?", name=self.players[seat], suit=suit)
            say = SayOfHand(self, seat, (_takes(seat == self.dealer), ALONE.name, PASS.name, *claims), claims)
            if (word := (yield from self._hear(say, ask))) != PASS.name:
                if word not in claims:
                    self.make(seat, turned.suit, word == ALONE.name)
                return word
        self.match.turn_up = None
        others = tuple(word for word in SUIT_OF if SUIT_OF[word] != turned.suit)
        for seat in self.seats_from(self.eldest):
            passes = () if stuck and seat == self.dealer else (PASS.name,)
            ask = text("{name}: another suit than {suit}?", name=self.players[seat], suit=suit)
            word = yield from self._hear(Say(self, seat, (*others, ALONE.name, *passes)), ask)
            if alone := word == ALONE.name:
                ask = text("{name} plays alone: trumps?", name=self.players[seat])
                word = yield from self._hear(Say(self, seat, others), ask)
            if word != PASS.name:
                self.make(seat, SUIT_OF[word], alone)
                return word
        return PASS.name

    def make(self, seat: int, trump: str, alone: bool) -> None:
        """Let `seat` make `trump`, with its partner or `alone`. A game ranks the cards before this."""
        self.maker, self.trump = seat, trump
        if alone:
            self.play_alone(seat)

    def play_alone(self, seat: int) -> None:
        """Let the partner of `seat` sit out."""
        self.alone += (seat,)
        partner = self.partner_of(seat)
        if partner is not None:
            self.sit_out(partner)

    def defend_alone(self, maker: int) -> Rules[None]:
        """Let one of the players against a lone `maker` play alone too; eldest is asked first."""
        for seat in self.seats_from(self.eldest):
            if self.side_of(seat) != self.side_of(maker):
                ask = text("{name}: defend alone?", name=self.players[seat])
                if (yield from self._hear(Say(self, seat, (ALONE.name, PASS.name)), ask)) == ALONE.name:
                    self.play_alone(seat)
                    return

    def _hear(self, say: Say, hint: Text) -> Rules[str]:
        action = yield self.question("say", say.seats[0], say, hint=hint)
        return action.word or ""

    def facts(self) -> tuple[tuple[str, str], ...]:
        """Add who made trumps, and who plays alone."""
        made = [] if self.maker is None else [(text("made by"), self.players[self.maker])]
        alone = [(text("alone"), both([self.players[seat] for seat in self.alone]))] if self.alone else []
        return (*super().facts(), *made, *alone)


def _takes(dealer: bool) -> str:
    return "take-up" if dealer else "order-up"
