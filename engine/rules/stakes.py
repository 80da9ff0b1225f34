"""Betting with value cards: the cards that players hold and have bid in this round, and the offer to bid. A card is
worth its number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from engine.actions import Action
from engine.cards import Card
from engine.errors import Refused
from engine.rules.questions import Offer
from engine.rules.state import GameState
from engine.texts import text


def worth(cards: Iterable[Card]) -> int:
    """Return the sum of the numbers on `cards`.

    >>> from engine.cards import parse_card
    >>> worth([parse_card("red-1"), parse_card("red-2"), parse_card("red-2")])
    5
    """
    return sum(int(card.rank) for card in cards)


class Stakes:
    """The value cards in one round of betting. `held`: per seat, the cards that it still holds. `forward`: per seat,
    the cards that it has bid. `amount`: the current bid, 0 before the first.
    """

    def __init__(self, held: Sequence[Mapping[Card, int]]) -> None:
        self.held: list[Counter[Card]] = [Counter(cards) for cards in held]
        self.forward: list[list[Card]] = [[] for _ in held]
        self.amount = 0

    def put_forward(self, seat: int, cards: Sequence[Card]) -> bool:
        """Bid `cards` for `seat`. Return whether its bid is now higher than the previous one."""
        self.held[seat].subtract(cards)
        self.forward[seat] += cards
        bid = worth(self.forward[seat])
        raised = bid > self.amount
        self.amount = max(self.amount, bid)
        return raised

    def missing(self, seat: int) -> int:
        """Return the amount that `seat` must add to match the bid; before the first bid 1, the least bid."""
        return max(self.amount - worth(self.forward[seat]), 1)

    @property
    def pot(self) -> list[Card]:
        """All cards that were bid, by seat."""
        return [card for cards in self.forward for card in cards]


class Bid(Offer):
    """Bidding value cards, by the seat on turn: to open, to match the bid, or, if it `may_raise`, to raise it.
    `value_cards`: the cards allowed in bids.
    """

    __slots__ = ("may_raise", "seat", "stakes", "value_cards")
    do = "bid"

    def __init__(
        self, game: GameState, seat: int, stakes: Stakes, value_cards: frozenset[Card], may_raise: bool
    ) -> None:
        super().__init__(game, (seat,))
        self.seat = seat
        self.stakes = stakes
        self.value_cards = value_cards
        self.may_raise = may_raise

    def check(self, action: Action) -> None:
        """Codes: no-such-card, not-your-turn, wrong-count, not-in-hand, wrong-amount."""
        cards = action.cards or ()
        for card in cards:
            if card not in self.value_cards:
                self.check_deck(card)
                raise Refused("no-such-card", text("Bids are made with value cards, not with {card}.", card=card.glyph))
        self.check_seat(action)
        if not cards:
            raise Refused("wrong-count", text("Put at least one value card forward, or pass."))
        for card, times in Counter(cards).items():
            if times > self.stakes.held[self.seat][card]:
                template = "{name} does not hold {times} × {card}."
                raise Refused("not-in-hand", text(template, name=self.name(self.seat), times=times, card=card.glyph))
        missing, added = self.stakes.missing(self.seat), worth(cards)
        if added < missing or (added > missing and not self.may_raise):
            template = "{name} must add {least}, not {amount}, or pass."
            if self.may_raise:
                template = "{name} must add {least} or more, not {amount}, or pass."
            raise Refused("wrong-amount", text(template, name=self.name(self.seat), least=missing, amount=added))

    def candidates(self) -> Iterator[Action]:
        """Yield one bid for each amount that the seat's cards can make: as many twos as possible, then ones."""
        held = sorted(self.stakes.held[self.seat].elements(), key=str)
        twos, ones = [[card for card in held if card.rank == rank] for rank in ("2", "1")]
        for added in range(1, worth(held) + 1):
            pairs = min(len(twos), added // 2)
            singles = added - 2 * pairs
            if singles <= len(ones):
                yield Action("bid", self.seat, cards=(*twos[:pairs], *ones[:singles]))
