"""It's 15, for two to six: the rules in the order in which the rule book tells them.

The game has a deck of its own. The source's rules, and the rulings where it is silent, stand in docs/games/its-15.md;
each ruling that people play differently is an option. One `hand` is one round here, and `dealer` the player who
starts it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

from engine.cards import Card, Deck
from engine.errors import HeaderError
from engine.games.its_15_offers import Bid, ShowBrown, TurnGreen, worth
from engine.observations import Zone
from engine.rules.game import Game, Option, Rules
from engine.rules.questions import Question, Say
from engine.texts import both, text
from engine.views import TableCard
from engine.words import Word

COLOURS: Final = ("red", "blue", "yellow", "black", "orange", "purple")
"""The colours of the value cards, in the order of the seats."""

FIFTEEN: Final = 15
OPTIONS: Final = (
    Option("brown_copies", 4, text("copies of each brown number card"), least=1),
    Option("green_copies", 1, text("copies of each green number card"), least=1),
    Option("ones", 5, text("value cards of 1 that a player starts with"), least=0),
    Option("twos", 5, text("value cards of 2 that a player starts with"), least=0),
    Option("rounds", 10, text("rounds of a game"), least=1),
)


def make_deck(players: int, values: Mapping[str, int]) -> Deck:
    """All cards of a game: brown and green number cards, and each player's value cards."""
    copies = {Card(str(number), "brown"): values["brown_copies"] for number in range(1, 11)}
    copies |= {Card(str(number), "green"): values["green_copies"] for number in range(1, 10)}
    for colour in COLOURS[:players]:
        copies |= {Card("1", colour): values["ones"], Card("2", colour): values["twos"]}
    return Deck(copies)


def nearest(shown: Mapping[int, Iterable[Card]], centre: Card) -> int | None:
    """Who wins: nearest to 15 with the centre card, above and below alike; among equals the highest brown card.

    None where that ties as well.

    >>> from engine.cards import parse_card as card
    >>> nearest({0: [card("brown-9")], 1: [card("brown-8"), card("brown-3")]}, card("green-5"))
    0
    """
    off = {seat: abs(worth(cards) + worth([centre]) - FIFTEEN) for seat, cards in shown.items()}
    near = [seat for seat in shown if off[seat] == min(off.values())]
    highest = {seat: max(worth([card]) for card in shown[seat]) for seat in near}
    best = [seat for seat in near if highest[seat] == max(highest.values())]
    return best[0] if len(best) == 1 else None


class ItsFifteen(Game):
    """It's 15. See `Game` for what the attributes and the coroutine are.

    `held`: the value cards of each seat. `forward`: those that it has put forward in this round. `amount`: the bid
    that stands. `centre`: the green card. `shown`: the brown cards shown, by seat. From round to round
    `match.more` keeps `held`, and the `pot` that a tie has left on the table.
    """

    name = "its-15"
    title = "It's 15"
    seats = range(2, 7)
    words = (Word("card", mark=110), Word("stay", mark=111), Word("pass", mark=112))
    zones = ("table", "bid", "show", "say")
    face_down = ("stock", "show")
    drawing_says = "card"
    dealer_does = text("starts")
    options = OPTIONS
    deck = make_deck(len(COLOURS), {option.name: int(option.default) for option in OPTIONS})

    def __init__(self, players: tuple[str, ...], dealer: int | None, options: Mapping[str, object]) -> None:
        super().__init__(players, dealer, options)
        self.deck = make_deck(len(players), self.values)
        own = [(Card("1", colour), Card("2", colour)) for colour in COLOURS[: len(players)]]
        self.value_cards = frozenset(card for cards in own for card in cards)
        held = tuple(Counter({card: self.deck.copies(card) for card in cards}) for cards in own)
        self.match.more = {"held": held, "pot": ()}
        self.match.scores = [self.values["ones"] + 2 * self.values["twos"] for _ in players]
        self._clear()

    @classmethod
    def check_header(cls, players: tuple[str, ...], dealer: int | None, options: Mapping[str, object]) -> None:
        """Also: somebody starts, since nothing is cut for it; and the brown cards are enough for two each."""
        super().check_header(players, dealer, options)
        if dealer is None:
            raise HeaderError(
                text(
                    "{title} needs 'dealer', the seat of the player who starts: nothing is cut for it", title=cls.title
                ),
                "dealer",
            )
        values = {option.name: option.default for option in cls.options} | dict(options)
        brown = 10 * int(str(values["brown_copies"]))
        if brown < 2 * len(players):
            raise HeaderError(
                text(
                    "{brown} brown cards are too few for {players} players: two each are needed",
                    brown=brown,
                    players=len(players),
                ),
                "options.brown_copies",
            )

    def _clear(self) -> None:
        self.new_pack()
        self.held: list[Counter[Card]] = [Counter(cards) for cards in self.match.more["held"]]
        self.forward: list[list[Card]] = [[] for _ in self.every_seat]
        self.amount = 0
        self.centre: Card | None = None
        self.still_in = list(self.every_seat)
        self.shown: dict[int, tuple[Card, ...]] = {}

    # The round

    def hand(self) -> Rules[None]:
        """The centre card, the brown cards, the bidding, the showdown; the winner takes the pot and starts next."""
        self._clear()
        self.still_in = [(self.dealer + step) % len(self.players) for step in self.every_seat]
        action = yield self.ask("turn", None, TurnGreen(self))
        self.centre = action.card
        for hand in self.hands:
            hand.deal_unseen(1)
        for seat in self.still_in:
            if (yield from self.say(seat, "card", "stay")) == "card":
                self.hands[seat].deal_unseen(1)
        yield from self.bidding()
        winner: int | None = self.still_in[0]
        if len(self.still_in) > 1:
            winner = yield from self.showdown()
        self.settle(winner)

    def bidding(self) -> Rules[None]:
        """Somebody bids, or nobody; then everyone else matches or passes, and one, once, may raise."""
        waiting, may_raise = list(self.still_in), True
        while waiting:
            seat = waiting.pop(0)
            opened = self.amount > 0
            action = yield self.ask("bid", seat, Bid(self, seat, may_raise), Say(self, seat, ("pass",)))
            if action.do == "bid":
                self.put_forward(seat, action.cards or ())
                bid = worth(self.forward[seat])
                if bid > self.amount:
                    self.amount, may_raise = bid, not opened
                    after = self.still_in.index(seat) + 1
                    waiting = self.still_in[after:] + self.still_in[: after - 1]
            elif opened:
                self.still_in.remove(seat)

    def put_forward(self, seat: int, cards: Iterable[Card]) -> None:
        """Value cards go from a player's stock into the pot, and count no longer for him."""
        cards = list(cards)
        self.held[seat].subtract(cards)
        self.forward[seat] += cards
        self.match.scores[seat] -= worth(cards)

    def showdown(self) -> Rules[int | None]:
        """Everyone still in turns his brown cards face up, in any order; the winner, or None, is returned."""
        while left := tuple(seat for seat in self.still_in if seat not in self.shown):
            action = yield self.ask("show", None, ShowBrown(self, left))
            if isinstance(action.seat, int):
                self.shown[action.seat] = action.cards or ()
        return nearest(self.shown, self.centre) if self.centre else None

    def settle(self, winner: int | None) -> None:
        """The winner takes the pot and starts the next round; a tie leaves both as they are. The last round ends it."""
        match = self.match
        pot = (*match.more["pot"], *(card for cards in self.forward for card in cards))
        if winner is not None:
            if pot:
                self.score(winner, worth(pot), "pot")
            self.held[winner].update(pot)
            pot = ()
            match.dealer = winner
        match.more = {"held": tuple(self.held), "pot": pot}
        self.report("round", winner)
        if match.hands + 1 == self.values["rounds"]:
            self.win(*[seat for seat in self.every_seat if match.scores[seat] == max(match.scores)])

    # Views

    def lying(self) -> Iterable[TableCard]:
        """The centre card, the value cards put forward, the brown cards shown; a pot left by a tie."""
        if self.centre:
            yield TableCard(self.centre, Zone("table"), firm=False)
        for card in self.match.more["pot"]:
            yield TableCard(card, Zone("table"), firm=False)
        for seat in self.every_seat:
            for card in self.forward[seat]:
                yield TableCard(card, Zone("bid", seat))
            for card in self.shown.get(seat, ()):
                yield TableCard(card, Zone("show", seat))

    def facts(self) -> tuple[tuple[str, str], ...]:
        """The round, the bid that stands, what is in the pot, and who is out of the round."""
        playing = self.match.hands + (not self.match.over)
        pot = worth(self.match.more["pot"]) + sum(map(worth, self.forward))
        number = text("{number} of {all}", number=playing, all=self.values["rounds"])
        facts = [(text("round"), number), (text("bid"), str(self.amount)), (text("pot"), str(pot))]
        return (*facts, *((text("out"), self.players[seat]) for seat in self.every_seat if seat not in self.still_in))

    def hint(self, ask: Question) -> str:
        """The centre card, and who has still to show."""
        if ask.phase == "turn":
            told = "A brown card for everybody, then a green card on the table. {name} starts."
            return text(told, name=self.players[self.dealer])
        if ask.phase == "show":
            names = both([self.players[seat] for seat in self.still_in if seat not in self.shown])
            return text("{names}: turn your brown cards over and lay them open in your show zone.", names=names)
        return ""
