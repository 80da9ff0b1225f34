"""The play of cribbage: the count up to 31, whose turn it is, who has said go, and what each card scores.

Players may leave a go unsaid: a card played out of turn, or past 31, implies the goes before it. `Count` decides which
plays are possible, and which goes they imply.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.actions import Seat
from engine.cards import Card
from engine.games.cribbage.counting import LIMIT, ORDER, VALUE, Reason, count_play
from engine.rules.hands import Hand

HIGHEST_VALUE: Final = max(VALUE.values())
GO: Final = Reason(1, "go")
LAST_CARD: Final = Reason(1, "last-card")


class Count:
    """The counts of one deal, from its first card played to the last.

    `turn`: the seat that plays next; None outside the play. `total`: the count. `plays`: seats and cards since the
    count began. `last`: the seat that played last. `gone`: the seats that have said go in this count. `still_in`:
    those that hold cards and have not said go, in turn. `denied`: for each hidden hand that has said go in this deal,
    the highest value such that it has denied holding a card of that value or lower. `played_by`: per seat, all cards
    played in this deal.
    """

    __slots__ = (
        *("_after", "_orders"),
        *("denied", "gone", "hands", "last", "played_by", "plays", "still_in", "total", "turn"),
    )

    def __init__(self, players: int) -> None:
        # For each seat, the seats in turn after it, itself last.
        self._after = [tuple((seat + step) % players for step in range(1, players + 1)) for seat in range(players)]
        self.hands: Sequence[Hand] = ()
        self.played_by: list[list[Card]] = []
        self.denied: dict[int, int] = {}
        self.last = 0
        self._begin(())

    def start(self, hands: Sequence[Hand], leader: int) -> None:
        """Begin the play of a deal; `leader` plays first."""
        self.hands = hands
        self.played_by = [[] for _ in hands]
        self.denied = {}
        self.last = leader
        self._begin(self._after[leader - 1])

    def _begin(self, order: Sequence[int]) -> None:
        """Begin a count: the first seat with cards leads, and the others follow in this order."""
        self.still_in = [seat for seat in order if self.hands[seat].size]
        self.turn = self.still_in[0] if self.still_in else None
        self.total = 0
        self.plays: list[tuple[int, Card]] = []
        self._orders: list[int] = []
        self.gone: list[int] = []

    # Who can play

    def fits(self, card: Card) -> bool:
        """Return whether `card` does not take the count past 31."""
        return self.total + VALUE[card.rank] <= LIMIT

    def may_go(self, seat: int) -> bool:
        """Return whether this seat may be unable to play, as far as the table knows."""
        hand = self.hands[seat]
        room = LIMIT - self.total
        if hand.complete:
            for card in hand.known:  # noqa: SIM110 - `all` takes twice as long, and every go asks
                if VALUE[card.rank] <= room:
                    return False
            return True
        return room < HIGHEST_VALUE

    def may_play(self, seat: int, card: Card) -> bool:
        """Return whether this seat may play `card`: on its turn, or after implied goes of the seats before it."""
        still_in = self.still_in
        if seat in still_in:
            return all(self.may_go(passed) for passed in still_in[: still_in.index(seat)])
        return self.may_begin(seat)

    def may_begin(self, seat: int) -> bool:
        """Return whether `seat` may begin the next count: it leads it, and all still in this one may be unable to play.

        A seat that has said go may do so with any card; one that fits this count is a card that its go had denied.
        """
        return seat == self._leader() and all(self.may_go(other) for other in self.still_in)

    def goes(self, seat: Seat | None, card: Card | None) -> Sequence[int]:
        """Return the seats that go by an action of `seat`: itself without a card, else those that the play implies."""
        if card is None:
            return () if self.turn is None else (self.turn,)
        if seat == self.turn and self.fits(card):
            return ()
        still_in = self.still_in
        if self.fits(card) and seat in still_in:
            return still_in[: still_in.index(seat)]
        return still_in.copy()

    def denies(self, seat: int, card: Card) -> bool:
        """Return whether this hidden hand has said, by a go in this deal, that it does not hold `card`."""
        return VALUE[card.rank] <= self.denied.get(seat, 0)

    # Events

    def go(self, seat: int) -> Sequence[Reason]:
        """Record the go of `seat`, which is on turn. Return what the seat that played last (`last`) scores for it."""
        if not self.hands[seat].complete:
            self.denied[seat] = max(self.denied.get(seat, 0), LIMIT - self.total)
        self.gone.append(seat)
        del self.still_in[0]
        if self.still_in:
            self.turn = self.still_in[0]
            return ()
        self._begin(self._after[self.last])
        return (GO,)

    def play(self, seat: int, card: Card) -> Sequence[Reason]:
        """Play `card` for `seat`, which is on turn. Return what it scores."""
        rank, hand, still_in = card.rank, self.hands[seat], self.still_in
        hand.lay(card)
        del still_in[0]
        if hand.size:
            still_in.append(seat)
        self.last = seat
        self.plays.append((seat, card))
        self.played_by[seat].append(card)
        orders = self._orders
        orders.append(ORDER[rank])
        total = self.total = self.total + VALUE[rank]
        reasons = count_play(orders, total)
        if total < LIMIT and still_in:
            self.turn = still_in[0]
            return reasons
        self._begin(self._after[seat])
        if total < LIMIT:
            reasons.append(LAST_CARD if self.turn is None else GO)
        return reasons

    def _leader(self) -> int | None:
        """The seat that leads the next count: the first with cards after the seat that played last."""
        return next((seat for seat in self._after[self.last] if self.hands[seat].size), None)
