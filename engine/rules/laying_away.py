"""Trick games in which large hands are reduced to a number of cards before the first lead."""

from __future__ import annotations

from collections.abc import Iterable

from engine.actions import Action
from engine.cards import Card
from engine.rules.game import Rules
from engine.rules.hands import LAID_AWAY, Hand
from engine.rules.offers import Discard
from engine.rules.questions import Offer
from engine.rules.trick_game import TrickGame
from engine.rules.tricks import Trick
from engine.texts import Text, plural, text


class LayingAwayGame(TrickGame):
    """A trick game whose hands may be dealt more cards than are played.

    Known hands must name the cards that they lay away before the play begins, by record, across a reader, or by laying
    them open in *show* before they are taken up. Hidden hands may name them; otherwise
    they count as laid away at the first lead. `to_discard`: the seats that must still lay cards away.
    """

    _held = 0

    def clear_tricks(self) -> None:
        """Begin a hand in which no seat has cards to lay away."""
        super().clear_tricks()
        self.to_discard: set[int] = set()

    def lay_away_to(self, held: int) -> Rules[None]:
        """Require each seat with more than `held` cards to lay the rest away. Their hands must be of one size."""
        self._held = held
        self.to_discard = {hand.seat for hand in self.hands if hand.size > held}
        while any(self.hands[seat].complete for seat in self.to_discard):
            action = yield self.question("discard", None, self._discards(NamedDiscard), hint=self._hint())
            self._lay_away(self.hand_of(action), action.cards)

    def play_offers(self, trick: Trick) -> dict[str, Offer]:
        """Add, until the first lead, laying cards away from hidden hands."""
        offers = super().play_offers(trick)
        if self.to_discard:
            offers["discard"] = self._discards()
        return offers

    def play_hint(self, trick: Trick) -> str:
        """Return the request to lay cards away, before the first lead."""
        if not self.to_discard:
            return super().play_hint(trick)
        return self._hint(self.players[trick.turn])

    def meanwhile(self, trick: Trick, action: Action) -> None:
        """Also lay cards away."""
        if action.do == "discard":
            self._lay_away(self.hand_of(action), action.cards)
        else:
            super().meanwhile(trick, action)

    def play(self, trick: Trick, card: Card) -> None:
        """Also, at the first lead, lay the cards away for each hand that has not named them."""
        self.lay_rest_away()
        super().play(trick, card)

    def lay_rest_away(self) -> None:
        """Lay the cards away for each hand that has not named them."""
        while self.to_discard:
            self._lay_away(self.hands[self.to_discard.pop()], None)

    def _hint(self, leader: str = "") -> Text:
        """Return the request to lay cards away. `leader`: who leads then, if they need not be named first."""
        if len(self.to_discard) == 1 < len(self.players):
            (seat,) = self.to_discard
            count, name = self.hands[seat].size - self._held, self.players[seat]
            if not leader:
                one, many = "{name} lays {count} card away face down.", "{name} lays {count} cards away face down."
                return plural(one, many, count, name=name)
            one = "{name} lays {count} card away face down; then {leader} leads."
            many = "{name} lays {count} cards away face down; then {leader} leads."
            return plural(one, many, count, name=name, leader=leader)
        if not leader:
            return text("Everybody keeps {count} cards and lays the others away face down.", count=self._held)
        template = "Everybody keeps {count} cards and lays the others away face down; then {name} leads."
        return text(template, count=self._held, name=leader)

    def _discards(self, kind: type[UnlistedDiscard] | None = None) -> UnlistedDiscard:
        seats = tuple(sorted(self.to_discard))
        return (kind or UnlistedDiscard)(self, seats, self.hands[seats[0]].size - self._held)

    def _lay_away(self, hand: Hand, cards: Iterable[Card] | None) -> None:
        hand.lay_away(cards, hand.size - self._held, LAID_AWAY)
        self.to_discard.discard(hand.seat)


class UnlistedDiscard(Discard):
    """Laying away so many cards that the choices are not listed as legal actions."""

    __slots__ = ()
    listed = False


class NamedDiscard(UnlistedDiscard):
    """The same, if the cards of known hands are still to be named."""

    __slots__ = ()
    laid_in = "show"
