"""Games with a crib: dealing, laying away into the crib, turning a card up, and showing the crib to be counted.

The table knows the cards of the crib that were named when they were laid away. If it does not know all, it asks for the
crib when it must be counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations
from typing import ClassVar, Final

from engine.actions import Action
from engine.cards import Card
from engine.errors import Refused
from engine.rules.game import Game, Rules
from engine.rules.hands import Pile
from engine.rules.offers import Deal, Discard, Turn
from engine.rules.questions import Offer, Question
from engine.texts import Text, template, text

CRIB: Final = Pile("crib", template("{card} is in the crib."))
THE_CRIB: Final = text("the crib")


class CribGame(Game):
    """A game in which every player lays cards away in a crib, which is counted at the end of the hand.

    `turns`: the request to turn the next card up, as players of the game say it.
    """

    turns: ClassVar[Text] = text("turn the next card up")

    @property
    def crib(self) -> tuple[Card, ...]:
        """The cards that the table knows to be in the crib."""
        return tuple([card for card, where in self.pack.place.items() if where is CRIB])

    def deal_and_lay_away(self, dealt: int, away: int) -> Rules[Card]:
        """Deal `dealt` cards to each seat, which lays `away` of them in the crib; then turn a card up and return it.

        Seats are dealt cards and lay cards away in any order, but each seat is dealt cards first; the cards may be
        named or not. Only known hands must lay cards away before a card is turned up.
        """
        self.new_pack()
        for hand in self.hands:
            hand.deal_unseen(dealt)
        deal, turn = Deal(self, dict.fromkeys(self.every_seat, dealt)), Turn(self)
        discard = Discard(self, self.every_seat, away)
        offers: dict[str, Offer] = {"deal": deal, "discard": discard, "turn": turn}
        if gather := self.last_gather():
            offers["gather"] = gather
        hint = _deal_hint(self.players[self.dealer], dealt, away, self.turns)
        question = Question("deal", None, offers, hint)  # asked again after each action, because the offers change
        waits: list[int] = []  # the seats with known hands that must still lay cards away
        action = yield question
        if action.do == "gather":
            del offers["gather"]
            self.gather_last()
            action = yield question
        offers.pop("gather", None)
        self.clear_table()
        while action.card is None:
            hand = self.hand_of(action)
            seat = hand.seat
            if seat in deal.seats:
                deal.done_by(seat)
            if action.do == "deal":
                hand.become_known(action.cards or ())
                waits.append(seat)
                offers.pop("turn", None)
            else:
                hand.lay_away(action.cards, away, CRIB)
                discard.done_by(seat)
                if seat in waits:
                    waits.remove(seat)
                    if not waits:
                        offers["turn"] = turn
            if not deal.seats:
                question.phase, question.hint = ("discard", hint) if waits else ("turn", "")
            action = yield question
        for seat in discard.seats:
            self.hands[seat].lay_away(None, away, CRIB)
        self.turn_up(action.card)
        return action.card

    def ask_for_crib(self, size: int) -> Rules[tuple[Card, ...]]:
        """Return the `size` cards of the crib; the dealer shows them if the table does not know them all."""
        if len(crib := self.crib) == size:
            return crib
        name = self.players[self.dealer]
        hint = text("{name}: turn the crib over and lay its cards open in the crib zone.", name=name)
        while True:
            action = yield self.question("show", None, ShowCrib(self, size), self.last_gather(), hint=hint)
            self.gather_last()
            if action.do == "show":
                return action.cards or ()


@cache
def _deal_hint(name: str, dealt: int, away: int, turn: Text) -> Text:
    template = "{name} deals {dealt} each. Everyone puts {away} in the crib, then {turn}."
    return text(template, name=name, dealt=dealt, away=away, turn=turn)


class ShowCrib(Offer):
    """Laying all `size` cards of the crib face up to be counted."""

    __slots__ = ("size",)
    do = "show"
    listed = False
    game: CribGame

    def __init__(self, game: CribGame, size: int) -> None:
        super().__init__(game)
        self.size = size

    def check(self, action: Action) -> None:
        """Codes: no-such-card, not-your-turn, wrong-count, already-seen, not-in-hand (a crib card missing)."""
        cards = action.cards or ()
        self.check_deck(*cards)
        if action.seat != "crib":
            raise Refused("not-your-turn", text("The crib must be shown now, not a hand."))
        self.check_count(cards, self.size)
        self.check_elsewhere(cards, CRIB)
        for card in self.game.crib:
            if card not in cards:
                message = text("{card} was laid in the crib, but is not among these cards.", card=card.glyph)
                raise Refused("not-in-hand", message)

    def known_actions(self) -> Iterator[Action]:
        """Yield showing the crib if the table knows it."""
        if len(self.game.crib) == self.size:
            yield Action("show", "crib", cards=self.game.crib)

    def actions(self) -> Iterator[Action]:
        """Yield every crib that could be shown; the list is very long."""
        known = self.game.crib
        for cards in combinations(self.game.pack.unaccounted(), self.size - len(known)):
            yield Action("show", "crib", cards=known + cards)
