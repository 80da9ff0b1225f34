"""The frame of a game: what all of them share, and what a new one has to write.

**A new game** is a subclass of `Game` in a file of its own, registered as an entry point in the group
`cardtable.games`. It sets the class attributes below and writes `hand`: one coroutine for one deal, in the order in
which the rule book tells it. It asks (`action = yield self.ask(phase, turn, *offers)`) and receives an action that
its own offers allowed; it never sees an illegal one. Steps that games share are here: `cut_for_deal`,
`deal_and_turn_up`, `say`. Scores and news go through `score` and `report`; `win` ends the game.

**Between two hands** everything that counts is in `self.match`, and `hand` must not change it before its first
question: the table keeps a copy from there, and undo replays from it. What belongs to one deal (`pack`, tricks,
trumps) is set anew at the start of `hand`.

**What may be overridden**: `check_header` (more than the options say), `cuts_lowest` (the lowest card deals),
`dealer_does` (what the dealer is called for, where nobody deals),
`next_seat` (play to the right), `sides` (partners share a score), `ask` (offers that every question has), `result`
(more keys for the last line of a replay), and for views `lying`, `tricks_won`, `facts`, `hint`. At the table:
`zones` where cards are laid, `face_down` among them those where a card may lie face down, and `drawing_says`, the
word that drawing a card and laying it face down in the own `show` zone says.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping
from typing import Any, ClassVar, TypeAlias, TypeVar

from engine.actions import Action
from engine.cards import STANDARD_DECK, Card, Deck
from engine.errors import HeaderError, suggestion
from engine.observations import Zone
from engine.rules.hands import Hand, Pack
from engine.rules.match import Match
from engine.rules.offers import Cut, Deal, Gather, Turn
from engine.rules.options import Option
from engine.rules.questions import Offer, Question, Say
from engine.rules.tricks import HIGH_ACE
from engine.texts import both, text
from engine.views import Event, HandView, Point, TableCard, View
from engine.words import Word

__all__ = ["Game", "Option", "Rules"]

T = TypeVar("T")
Rules: TypeAlias = Generator[Question, Action, T]


class Game:
    """One game being played: its rules and its state. `Table` drives it; nobody else calls its coroutines."""

    name: ClassVar[str]
    title: ClassVar[str]
    seats: ClassVar[range]
    options: ClassVar[tuple[Option, ...]] = ()
    words: ClassVar[tuple[Word, ...]] = ()
    vocabulary: ClassVar[Mapping[str, Word]] = {}
    zones: ClassVar[tuple[str, ...]] = ("play", "turn-up", "say")
    face_down: ClassVar[tuple[str, ...]] = ("stock", "crib")
    drawing_says: ClassVar[str | None] = None
    deck: Deck = STANDARD_DECK
    cuts_lowest: ClassVar[bool] = False
    dealer_does: ClassVar[str] = text("deals")
    cut_order: ClassVar[Mapping[str, int]] = HIGH_ACE

    def __init_subclass__(cls) -> None:
        cls.vocabulary = {word.name: word for word in cls.words}

    def __init__(self, players: tuple[str, ...], dealer: int | None, options: Mapping[str, object]) -> None:
        self.players = players
        self.every_seat = tuple(range(len(players)))
        self.values: dict[str, Any] = {option.name: option.default for option in self.options} | dict(options)
        self._side_of = {seat: side for side, seats in enumerate(self.sides()) for seat in seats}
        self.match: Match = Match([0] * len(self.sides()), dealer)
        self.points: list[Point] = []
        self.events: list[Event] = []
        self.trump: str | None = None
        self.new_pack()

    # What a game may override

    @classmethod
    def check_header(cls, players: tuple[str, ...], dealer: int | None, options: Mapping[str, object]) -> None:
        """Raise `HeaderError` where the game cannot be played like this."""
        if len(players) not in cls.seats:
            few, many = cls.seats[0], cls.seats[-1]
            span = str(few) if few == many else text("{few} to {many}", few=few, many=many)
            raise HeaderError(
                text("{title} is for {span} players, not {players}", title=cls.title, span=span, players=len(players)),
                "players",
            )
        if dealer is not None and not 0 <= dealer < len(players):
            raise HeaderError(
                text("'dealer' is a seat from 0 to {last}, not {dealer}", last=len(players) - 1, dealer=dealer),
                "dealer",
            )
        known = {option.name: option for option in cls.options}
        for name, value in options.items():
            if name not in known:
                guess = suggestion(name, tuple(known)) or text(
                    "; it has {names}", names=", ".join(known) or text("none")
                )
                raise HeaderError(
                    text("{title} has no option {name!r}{guess}", title=cls.title, name=name, guess=guess),
                    f"options.{name}",
                )
            known[name].check(value)

    def hand(self) -> Rules[None]:
        """One deal, from dealing to counting, in the order of the rule book."""
        raise NotImplementedError

    def sides(self) -> tuple[tuple[int, ...], ...]:
        """Who shares a score: the seats of each side, in the order of `scores`."""
        return tuple((seat,) for seat in self.every_seat)

    def side_of(self, seat: int) -> int:
        """The side that `seat` is on."""
        return self._side_of[seat]

    def next_seat(self, seat: int) -> int:
        """Who comes after `seat`: clockwise, to the left."""
        return (seat + 1) % len(self.players)

    def result(self) -> dict[str, Any]:
        """More keys for the last line of a replay."""
        return {}

    # Running

    def run(self) -> Rules[None]:
        """The whole game, from `match`: the cut where there is no dealer yet, then hand after hand."""
        if self.match.dealer is None:
            yield from self.cut_for_deal()
        while not self.match.over:
            yield from self.hand()
            self.match.hands += 1

    def ask(self, phase: str, turn: int | None, *offers: Offer | None) -> Question:
        """The question with these offers (None ones left out)."""
        return Question(phase, turn, {offer.do: offer for offer in offers if offer is not None})

    def score(self, seat: int, points: int, reason: str) -> None:
        """`seat` scores `points` for its side."""
        self.match.scores[self._side_of[seat]] += points
        self.points.append(Point(seat, points, reason))

    def report(self, event: str, seat: int | None = None, card: Card | None = None) -> None:
        """News of this action."""
        self.events.append(Event(event, seat, card))

    def win(self, *winners: int) -> None:
        """The game is over: these sides have won it."""
        self.match.over = True
        self.match.winners = winners
        self.report("game-over")

    # Dealing

    def hand_of(self, action: Action) -> Hand:
        """The hand of the seat that acts."""
        if not isinstance(action.seat, int):
            raise TypeError(f"{action} has no seat with a hand")
        return self.pack.hands[action.seat]

    @property
    def dealer(self) -> int:
        """The dealer of this hand; there is one once the cut is over."""
        if self.match.dealer is None:
            raise ValueError("nobody deals before the cut")
        return self.match.dealer

    def new_pack(self) -> None:
        """The whole pack is shuffled: nobody holds anything, and nothing is known."""
        self.pack = Pack(self.deck, len(self.players))
        self.hands = self.pack.hands

    def in_stock(self) -> int:
        """How many cards have not been dealt or turned up."""
        seen = sum(1 for where in self.pack.place.values() if not isinstance(where, Hand))
        return len(self.deck) - seen - sum(hand.size for hand in self.hands)

    def cut_for_deal(self) -> Rules[None]:
        """Everybody cuts; the best card deals; those tied cut again, with the whole pack."""
        seats = self.every_seat
        while len(seats) > 1:
            cut: dict[int, Card] = {}
            while len(cut) < len(seats):
                left = tuple(seat for seat in seats if seat not in cut)
                action = yield self.ask("cut", None, Cut(self, left, tuple(cut.values())))
                if isinstance(action.seat, int) and action.card:
                    cut[action.seat] = self.match.cut[action.seat] = action.card
            best = (min if self.cuts_lowest else max)(self.cut_order[card.rank] for card in cut.values())
            seats = tuple(sorted(seat for seat, card in cut.items() if self.cut_order[card.rank] == best))
        self.match.dealer = seats[0]

    def deal_and_turn_up(self, count: int) -> Rules[Card]:
        """`count` cards to each, named or not, in any order; then a card is turned up, which is returned."""
        left = self.every_seat
        while True:
            phase = "deal" if left else "turn"
            action = yield self.ask(phase, None, Deal(self, left, count), Turn(self), self.last_gather())
            if action.do == "gather":
                self.gather_last()
                continue
            self.clear_table()
            if action.do == "deal":
                self.hand_of(action).deal(action.cards or ())
                left = tuple(seat for seat in left if seat != action.seat)
            elif action.card:
                for seat in left:
                    self.hands[seat].deal_unseen(count)
                self.pack.put(action.card)
                self.match.turn_up = action.card
                return action.card

    def last_gather(self) -> Gather | None:
        """The last trick of the hand before may still be gathered by its winner."""
        return Gather(self, self.match.left.winner) if self.match.left and self.match.may_gather else None

    def gather_last(self) -> None:
        """The last trick of the hand before is gathered."""
        self.match.left = None
        self.match.may_gather = False

    def clear_table(self) -> None:
        """What the hand before, or the cut, left lying is cleared away."""
        self.gather_last()
        self.match.cut = {}

    def say(self, seat: int, *words: str) -> Rules[str]:
        """`seat` says one of `words`, which is returned."""
        action = yield self.ask("say", seat, Say(self, seat, words))
        return action.word or ""

    # Views

    def lying(self) -> Iterable[TableCard]:
        """What the record says lies face up, in the order laid."""
        for seat, card in self.match.cut.items():
            yield TableCard(card, Zone("play", seat), firm=False)
        if self.match.turn_up:
            yield TableCard(self.match.turn_up, Zone("turn-up"), firm=False)
        if self.match.left:
            for play in self.match.left.plays:
                yield TableCard(play.card, Zone("play", play.seat), firm=False)
        for hand in self.hands:
            for card in hand.exposed:
                yield TableCard(card, Zone("show", hand.seat))

    def tricks_won(self) -> tuple[int, ...]:
        """Per seat, the tricks or cards won in this hand; empty in games where none are."""
        return ()

    def facts(self) -> tuple[tuple[str, str], ...]:
        """The game's own news for the board, as names and texts."""
        return ()

    def hint(self, ask: Question) -> str:
        """What the table waits for, where the game has better words for it than `engine.referee.prompts`."""
        return ""

    def _who_cuts(self, ask: Question) -> str:
        """Who has still to cut, or to cut again, where that is not everybody."""
        left = ask.offers["cut"].seats if "cut" in ask.offers else self.every_seat
        names = both([self.players[seat] for seat in left])
        return text("Cut for the deal: {names} still to cut.", names=names) if len(left) < len(self.players) else ""

    def view(self, ask: Question, viewer: int | None) -> View:
        """The table as `viewer` may see it (None: what everybody may see)."""
        match = self.match
        return View(
            game=self.name,
            players=self.players,
            phase=ask.phase,
            turn=ask.turn,
            dealer=match.dealer,
            dealer_does=self.dealer_does,
            scores=tuple(match.scores),
            target=self.values.get("target"),
            lying=tuple(self.lying()),
            hands=tuple(
                HandView(hand.size, tuple(hand.known if hand.seat == viewer else hand.exposed)) for hand in self.hands
            ),
            won=self.tricks_won(),
            words=ask.words(len(self.players)),
            trump=self.trump,
            points=tuple(self.points),
            events=tuple(self.events),
            over=match.over,
            winners=match.winners,
            facts=self.facts(),
            hint=self.hint(ask) or self._who_cuts(ask),
            face_down=self.face_down,
            vocabulary=self.vocabulary,
            deck=self.deck,
        )
