"""Le Quinze, for two to four: the rules in the order in which the rule book gives them.

The source's rules, and the rulings where it is silent, are in docs/games/le-quinze.md; rulings that people commonly
play differently are options.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final

from engine.actions import Action
from engine.cards import SUITS, Card, Deck
from engine.rules.capture_game import CaptureGame, MustTake, Take
from engine.rules.game import Option, Rules
from engine.rules.offers import Deal, PlayToTrick, Turn
from engine.rules.state import sole_best
from engine.texts import text

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


def count_captured(piles: Sequence[Collection[Card]]) -> list[tuple[int, int, str]]:
    """Return seat, points and reason for each score of the captured cards; a tie for the most scores nothing."""

    def most(reason: str) -> list[tuple[int, int, str]]:
        best = sole_best({seat: sum(map(SCORING[reason], pile)) for seat, pile in enumerate(piles)})
        return [] if best is None else [(best, 1, reason)]

    seven = [(seat, 1, "seven-of-clubs") for seat, pile in enumerate(piles) if SEVEN_OF_CLUBS in pile]
    return most("cards") + most("clubs") + seven + most("sevens")


class LeQuinze(CaptureGame):
    """Le Quinze. See `Game` for the attributes and the coroutines."""

    name = "le-quinze"
    title = "Le Quinze"
    about = text("Take cards from the table that add up to fifteen with the one you play.")
    seats = range(2, 5)
    reasons = ("cards", "clubs", "seven-of-clubs", "sevens")
    zones = ("play", "table")
    deck = Deck(Card(rank, suit) for suit in SUITS for rank in VALUE)
    worth = VALUE
    takes = FIFTEEN
    cuts_lowest = True
    cut_order = VALUE
    options = (
        Option(
            "target",
            11,
            text("points that win the game, checked after each complete deal"),
            least=1,
            label=text("Game at"),
        ),
        Option("must_take", False, text("a player who can take cards must take them"), label=text("Must take")),
        Option(
            "leftovers",
            "nobody",
            text("who gets the cards left on the table"),
            choices=("nobody", "last-taker"),
            label=text("Left-over cards"),
        ),
    )

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
            deal = self.deal_packet() if packet else Deal(self, (), PACKET)
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
        return Deal(self, self.every_seat, PACKET)

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
            pile, own = self.captured[seat], [found[1:] for found in scored if found[0] == seat]
            self.add_count(seat, pile, [(points, reason, filter(SCORING[reason], pile)) for points, reason in own])
        self.report("hand-over")
        self.win_or_pass_deal()
