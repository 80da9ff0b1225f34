"""Le Quinze, for two to four: the rules in the order in which the rule book gives them.

The source's rules, and the rulings where it is silent, are in docs/reference/games/le-quinze.md; rulings that people
commonly play differently are options.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import ClassVar, Final

from engine.actions import Action
from engine.cards import SUITS, Card, Deck
from engine.errors import Refused
from engine.observations import Zone
from engine.rules.game import Game, Option, Rules
from engine.rules.offers import Deal, PlayToTrick, Turn
from engine.rules.questions import Offer, Question
from engine.rules.state import sole_best
from engine.rules.tricks import Play
from engine.texts import plural, text
from engine.views import EventKind, FeatKind, Moment, Poster, SeatNote, TableCard

VALUE: Final = {rank: value for value, rank in enumerate(("A", "2", "3", "4", "5", "6", "7", "J", "Q", "K"), start=1)}
"""The value of each rank, 1 to 10, which is also its order for the cut."""

FIFTEEN: Final = 15
PACKET: Final = 3
TABLE: Final = 4
SEVEN_OF_CLUBS: Final = Card("7", "C")
SCORING: Final[Mapping[str, Callable[[Card], bool]]] = {
    "cards": lambda card: True,
    "clubs": lambda card: card.suit == "C",
    "seven-of-clubs": lambda card: card == SEVEN_OF_CLUBS,
    "sevens": lambda card: card.rank == "7",
}
"""What points are for: which cards count for them."""


def sums(cards: Sequence[Card], total: int, value: Mapping[str, int]) -> Iterator[tuple[Card, ...]]:
    """Yield every set of `cards` worth exactly `total`, which is at least 1. `value`: what each rank is worth.

    >>> from engine.cards import parse_card as card
    >>> [[str(card) for card in found] for found in sums([card("6S"), card("7H"), card("AD"), card("2C")], 8, VALUE)]
    [['6S', '2C'], ['7H', 'AD']]
    """
    for place, card in enumerate(cards):
        left = total - value[card.rank]
        if left == 0:
            yield (card,)
        elif left > 0:
            for more in sums(cards[place + 1 :], left, value):
                yield (card, *more)


def count_captured(piles: Sequence[Collection[Card]]) -> list[tuple[int, int, str]]:
    """Return seat, points and reason for each score of the captured cards; a tie for the most scores nothing."""

    def most(reason: str) -> list[tuple[int, int, str]]:
        best = sole_best({seat: sum(map(SCORING[reason], pile)) for seat, pile in enumerate(piles)})
        return [] if best is None else [(best, 1, reason)]

    seven = [(seat, 1, "seven-of-clubs") for seat, pile in enumerate(piles) if SEVEN_OF_CLUBS in pile]
    return most("cards") + most("clubs") + seven + most("sevens")


class LeQuinze(Game):
    """Le Quinze. See `Game` for the attributes and the coroutines.

    A card played takes table cards that add up to fifteen with it. `table`: the cards on the table. `just_played`: the
    card played last, as long as it may take. `captured`: per seat, the cards taken. `last_taker`: the seat that took
    last in this deal.
    """

    name = "le-quinze"
    title = "Le Quinze"
    about = text("Take cards from the table that add up to fifteen with the one you play.")
    seats = range(2, 5)
    reasons = ("cards", "clubs", "seven-of-clubs", "sevens", "sweep")
    feat_kinds: ClassVar = {"sweep": FeatKind(text("Sweeps"), counted=True)}
    event_kinds: ClassVar = {
        "sweep": EventKind(lambda name, card: text("{name} sweeps the table", name=name), ends="trick", won=True)
    }
    zones = ("play", "table")
    deck = Deck(Card(rank, suit) for suit in SUITS for rank in VALUE)
    fact_displays: ClassVar = {"may take": "placed"}
    cuts_lowest = True
    cut_order = VALUE
    options = (
        Option(
            "target",
            11,
            text("points that win the game, checked after each complete deal"),
            least=1,
            label=text("Play to"),
        ),
        Option("must_take", False, text("a player who can take cards must take them"), label=text("Must take")),
        Option.choice(
            "leftovers",
            ("nobody", "last-taker"),
            text("who gets the cards left on the table"),
            text("Left-over cards"),
        ),
    )

    def __init__(self, players: tuple[str, ...], dealer: int | None, options: Mapping[str, object]) -> None:
        super().__init__(players, dealer, options)
        self.begin_deal()

    def begin_deal(self) -> None:
        """Shuffle the pack, and clear the table and the captured cards."""
        self.new_pack()
        self.table: list[Card] = []
        self.just_played: Play | None = None
        self.captured: list[list[Card]] = [[] for _ in self.every_seat]
        self.last_taker: int | None = None

    def next_seat(self, seat: int) -> int:
        """Return the seat on the right: dealing and play go counter-clockwise."""
        return (seat - 1) % len(self.players)

    # The deal, from the first packet to the count

    def hand(self) -> Rules[None]:
        """Lay the table cards; then deal and play packet after packet until all cards have been dealt."""
        self.begin_deal()
        yield from self.lay_table()
        packets = (len(self.deck) - TABLE) // (PACKET * len(self.players))
        for packet in range(packets):
            deal = self.deal_packet() if packet else Deal(self, {})
            for _ in range(PACKET):
                for seat in self.seats_from(self.eldest):
                    yield from self.play(seat, deal)
                    if self.values["must_take"]:
                        yield from self.must_take()
        yield from self.must_take()
        self.count_deal()

    def lay_table(self) -> Rules[None]:
        """Deal three cards to each, named or not, and turn up four table cards."""
        deal = self.deal_packet()
        name = self.players[self.dealer]
        while left := TABLE - len(self.table):
            template = "{name} deals {packet} each and lays {table} cards face up on the table: {left} to go."
            hint = text(template, name=name, packet=PACKET, table=TABLE, left=left)
            action = yield self.question("deal" if deal.seats else "turn", None, deal, Turn(self), hint=hint)
            self.clear_table()
            if action.do == "deal":
                self.name_hand(action, deal)
            elif action.card:
                deal.seats = ()
                self.pack.put(action.card)
                self.table.append(action.card)

    def deal_packet(self) -> Deal:
        """Deal three unseen cards to each. Return the offer to name them."""
        for hand in self.hands:
            hand.deal_unseen(PACKET)
        return Deal(self, dict.fromkeys(self.every_seat, PACKET))

    def name_hand(self, action: Action, deal: Deal) -> None:
        """Make the hand of one seat known."""
        hand = self.hand_of(action)
        hand.become_known(action.cards or ())
        deal.done_by(hand.seat)

    def play(self, seat: int, deal: Deal) -> Rules[None]:
        """Let `seat` play a card. Until then the seat before it may take, and hands of a new packet may be named."""
        play, name, dealer = PlayToTrick(self, seat, None), self.players[seat], self.players[self.dealer]
        while True:
            hint = text("{name} plays.", name=name)
            if deal.seats:
                hint = text("{dealer} deals {count} each. {name} plays.", dealer=dealer, count=PACKET, name=name)
            take = Take(self, self.just_played) if self.just_played else None
            action = yield self.question("play", seat, play, take, deal, hint=hint)
            if action.do == "take":
                self.take(action.cards or ())
                continue
            self.leave_card()
            if action.do == "deal":
                self.name_hand(action, deal)
            elif action.card:
                deal.seats = ()
                self.play_card(seat, action.card)
                return

    def must_take(self) -> Rules[None]:
        """Require a take if the card just played can take."""
        played = self.just_played
        if played and any(self.possible_takes()):
            template = "{name} must take {card} and the cards from the table that make {sum} with it."
            hint = text(template, name=self.players[played.seat], card=played.card.glyph, sum=FIFTEEN)
            action = yield MustTake("play", played.seat, {"take": Take(self, played)}, hint)
            self.take(action.cards or ())

    # Taking

    def possible_takes(self) -> Iterator[tuple[Card, ...]]:
        """Yield every set of table cards that the card just played may take."""
        if self.just_played:
            yield from sums(self.table, FIFTEEN - VALUE[self.just_played.card.rank], VALUE)

    def play_card(self, seat: int, card: Card) -> None:
        """Play `card` for `seat`; it may take until the next card is played."""
        self.hands[seat].lay(card)
        self.just_played = Play(seat, card)

    def take(self, cards: Sequence[Card]) -> None:
        """Take `cards` with the card just played; clearing the table is a sweep, which scores a point.

        Raises `ValueError` if no card was just played.
        """
        if self.just_played is None:
            raise ValueError("no card was just played that could take")
        seat = self.last_taker = self.just_played.seat
        taken = [self.just_played.card, *cards]
        self.captured[seat] += taken
        self.table = [card for card in self.table if card not in cards]
        self.just_played = None
        if not self.table:
            self.score(seat, 1, "sweep")
            self.report("sweep", seat)
            headline = text("{name} clears the table", name=self.players[seat])
            self.add_moment(Moment("sweep", headline, seat, tuple(taken)))
            self.note_feat("sweep", seat)

    def leave_card(self) -> None:
        """Leave the card just played on the table, because it did not take."""
        if self.just_played:
            self.table.append(self.just_played.card)
            self.just_played = None

    # The count

    def count_deal(self) -> None:
        """Score most cards, most clubs, the seven of clubs, most sevens; end the game or pass the deal right."""
        self.leave_card()
        if self.values["leftovers"] == "last-taker" and self.last_taker is not None:
            self.captured[self.last_taker] += self.table
        self.table = []
        scored = count_captured(self.captured)
        for seat, points, reason in scored:
            self.score(seat, points, reason)
        for seat in self.seats_from(self.eldest):
            pile = self.captured[seat]
            found = [(points, reason, filter(SCORING[reason], pile)) for best, points, reason in scored if best == seat]
            self.add_count(seat, pile, found)
        self.report("hand-over")
        self.win_or_pass_deal()

    # Views

    def lying(self) -> Iterable[TableCard]:
        """Add the table cards, and the card just played, in front of its seat as long as it may take."""
        yield from super().lying()
        for card in self.table:
            yield TableCard(card, Zone("table"))
        if self.just_played:
            yield TableCard(self.just_played.card, Zone("play", self.just_played.seat))

    def tricks_won(self) -> tuple[int, ...]:
        """Return the number of cards that each seat has captured."""
        return tuple(len(pile) for pile in self.captured)

    def note(self, seat: int) -> SeatNote:
        """Return the clubs and the sevens that the seat has captured, the seven of clubs first."""
        pile = self.captured[seat]
        clubs, sevens = (list(filter(SCORING[reason], pile)) for reason in ("clubs", "sevens"))
        role = plural("{count} club", "{count} clubs", len(clubs)) if clubs else ""
        return SeatNote(role, cards=tuple(sorted(sevens, key=lambda card: card != SEVEN_OF_CLUBS)))

    def poster(self) -> Poster | None:
        """Return fifteen, how the fewest cards make it, and who may take them."""
        take, play = min(self.possible_takes(), key=len, default=None), self.just_played
        if take is None or play is None:
            return None
        total = " + ".join(str(VALUE[card.rank]) for card in (play.card, *take))
        return Poster(str(FIFTEEN), (total, text("{name} may take", name=self.players[play.seat])))

    def facts(self) -> tuple[tuple[str, str], ...]:
        """Return who may take, if the card just played makes the sum with table cards."""
        play = self.just_played
        if play and any(self.possible_takes()):
            return ((text("may take"), self.players[play.seat]),)
        return ()


class Take(Offer):
    """Taking table cards that make fifteen with the card just played."""

    __slots__ = ("played",)
    do = "take"
    game: LeQuinze

    def __init__(self, game: LeQuinze, played: Play) -> None:
        super().__init__(game, (played.seat,))
        self.played = played

    def check(self, action: Action) -> None:
        """Codes: no-such-card, not-your-turn, wrong-count, not-on-table, not-fifteen."""
        cards = action.cards or ()
        self.check_deck(*cards)
        if action.seat != self.played.seat:
            message = text("Only {name}, who just played, can take now.", name=self.name(self.played.seat))
            raise Refused("not-your-turn", message)
        if not cards:
            raise Refused("wrong-count", text("Name the cards that are taken."))
        for place, card in enumerate(cards):
            twice = card in cards[:place]
            if twice or card not in self.game.table:
                template = "{card} is named twice." if twice else "{card} does not lie on the table."
                raise Refused("not-on-table", text(template, card=card.glyph))
        total = sum(VALUE[card.rank] for card in (self.played.card, *cards))
        if total != FIFTEEN:
            template = "These cards make {total} with {card}, not {sum}."
            message = text(template, total=total, card=self.played.card.glyph, sum=FIFTEEN)
            raise Refused("not-fifteen", message)

    def actions(self) -> Iterator[Action]:
        """Yield every set of table cards that makes fifteen with the card."""
        for cards in self.game.possible_takes():
            yield Action("take", self.played.seat, cards=cards)


class MustTake(Question):
    """A take that must come before any other action: actions of other seats are out of turn."""

    __slots__ = ()

    def check(self, action: Action) -> None:
        """Codes: as usual, but `not-your-turn` for `cut`, `deal` and `play` by other seats."""
        if action.do in ("cut", "deal", "play") and action.seat != self.turn:
            for offer in self.offers.values():
                offer.refuse_seat()
        super().check(action)
