"""The base class of every game: its course from the cut to the last hand, and its views.

**A new game** is a subclass of `Game` in a file of its own, registered as an entry point in the group `cardtable.games`
(docs/how-to/adding-a-game.md). It sets the class attributes below and writes `hand`: a coroutine that plays one deal,
in the order of the rule book. It asks (`action = yield self.question(phase, turn, *offers)`) and receives an action
that its own offers allowed; it never receives an illegal one. Steps that games share are here: `cut_for_deal`,
`deal_and_turn_up`, `turn_trumps`, `say`, `ask`. Scores, events and moments go through `score`, `report` and
`add_moment`; `win`, `win_at_target` and `win_or_pass_deal` end the game (`engine.rules.state`).

**Between two hands** everything that matters is in `self.match`. The table keeps a copy of it, from which undo replays.
What belongs to one deal (`pack`, tricks, trumps) is set at the start of `hand`.

**A game may override** `check_header` (more than the options say), `next_seat` (play to the right), `question` (offers
that every question has), `result` (more keys for the last line of a replay), `deal_data` (for other programs), and for
views `lying`, `tricks_won`, `suit_led`, `facts`, `counted` and what its players look at: `note`, `poster`, `tallies`.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping
from typing import Any, ClassVar, TypeAlias, TypeVar

from engine.actions import Action
from engine.cards import SUIT_GLYPHS, SUIT_TEXTS, Card
from engine.errors import HeaderError, suggestion
from engine.observations import Zone
from engine.rules.offers import Cut, Deal, Gather, Turn
from engine.rules.questions import Offer, Question, Say
from engine.rules.state import GameState, Option
from engine.rules.tricks import HIGH_ACE
from engine.texts import Text, both, plural, span, text
from engine.views import CountedHand, FactDisplay, HandView, Moment, Poster, SeatNote, TableCard, Tally, View

__all__ = ["Game", "Option", "Rules"]

T = TypeVar("T")
Rules: TypeAlias = Generator[Question, Action, T]
"""A coroutine of the rules: it yields questions, receives legal actions, and returns a `T`."""


class Game(GameState):
    """A game in progress: its rules and its state. Only `engine.table.Table` runs its coroutines.

    `name`: the name in records. `title`: the name for people. `about`: one sentence about the game. `seats`: the
    numbers of players that it is for. `options`, `words`, `deck`: its options, what can be said in it, its cards.
    `zones`: the zones of its mat; `face_down`: those in which a card may lie face down. `drawing_says`: the word that
    a seat says by drawing a card and laying it face down in its own `show` zone. `cuts_lowest`: the lowest card cut
    deals, not the highest; `cut_order`: the value of each rank for the cut. `dealer_does`: how the view describes the
    dealer's part, such as `deals`; `first_does`: the first dealer's, such as `deals first`. `loser_deals`: in the next
    game of the same players the loser deals first, not the seat after the first dealer. `pegboard`: the scores at
    which the cribbage board has a line; None without such a board. `plays_boards`: its deals are boards, as in PBN
    files, which pairs may play at many tables; `result` has the `tricks` of each, and `deal_data` who is `vulnerable`.
    `fact_displays`: where each of the `facts` is shown, by its name; "all" if a name is not in it.
    """

    name: ClassVar[str]
    about: ClassVar[str] = ""
    seats: ClassVar[range]
    zones: ClassVar[tuple[str, ...]] = ("play", "turn-up", "say")
    face_down: ClassVar[tuple[str, ...]] = ("stock", "crib")
    drawing_says: ClassVar[str | None] = None
    cuts_lowest: ClassVar[bool] = False
    loser_deals: ClassVar[bool] = False
    dealer_does: ClassVar[str] = text("deals")
    first_does: ClassVar[str] = text("deals first")
    pegboard: ClassVar[tuple[int, ...] | None] = None
    plays_boards: ClassVar[bool] = False
    fact_displays: ClassVar[Mapping[str, FactDisplay]] = {}
    cut_order: ClassVar[Mapping[str, int]] = HIGH_ACE

    @classmethod
    def check_header(cls, players: tuple[str, ...], dealer: int | None, options: Mapping[str, object]) -> None:
        """Raise `HeaderError` if the game cannot be played with these players, this dealer and these options."""
        if len(players) not in cls.seats:
            message = "{title} is for {span} players, not {players}"
            raise HeaderError(text(message, title=cls.title, span=span(cls.seats), players=len(players)), "players")
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

    # The course of the game

    def course(self) -> Iterator[Rules[None]]:
        """Yield the parts of the game from `match` on: the cut if the dealer is not known yet, then hand after hand.

        A part must be played to its end before the next one is asked for.
        """
        if self.match.dealer is None:
            yield self.cut_for_deal()
        while not self.match.over:
            yield self.hand()
            self.match.hands += 1

    def hand(self) -> Rules[None]:
        """Play one deal, from dealing to counting, in the order of the rule book."""
        raise NotImplementedError

    def question(self, phase: str, turn: int | None, *offers: Offer | None, hint: str = "") -> Question:
        """Return the question with these offers, without those that are None. See `Question`."""
        return Question(phase, turn, {offer.do: offer for offer in offers if offer is not None}, hint)

    def result(self) -> dict[str, Any]:
        """Return more keys for the last line of a replay."""
        return {}

    def deal_data(self) -> dict[str, Any]:
        """Return further data about this deal for programs; what people see of it is in `facts`."""
        return {}

    def remarks(self) -> tuple[str, ...]:
        """Return sentences about the end of the game, besides who has won."""
        return ()

    # Steps that games share

    def cut_for_deal(self) -> Rules[None]:
        """Let each player cut a card; the best card deals."""
        self.match.dealer = yield from self.cut_cards(self.every_seat)

    def cut_cards(self, seats: tuple[int, ...], asking: str = "") -> Rules[int]:
        """Let each of `seats` cut a card, and return the seat of the best card; a single seat need not cut.

        Seats that tie cut again from the whole pack. `asking`: the request, if it is not the cut for the deal.
        """
        self.new_pack()
        count = len(seats)
        while len(seats) > 1:
            cut: dict[int, Card] = {}
            while len(cut) < len(seats):
                left = tuple(seat for seat in seats if seat not in cut)
                hint = asking
                if len(left) < count:
                    names = both([self.players[seat] for seat in left])
                    hint = text("Still to cut: {names}.", names=names)
                offer = Cut(self, left, tuple(cut.values()))
                action = yield self.question("cut", None, offer, self.last_gather(), hint=hint)
                self.gather_last()
                if isinstance(action.seat, int) and action.card:
                    cut[action.seat] = self.match.cut[action.seat] = action.card
            best = (min if self.cuts_lowest else max)(self.cut_order[card.rank] for card in cut.values())
            seats = tuple(sorted(seat for seat, card in cut.items() if self.cut_order[card.rank] == best))
        return seats[0]

    def deal_offer(self, count: int) -> Deal:
        """Return the offer to name the `count` cards that each seat is dealt."""
        return Deal(self, dict.fromkeys(self.playing, count))

    def deal_hint(self, count: int) -> Text:
        """Return the request to deal `count` cards each and turn the next one up."""
        single = "{name} deals {count} card each and turns the next one up."
        many = "{name} deals {count} cards each and turns the next one up."
        return plural(single, many, count, name=self.players[self.dealer])

    def deal_and_turn_up(self, count: int, hint: str = "") -> Rules[Card]:
        """Deal `count` cards to each seat that plays, named or not, in any order; then turn a card up and return it."""
        deal, turn = self.deal_offer(count), Turn(self)
        while True:
            phase = "deal" if deal.seats else "turn"
            action = yield self.question(phase, None, deal, turn, self.last_gather(), hint=hint)
            if action.do == "gather":
                self.gather_last()
                continue
            self.clear_table()
            if action.do == "deal":
                hand = self.hand_of(action)
                hand.deal(action.cards or ())
                deal.done_by(hand.seat)
            elif action.card:
                for seat in deal.seats:
                    self.hands[seat].deal_unseen(count)
                self.turn_up(action.card)
                return action.card

    def last_gather(self) -> Gather | None:
        """Return the offer to gather the last trick of the previous hand, if its winner still may."""
        return Gather(self, self.match.left.winner) if self.match.left and self.match.may_gather else None

    def gather_last(self) -> None:
        """Gather the last trick of the previous hand."""
        self.match.left = None
        self.match.may_gather = False

    def clear_table(self) -> None:
        """Clear away the cards that the previous hand, or the cut, left on the table."""
        self.gather_last()
        self.match.cut = {}
        self.match.counted = ()

    def say(self, seat: int, *words: str) -> Rules[str]:
        """Let `seat` say one of `words`, and return it."""
        return (yield from self.ask(Say(self, seat, words), phase="say"))

    def turn_trumps(self, card: Card) -> None:
        """Make the suit of `card`, which was turned up, trumps."""
        if self.trump != card.suit:
            headline = text("{suit} are trumps", suit=SUIT_TEXTS[card.suit])
            self.add_moment(Moment("trumps", headline, None, (card,)))
        self.trump = card.suit

    def ask(self, say: Say, hint: str = "", phase: str = "bid") -> Rules[str]:
        """Let the seat of `say` say a word, and return it."""
        action = yield self.question(phase, say.seats[0], say, hint=hint)
        return action.word or ""

    # Views

    def lying(self) -> Iterable[TableCard]:
        """Yield the cards that lie face up on the table according to the record, in the order laid."""
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
        """Return, for each seat, the tricks or cards won in this hand; empty in games without."""
        return ()

    def tricks_bid(self) -> tuple[int | None, ...]:
        """Return, for each seat, the number of tricks that it has bid, or None; empty in games without such bids."""
        return ()

    def acts_for(self, seat: int) -> int:
        """Return the seat whose player acts when it is the turn of `seat`, here the same."""
        return seat

    def calls(self) -> tuple[tuple[int, str], ...]:
        """Return what each seat has called in the auction of this hand, in order; empty in games without one."""
        return ()

    def suit_led(self) -> str | None:
        """Return the suit led to the trick being played or just completed; None in games without tricks."""
        return None

    def taker(self) -> int | None:
        """Return the seat that has won the complete trick on the table; None without one."""
        left = self.match.left
        return left.winner if left and left.complete else None

    def facts(self) -> tuple[tuple[str, str], ...]:
        """Return what the board shows besides the scores, as (name, value) texts."""
        return ()

    def note(self, seat: int) -> SeatNote:
        """Return what the board shows beside `seat`."""
        return SeatNote()

    def poster(self) -> Poster | None:
        """Return the largest figure of the board: here the trumps, if there are any."""
        return Poster(SUIT_GLYPHS[self.trump], (text("trumps"),)) if self.trump else None

    def tallies(self) -> tuple[Tally, ...]:
        """Return what the two parties of this hand have won; empty in games without parties."""
        return ()

    def counted(self) -> Iterable[CountedHand]:
        """Return the hands counted at the end of the deal, in order, until the next deal begins (see `add_count`)."""
        return self.match.counted

    def view(self, question: Question, viewer: int | None) -> View:
        """Return the table as the seat `viewer` may see it (None: what everybody may see)."""
        match = self.match
        return View(
            game=self.name,
            players=self.players,
            phase=question.phase,
            turn=question.turn,
            actor=None if question.turn is None else self.acts_for(question.turn),
            dealer=match.dealer,
            dealer_does=self.dealer_does,
            scores=tuple(match.scores),
            target=self.values.get("target"),
            lying=tuple(self.lying()),
            hands=tuple(
                HandView(hand.size, tuple(hand.known if hand.seat == viewer else hand.exposed)) for hand in self.hands
            ),
            won=self.tricks_won(),
            bids=self.tricks_bid(),
            calls=self.calls(),
            words=question.words(len(self.players)),
            accused=question.accused(),
            trump=self.trump,
            led=self.suit_led(),
            taker=self.taker(),
            seen=self.pack.seen(),
            points=self.points,
            events=self.events,
            counted=tuple(self.counted()),
            pegboard=self.pegboard,
            over=match.over,
            winners=match.winners,
            facts=self.facts(),
            hint=question.hint,
            face_down=self.face_down,
            vocabulary=self.vocabulary,
            event_kinds=self.event_kinds,
            fact_displays=self.fact_displays,
            deck=self.deck,
            moved=self.pack.ranking.moved if self.pack.ranking else {},
            lowest_wins=self.lowest_wins,
            hand=match.hands + 1,
            notes=tuple(map(self.note, self.every_seat)),
            poster=self.poster(),
            tallies=self.tallies(),
        )
