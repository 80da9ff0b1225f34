"""Trick games in which a player makes the suit of the turn-up trumps, or else another one, and may play alone."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Final

from engine.actions import Action
from engine.cards import SUIT_TEXTS, Card
from engine.errors import Refused
from engine.rules.game import Rules
from engine.rules.hands import Hand
from engine.rules.questions import Say
from engine.rules.state import GameState
from engine.rules.trick_game import TrickGame
from engine.texts import Text, both, text
from engine.words import Word

# Begging: eldest may refuse the trumps that were turned up, as in All Fours and its relatives.

BEGGING: Final = (
    *(Word("stand", mark=100), Word("beg", mark=101)),
    *(Word("take-one", mark=102), Word("change", mark=103)),
)


class BeggingGame(TrickGame):
    """A trick game in which eldest may beg for other trumps. Its `words` include `BEGGING`, its options `target`."""

    def settle_trumps(self, size: int, run: int, gift: int) -> Rules[None]:
        """Deal `size` cards to each and turn one up for trumps; eldest stands or begs. Then the dealer gives eldest
        `gift` points, which may win the game, or runs the cards: `run` more to each, until another suit is turned up.
        """
        while True:
            self.new_pack()
            turned = yield from self.deal_and_turn_up(size)
            self.trump = turned.suit
            if (yield from self.say(self.eldest, "stand", "beg")) == "stand":
                return
            if (yield from self.say(self.dealer, "take-one", "change")) == "take-one":
                self.score(self.eldest, gift, "beg")
                self.win_at_target(self.eldest)
                return
            yield from self.run_the_cards(turned.suit, run)
            if self.trump:
                return
            self.report("redeal")

    def run_the_cards(self, suit: str, run: int) -> Rules[None]:
        """Deal `run` more to each and turn a card up, until its suit is a new one; no trumps if the pack runs out."""
        self.trump = None
        name = self.players[self.dealer]
        hint = text("{name} deals {count} more each and turns the next card up.", name=name, count=run)
        while self.in_stock() >= run * len(self.players) + 1:
            turned = yield from self.deal_and_turn_up(run, hint)
            if turned.suit != suit:
                self.trump = turned.suit
                return


# Words that claim something of the hand of the player who says them, such as that it holds certain cards.


class ClaimOfHand(Say):
    """Saying a word, some of which claim something of the hand.

    The table takes the player's word for a hidden hand. The word is among the `words` of every hand, because its
    absence would show what a known hand holds.
    """

    __slots__ = ()

    def claims(self, word: str) -> bool:
        """Return whether `word` claims something of the hand."""
        raise NotImplementedError

    def is_true(self, word: str, seat: int, cards: Collection[Card]) -> bool:
        """Return whether the claim `word` of `seat` is true if `cards` are its hand."""
        raise NotImplementedError

    def is_possible(self, word: str, hand: Hand) -> bool:
        """Return whether the claim `word` can be true, by what the table knows of `hand`."""
        raise NotImplementedError

    def why_not(self, seat: int) -> Text:
        """Return the sentence that refuses a false claim of `seat`."""
        raise NotImplementedError

    def check(self, action: Action) -> None:
        """Codes: those of `Say`, and no-such-word for a claim that a known hand shows to be false."""
        super().check(action)
        word, hand = action.word or "", self.game.hand_of(action)
        if self.claims(word) and not self.is_possible(word, hand):
            raise Refused("no-such-word", self.why_not(hand.seat))

    def actions(self) -> Iterator[Action]:
        """Yield the words that are allowed, then the accusations that would stand."""
        return filter(self.allows, super().actions())


class SayOfHand(ClaimOfHand):
    """Saying a word, some of which claim that the hand holds certain cards only.

    `only`: by such a word, those cards.
    """

    __slots__ = ("only",)

    def __init__(self, game: GameState, seat: int, plain: tuple[str, ...], only: Mapping[str, frozenset[Card]]) -> None:
        super().__init__(game, seat, plain)
        self.only = only

    def claims(self, word: str) -> bool:
        """Return whether `word` names cards."""
        return word in self.only

    def is_true(self, word: str, seat: int, cards: Collection[Card]) -> bool:
        """Return whether the hand holds those cards only."""
        return self.only[word].issuperset(cards)

    def is_possible(self, word: str, hand: Hand) -> bool:
        """Return whether all cards that the hand must hold are among those."""
        return self.only[word].issuperset(hand.known)

    def why_not(self, seat: int) -> Text:
        """Return the sentence that the hand holds other cards."""
        return text("{name} holds other cards too.", name=self.name(seat))


# The words that name a suit, for games in which trumps are named.

SUIT_WORDS: Final = (
    Word("spade", label="spades", mark=115),
    Word("heart", label="hearts", mark=116),
    Word("diamond", label="diamonds", mark=117),
    Word("club", label="clubs", mark=118),
)
"""For the `words` of a game. They are in the singular, because `hearts` and `spades` on action cards choose a game."""
SUIT_OF: Final = {word.name: word.name[0].upper() for word in SUIT_WORDS}
"""The letter of each suit by its word."""


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
