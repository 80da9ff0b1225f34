"""Fifteen, for two: the rules in the order in which the rule book gives them.

The source's rules, and the rulings where it is silent, are in docs/reference/games/fifteen.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar, Final

from engine.actions import Action
from engine.cards import SUIT_TEXTS, Card
from engine.errors import Refused
from engine.rules.crib_game import CRIB, THE_CRIB, CribGame
from engine.rules.game import Option, Rules
from engine.rules.offers import Turn
from engine.rules.questions import Offer, Say
from engine.rules.state import GameState
from engine.rules.trick_game import TrickGame
from engine.texts import text
from engine.views import FeatKind, SeatNote
from engine.words import Word

DEALT: Final = 7
LAID_AWAY: Final = 2
HELD: Final = DEALT - LAID_AWAY
CRIB_SIZE: Final = 4


def count_cards(cards: Iterable[Card], turn_up: Card) -> list[tuple[int, str]]:
    """Return points and reasons for cards won in tricks or found in the crib: each trump, each card of the turn-up's
    rank.

    With the five of spades turned up, as in the source:

    >>> from engine.cards import parse_card as card
    >>> count_cards([card("5D"), card("AS"), card("3S")], card("5S"))
    [(2, 'trump'), (1, 'rank')]
    """
    cards = tuple(cards)
    trumps = sum(card.suit == turn_up.suit for card in cards)
    ranks = sum(card.rank == turn_up.rank for card in cards)
    return [(points, reason) for points, reason in ((trumps, "trump"), (ranks, "rank")) if points]


class Fifteen(TrickGame, CribGame):
    """Fifteen. See `Game` for the attributes and the coroutines."""

    name = "fifteen"
    title = "Fifteen"
    about = text("A quick trick game: trumps and cards of the rank that was turned up score.")
    seats = range(2, 3)
    words = (Word("accept", mark=106), Word("beg", mark=101), Word("switch", mark=107), Word("take-one", mark=102))
    reasons = ("trump", "rank", "beg", "crib-cap")
    zones = ("play", "turn-up", "crib", "say")
    feat_kinds: ClassVar = {"tricks": FeatKind(text("Best hand")), "crib": FeatKind(text("Best crib"))}
    options = (Option("target", 15, text("points that win the game"), least=1, label=text("Play to")),)

    # The hand

    def hand(self) -> Rules[None]:
        """Deal, lay cards away in the crib, settle the turn-up, play the tricks, count."""
        self.clear_tricks()
        turned = yield from self.deal_and_lay_away(DEALT, LAID_AWAY)
        self.turn_trumps(turned)
        word = yield from self.say(self.eldest, "accept", "beg", "switch")
        if word == "beg":
            turned = yield from self.beg(turned)
        elif word == "switch":
            turned = yield from self.switch(turned)
        self.turn_trumps(turned)
        if self.match.over:
            return
        yield from self.play_tricks(self.eldest if word == "accept" else self.dealer)
        yield from self.count_hand(turned, HELD if word == "switch" else CRIB_SIZE)

    def beg(self, turned: Card) -> Rules[Card]:
        """Let the dealer give a point or exchange the turn-up for another card. Return the turn-up that stands."""
        template = "{name}: say take one, or replace the turn-up with a card of another suit and rank."
        hint = text(template, name=self.players[self.dealer])
        take_one = Say(self, self.dealer, ("take-one",))
        action = yield self.question("say", self.dealer, take_one, Give(self, turned), hint=hint)
        if action.do == "give" and action.card:
            hand = self.hands[self.dealer]
            hand.lay(action.card)
            hand.deal([turned])
            self.turn_up(action.card)
            return action.card
        self.score(self.eldest, 1, "beg")
        self.win_at_target(self.eldest)
        return turned

    def switch(self, turned: Card) -> Rules[Card]:
        """Let eldest take the crib and the turn-up; the old hand becomes the crib, and the next card is turned up."""
        hand, crib = self.hands[self.eldest], self.crib
        hand.lay_away(tuple(hand.known) if hand.complete else None, HELD, CRIB)
        hand.deal((*crib, turned))
        hand.deal_unseen(CRIB_SIZE - len(crib))
        self.trump = self.match.turn_up = None
        action = yield self.question("turn", None, Turn(self))
        self.turn_up(action.card or turned)
        return action.card or turned

    def count_hand(self, turned: Card, crib_size: int) -> Rules[None]:
        """Count eldest's tricks, the dealer's tricks, and the crib for the dealer, who cannot win by it."""
        for seat in (self.eldest, self.dealer):
            self._count(seat, self.won_by(seat), turned)
            if self.match.scores[seat] >= self.values["target"]:
                self.report("hand-over")
                self.win(seat)
                return
        crib = yield from self.ask_for_crib(crib_size)
        self._count(self.dealer, crib, turned, THE_CRIB)
        too_many = self.match.scores[self.dealer] - (self.values["target"] - 1)
        if too_many > 0:
            self.score(self.dealer, -too_many, "crib-cap")
        self.report("hand-over")
        self.match.dealer = self.eldest

    def note(self, seat: int) -> SeatNote:
        """Return what the seat's tricks score so far; and that the crib counts for the dealer."""
        role, turned = text("crib") if seat == self.match.dealer else "", self.match.turn_up
        if self.trick is None or turned is None:
            return SeatNote(role)
        return SeatNote(role, sum(points for points, _ in count_cards(self.cards_taken(seat), turned)))

    def _count(self, seat: int, cards: Sequence[Card], turned: Card, name: str = "") -> None:
        scored = count_cards(cards, turned)
        for points, reason in scored:
            self.score(seat, points, reason)
        self.note_feat("crib" if name else "tricks", seat, sum([points for points, _ in scored]))
        scoring = {"trump": lambda card: card.suit == turned.suit, "rank": lambda card: card.rank == turned.rank}
        self.add_count(seat, cards, [(*found, filter(scoring[found[1]], cards)) for found in scored], turned, name)


class Give(Offer):
    """Exchanging the turn-up, by the dealer, for a card of the hand of another suit and another rank."""

    __slots__ = ("turned",)
    do = "give"

    def __init__(self, game: GameState, turned: Card) -> None:
        super().__init__(game, (game.dealer,))
        self.turned = turned

    def check(self, action: Action) -> None:
        """Codes: no-such-card, not-your-turn, already-seen, not-in-hand, bad-exchange."""
        card, hand = action.card, self.game.hands[self.seats[0]]
        self.check_deck(card)
        self.check_seat(action)
        if card is None:
            return
        self.check_elsewhere((card,), hand)
        self.check_held((card,), hand)
        if card.suit == self.turned.suit or card.rank == self.turned.rank:
            suit, rank = SUIT_TEXTS[self.turned.suit], self.turned.rank
            message = text("Give a card that is neither a {rank} nor one of the {suit}.", suit=suit, rank=rank)
            raise Refused("bad-exchange", message)
