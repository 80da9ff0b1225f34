"""What opponents may call in All Fives: a revoke, and a card that lies open.

Calls are judged in every phase while the game is on: one that is wrong, or outside its time, is a `bad-call`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from engine.actions import Action
from engine.cards import SUIT_TEXTS, Card
from engine.errors import Refused
from engine.rules.questions import Accusation
from engine.rules.tricks import Trick
from engine.texts import text

if TYPE_CHECKING:
    from engine.games.all_fives import AllFives


class RevokeCall(Accusation):
    """`revoke`: an opponent calls a seat that did not follow suit, with a card of that suit as evidence.

    From the trick's last card, or its gathering, until the next lead; once for each seat.
    """

    game: AllFives
    __slots__ = ()

    def check(self, action: Action) -> None:
        """Codes: no-such-card, bad-call."""
        card, accused = action.card, action.against
        _check_card(self.game, card)
        if accused is None or card is None:
            told = text("A revoke is called against a player, with a card of the suit led as evidence.")
            raise Refused("bad-call", told)
        if accused == action.seat:
            raise Refused("bad-call", text("Nobody calls his own revoke."))
        trick = self.game.trick
        name = self.game.players[accused]
        if trick is None or not trick.complete:
            told = text("A revoke can be called from the end of a trick until the next lead.")
            raise Refused("bad-call", told)
        if not trick.failed(accused):
            raise Refused("bad-call", text("{name} followed suit in this trick.", name=name))
        if accused in trick.called:
            raise Refused("bad-call", text("The revoke of {name} in this trick is called already.", name=name))
        if card.suit != trick.led:
            suit = SUIT_TEXTS[trick.led or card.suit]
            told = text("{card} proves nothing: {suit} were led.", card=card.glyph, suit=suit)
            raise Refused("bad-call", told)
        if not self.game.hands[accused].may_hold(card):
            raise Refused("bad-call", text("{card} is not in the hand of {name}.", card=card.glyph, name=name))

    def actions(self) -> Iterator[Action]:
        """Every caller, every seat that may have revoked, every card that may prove it."""
        trick = self.game.trick
        if trick is None or not trick.complete:
            return
        for accused in self._accused():
            cards = [card for card in self.game.hands[accused].candidates(self.game.deck) if card.suit == trick.led]
            for caller in self.game.every_seat:
                if caller != accused:
                    for card in cards:
                        yield Action("say", caller, card, word="revoke", against=accused)

    def open_to(self, seat: int) -> bool:
        """Whether an opponent did not follow suit and was not called yet."""
        return any(accused != seat for accused in self._accused())

    def _accused(self) -> list[int]:
        trick = self.game.trick
        if trick is None or not trick.complete:
            return []
        return [seat for seat in self.game.every_seat if trick.failed(seat) and seat not in trick.called]


class CardCall(Accusation):
    """`call`: an opponent tells the seat on turn, before it plays, to play a card that lies open before it."""

    game: AllFives
    __slots__ = ()

    def check(self, action: Action) -> None:
        """Codes: no-such-card, bad-call."""
        card, game = action.card, self.game
        _check_card(game, card)
        trick = game.trick
        if trick is None:
            raise Refused("bad-call", text("An exposed card can be called when its owner is to play."))
        hand = game.hands[trick.turn]
        name = game.players[hand.seat]
        if card is None and not hand.exposed:
            raise Refused("bad-call", text("No card lies open before {name}, who is to play.", name=name))
        if card is None:
            raise Refused("bad-call", text("Name the card that is called."))
        if action.seat == hand.seat:
            raise Refused("bad-call", text("Nobody calls his own card."))
        if game.called:
            raise Refused("bad-call", text("{card} is called already.", card=game.called.glyph))
        if card not in hand.exposed:
            told = text("{card} does not lie open before {name}, who is to play.", card=card.glyph, name=name)
            raise Refused("bad-call", told)
        if not self._would_follow(card, trick):
            raise Refused("bad-call", text("{name} would revoke with {card}.", name=name, card=card.glyph))

    def _would_follow(self, card: Card, trick: Trick) -> bool:
        led = None if trick.complete else trick.led
        return led is None or card.suit == led or self.game.hands[trick.turn].surely_void(led)

    def actions(self) -> Iterator[Action]:
        """Every opponent of the seat on turn, every card of its that may be called."""
        trick = self.game.trick
        if trick is None or self.game.called:
            return
        for caller in self.game.every_seat:
            if caller != trick.turn:
                for card in self.game.hands[trick.turn].exposed:
                    if self._would_follow(card, trick):
                        yield Action("say", caller, card, word="call")

    def open_to(self, seat: int) -> bool:
        """Whether the seat on turn has a card open; whether it would revoke with it, only its owner may know."""
        trick = self.game.trick
        if trick is None or self.game.called or seat == trick.turn:
            return False
        return bool(self.game.hands[trick.turn].exposed)


def _check_card(game: AllFives, card: Card | None) -> None:
    if card is not None and card not in game.deck:
        raise Refused("no-such-card", text("{game} has no such card.", game=game.title))
