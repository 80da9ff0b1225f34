"""Le Quinze, for two to four: the rules in the order in which the rule book tells them.

The source's rules, and the rulings where it is silent, stand in docs/games/le-quinze.md; each ruling that people play
differently is an option.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final

from engine.actions import Action
from engine.cards import SUITS, Card, Deck
from engine.errors import Refused
from engine.observations import Zone
from engine.rules.game import Game, Option, Rules
from engine.rules.offers import Deal, PlayToTrick, Turn
from engine.rules.questions import Offer, Question
from engine.rules.tricks import Play
from engine.texts import text
from engine.views import TableCard

VALUE: Final = {rank: value for value, rank in enumerate(("A", "2", "3", "4", "5", "6", "7", "J", "Q", "K"), start=1)}
"""What a card is worth, 1 to 10, which is also its order for the cut."""

FIFTEEN: Final = 15
PACKET: Final = 3
TABLE: Final = 4
SEVEN_OF_CLUBS: Final = Card("7", "C")


def takes(table: Sequence[Card], wanted: int) -> Iterator[tuple[Card, ...]]:
    """Every set of cards of `table` that is worth exactly `wanted`, more than nothing.

    A seven, as in the source, takes a six and a two, or a jack:

    >>> from engine.cards import parse_card as card
    >>> [[str(taken) for taken in take] for take in takes([card("6S"), card("JH"), card("2D"), card("KC")], 15 - 7)]
    [['6S', '2D'], ['JH']]
    """
    for place, card in enumerate(table):
        left = wanted - VALUE[card.rank]
        if left == 0:
            yield (card,)
        elif left > 0:
            for more in takes(table[place + 1 :], left):
                yield (card, *more)


def count_captured(piles: Sequence[Collection[Card]]) -> list[tuple[int, int, str]]:
    """Seat, points and reason for the cards that each seat has captured: a tie for the most scores nobody."""

    def most(counts: Callable[[Card], bool], reason: str) -> list[tuple[int, int, str]]:
        numbers = [sum(map(counts, pile)) for pile in piles]
        best = max(numbers)
        return [(numbers.index(best), 1, reason)] if numbers.count(best) == 1 else []

    seven = [(seat, 1, "seven-of-clubs") for seat, pile in enumerate(piles) if SEVEN_OF_CLUBS in pile]
    clubs = most(lambda card: card.suit == "C", "clubs")
    return most(lambda card: True, "cards") + clubs + seven + most(lambda card: card.rank == "7", "sevens")


class LeQuinze(Game):
    """Le Quinze. See `Game` for what the attributes and the coroutine are."""

    name = "le-quinze"
    title = "Le Quinze"
    seats = range(2, 5)
    zones = ("play", "table")
    deck = Deck(Card(rank, suit) for suit in SUITS for rank in VALUE)
    cuts_lowest = True
    cut_order = VALUE
    options = (
        Option("target", 11, text("points that win the game, looked at after a complete deal"), least=1),
        Option("must_take", False, text("whoever can take must")),
        Option("leftovers", "nobody", text("who gets the cards left on the table"), choices=("nobody", "last-taker")),
    )

    def __init__(self, players: tuple[str, ...], dealer: int | None, options: Mapping[str, object]) -> None:
        super().__init__(players, dealer, options)
        self._clear()

    def _clear(self) -> None:
        self.table: list[Card] = []
        self.just_played: Play | None = None
        self.captured: list[list[Card]] = [[] for _ in self.every_seat]
        self.last_taker: int | None = None

    def next_seat(self, seat: int) -> int:
        """Dealing and play go counter-clockwise, to the right."""
        return (seat - 1) % len(self.players)

    # The deal, from the first packet to the count

    def hand(self) -> Rules[None]:
        """The table is laid; then packet after packet is dealt and played, until all cards are out."""
        self._clear()
        self.new_pack()
        yield from self.lay_table()
        seat = self.next_seat(self.dealer)
        packets = (len(self.deck) - TABLE) // (PACKET * len(self.players))
        for packet in range(packets):
            to_deal = self.deal_packet() if packet else ()
            for _ in range(PACKET * len(self.players)):
                yield from self.play_card(seat, to_deal)
                to_deal = ()
                if self.values["must_take"]:
                    yield from self.must_take()
                seat = self.next_seat(seat)
        yield from self.must_take()
        self.count_deal()

    def lay_table(self) -> Rules[None]:
        """Three cards to each, named or not, and four cards turned up between the players."""
        to_deal = self.deal_packet()
        while len(self.table) < TABLE:
            action = yield self.ask("deal" if to_deal else "turn", None, Deal(self, to_deal, PACKET), Turn(self))
            self.clear_table()
            if action.do == "deal":
                to_deal = self._name_hand(action, to_deal)
            elif action.card:
                to_deal = ()
                self.pack.put(action.card)
                self.table.append(action.card)

    def deal_packet(self) -> tuple[int, ...]:
        """Three cards to each, unseen; the seats, whose cards may still be named, are returned."""
        for hand in self.hands:
            hand.deal_unseen(PACKET)
        return self.every_seat

    def play_card(self, seat: int, to_deal: tuple[int, ...]) -> Rules[None]:
        """`seat` plays a card. Before that the seat before it may take, and hands of a new packet may be named."""
        play = PlayToTrick(self, seat, None)
        while True:
            take = Take(self, self.just_played) if self.just_played else None
            action = yield self.ask("play", seat, play, take, Deal(self, to_deal, PACKET))
            if action.do == "take":
                self.take(action.cards or ())
                continue
            self.leave_card()
            if action.do == "deal":
                to_deal = self._name_hand(action, to_deal)
            elif action.card:
                self.hands[seat].lay(action.card)
                self.just_played = Play(seat, action.card)
                return

    def must_take(self) -> Rules[None]:
        """Where the card just played can take, it must."""
        play = self.just_played
        if play and any(takes(self.table, FIFTEEN - VALUE[play.card.rank])):
            action = yield MustTake("play", play.seat, {"take": Take(self, play)})
            self.take(action.cards or ())

    def take(self, cards: Sequence[Card]) -> None:
        """The card just played takes `cards`; a table left empty is a sweep."""
        if self.just_played is None:
            raise ValueError("nothing was just played that could take")
        seat = self.last_taker = self.just_played.seat
        self.captured[seat] += [self.just_played.card, *cards]
        self.table = [card for card in self.table if card not in cards]
        self.just_played = None
        if not self.table:
            self.score(seat, 1, "sweep")
            self.report("sweep", seat)

    def leave_card(self) -> None:
        """The card just played did not take: it stays on the table."""
        if self.just_played:
            self.table.append(self.just_played.card)
            self.just_played = None

    def count_deal(self) -> None:
        """Most cards, most clubs, the seven of clubs, most sevens; who has won; the deal passes right."""
        match = self.match
        self.leave_card()
        if self.values["leftovers"] == "last-taker" and self.last_taker is not None:
            self.captured[self.last_taker] += self.table
        self.table = []
        for seat, points, reason in count_captured(self.captured):
            self.score(seat, points, reason)
        self.report("hand-over")
        best = [seat for seat, score in enumerate(match.scores) if score == max(match.scores)]
        if len(best) == 1 and match.scores[best[0]] >= self.values["target"]:
            self.win(best[0])
        else:
            match.dealer = self.next_seat(self.dealer)

    def _name_hand(self, action: Action, to_deal: tuple[int, ...]) -> tuple[int, ...]:
        self.hand_of(action).become_known(action.cards or ())
        return tuple(seat for seat in to_deal if seat != action.seat)

    # Views

    def lying(self) -> Iterable[TableCard]:
        """The table cards, and the card just played before its seat, as long as it may take."""
        yield from super().lying()
        for card in self.table:
            yield TableCard(card, Zone("table"))
        if self.just_played:
            yield TableCard(self.just_played.card, Zone("play", self.just_played.seat))

    def tricks_won(self) -> tuple[int, ...]:
        """Per seat, the cards captured."""
        return tuple(len(pile) for pile in self.captured)

    def facts(self) -> tuple[tuple[str, str], ...]:
        """Who may take, if the card just played makes fifteen with cards of the table."""
        play = self.just_played
        if play and any(takes(self.table, FIFTEEN - VALUE[play.card.rank])):
            return ((text("may take"), self.players[play.seat]),)
        return ()

    def hint(self, ask: Question) -> str:
        """Who lays the table, who deals the next packet, who plays, who must take."""
        dealer = self.match.dealer
        if ask.phase in ("deal", "turn") and dealer is not None:
            name, left = self.players[dealer], TABLE - len(self.table)
            told = "{name} deals {packet} each and lays {table} cards open on the table: {left} more."
            return text(told, name=name, packet=PACKET, table=TABLE, left=left)
        if isinstance(ask, MustTake) and self.just_played:
            name, card = self.players[self.just_played.seat], self.just_played.card
            told = "{name} must take: {card} and cards of the table that make {sum} with it."
            return text(told, name=name, card=card.glyph, sum=FIFTEEN)
        if ask.phase == "play" and ask.turn is not None and dealer is not None:
            plays, dealing = self.players[ask.turn], self.players[dealer]
            if "deal" in ask.offers:
                return text("{dealer} deals {count} each. {name} plays.", dealer=dealing, count=PACKET, name=plays)
            return text("{name} plays.", name=plays)
        return ""


class Take(Offer):
    """The card just played takes cards of the table that add up to fifteen with it."""

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
            told = text("Only {name}, who just played, can take now.", name=self.name(self.played.seat))
            raise Refused("not-your-turn", told)
        if not cards:
            raise Refused("wrong-count", text("Name the cards that are taken."))
        for place, card in enumerate(cards):
            if card not in self.game.table or card in cards[:place]:
                twice = card in cards[:place]
                why = "{card} is named twice." if twice else "{card} does not lie on the table."
                raise Refused("not-on-table", text(why, card=card.glyph))
        total = sum(VALUE[card.rank] for card in (self.played.card, *cards))
        if total != FIFTEEN:
            told = text("These cards make {total} with {card}, not 15.", total=total, card=self.played.card.glyph)
            raise Refused("not-fifteen", told)

    def actions(self) -> Iterator[Action]:
        """Every set of table cards that makes fifteen."""
        for cards in takes(self.game.table, FIFTEEN - VALUE[self.played.card.rank]):
            yield Action("take", self.played.seat, cards=cards)


class MustTake(Question):
    """A take must be made before anything else: what another seat does is out of turn."""

    __slots__ = ()

    def check(self, action: Action) -> None:
        """As always, but for the other seats' actions of this game, which are `not-your-turn`."""
        if action.do in ("cut", "deal", "play") and action.seat != self.turn:
            for offer in self.offers.values():
                offer.refuse_seat(action)
        super().check(action)
