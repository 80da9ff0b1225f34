"""The play at cribbage: the count to 31, who can play to it, who has said go, and what may be left unsaid."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from engine.actions import Action, Seat
from engine.cards import Card
from engine.errors import Refused
from engine.games.cribbage_count import LIMIT, ORDER, VALUE, Reason, count_play
from engine.rules.hands import Hand
from engine.rules.questions import Offer, Say
from engine.texts import text

if TYPE_CHECKING:
    from engine.games.cribbage import Cribbage

GO: Final = Reason(1, "go")
LAST_CARD: Final = Reason(1, "last-card")

HIGHEST_VALUE: Final = max(VALUE.values())


class Count:
    """One count after another, from the first card of a deal's play to the last.

    `turn`: the seat that plays next; None outside the play. `total`: the count. `plays`: seats and cards since it
    began. `last`: the seat that played last. `gone`: the seats that have said go in this count. `played_by`: per seat,
    all cards played in this deal.
    """

    __slots__ = (
        *("_after", "_denied", "_left", "_orders"),
        *("gone", "hands", "last", "played_by", "plays", "total", "turn"),
    )

    def __init__(self, players: int) -> None:
        # For every seat the others in turn after it, and last itself.
        self._after = [tuple((seat + step) % players for step in range(1, players + 1)) for seat in range(players)]
        self.hands: Sequence[Hand] = ()
        self.played_by: list[list[Card]] = []
        self._denied: list[int] = []
        self._left = self.last = 0
        self.turn: int | None = None
        self._begin()

    def start(self, hands: Sequence[Hand], leader: int) -> None:
        """A new deal: `leader` plays first."""
        self.hands = hands
        self.played_by = [[] for _ in hands]
        self._denied = [0] * len(hands)
        self._left = sum([hand.size for hand in hands])
        self.turn = self.last = leader
        self._begin()

    def _begin(self) -> None:
        self.total = 0
        self.plays: list[tuple[int, Card]] = []
        self._orders: list[int] = []
        self.gone: list[int] = []

    # Who can play

    def fits(self, card: Card) -> bool:
        """Whether `card` does not take the count past 31."""
        return self.total + VALUE[card.rank] <= LIMIT

    def may_go(self, seat: int) -> bool:
        """Whether nothing that the table knows speaks against this seat's being unable to play."""
        hand = self.hands[seat]
        room = LIMIT - self.total
        if hand.complete:
            for card in hand.known:  # noqa: SIM110 - `all` takes twice as long, and every go asks
                if VALUE[card.rank] <= room:
                    return False
            return True
        return room < HIGHEST_VALUE

    def still_in(self) -> list[int]:
        """The seats that may still play to this count, from the one on turn."""
        if self.turn is None:
            return []
        in_turn = (self.turn, *self._after[self.turn][:-1])
        return [seat for seat in in_turn if seat not in self.gone and self.hands[seat].size]

    def may_play(self, seat: int, card: Card) -> bool:
        """Whether it is, or by goes left unsaid may be, this seat's turn to play `card`."""
        if seat == self.turn:
            return True
        still_in = self.still_in()
        if seat in still_in:
            return all(self.may_go(passed) for passed in still_in[: still_in.index(seat)])
        return not self.fits(card) and self.may_begin(seat)

    def may_begin(self, seat: int) -> bool:
        """Whether `seat` would lead the next count, and nobody that the table knows of can play to this one."""
        return seat == self._leader() and all(self.may_go(other) for other in self.still_in())

    def goes(self, seat: Seat | None, card: Card | None) -> Sequence[int]:
        """The seats that go by what `seat` does: itself, where it plays no card, or those whose go its play implies."""
        if card is None:
            return () if self.turn is None else (self.turn,)
        if self.total + VALUE[card.rank] > LIMIT:
            return self.still_in()
        if seat == self.turn or not isinstance(seat, int):
            return ()
        still_in = self.still_in()
        return still_in[: still_in.index(seat)]

    def denies(self, seat: int, card: Card) -> bool:
        """Whether this hidden hand, by a go of this deal, has said that it does not hold `card`."""
        return VALUE[card.rank] <= self._denied[seat]

    # What happens

    def go(self, seat: int) -> Sequence[Reason]:
        """`seat`, which is on turn, goes. What the seat that played last (`last`) scores for it."""
        if not self.hands[seat].complete:
            self._denied[seat] = max(self._denied[seat], LIMIT - self.total)
        self.gone.append(seat)
        return () if self._pass_on(seat) else (GO,)

    def play(self, seat: int, card: Card) -> Sequence[Reason]:
        """`seat` plays `card`. What it scores."""
        rank = card.rank
        self.hands[seat].lay(card)
        self._left -= 1
        self.last = seat
        self.plays.append((seat, card))
        self.played_by[seat].append(card)
        self._orders.append(ORDER[rank])
        total = self.total = self.total + VALUE[rank]
        reasons = count_play(self._orders, total)
        if total == LIMIT:
            self._begin()
            self.turn = self._leader()
        elif not self._left:
            reasons.append(LAST_CARD)
            self._begin()
            self.turn = None
        elif not self._pass_on(seat):
            reasons.append(GO)
        return reasons

    def _pass_on(self, seat: int) -> bool:
        """The turn goes to the next seat that may play; where there is none (False), the next count begins."""
        hands, gone = self.hands, self.gone
        for other in self._after[seat]:
            if hands[other].size and other not in gone:
                self.turn = other
                return True
        self._begin()
        self.turn = self._leader()
        return False

    def _leader(self) -> int | None:
        """Who leads the next count: left of the last to play, the first that holds cards."""
        return next((seat for seat in self._after[self.last] if self.hands[seat].size), None)


class PlayToCount(Offer):
    """A card is played to the count, or begins the next one."""

    __slots__ = ("count", "kinds")
    do = "play"

    def __init__(self, game: Cribbage, count: Count, seat: int) -> None:
        super().__init__(game, (seat,))
        self.count = count
        self.kinds = game.deck.kinds

    def check(self, action: Action) -> None:
        """Codes: no-such-card, not-your-turn, already-seen, not-in-hand, over-31."""
        card, seat, count = action.card, action.seat, self.count
        if card is None or card not in self.kinds or not isinstance(seat, int):
            self.check_deck(card)
            return
        if seat != count.turn and not count.may_play(seat, card):
            self.refuse_seat(action)
        hand = count.hands[seat]
        if hand.place.get(card) is not hand:
            self.check_elsewhere((card,), hand)
            self.check_held((card,), hand)
        if count.total + VALUE[card.rank] > LIMIT and not count.may_begin(seat):
            told = "{card} takes the count of {count} past 31: play less, or say go."
            raise Refused("over-31", text(told, card=card.glyph, count=count.total))

    def actions(self) -> Iterator[Action]:
        """What fits into this count; not the plays that would imply a go."""
        for seat in self.seats:
            for card in self.count.hands[seat].candidates(self.game.deck):
                if self.count.fits(card):
                    yield Action("play", seat, card)


class SayGo(Say):
    """The seat on turn says go: it cannot play without passing 31."""

    __slots__ = ("count",)

    def __init__(self, game: Cribbage, count: Count, seat: int) -> None:
        super().__init__(game, seat, ("go",))
        self.count = count

    def check(self, action: Action) -> None:
        """Codes: no-such-word, not-your-turn, must-play."""
        super().check(action)
        for seat in self.seats:
            if not self.count.may_go(seat):
                told = "{name} can play, and must: the count is {count}."
                raise Refused("must-play", text(told, name=self.name(seat), count=self.count.total))

    def actions(self) -> Iterator[Action]:
        """Go, where it may be said."""
        return (action for action in super().actions() if self.count.may_go(self.seats[0]))

    def words(self, seat: int) -> tuple[str, ...]:
        """Everybody knows only that nobody goes while every card fits."""
        every_card_fits = self.count.total + HIGHEST_VALUE <= LIMIT
        return () if every_card_fits else super().words(seat)
