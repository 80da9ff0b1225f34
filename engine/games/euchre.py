"""Euchre, for four in partnerships: the rules in the order in which the rule book gives them.

The rulings, and what clubs play differently, are in docs/games/euchre.md.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from engine.cards import SUITS, Card, Deck
from engine.rules.dealing import LayingAwayGame
from engine.rules.game import Option, Rules
from engine.rules.penalties import REVOKE, PenaltyTrickGame
from engine.rules.tricks import Ranking
from engine.rules.trumps import MAKING, MakingTrumpsGame
from engine.texts import Text, text
from engine.words import Word

DEALT: Final = 5
NEEDED: Final = 3
RANKS: Final = ("A", "K", "Q", "J", "10", "9")
SAME_COLOUR: Final = {"S": "C", "C": "S", "H": "D", "D": "H"}
FARMER: Final = "farmer"
NINES_AND_TENS: Final = frozenset(Card(rank, suit) for suit in SUITS for rank in ("9", "10"))


@cache
def bowers(trump: str) -> Ranking:
    """Return how the cards rank: the jack of trumps, then the jack of the same colour, are the highest trumps."""
    jacks = (Card("J", trump), Card("J", SAME_COLOUR[trump]))
    return Ranking(trump, (*jacks, *(Card(rank, trump) for rank in RANKS if rank != "J")), RANKS)


class Euchre(MakingTrumpsGame, LayingAwayGame, PenaltyTrickGame):
    """Euchre. See `Game` for the attributes and the coroutines."""

    name = "euchre"
    title = "Euchre"
    about = text("Make trumps and win three of five tricks with your partner, or all of them alone.")
    seats = range(4, 5)
    partners = (4,)
    deck = Deck(Card(rank, suit) for suit in SUITS for rank in RANKS)
    words = (*MAKING, Word("farmer", mark=233), REVOKE)
    reasons = ("made", "march", "lone-march", "euchre", "lone-euchre", "revoke")
    zones = ("play", "turn-up", "say", "show")
    face_down = ("stock", "turn-up")
    options = (
        Option("target", 10, text("points that win the game"), least=1, label=text("Game at")),
        Option("stick_the_dealer", True, text("the dealer must name trumps"), label=text("Stick the dealer")),
        Option("lone_defender", False, text("one may defend alone against one"), label=text("Lone defender")),
        Option("farmers_hand", False, text("a hand of nines and tens is dealt again"), label=text("Farmer’s hand")),
    )

    # The hand

    def hand(self) -> Rules[None]:
        """Deal five each and turn a card up; make trumps; the dealer lays a card away; play the tricks; count."""
        self.clear_tricks()
        self.new_pack()
        deals = text("{name} deals five cards each and turns the next one up.", name=self.players[self.dealer])
        turned = yield from self.deal_and_turn_up(DEALT, deals)
        claims = {FARMER: NINES_AND_TENS} if self.values["farmers_hand"] else {}
        last = yield from self.make_trumps(turned, self.values["stick_the_dealer"], claims)
        if self.maker is None:
            self.report("redeal" if last == FARMER else "passed")
            self.match.dealer = self.dealer if last == FARMER else self.eldest
            return
        if self.trump == turned.suit and self.dealer not in self.sitting_out:
            self.hands[self.dealer].deal([turned])
            self.match.turn_up = None
        if self.alone and self.values["lone_defender"]:
            yield from self.defend_alone(self.maker)
        yield from self.lay_away_to(DEALT)
        yield from self.play_tricks(self.eldest)
        self.count_hand(self.maker)

    def make(self, seat: int, trump: str, alone: bool) -> None:
        """Rank the cards, then let `seat` make `trump`."""
        self.rank(bowers(trump))
        super().make(seat, trump, alone)

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
        self.score_side(side, [(points, reason)])
        self.report("hand-over")
        self.win_or_pass_deal()

    def revoke_costs(self, revoker: int) -> Text:
        """Return what the other side scores; in this hand no other points are scored."""
        points = 4 if any(self.side_of(seat) != self.side_of(revoker) for seat in self.alone) else 2
        template = "{name} should have followed suit: for this hand the others score {points}."
        return text(template, name=self.players[revoker], points=points)
