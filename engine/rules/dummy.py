"""Trick games with a dummy: a hand that lies face up and is played by its owner's partner."""

from __future__ import annotations

from engine.rules.open_hand import OpenHandGame
from engine.rules.tricks import Trick
from engine.texts import plural, text


class DummyGame(OpenHandGame):
    """A trick game in which a seat, the `dummy`, lays its hand open after the opening lead. None: no seat does.

    It is the dummy's turn in its place, but its partner chooses and plays the cards.
    """

    @property
    def dummy(self) -> int | None:
        """The seat whose hand lies open."""
        return self.open_hand

    def acts_for(self, seat: int) -> int:
        """Return the seat that plays the cards of `seat`: its partner for the dummy, otherwise the seat itself."""
        partner = self.partner_of(seat)
        return partner if seat == self.dummy and partner is not None else seat

    def may_lie_open(self, trick: Trick) -> bool:
        """Return whether the opening lead was made."""
        return bool(self.tricks or trick.plays)

    def play_hint(self, trick: Trick) -> str:
        """Return the request to lay the dummy's cards open, or to play one of them."""
        if self.dummy is None or trick.turn != self.dummy or not self.may_lie_open(trick):
            return super().play_hint(trick)
        name, player = self.players[self.dummy], self.players[self.acts_for(self.dummy)]
        if count := self.covered(self.dummy):
            one = "{name} lays the hand open: {count} card to come. {player} plays from it."
            many = "{name} lays the hand open: {count} cards to come. {player} plays from it."
            return plural(one, many, count, name=name, player=player)
        return text("{player} plays from the hand of {name}.", name=name, player=player)
