"""Euchre, for four in partnerships: the rules in the order in which the rule book gives them.

The rulings, and what clubs play differently, are in docs/reference/games/euchre.md.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from typing import ClassVar, Final

from engine.cards import SUIT_GLYPHS, SUIT_TEXTS, SUITS, Card, Deck
from engine.rules.bidding import PASS
from engine.rules.dealing import LayingAwayGame
from engine.rules.game import Option, Rules
from engine.rules.hands import Hand
from engine.rules.penalties import REVOKE, PenaltyTrickGame
from engine.rules.questions import ClaimOfHand, Say
from engine.rules.tricks import Ranking
from engine.rules.trumps import SUIT_OF, SUIT_WORDS, TAKE_UP
from engine.texts import Text, both, text
from engine.views import FeatKind, Poster, SeatNote, Tally
from engine.words import Word

DEALT: Final = 5
NEEDED: Final = 3
"""The tricks that the makers need."""
RANKS: Final = ("A", "K", "Q", "J", "10", "9")
SAME_COLOUR: Final = {"S": "C", "C": "S", "H": "D", "D": "H"}
ORDER_UP: Final = Word("order-up", mark=235)
ALONE: Final = Word("alone", mark=119)
FARMER: Final = Word("farmer", mark=233)
NINES_AND_TENS: Final = frozenset(Card(rank, suit) for suit in SUITS for rank in ("9", "10"))
"""The cards of a farmer's hand, which may be dealt again."""


@cache
def bowers(trump: str) -> Ranking:
    """Return how the cards rank: the jack of trumps, then the jack of the same colour, are the highest trumps."""
    jacks = (Card("J", trump), Card("J", SAME_COLOUR[trump]))
    return Ranking(trump, (*jacks, *(Card(rank, trump) for rank in RANKS if rank != "J")), RANKS)


class Euchre(LayingAwayGame, PenaltyTrickGame):
    """Euchre. See `Game` for the attributes and the coroutines.

    `maker`: the seat that made trumps, or None. `alone`: the seats that play without their partners.
    """

    name = "euchre"
    title = "Euchre"
    about = text("Make trumps and win three of five tricks with your partner, or all of them alone.")
    seats = range(4, 5)
    partners = (4,)
    deck = Deck(Card(rank, suit) for suit in SUITS for rank in RANKS)
    words = (ORDER_UP, TAKE_UP, ALONE, PASS, *SUIT_WORDS, FARMER, REVOKE)
    reasons = ("made", "march", "lone-march", "euchre", "lone-euchre", "revoke")
    feat_kinds: ClassVar = {
        "lone-march": FeatKind(text("Marches alone"), counted=True),
        "march": FeatKind(text("Marches"), counted=True),
        "euchre": FeatKind(text("Euchres"), counted=True),
    }
    zones = ("play", "turn-up", "say", "show")
    face_down = ("stock", "turn-up")
    fact_displays: ClassVar = {**LayingAwayGame.fact_displays, "made by": "placed", "alone": "placed"}
    options = (
        Option("target", 10, text("points that win the game"), least=1, label=text("Play to")),
        Option(
            "stick_the_dealer", False, text("the dealer must name trumps"), label=text("Stick the dealer"), unsaid=True
        ),
        Option("lone_defender", False, text("one may defend alone against one"), label=text("Lone defender")),
        Option("farmers_hand", False, text("a hand of nines and tens is dealt again"), label=text("Farmer’s hand")),
    )

    def clear_tricks(self) -> None:
        """Begin a hand without trumps."""
        super().clear_tricks()
        self.maker: int | None = None
        self.alone: tuple[int, ...] = ()

    # The hand

    def hand(self) -> Rules[None]:
        """Deal five each and turn a card up; make trumps; the dealer lays a card away; play the tricks; count."""
        self.clear_tricks()
        self.new_pack()
        deals = text("{name} deals five cards each and turns the next one up.", name=self.players[self.dealer])
        turned = yield from self.deal_and_turn_up(DEALT, deals)
        last = yield from self.make_trumps(turned)
        if self.maker is None:
            farmers_hand = last == FARMER.name
            self.report("redeal" if farmers_hand else "passed")
            self.match.dealer = self.dealer if farmers_hand else self.eldest
            return
        if self.trump == turned.suit and self.dealer not in self.sitting_out:
            self.hands[self.dealer].deal([turned])
            self.match.turn_up = None
        if self.alone and self.values["lone_defender"]:
            yield from self.defend_alone(self.maker)
        yield from self.lay_away_to(DEALT)
        yield from self.play_tricks(self.eldest)
        self.count_hand(self.maker)

    def make_trumps(self, turned: Card) -> Rules[str]:
        """Ask each seat, from eldest, for the suit of `turned`; if all pass, ask each for another suit.

        A player who says `alone` plays without a partner; in the second round the suit is named after that. A farmer's
        hand ends the first round. With `stick_the_dealer` the dealer, who is last, may not pass the second time. Return
        the word said last: `pass` if nobody makes trumps.
        """
        suit = SUIT_TEXTS[turned.suit]
        farmer = (FARMER.name,) if self.values["farmers_hand"] else ()
        for seat in self.seats_from(self.eldest):
            take = TAKE_UP if seat == self.dealer else ORDER_UP
            ask = text("{name}: {suit} as trumps?", name=self.players[seat], suit=suit)
            say = SayInFirstRound(self, seat, (take.name, ALONE.name, PASS.name, *farmer))
            word = yield from self.hear(say, ask)
            if word != PASS.name:
                if word != FARMER.name:
                    self.make(seat, turned.suit, word == ALONE.name)
                return word
        self.match.turn_up = None
        others = tuple(word for word in SUIT_OF if SUIT_OF[word] != turned.suit)
        for seat in self.seats_from(self.eldest):
            stuck = self.values["stick_the_dealer"] and seat == self.dealer
            ask = text("{name}: another suit than {suit}?", name=self.players[seat], suit=suit)
            word = yield from self.hear(Say(self, seat, (*others, ALONE.name, *(() if stuck else (PASS.name,)))), ask)
            if alone := word == ALONE.name:
                ask = text("{name} plays alone: trumps?", name=self.players[seat])
                word = yield from self.hear(Say(self, seat, others), ask)
            if word != PASS.name:
                self.make(seat, SUIT_OF[word], alone)
                return word
        return PASS.name

    def make(self, seat: int, trump: str, alone: bool) -> None:
        """Let `seat` make `trump`, with its partner or `alone`."""
        self.rank(bowers(trump))
        self.maker = seat
        self.add_moment(self.naming(seat, SUIT_TEXTS[trump]))
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
                if (yield from self.hear(Say(self, seat, (ALONE.name, PASS.name)), ask)) == ALONE.name:
                    self.play_alone(seat)
                    return

    def hear(self, say: Say, hint: Text) -> Rules[str]:
        """Let the seat of `say` say a word, and return it."""
        return self.ask(say, hint, phase="say")

    # The count

    def count_hand(self, maker: int) -> None:
        """Score what the tricks are worth to the makers or the others, or after a revoke to the side without one."""
        makers, lone = self.side_of(maker), {self.side_of(seat) for seat in self.alone}
        tricks, side = self.tricks_of(makers), makers
        if revoked := self.revoked_sides:
            side = 1 - min(revoked)
            points, reason = (0 if side in revoked else 4 if side in lone else 2), "revoke"
        elif tricks < NEEDED:
            side = 1 - makers
            points, reason = (4, "lone-euchre") if side in lone else (2, "euchre")
        elif tricks == DEALT:
            points, reason = (4, "lone-march") if side in lone else (2, "march")
        else:
            points, reason = 1, "made"
        if reason in self.feat_kinds:
            self.note_feat_of_side(reason, side)
        self.score_side(side, [(points, reason)])
        self.report("hand-over")
        self.win_or_pass_deal()

    def revoke_costs(self, revoker: int) -> Text:
        """Return what the other side scores; in this hand no other points are scored."""
        points = 4 if any(self.side_of(seat) != self.side_of(revoker) for seat in self.alone) else 2
        template = "{name} should have followed suit: for this hand the others score {points}."
        return text(template, name=self.players[revoker], points=points)

    # Views

    def note(self, seat: int) -> SeatNote:
        """Return whether the seat plays alone, or sits out for a partner who does."""
        return SeatNote(text("alone") if seat in self.alone else text("sits out") if seat in self.sitting_out else "")

    def poster(self) -> Poster | None:
        """Return trumps, and who made them."""
        if self.trump is None or self.maker is None:
            return None
        return Poster(SUIT_GLYPHS[self.trump], (text("{name} makes", name=self.players[self.maker]),))

    def tallies(self) -> tuple[Tally, ...]:
        """Return the tricks of both sides: three make trumps good, and three euchre their makers."""
        return self.trick_tallies(NEEDED, DEALT + 1 - NEEDED)

    def facts(self) -> tuple[tuple[str, str], ...]:
        """Add who made trumps, and who plays alone."""
        made = [] if self.maker is None else [(text("made by"), self.players[self.maker])]
        alone = [(text("alone"), both([self.players[seat] for seat in self.alone]))] if self.alone else []
        return (*super().facts(), *made, *alone)


class SayInFirstRound(ClaimOfHand):
    """Saying a word about the turn-up, or claiming a farmer's hand, which consists of nines and tens."""

    __slots__ = ()

    def claims(self, word: str) -> bool:
        """Return whether `word` claims a farmer's hand."""
        return word == FARMER.name

    def is_true(self, word: str, seat: int, cards: Collection[Card]) -> bool:
        """Return whether all `cards` are nines and tens."""
        return NINES_AND_TENS.issuperset(cards)

    def is_possible(self, word: str, hand: Hand) -> bool:
        """Return whether all cards that the hand is known to hold are nines and tens."""
        return NINES_AND_TENS.issuperset(hand.known)

    def why_not(self, seat: int) -> Text:
        """Return the sentence that the hand holds other cards."""
        return text("{name} holds other cards too.", name=self.name(seat))
