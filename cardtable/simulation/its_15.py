"""Robots for It's 15. They draw, bid, raise, bluff and show."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Final

from cardtable.simulation.director import Act, Face
from cardtable.simulation.players import Players
from engine.actions import Action
from engine.cards import Card
from engine.games.its_15 import COLOURS, FIFTEEN, OPTIONS, make_deck, worth
from engine.observations import Zone
from engine.record import Header

DRAW: Final = 5
"""A player this far or further below fifteen draws another card."""
WHIM: Final = 0.1
"""Probability of deciding the other way."""
DRAWN_UNSAID: Final = 0.5
"""Probability that the second card is laid face down without saying `card`."""
OPEN: Final = (0.85, 0.75, 0.55, 0.4, 0.2)
"""Probability of the first bid, by the distance from fifteen; the last for all larger distances."""
MATCH: Final = (0.97, 0.9, 0.75, 0.55, 0.25)
"""Probability of matching a bid, likewise."""
RAISE: Final = 0.2
"""Probability that a player near fifteen raises the bid."""
MOST_CARDS: Final = 4
"""Largest number of value cards in one bid."""

_TABLE: Final = Zone("table")


class ItsFifteen(Players):
    """The players of It's 15. `_held`: the value cards of each seat. `_forward`: those bid in this round."""

    cut_for_deal = False
    deals = False

    def __init__(self, header: Header, rng: Random) -> None:
        super().__init__(header, rng)
        values = {option.name: int(str(header.options.get(option.name, option.default))) for option in OPTIONS}
        cards = make_deck(len(self._seats), values).cards
        self._brown = [card for card in cards if card.suit == "brown"]
        self._green = [card for card in cards if card.suit == "green"]
        self._held = [[card for card in cards if card.suit == COLOURS[seat]] for seat in self._seats]
        self._forward: list[list[Card]] = [[] for _ in self._seats]

    def _hand(self) -> Iterator[Act]:
        starter = self._dealer()
        self._pack, self._forward = list(self._brown), [[] for _ in self._seats]
        self._rng.shuffle(self._pack)
        self._hands = [self._from_pack(1) for _ in self._seats]
        for seat in self._in_turn(starter - 1):
            yield Act("lay", seat, None, Zone("show", seat))
        centre = self._rng.choice(self._green)
        yield self._lay(starter, centre, _TABLE, Action("turn", card=centre))
        while self.table.phase == "say":
            yield from self._draw(centre)
        while self.table.phase == "bid":
            yield from self._bid(centre)
        if self.table.phase == "show":
            yield from self._showdown()
        yield from self._settle(starter)

    # Drawing

    def _draw(self, centre: Card) -> Iterator[Act]:
        """Let the seat on turn take one more card, or stay."""
        seat = self.table.turn
        assert seat is not None
        lacks = FIFTEEN - worth(self._hands[seat]) - int(centre.rank)
        if (lacks >= DRAW) == (self._rng.random() < WHIM):
            yield from self._say(seat, "stay")
            return
        self._hands[seat] += self._from_pack(1)
        if self._rng.random() < DRAWN_UNSAID:
            yield self._lay(seat, None, Zone("show", seat), Action("say", seat=seat, word="card"))
        else:
            yield from self._say(seat, "card")
            yield Act("lay", seat, None, Zone("show", seat), tidy=True)

    # Bidding

    def _bid(self, centre: Card) -> Iterator[Act]:
        """Let the seat on turn bid value cards, or pass."""
        seat = self.table.turn
        assert seat is not None
        off = min(abs(FIFTEEN - worth(self._hands[seat]) - int(centre.rank)), len(OPEN) - 1)
        cards = self._offer(seat, off)
        if not cards:
            yield from self._say(seat, "pass")
            return
        for card in cards:
            self._held[seat].remove(card)
        self._forward[seat] += cards
        yield from self._lay_all(seat, cards, Zone("bid", seat), Action("bid", seat=seat, cards=tuple(cards)))

    def _offer(self, seat: int, off: int) -> list[Card]:
        """Return the cards that the seat, `off` points from fifteen, bids; none if it passes."""
        bid = max(worth(cards) for cards in self._forward)
        missing = bid - worth(self._forward[seat])
        if self._rng.random() >= (MATCH if bid else OPEN)[off]:
            return []
        if not bid:
            amount = self._rng.choices((1, 2, 3, 4, 5), (3, 4, 3, 2, 1))[0]
        else:
            raises = off < 2 and self._rng.random() < RAISE
            amount = missing + (self._rng.randint(1, 2) if raises else 0)
        for wanted in (amount, missing or 1):
            cards = self._paying(seat, wanted)
            if cards and self.table.can(Action("bid", seat=seat, cards=tuple(cards))):
                return cards
        return []

    def _paying(self, seat: int, amount: int) -> list[Card]:
        """Return at most `MOST_CARDS` value cards worth `amount`; none if the seat has no such cards."""
        held = self._rng.sample(self._held[seat], len(self._held[seat]))
        ones = [card for card in held if card.rank == "1"]
        twos = [card for card in held if card.rank == "2"]
        ways = [
            twos[:pairs] + ones[: amount - 2 * pairs]
            for pairs in range(min(len(twos), amount // 2) + 1)
            if amount - 2 * pairs <= len(ones) and amount - pairs <= MOST_CARDS
        ]
        cards = self._rng.choice(ways) if ways else []
        return self._rng.sample(cards, len(cards))

    # The end of the round

    def _showdown(self) -> Iterator[Act]:
        """Let each player still in take up the brown cards and lay them open, in any order."""
        for seat in self._rng.sample(self._seats, len(self._seats)):
            cards, zone = self._hands[seat], Zone("show", seat)
            action = Action("show", seat=seat, cards=tuple(cards))
            if self.table.phase == "show" and self.table.can(action):
                yield Act("sweep", seat, faces=((None, zone),) * len(cards))
                yield from self._lay_all(seat, cards, zone, action)

    def _settle(self, starter: int) -> Iterator[Act]:
        """Give the pot to the winner, or leave it on the table after a tie, and clear the other cards away."""
        winner = next((event.seat for event in self._news if event.event == "round"), None)
        pot = [(placed.face, placed.zone) for placed in self._lying if _is_value(placed.face)]
        if winner is not None and pot:
            self._held[winner] += [card for card, _ in pot if isinstance(card, Card)]
            yield Act("sweep", winner, faces=tuple(pot), tidy=True)
        elif not self.table.over:
            for card, zone in pot:
                if zone != _TABLE:
                    yield Act("move", starter, card, zone, to=_TABLE, tidy=True)
        rest = [(placed.face, placed.zone) for placed in self._lying if self.table.over or not _is_value(placed.face)]
        yield Act("sweep", starter, faces=tuple(rest), tidy=True)


def _is_value(face: Face | None) -> bool:
    """Return whether it is a value card."""
    return isinstance(face, Card) and face.suit in COLOURS
