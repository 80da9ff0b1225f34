"""The play at cribbage: the count to 31, who can play to it, who has said go, and what may be left unsaid."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from engine.actions import Action
from engine.asking import Offer, Say
from engine.cards import Card
from engine.errors import Refused
from engine.games.cribbage_count import LIMIT, VALUE, Reason, count_play
from engine.hands import Hand

if TYPE_CHECKING:
    from engine.games.cribbage import Cribbage

GO: Final = Reason(1, "go")
LAST_CARD: Final = Reason(1, "last-card")

HIGHEST_VALUE: Final = max(VALUE.values())


class Count:
    """One count after another, from the first card of the play to the last.

    `total`: the count. `played`: seats and cards since it began. `last`: the seat that played last. `turn`: the seat
    that plays next; None when all cards are played. `gone`: the seats that have said go in this count.
    """

    __slots__ = ("_denied", "gone", "hands", "last", "played", "total", "turn")

    def __init__(self, hands: Sequence[Hand], leader: int) -> None:
        self.hands = hands
        self.turn: int | None = leader
        self.last = leader
        self._denied = [0] * len(hands)
        self._begin()

    def _begin(self) -> None:
        self.total = 0
        self.played: list[tuple[int, Card]] = []
        self.gone: list[int] = []

    # Who can play

    def fits(self, card: Card) -> bool:
        """Whether `card` does not take the count past 31."""
        return self.total + VALUE[card.rank] <= LIMIT

    def may_go(self, seat: int) -> bool:
        """Whether nothing that the table knows speaks against this seat's being unable to play."""
        hand = self.hands[seat]
        if hand.complete:
            return not any(self.fits(card) for card in hand.known)
        return self.total + HIGHEST_VALUE > LIMIT

    def still_in(self) -> list[int]:
        """The seats that may still play to this count, from the one on turn."""
        return [] if self.turn is None else [s for s in self._round(self.turn) if s not in self.gone]

    def leads_next(self, seat: int) -> bool:
        """Whether `seat` would lead the next count: the first that holds cards, left of the last to play."""
        return seat == next(self._round(self.last + 1), None)

    def _round(self, first: int) -> Iterator[int]:
        """The seats that hold cards, once round the table from `first`."""
        players = len(self.hands)
        return (seat for seat in ((first + step) % players for step in range(players)) if self.hands[seat].size)

    def may_play(self, seat: int, card: Card) -> bool:
        """Whether it is, or by goes left unsaid may be, this seat's turn to play `card`."""
        if seat == self.turn:
            return True
        still_in = self.still_in()
        if seat in still_in:
            return all(self.may_go(passed) for passed in still_in[: still_in.index(seat)])
        return not self.fits(card) and self.may_begin(seat)

    def may_begin(self, seat: int) -> bool:
        """Whether a card of this seat that does not fit may begin the next count: nobody can play to this one."""
        return self.leads_next(seat) and all(self.may_go(other) for other in self.still_in())

    def goes(self, action: Action) -> list[int]:
        """The seats that go by `action`: the one that says so, or those whose go the play implies."""
        if action.card is None:
            return self.still_in()[:1]
        if not self.fits(action.card):
            return self.still_in()
        if action.seat == self.turn:
            return []
        still_in = self.still_in()
        return still_in[: still_in.index(action.seat)] if isinstance(action.seat, int) else []

    # What happens

    def go(self, seat: int) -> list[Reason]:
        """`seat`, which is on turn, goes. What the seat that played last (`last`) scores for it."""
        if not self.hands[seat].complete:
            self._denied[seat] = max(self._denied[seat], LIMIT - self.total)
        self.gone.append(seat)
        return self._pass_on(seat)

    def denied(self, seat: int, card: Card) -> bool:
        """Whether this hidden hand, by a go of this deal, has said that it does not hold `card`."""
        return VALUE[card.rank] <= self._denied[seat]

    def play(self, seat: int, card: Card) -> list[Reason]:
        """`card` has left the hand of `seat` and lies on the table. What it scores."""
        self.last = seat
        self.played.append((seat, card))
        self.total += VALUE[card.rank]
        reasons = count_play([card for _, card in self.played])
        if self.total == LIMIT:
            self._begin()
            self.turn = next(self._round(seat + 1), None)
        elif any(hand.size for hand in self.hands):
            reasons += self._pass_on(seat)
        else:
            reasons.append(LAST_CARD)
            self.turn = None
        return reasons

    def _pass_on(self, seat: int) -> list[Reason]:
        """The turn goes to the next seat that may play; where there is none, to the one that leads the next count."""
        self.turn = next((other for other in self._round(seat + 1) if other not in self.gone), None)
        if self.turn is not None:
            return []
        self._begin()
        self.turn = next(self._round(self.last + 1), None)
        return [GO]


class PlayToCount(Offer):
    """A card is played to the count, or begins the next one."""

    __slots__ = ("count",)
    do = "play"

    def __init__(self, game: Cribbage, count: Count) -> None:
        self.game = game
        self.count = count
        self.seats = () if count.turn is None else (count.turn,)

    def check(self, action: Action) -> None:
        """Codes: no-such-card, not-your-turn, already-seen, not-in-hand, over-31."""
        card, seat, count = action.card, action.seat, self.count
        if card is None or card not in self.game.deck or not isinstance(seat, int):
            self.check_deck(card)
            return
        if seat != count.turn and not count.may_play(seat, card):
            self.refuse_seat(action)
        hand = count.hands[seat]
        if hand.place.get(card) is not hand:
            self.check_elsewhere((card,), hand)
            self.check_held((card,), hand)
        if count.total + VALUE[card.rank] > LIMIT and not count.may_begin(seat):
            raise Refused("over-31", f"{card.glyph} takes the count of {count.total} past 31: play less, or say go.")

    def actions(self) -> Iterator[Action]:
        """What fits into this count; not the plays that would imply a go."""
        for seat in self.seats:
            for card in self.count.hands[seat].candidates(self.game.deck):
                if self.count.fits(card):
                    yield Action("play", seat, card)


class SayGo(Say):
    """The seat on turn says go: it cannot play without passing 31."""

    __slots__ = ("count",)

    def __init__(self, game: Cribbage, count: Count) -> None:
        self.game = game
        self.count = count
        self.seats = () if count.turn is None else (count.turn,)
        self.plain = ("go",)
        self.claims = {}
        self.speaks = True

    def check(self, action: Action) -> None:
        """Codes: no-such-word, not-your-turn, must-play."""
        super().check(action)
        for seat in self.seats:
            if not self.count.may_go(seat):
                raise Refused("must-play", f"{self.name(seat)} can play, and must: the count is {self.count.total}.")

    def actions(self) -> Iterator[Action]:
        """Go, where it may be said."""
        return (action for action in super().actions() if self.count.may_go(self.seats[0]))

    def words(self, seat: int) -> tuple[str, ...]:
        """Everybody knows only that nobody goes while every card fits."""
        every_card_fits = self.count.total + HIGHEST_VALUE <= LIMIT
        return () if every_card_fits else super().words(seat)
