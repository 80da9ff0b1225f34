"""Trick games in which a seat lays its whole hand open: a dummy, or the declarer of an ouvert in Skat."""

from __future__ import annotations

from collections.abc import Iterator

from engine.actions import Action
from engine.errors import Refused
from engine.rules.offers import Expose
from engine.rules.questions import NotNow, Offer
from engine.rules.state import GameState
from engine.rules.trick_game import TrickGame
from engine.rules.tricks import Trick
from engine.texts import plural, text


class OpenHandGame(TrickGame):
    """A trick game in which a seat, `open_hand`, lays its hand open before the first lead. None: no seat does.

    The cards are laid in the seat's `show` zone one after another, and each is known from then on; they are played from
    the `show` to the `play` zone. Play may go on before every card has been read.
    """

    open_hand: int | None = None

    def clear_tricks(self) -> None:
        """Begin a hand in which no hand lies open."""
        super().clear_tricks()
        self.open_hand = None

    def may_lie_open(self, trick: Trick) -> bool:
        """Return whether the cards of `open_hand` may be laid open now."""
        return True

    def play_offers(self, trick: Trick) -> dict[str, Offer]:
        """Add laying open the cards that do not lie open yet."""
        offers = super().play_offers(trick)
        if self.open_hand is not None and self.may_lie_open(trick) and self.covered(self.open_hand):
            offers["expose"] = LayOpen(self, self.open_hand)
        return offers

    def play_hint(self, trick: Trick) -> str:
        """Return the request to lay the hand open, before the first lead."""
        seat = self.open_hand
        if seat is None or self.tricks or trick.plays or not self.may_lie_open(trick) or not self.covered(seat):
            return super().play_hint(trick)
        single = "{name} lays the hand open: {count} card still to come. Then {leader} leads."
        many = "{name} lays the hand open: {count} cards still to come. Then {leader} leads."
        return plural(single, many, self.covered(seat), name=self.players[seat], leader=self.players[trick.turn])

    def meanwhile(self, trick: Trick, action: Action) -> None:
        """Also lay a card of the hand open."""
        if action.do == "expose" and action.card:
            hand = self.hand_of(action)
            if hand.expose(action.card):
                self.revoke_proved(hand.seat, action.card)
        else:
            super().meanwhile(trick, action)

    def covered(self, seat: int) -> int:
        """Return how many cards of the hand do not lie open yet."""
        hand = self.hands[seat]
        return hand.size - len(hand.exposed)


class LayOpen(Expose):
    """Laying open a card of the hand of `seat`."""

    __slots__ = ()

    def __init__(self, game: GameState, seat: int) -> None:
        super().__init__(game)
        self.seats: tuple[int, ...] = (seat,)

    def check(self, action: Action) -> None:
        """Codes: those of `Expose`. Another seat may not expose cards."""
        if action.seat not in self.seats:
            raise NotNow
        super().check(action)
        hand = self.game.hand_of(action)
        if action.card not in hand.exposed and len(hand.exposed) >= hand.size:
            raise Refused("wrong-count", text("All cards of {name} lie open already.", name=self.name(hand.seat)))

    def candidates(self) -> Iterator[Action]:
        """Yield each card that the hand may hold."""
        for card in self.game.hands[self.seats[0]].candidates(self.game.deck):
            yield Action("expose", self.seats[0], card)
