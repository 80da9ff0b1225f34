"""It's 15, for two to six: the rules in the order in which the rule book gives them.

The game has a special deck. The source's rules, and the rulings where it is silent, are in
docs/reference/games/its-15.md; rulings that people commonly play differently are options. A `hand` is a round, and its
`dealer` is the player who starts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, combinations_with_replacement
from typing import ClassVar, Final

from engine.actions import Action
from engine.cards import Card, Deck
from engine.errors import HeaderError, Refused
from engine.observations import Zone
from engine.rules.game import Game, Option, Rules
from engine.rules.questions import Offer, Say
from engine.rules.state import GameState, sole_best
from engine.texts import both, plural, text
from engine.views import EventKind, FeatKind, Moment, Poster, SeatNote, TableCard
from engine.words import Word


def worth(cards: Iterable[Card]) -> int:
    """Return the sum of the numbers on `cards`, each of which is worth its number.

    >>> from engine.cards import parse_card
    >>> worth([parse_card("red-1"), parse_card("red-2"), parse_card("red-2")])
    5
    """
    return sum(int(card.rank) for card in cards)


class Stakes:
    """The value cards in one round of betting.

    `held`: per seat, the cards that it still holds. `forward`: per seat, the cards that it has bid. `amount`: the
    current bid, 0 before the first.
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


FIFTEEN: Final = 15
ROUND_OVER: Final = EventKind(lambda name, card: text("{name} wins the round", name=name), ends="hand", won=True)
COLOURS: Final = ("red", "blue", "yellow", "black", "orange", "purple")
"""The colours of the value cards, in the order of the seats."""

OPTIONS: Final = (
    Option("brown_copies", 4, text("copies of each brown number card"), least=1, label=text("Copies of brown cards")),
    Option("green_copies", 1, text("copies of each green number card"), least=1, label=text("Copies of green cards")),
    Option("ones", 5, text("value cards of 1 that a player starts with"), least=0, label=text("Value cards of 1")),
    Option("twos", 5, text("value cards of 2 that a player starts with"), least=0, label=text("Value cards of 2")),
    Option("rounds", 10, text("rounds of a game"), least=1, label=text("Rounds")),
)


def make_deck(players: int, values: Mapping[str, int]) -> Deck:
    """Return all cards of a game: brown and green number cards, and each player's value cards."""
    copies = {Card(str(number), "brown"): values["brown_copies"] for number in range(1, 11)}
    copies |= {Card(str(number), "green"): values["green_copies"] for number in range(1, 10)}
    for colour in COLOURS[:players]:
        copies |= {Card("1", colour): values["ones"], Card("2", colour): values["twos"]}
    return Deck(copies)


def nearest(shown: Mapping[int, Iterable[Card]], centre: Card) -> int | None:
    """Return the seat nearest to 15 with the centre card, in a tie the one with the highest brown card, or None.

    >>> from engine.cards import parse_card as card
    >>> nearest({0: [card("brown-9")], 1: [card("brown-8"), card("brown-3")]}, card("green-5"))
    0
    """
    off = {seat: abs(worth(cards) + worth([centre]) - FIFTEEN) for seat, cards in shown.items()}
    near = [seat for seat in shown if off[seat] == min(off.values())]
    return sole_best({seat: max(worth([card]) for card in shown[seat]) for seat in near})


class ItsFifteen(Game):
    """It's 15. See `Game` for the attributes and the coroutines.

    `stakes`: the value cards in this round. `centre`: the green card. `still_in`: the seats that have not passed.
    `shown`: the brown cards shown, by seat. `match.more`: the value cards `held` by each seat, the `pot` left by a tie.
    """

    name = "its-15"
    title = "It's 15"
    about = text("Bid on coming nearest to fifteen, and bluff; played with a special deck.")
    seats = range(2, 7)
    words = (Word("card", mark=110), Word("stay", mark=111), Word("pass", mark=112))
    reasons = ("pot", "sum")
    event_kinds: ClassVar = {"round": ROUND_OVER}
    feat_kinds: ClassVar = {"pot": FeatKind(text("Biggest pot"))}
    fact_displays: ClassVar = {"bid": "placed", "pot": "placed", "out": "placed"}
    zones = ("table", "bid", "show", "say")
    face_down = ("stock", "show")
    drawing_says = "card"
    dealer_does = first_does = text("starts")
    options = OPTIONS
    deck = make_deck(len(COLOURS), {option.name: int(option.default) for option in OPTIONS})

    def __init__(self, players: tuple[str, ...], dealer: int | None, options: Mapping[str, object]) -> None:
        super().__init__(players, dealer, options)
        self.deck = make_deck(len(players), self.values)
        dealt = [(Card("1", colour), Card("2", colour)) for colour in COLOURS[: len(players)]]
        self.value_cards = frozenset(card for cards in dealt for card in cards)
        held = tuple(Counter({card: self.deck.copies(card) for card in cards}) for cards in dealt)
        self.match.more = {"held": held, "pot": ()}
        self.match.scores = [self.values["ones"] + 2 * self.values["twos"] for _ in players]
        self._begin_round()

    @classmethod
    def check_header(cls, players: tuple[str, ...], dealer: int | None, options: Mapping[str, object]) -> None:
        """Also require a starting player, because no card is cut, and two brown cards for each player."""
        super().check_header(players, dealer, options)
        if dealer is None:
            template = "{title} needs 'dealer', the seat of the player who starts, because the deal is not cut for"
            raise HeaderError(text(template, title=cls.title), "dealer")
        values = {option.name: option.default for option in cls.options} | dict(options)
        brown = 10 * int(str(values["brown_copies"]))
        if brown < 2 * len(players):
            template = "{brown} brown cards are too few for {players} players: two each are needed"
            raise HeaderError(text(template, brown=brown, players=len(players)), "options.brown_copies")

    def _begin_round(self) -> None:
        self.new_pack()
        self.stakes = Stakes(self.match.more["held"])
        self.centre: Card | None = None
        self.still_in = list(self.every_seat)
        self.shown: dict[int, tuple[Card, ...]] = {}

    # The round

    def hand(self) -> Rules[None]:
        """Turn the centre card, draw brown cards, bid, show; the winner takes the pot and starts the next round."""
        self._begin_round()
        self.still_in = list(self.seats_from(self.dealer))
        name = self.players[self.dealer]
        hint = text("A brown card for everybody, then a green card on the table. {name} starts.", name=name)
        action = yield self.question("turn", None, TurnGreen(self), hint=hint)
        self.clear_table()
        self.centre = action.card
        for hand in self.hands:
            hand.deal_unseen(1)
        for seat in self.still_in:
            if (yield from self.say(seat, "card", "stay")) == "card":
                self.hands[seat].deal_unseen(1)
        yield from self.bidding()
        self.settle((yield from self.showdown()) if len(self.still_in) > 1 else self.still_in[0])

    def bidding(self) -> Rules[None]:
        """Let a seat open, or all pass; then every other seat matches or passes, and one of them may raise once."""
        waiting, may_raise = list(self.still_in), True
        while waiting:
            seat = waiting.pop(0)
            opened = self.stakes.amount > 0
            bid = Bid(self, seat, self.stakes, self.value_cards, may_raise)
            action = yield self.question("bid", seat, bid, Say(self, seat, ("pass",)))
            if action.do == "bid":
                cards = action.cards or ()
                self.match.scores[seat] -= worth(cards)  # cards in the pot are not counted
                if self.stakes.put_forward(seat, cards):
                    may_raise = not opened
                    after = self.still_in.index(seat) + 1
                    waiting = self.still_in[after:] + self.still_in[: after - 1]
            elif opened:
                self.still_in.remove(seat)

    def showdown(self) -> Rules[int | None]:
        """Let every seat still in show its brown cards, in any order. Return the winner, or None in a tie."""
        while left := tuple(seat for seat in self.still_in if seat not in self.shown):
            names = both([self.players[seat] for seat in left])
            hint = text("{names}: show your brown cards.", names=names)
            action = yield self.question("show", None, ShowBrown(self, left, self.shown.values()), hint=hint)
            if isinstance(action.seat, int) and self.centre:
                shown = self.shown[action.seat] = action.cards or ()
                cards = (*shown, self.centre)
                self.add_count(action.seat, shown, [(worth(cards), "sum", cards)], self.centre)
        return nearest(self.shown, self.centre) if self.centre else None

    def settle(self, winner: int | None) -> None:
        """Give the winner the pot and the next start; a tie changes neither. End the game after the last round."""
        match, pot = self.match, (*self.match.more["pot"], *self.stakes.pot)
        if winner is not None:
            if pot:
                self.score(winner, worth(pot), "pot")
                headline = text("{name} takes the pot", name=self.players[winner])
                self.add_moment(Moment("pot", headline, winner, tuple(self.shown.get(winner, ()))))
                self.note_feat("pot", winner, worth(pot), self.shown.get(winner, ()))
            self.stakes.held[winner].update(pot)
            match.dealer = winner
        match.more = {"held": tuple(self.stakes.held), "pot": pot if winner is None else ()}
        self.report("round", winner)
        if match.hands + 1 == self.values["rounds"]:
            self.win(*[seat for seat in self.every_seat if match.scores[seat] == max(match.scores)])

    # Views

    def lying(self) -> Iterable[TableCard]:
        """Yield the centre card, the value cards bid, the brown cards shown, and a pot left by a tie."""
        if self.centre:
            yield TableCard(self.centre, Zone("table"), firm=False)
        yield from (TableCard(card, Zone("table"), firm=False) for card in self.match.more["pot"])
        for seat in self.every_seat:
            yield from (TableCard(card, Zone("bid", seat)) for card in self.stakes.forward[seat])
            yield from (TableCard(card, Zone("show", seat)) for card in self.shown.get(seat, ()))

    def note(self, seat: int) -> SeatNote:
        """Return what the seat has bid, or that it has passed."""
        bid = worth(self.stakes.forward[seat])
        if seat not in self.still_in:
            return SeatNote(text("passed"))
        return SeatNote(text("bids {count}", count=bid) if bid else "")

    def poster(self) -> Poster | None:
        """Return the pot, and the bid that must be matched."""
        if not self.pot:
            return None
        bid = (text("bid {count}", count=self.stakes.amount),) if self.stakes.amount else ()
        return Poster(str(self.pot), (text("in the pot"), *bid))

    @property
    def pot(self) -> int:
        """What the cards in the pot are worth."""
        return worth(self.match.more["pot"]) + worth(self.stakes.pot)

    def facts(self) -> tuple[tuple[str, str], ...]:
        """Return the round, the current bid, the pot, and the players who are out of the round."""
        playing = self.match.hands + (not self.match.over)
        number = text("{number} of {all}", number=playing, all=self.values["rounds"])
        facts = [(text("round"), number), (text("bid"), str(self.stakes.amount)), (text("pot"), str(self.pot))]
        return (*facts, *((text("out"), self.players[seat]) for seat in self.every_seat if seat not in self.still_in))


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


class TurnGreen(Offer):
    """Turning a green card up for the centre; all green cards are shuffled again for every round."""

    __slots__ = ()
    do = "turn"

    def check(self, action: Action) -> None:
        """Codes: no-such-card."""
        self.check_deck(card := action.card)
        if card and card.suit != "green":
            raise Refused("no-such-card", text("Turn up a green card for the centre, not {card}.", card=card.glyph))


class ShowBrown(Offer):
    """Showing all brown cards drawn, by each of `seats`. `shown`: the hands shown before, by copies of each card."""

    __slots__ = ("shown",)
    do = "show"
    listed = False

    def __init__(self, game: GameState, seats: tuple[int, ...], shown: Iterable[Iterable[Card]]) -> None:
        super().__init__(game, seats)
        self.shown = Counter(chain.from_iterable(shown))

    def check(self, action: Action) -> None:
        """Codes: no-such-card, not-your-turn, wrong-count, already-seen (more copies of a card than the deck has)."""
        cards = action.cards or ()
        self.check_deck(*cards)
        for card in cards:
            if card.suit != "brown":
                raise Refused("no-such-card", text("Brown cards are shown, not {card}.", card=card.glyph))
        self.check_seat(action)
        self.check_count(cards, self.game.hand_of(action).size)
        for card, times in Counter(cards).items():
            copies = self.game.deck.copies(card)
            if self.shown[card] + times > copies:
                single, many = "The deck has only {count} card {card}.", "The deck has only {count} cards {card}."
                raise Refused("already-seen", plural(single, many, copies, card=card.glyph))

    def candidates(self) -> Iterator[Action]:
        """Yield every set of cards of the size of each seat's hand."""
        for seat in self.seats:
            for cards in combinations_with_replacement(self.game.deck, self.game.hands[seat].size):
                yield Action("show", seat, cards=cards)
