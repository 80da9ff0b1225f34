"""Cribbage, for two, three or four: the rules in the order in which the rule book gives them.

The rulings, and how the game is played at this table, are in docs/games/cribbage.md.

>>> from engine.cards import parse_card as card
>>> hand = [card("5S"), card("5H"), card("5D"), card("JC")]
>>> sum(reason.points for reason in count_hand(hand, card("5C")))
29
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from engine.actions import Action, Seat
from engine.cards import Card
from engine.errors import Refused
from engine.observations import Zone
from engine.rules.counting import (
    FIFTEEN,
    ORDER,
    RANK_KEY,
    VALUE,
    Reason,
    alike_at_end,
    combinations_of,
    count_rank_key,
    run_at_end,
    spoken,
)
from engine.rules.crib_game import THE_CRIB, CribGame
from engine.rules.game import Option, Rules
from engine.rules.hands import Hand
from engine.rules.questions import Offer, Say
from engine.rules.state import GameState
from engine.texts import text
from engine.views import CountedHand, TableCard
from engine.words import Word

# The play of cribbage: cards played to a count of 31, whose turn it is, who has said go, and what each play scores.
#
# Players may leave a go unsaid: a play out of turn, or one past 31, implies the goes before it. `Count` decides which
# plays are possible, and which goes they imply.

LIMIT: Final = 31
HIGHEST_VALUE: Final = max(VALUE.values())

TOTALS: Final = {FIFTEEN: Reason(2, "fifteen"), LIMIT: Reason(2, "thirty-one")}
PAIRS: Final = {2: Reason(2, "pair"), 3: Reason(6, "pair-royal"), 4: Reason(12, "double-pair-royal")}
GO: Final = Reason(1, "go")
LAST_CARD: Final = Reason(1, "last-card")


def count_play(orders: Sequence[int], total: int) -> list[Reason]:
    """Return what the last card played scores: fifteen or thirty-one, pairs, a run.

    `orders`: the places of the ranks (`ORDER`) of the cards played since the count began; `total`: the count.

    >>> count_play([7, 9, 6, 8], 30)
    [Reason(points=4, reason='run')]
    """
    if len(orders) < 2:
        return []
    reasons = [TOTALS[total]] if total in TOTALS else []
    apart = abs(orders[-1] - orders[-2])
    if apart == 0:
        reasons.append(PAIRS[alike_at_end(orders)])
    elif apart < len(orders) > 2 and (run := run_at_end(orders)):  # further apart, they are in no run of these cards
        reasons.append(Reason(run, "run"))
    return reasons


class Count:
    """The counts of one deal, from its first card played to the last.

    `turn`: the seat that plays next; None outside the play. `total`: the count. `plays`: seats and cards since the
    count began. `last`: the seat that played last. `gone`: the seats that have said go in this count. `still_in`:
    those that hold cards and have not said go, in turn. `denied`: for each hidden hand that has said go in this deal,
    the highest value of which it has denied holding a card, or one of a lower value. `played_by`: per seat, all cards
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
        return self.may_begin(seat) and (not self.fits(card) or all(self.hands[other].complete for other in still_in))

    def may_begin(self, seat: int) -> bool:
        """Return whether `seat` may begin the next count: it leads it, and all other seats may be unable to play.

        `may_play` says with which cards: one that fits this count only if the others are certainly unable to play.
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


DEALT: Final = {2: (6, 2), 3: (5, 1), 4: (5, 1)}
"""By the number of players: the cards dealt to each, and how many of them are laid away."""

CRIB_SIZE: Final = 4
HEELS: Final = Reason(2, "heels")
NOBS: Final = Reason(1, "nobs")
FOUR_FLUSH: Final = Reason(4, "flush")
FIVE_FLUSH: Final = Reason(5, "flush")

LONG_GAME: Final = 121
SKUNK: Final = 90
DOUBLE_SKUNK: Final = 60


class Cribbage(CribGame):
    """Cribbage. See `Game` for the attributes and the coroutines. `count`: the play of this deal."""

    name = "cribbage"
    title = "Cribbage"
    about = text("Score fifteens, pairs and runs in the play and in the show; the dealer also has the crib.")
    seats = range(2, 5)
    partners = (4,)
    words = (Word("go", mark=109),)
    reasons = (
        *("heels", "fifteen", "thirty-one", "pair", "pair-royal", "double-pair-royal", "run", "flush", "nobs"),
        *("go", "last-card"),
    )
    zones = ("play", "turn-up", "crib", "say")
    options = (
        Option("target", LONG_GAME, text("points that win the game"), least=1, label=text("Game at")),
        Option("skunks", True, text("the result says whether the losers were skunked"), label=text("Skunks")),
    )
    cuts_lowest = True
    loser_deals = True
    cut_order = ORDER
    pegboard = (DOUBLE_SKUNK, SKUNK)

    def __init__(self, players: tuple[str, ...], dealer: int | None, options: Mapping[str, object]) -> None:
        super().__init__(players, dealer, options)
        self.count = Count(len(players))
        # The question for each seat on turn is the same throughout the play, so it is created once.
        self._questions = [
            self.question("play", seat, PlayToCount(self, self.count, seat), SayGo(self, self.count, seat))
            for seat in self.every_seat
        ]

    # The hand

    def hand(self) -> Rules[None]:
        """Deal, turn the starter up, play and show; the game ends as soon as a side reaches the target."""
        starter = yield from self.deal_and_lay_away(*DEALT[len(self.players)])
        if starter.rank == "J" and self.score_to_target(self.dealer, [HEELS]):
            self.win(self.side_of(self.dealer))
            return

        # Play from the dealer's left until all cards are played.
        count, questions = self.count, self._questions
        count.start(self.hands, self.eldest)
        while (turn := count.turn) is not None:
            action = yield questions[turn]
            card = action.card  # no card: go
            if card is None or action.seat != turn or count.total + VALUE[card.rank] > LIMIT:
                for seat in count.goes(action.seat, card):
                    reasons = count.go(seat)
                    if reasons and self.score_to_target(count.last, reasons):
                        self.win(self.side_of(count.last))
                        return
                turn = count.turn  # after the goes it is the turn of the seat that plays
            if card is not None and turn is not None:
                if count.denied and count.denies(turn, card):
                    self.report("revoke-proven", turn, card)
                reasons = count.play(turn, card)
                if reasons and self.score_to_target(turn, reasons):
                    self.win(self.side_of(turn))
                    return

        yield from self.show(starter)

    def show(self, starter: Card) -> Rules[None]:
        """Count the hands from the dealer's left, then the dealer's crib; pass the deal to the left."""
        for seat in self.seats_from(self.eldest):
            if won := self._count(seat, self.count.played_by[seat], starter):
                break
        else:
            crib = yield from self.ask_for_crib(CRIB_SIZE)
            won = self._count(seat := self.dealer, crib, starter, THE_CRIB)
        self.report("hand-over")
        if won:
            self.win(self.side_of(seat))
        else:
            self.match.dealer = self.eldest

    def _count(self, seat: int, hand: Sequence[Card], starter: Card, name: str = "") -> bool:
        self.match.counted = (*self.match.counted, (seat, hand, starter, name))
        return self.score_to_target(seat, count_hand(hand, starter, bool(name)))

    # The result, and views

    def result(self) -> dict[str, Any]:
        """Return `skunk`: 1 if every loser of a game of 121 has 90 or fewer, 2 at 60 or fewer, otherwise 0."""
        match, skunk = self.match, 0
        if match.over and self.values["skunks"] and self.values["target"] == LONG_GAME:
            best = max(score for side, score in enumerate(match.scores) if side not in match.winners)
            skunk = (best <= SKUNK) + (best <= DOUBLE_SKUNK)
        return {"skunk": skunk}

    def remarks(self) -> tuple[str, ...]:
        """A skunk counts as two games won, a double skunk as three."""
        return ((), (text("A skunk."),), (text("A double skunk."),))[self.result()["skunk"]]

    def lying(self) -> Iterable[TableCard]:
        """Add the cards of this count; those of earlier counts may be cleared away."""
        yield from super().lying()
        for seat, card in self.count.plays:
            yield TableCard(card, Zone("play", seat))

    def facts(self) -> tuple[tuple[str, str], ...]:
        """Return the count and who has said go; after the play, the counts of the hands and the crib."""
        if self.count.turn is not None:
            gone = [(text("go"), self.players[seat]) for seat in self.count.gone]
            return ((text("count"), str(self.count.total)), *gone)
        return tuple((hand.name or self.players[hand.seat], spoken(hand.combinations)) for hand in self.counted())

    def counted(self) -> Iterator[CountedHand]:
        """Yield the hands and the crib. Their combinations are found only here, when they are shown."""
        for seat, hand, starter, name in self.match.counted:
            found = combinations_of(hand, starter, count_hand(hand, starter, bool(name)))
            yield CountedHand(seat, tuple(hand), found, name, starter)


class PlayToCount(Offer):
    """Playing a card to the count, or as the first of the next one."""

    __slots__ = ("count", "seat")
    do = "play"

    def __init__(self, game: GameState, count: Count, seat: int) -> None:
        super().__init__(game, (seat,))
        self.count = count
        self.seat = seat

    def check(self, action: Action) -> None:
        """Codes: no-such-card, not-your-turn, already-seen, not-in-hand, over-31."""
        card, seat, count = action.card, self.seat, self.count
        if card is None:
            self.check_deck(card)
            return
        if action.seat != seat:
            seat = self.ahead_of_turn(action, card)
        hand = count.hands[seat]
        if card not in hand.known:
            self.check_deck(card)
            self.check_elsewhere((card,), hand)
            self.check_held((card,), hand)
        if count.total + VALUE[card.rank] > LIMIT and not count.may_begin(seat):
            template = "{card} takes the count of {count} past 31: play less, or say go."
            raise Refused("over-31", text(template, card=card.glyph, count=count.total))

    def ahead_of_turn(self, action: Action, card: Card) -> int:
        """Return the seat that plays before the others have said go. Refuse (`not-your-turn`) one that may not."""
        self.check_deck(card)
        if not isinstance(action.seat, int) or not self.count.may_play(action.seat, card):
            self.refuse_seat()
        return action.seat

    def actions(self) -> Iterator[Action]:
        """Yield the plays that fit this count, not those that would imply a go."""
        for seat in self.seats:
            for card in self.count.hands[seat].candidates(self.game.deck):
                if self.count.fits(card):
                    yield Action("play", seat, card)


class SayGo(Say):
    """Saying go, by the seat on turn, which cannot play without passing 31."""

    __slots__ = ("count",)

    def __init__(self, game: GameState, count: Count, seat: int) -> None:
        super().__init__(game, seat, ("go",))
        self.count = count

    def check(self, action: Action) -> None:
        """Codes: no-such-card, no-such-word, not-your-turn, must-play."""
        super().check(action)
        for seat in self.seats:
            if not self.count.may_go(seat):
                template = "{name} can play, and must: the count is {count}."
                raise Refused("must-play", text(template, name=self.name(seat), count=self.count.total))

    def actions(self) -> Iterator[Action]:
        """Yield go, if it may be said."""
        return filter(self.allows, super().actions())

    def words(self, seat: int) -> tuple[str, ...]:
        """Return go, but not while every card fits, because then everybody knows that the seat can play."""
        every_card_fits = self.count.total + HIGHEST_VALUE <= LIMIT
        return () if every_card_fits else super().words(seat)


def count_hand(hand: Sequence[Card], starter: Card, crib: bool = False) -> list[Reason]:
    """Return a reason for each score of a hand of four with the starter: fifteens, pairs, runs, flush, nobs. A flush is
    all four cards of the hand, or all five cards; in the crib only five count.
    """
    one, two, three, four = hand
    ranks = (one.rank, two.rank, three.rank, four.rank)
    key = RANK_KEY[ranks[0]] + RANK_KEY[ranks[1]] + RANK_KEY[ranks[2]] + RANK_KEY[ranks[3]] + RANK_KEY[starter.rank]
    reasons = [*count_rank_key(key)]
    suit = one.suit
    if suit == two.suit == three.suit == four.suit:
        if suit == starter.suit:
            reasons.append(FIVE_FLUSH)
        elif not crib:
            reasons.append(FOUR_FLUSH)
    if "J" in ranks and Card("J", starter.suit) in hand:
        reasons.append(NOBS)
    return reasons
