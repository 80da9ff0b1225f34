"""Trick games with a dummy: a hand that lies face up and is played by its owner's partner."""

from __future__ import annotations

from collections.abc import Iterator

from engine.actions import Action
from engine.errors import Refused
from engine.rules.checked import NotNow
from engine.rules.offers import Expose
from engine.rules.questions import Offer
from engine.rules.state import GameState
from engine.rules.trick_game import TrickGame
from engine.rules.tricks import Trick
from engine.texts import plural, text


class DummyGame(TrickGame):
    """A trick game in which a seat, the `dummy`, lays its hand open after the opening lead. None: no seat does.

    The cards are laid in the dummy's `show` zone one after another, and each is known from then on. It is the dummy's
    turn in its place, but its partner chooses and plays the cards: they go from the `show` to the `play` zone. The
    play may go on before every card could be read.
    """

    dummy: int | None = None

    def clear_tricks(self) -> None:
        """Begin a hand without a dummy."""
        super().clear_tricks()
        self.dummy = None

    def acts_for(self, seat: int) -> int:
        """Return the seat that plays the cards of `seat`: its partner for the dummy, otherwise the seat itself."""
        partner = self.partner_of(seat)
        return partner if seat == self.dummy and partner is not None else seat

    def play_offers(self, trick: Trick) -> dict[str, Offer]:
        """Add, after the opening lead, laying open the dummy's cards."""
        offers = super().play_offers(trick)
        if self.dummy is not None and (self.tricks or trick.plays) and self._covered():
            offers["expose"] = LayOpen(self, self.dummy)
        return offers

    def play_hint(self, trick: Trick) -> str:
        """Return the request to lay the dummy's cards open, or to play one of them."""
        if trick.turn != self.dummy or not (self.tricks or trick.plays):
            return super().play_hint(trick)
        name, player = self.players[self.dummy], self.players[self.acts_for(self.dummy)]
        if count := self._covered():
            one = "{name} lays the hand open: {count} card to come. {player} plays from it."
            many = "{name} lays the hand open: {count} cards to come. {player} plays from it."
            return plural(one, many, count, name=name, player=player)
        return text("{player} plays from the hand of {name}.", name=name, player=player)

    def meanwhile(self, trick: Trick, action: Action) -> None:
        """Also lay open a card of the dummy."""
        if action.do == "expose" and action.card:
            hand = self.hand_of(action)
            if hand.expose(action.card):
                self.revoke_proved(hand.seat, action.card)
        else:
            super().meanwhile(trick, action)

    def _covered(self) -> int:
        """Return how many cards of the dummy do not lie open yet."""
        hand = self.hands[self.dummy or 0]
        return hand.size - len(hand.exposed)


class LayOpen(Expose):
    """Laying open a card of the dummy."""

    __slots__ = ()

    def __init__(self, game: GameState, dummy: int) -> None:
        super().__init__(game)
        self.seats: tuple[int, ...] = (dummy,)

    def check(self, action: Action) -> None:
        """Codes: as `Expose`; another seat may not expose cards."""
        if action.seat not in self.seats:
            raise NotNow
        super().check(action)
        hand = self.game.hand_of(action)
        if action.card not in hand.exposed and len(hand.exposed) >= hand.size:
            raise Refused("wrong-count", text("All cards of {name} lie open already.", name=self.name(hand.seat)))

    def candidates(self) -> Iterator[Action]:
        """Yield each card that the dummy may hold."""
        for card in self.game.hands[self.seats[0]].candidates(self.game.deck):
            yield Action("expose", self.seats[0], card)
