"""Robots for Cribbage. They usually choose the best card; a go is said, or left out until another player plays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations
from random import Random
from typing import Final

from cardtable.simulation.director import Act, Spot
from cardtable.simulation.players import Players
from engine.actions import Action
from engine.cards import Card
from engine.games.cribbage import CRIB_SIZE, DEALT
from engine.games.cribbage.counting import LIMIT, ORDER, VALUE, count_hand, count_play
from engine.observations import ActionCard, Zone
from engine.record import Header

CARELESS: Final = 0.15
"""Probability that a card is chosen at random, not by its points."""
GO_UNSAID: Final = 0.5
"""Probability that no go is said and the next player simply plays."""
WRONG_GO: Final = 0.03
"""Probability that a player says go although a card could be played."""
REFUSED_GO: Final = 0.06
"""The same if the table knows the hand and refuses the go."""
UNTIDY: Final = 0.2
"""Probability that a player leaves the cards of earlier counts on the table until the hand is over."""

_STARTERS: Final = 4
"""Number of possible starters that are compared when cards are laid away."""
_CRIB: Final = Zone("crib")


class Cribbage(Players):
    """The players of Cribbage.

    `_plays`: the seats and cards of the current count. `_untidy`: the seats that leave their cards on the table in this
    hand.
    """

    def __init__(self, header: Header, rng: Random) -> None:
        super().__init__(header, rng)
        self._plays: list[tuple[int, Card]] = []
        self._untidy: set[int] = set()

    def _hand(self) -> Iterator[Act]:
        dealer = self._dealer()
        self._untidy = {seat for seat in self._seats if self._rng.random() < UNTIDY}
        self._pack, self._hands, self._crib = self._shuffled(), [[] for _ in self._seats], []
        yield from self._deal_and_lay_away(dealer)
        starter = self._pack.pop()
        yield self._lay(dealer, starter, Zone("turn-up"), Action("turn", card=starter))
        while self.table.phase == "play":
            yield from self._turn()
        if self.table.phase == "show":
            yield from self._show_crib(dealer)
        yield from self._clear(dealer)

    # The deal

    def _deal_and_lay_away(self, dealer: int) -> Iterator[Act]:
        dealt, away = DEALT[len(self._seats)]
        yield self._deal(dealt)
        for seat in self._in_turn(dealer):
            chosen = self._choose_away(seat, away)
            yield from self._lay_away_named(seat, chosen)
            yield from self._lay_in_crib(seat, chosen)
        while len(self._crib) < CRIB_SIZE:
            self._crib.append(self._pack.pop())
            yield Act("lay", dealer, None, _CRIB)

    def _choose_away(self, seat: int, count: int) -> list[Card]:
        """Return `count` cards without which the rest scores most for some random starters; sometimes any cards."""
        hand = self._hands[seat]
        if self._rng.random() < CARELESS:
            return self._rng.sample(hand, count)
        starters = self._rng.sample([card for card in self._deck if card not in hand], _STARTERS)

        def kept(away: Iterable[Card]) -> int:
            gone = set(away)
            cards = [card for card in hand if card not in gone]
            return sum(points for starter in starters for points, _ in count_hand(cards, starter))

        return list(max(combinations(hand, count), key=kept))

    # The play

    def _turn(self) -> Iterator[Act]:
        """Let the seat on turn play or go; the go may be left unsaid."""
        seat = self.table.turn
        assert seat is not None
        fitting = self._fitting(seat)
        go = Action("say", seat=seat, word="go")
        if fitting and self.across and self._rng.random() < REFUSED_GO:
            word, zone = ActionCard("go"), Zone("say", seat)
            yield Act("lay", seat, word, zone, refused=True)
            yield Act("lift", seat, word, zone)
        if fitting:
            if self._rng.random() < WRONG_GO and self.table.can(go):
                yield from self._go(seat)
            else:
                yield self._play(seat, self._choose(fitting))
        elif (unsaid := self._after_unsaid()) and self._rng.random() < GO_UNSAID:
            yield self._play(*unsaid)
        else:
            yield from self._go(seat)
        if self.table.phase == "play" and (done := self._of_counts_before()):
            last = self._plays[-1][0] if self._plays else seat
            yield Act("sweep", last, faces=done, tidy=True)

    def _after_unsaid(self) -> tuple[int, Card] | None:
        """Return the seat that plays next if no go is said, and its card; None if the rules do not allow it.

        It is the next seat that can play, or the leader of the next count.
        """
        last = self._plays[-1][0]
        for seat in self._in_turn(last):
            if fitting := self._fitting(seat):
                card = self._choose(fitting)
                return (seat, card) if self.table.can(Action("play", seat=seat, card=card)) else None
        leader = next(seat for seat in self._in_turn(last) if self._hands[seat])
        card = self._rng.choice(self._hands[leader])
        return (leader, card) if self.table.can(Action("play", seat=leader, card=card)) else None

    def _fitting(self, seat: int) -> list[Card]:
        return [card for card in self._hands[seat] if self._total() + VALUE[card.rank] <= LIMIT]

    def _total(self) -> int:
        return sum(VALUE[card.rank] for _, card in self._plays)

    def _choose(self, cards: list[Card]) -> Card:
        """Return the card that scores most now; sometimes any card."""
        if self._rng.random() < CARELESS:
            return self._rng.choice(cards)
        orders = [ORDER[card.rank] for _, card in self._plays]

        def scores(card: Card) -> int:
            total = self._total() + VALUE[card.rank]
            return sum(points for points, _ in count_play([*orders, ORDER[card.rank]], total))

        return max(cards, key=scores)

    def _play(self, seat: int, card: Card) -> Act:
        self._hands[seat].remove(card)
        act = self._lay(seat, card, Zone("play", seat), Action("play", seat=seat, card=card))
        self._recount(seat, card)
        return act

    def _go(self, seat: int) -> Iterator[Act]:
        yield from self._say(seat, "go")
        self._recount()

    def _recount(self, seat: int | None = None, card: Card | None = None) -> None:
        """Add a play, and keep only the cards that the board shows as part of the current count."""
        if seat is not None and card is not None:
            self._plays.append((seat, card))
        lying = {lying.card for lying in self.table.lying if lying.zone.name == "play"}
        self._plays = [(seat, card) for seat, card in self._plays if card in lying]

    def _of_counts_before(self) -> tuple[Spot, ...]:
        """Return the cards of finished counts, except those of untidy players."""
        now = {card for _, card in self._plays}
        return tuple(
            (placed.face, placed.zone)
            for placed in self._lying
            if placed.zone.name == "play" and placed.zone.seat not in self._untidy and placed.face not in now
        )
