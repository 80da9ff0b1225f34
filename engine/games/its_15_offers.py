"""What may be done in It's 15: turning a green card, bidding with value cards, showing brown cards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING

from engine.actions import Action
from engine.cards import Card
from engine.errors import Refused
from engine.rules.questions import Offer
from engine.texts import plural, text

if TYPE_CHECKING:
    from engine.games.its_15 import ItsFifteen


def worth(cards: Iterable[Card]) -> int:
    """What value cards are worth, or number cards add up to."""
    return sum(int(card.rank) for card in cards)


class TurnGreen(Offer):
    """A green card is turned to the centre; the pile is whole again in every round."""

    __slots__ = ()
    do = "turn"

    def check(self, action: Action) -> None:
        """Codes: no-such-card."""
        self.check_deck(action.card)
        if action.card and action.card.suit != "green":
            told = text("A green card is turned to the centre, not {card}.", card=action.card.glyph)
            raise Refused("no-such-card", told)

    def actions(self) -> Iterator[Action]:
        """Every green card."""
        return (Action("turn", card=card) for card in self.game.deck if card.suit == "green")


class Bid(Offer):
    """The seat on turn puts value cards forward: to open, to bring what it has put forward to the bid, or to raise."""

    __slots__ = ("may_raise",)
    do = "bid"
    game: ItsFifteen

    def __init__(self, game: ItsFifteen, seat: int, may_raise: bool) -> None:
        super().__init__(game, (seat,))
        self.may_raise = may_raise

    def check(self, action: Action) -> None:
        """Codes: no-such-card, not-your-turn, wrong-count, not-in-hand, wrong-amount."""
        cards = action.cards or ()
        for card in cards:
            if card not in self.game.value_cards:
                self.check_deck(card)
                raise Refused("no-such-card", text("Bids are made with value cards, not with {card}.", card=card.glyph))
        self.check_seat(action)
        if not cards:
            raise Refused("wrong-count", text("Put at least one value card forward, or pass."))
        for seat in self.seats:
            for card, times in Counter(cards).items():
                if times > self.game.held[seat][card]:
                    told = "{name} does not hold {times} × {card}."
                    raise Refused("not-in-hand", text(told, name=self.name(seat), times=times, card=card.glyph))
            if not self._fits(worth(cards)):
                told = "{name} must add {least}, not {amount}, or pass."
                if self.may_raise:
                    told = "{name} must add {least} or more, not {amount}, or pass."
                amounts = {"least": self._missing(), "amount": worth(cards)}
                raise Refused("wrong-amount", text(told, name=self.name(seat), **amounts))

    def _missing(self) -> int:
        """What the seat must add to match the bid; before there is one, the least that it may bid."""
        return max(self.game.amount - worth(self.game.forward[self.seats[0]]), 0) or 1

    def _fits(self, added: int) -> bool:
        return added == self._missing() or (self.may_raise and added > self._missing())

    def actions(self) -> Iterator[Action]:
        """One bid for each amount that the seat's cards can make: in twos, and a one for what is left."""
        for seat in self.seats:
            held = sorted(self.game.held[seat].elements(), key=str)
            twos, ones = [[card for card in held if card.rank == rank] for rank in ("2", "1")]
            for added in range(1, worth(held) + 1):
                pairs = min(len(twos), added // 2)
                singles = added - 2 * pairs
                if singles <= len(ones) and self._fits(added):
                    yield Action("bid", seat, cards=(*twos[:pairs], *ones[:singles]))


class ShowBrown(Offer):
    """Everyone of `seats` turns his brown cards face up, all that he has drawn."""

    __slots__ = ()
    do = "show"
    listed = False
    game: ItsFifteen

    def __init__(self, game: ItsFifteen, seats: tuple[int, ...]) -> None:
        super().__init__(game, seats)

    def check(self, action: Action) -> None:
        """Codes: no-such-card, not-your-turn, wrong-count, already-seen."""
        cards = action.cards or ()
        self.check_deck(*cards)
        for card in cards:
            if card.suit != "brown":
                raise Refused("no-such-card", text("Brown cards are shown, not {card}.", card=card.glyph))
        self.check_seat(action)
        self.check_count(cards, self.game.hand_of(action).size)
        seen = self._seen()
        for card, times in Counter(cards).items():
            if seen[card] + times > self.game.deck.copies(card):
                copies = self.game.deck.copies(card)
                one, many = "There is only {count} card {card}.", "There are only {count} cards {card}."
                raise Refused("already-seen", plural(one, many, copies, card=card.glyph))

    def _seen(self) -> Counter[Card]:
        return Counter(card for cards in self.game.shown.values() for card in cards)

    def actions(self) -> Iterator[Action]:
        """Every set of brown cards that each seat may have drawn."""
        seen = self._seen()
        brown = [card for card in self.game.deck if card.suit == "brown"]
        for seat in self.seats:
            for cards in combinations_with_replacement(brown, self.game.hands[seat].size):
                if all(seen[card] + times <= self.game.deck.copies(card) for card, times in Counter(cards).items()):
                    yield Action("show", seat, cards=cards)
