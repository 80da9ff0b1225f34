"""Games with a crib: dealing, laying away into the crib, turning a card up, and showing the crib to be counted.

The table knows of the crib what was laid away by name. What it does not know it asks for, when it is to be counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Final

from engine.actions import Action
from engine.cards import Card
from engine.errors import Refused
from engine.rules.game import Game, Rules
from engine.rules.hands import Pile
from engine.rules.offers import Deal, Discard, Turn
from engine.rules.questions import Offer, Question
from engine.texts import text

CRIB: Final = Pile("crib")


class CribGame(Game):
    """A game in which every player lays cards away into a crib, which is counted at the end of the hand."""

    @property
    def crib(self) -> tuple[Card, ...]:
        """The cards of which the table knows that they lie in the crib."""
        return tuple([card for card, where in self.pack.place.items() if where is CRIB])

    _dealt = _away = 0

    def hint(self, ask: Question) -> str:
        """How many cards are dealt and laid away, and the crib where it is to be shown."""
        match ask.phase:
            case "deal" | "discard":
                return text(
                    "{name} deals {dealt} each; everybody lays {away} face down into the crib; "
                    "then the next card is turned up.",
                    name=self.players[self.dealer],
                    dealt=self._dealt,
                    away=self._away,
                )
            case "show":
                return text(
                    "{name}: turn the crib over and lay its cards open in the crib zone.",
                    name=self.players[self.dealer],
                )
        return ""

    def deal_and_lay_away(self, dealt: int, away: int) -> Rules[Card]:
        """`dealt` cards to each, of which each lays `away` into the crib; then a card is turned up and returned.

        Hands are dealt, by name or not, and cards laid away, by name or not, in any order; a seat's hand before
        its cards. The card turned up waits for the cards of known hands only.
        """
        self.new_pack()
        self._dealt, self._away = dealt, away
        for hand in self.hands:
            hand.deal_unseen(dealt)
        deal = Deal(self, self.every_seat, dealt)
        discard = Discard(self, self.every_seat, away)
        turn, gather = Turn(self), self.last_gather()
        waits: list[int] = []  # for the cards of these known hands
        while True:
            offers: dict[str, Offer] = {"deal": deal, "discard": discard}
            if not waits:
                offers["turn"] = turn
            if gather:
                offers["gather"] = gather
            action = yield Question("deal" if deal.seats else "discard" if waits else "turn", None, offers)
            gather = None
            if action.do == "gather":
                self.gather_last()
                continue
            if len(deal.seats) == len(self.players):
                self.clear_table()
            if action.card:
                break
            hand = self.hand_of(action)
            seat = hand.seat
            if seat in deal.seats:
                deal = Deal(self, tuple([other for other in deal.seats if other != seat]), dealt)
            if action.do == "deal":
                hand.become_known(action.cards or ())
                waits.append(seat)
                continue
            hand.lay_away(action.cards, away, CRIB)
            discard = Discard(self, tuple([other for other in discard.seats if other != seat]), away)
            if seat in waits:
                waits.remove(seat)
        for seat in discard.seats:
            self.hands[seat].lay_away(None, away, CRIB)
        self.pack.put(action.card)
        self.match.turn_up = action.card
        return action.card

    def ask_for_crib(self, size: int) -> Rules[tuple[Card, ...]]:
        """The crib of `size` cards: as the table knows it, or as it is shown now."""
        if len(crib := self.crib) == size:
            return crib
        while True:
            action = yield self.ask("show", None, ShowCrib(self, size), self.last_gather())
            self.gather_last()
            if action.do == "show":
                return action.cards or ()


class ShowCrib(Offer):
    """The crib is laid open to be counted, all of its `size` cards."""

    __slots__ = ("size",)
    do = "show"
    listed = False
    game: CribGame

    def __init__(self, game: CribGame, size: int) -> None:
        super().__init__(game)
        self.size = size

    def check(self, action: Action) -> None:
        """Codes: no-such-card, not-your-turn, wrong-count, already-seen, not-in-hand (a card known to lie there)."""
        cards = action.cards or ()
        self.check_deck(*cards)
        if action.seat != "crib":
            raise Refused("not-your-turn", text("It is the crib that is to be shown now, not a hand."))
        self.check_count(cards, self.size)
        self.check_elsewhere(cards, CRIB)
        for card in self.game.crib:
            if card not in cards:
                told = text("{card} was laid into the crib and is missing.", card=card.glyph)
                raise Refused("not-in-hand", told)

    def actions(self) -> Iterator[Action]:
        """Every crib that could be shown: a very long list."""
        known = self.game.crib
        for cards in combinations(self.game.pack.unaccounted(), self.size - len(known)):
            yield Action("show", "crib", cards=known + cards)
