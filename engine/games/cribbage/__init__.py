"""Cribbage, for two, three or four: the rules in the order in which the rule book gives them.

The rulings, and how the game is played at this table, are in docs/reference/games/cribbage.md. `count` has the play,
`counting` has what cards score.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Final

from engine.actions import Action
from engine.cards import Card
from engine.errors import Refused
from engine.games.cribbage.count import HIGHEST_VALUE, Count
from engine.games.cribbage.counting import HEELS, LIMIT, ORDER, VALUE, combinations_of, count_hand, spoken
from engine.observations import Zone
from engine.rules.crib_game import THE_CRIB, CribGame
from engine.rules.game import Option, Rules
from engine.rules.questions import Offer, Say
from engine.rules.state import GameState
from engine.texts import text
from engine.views import CountedHand, FeatKind, Moment, Poster, SeatNote, TableCard
from engine.words import Word

DEALT: Final = {2: (6, 2), 3: (5, 1), 4: (5, 1)}
"""By the number of players: the cards dealt to each, and how many of them are laid away."""

CRIB_SIZE: Final = 4

LONG_GAME: Final = 121
SKUNK: Final = 90
DOUBLE_SKUNK: Final = 60
REMARKABLE: Final = 24
"""What a hand or the crib counts at least to be worth a moment; 29 is the most."""


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
    turns = text("cut the starter")
    fact_displays: ClassVar = {"count": "placed", "go": "placed"}
    options = (
        Option("target", LONG_GAME, text("points that win the game"), least=1, label=text("Play to"), usual=(61, 121)),
        Option("skunks", True, text("the result says whether the losers were skunked"), label=text("Skunks")),
    )
    feat_kinds: ClassVar = {
        "hand": FeatKind(text("Best hand")),
        "crib": FeatKind(text("Best crib")),
        "skunk": FeatKind(text("Skunks"), counted=True),
    }
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
        if starter.rank == "J":
            self.add_moment(Moment("heels", text("Two for his heels"), self.dealer, (starter,)))
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
                    headline = text("{name} said go with {card} in hand", name=self.players[turn], card=card.glyph)
                    self.add_moment(Moment("revoke", headline, turn, (card,)))
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
        reasons = count_hand(hand, starter, bool(name))
        count = sum([points for points, _ in reasons])
        self.note_feat("crib" if name else "hand", seat, count, (*hand, starter))
        if count >= REMARKABLE:
            headline = text("{name} has a hand of {count}", name=self.players[seat], count=count)
            if name:
                headline = text("{name} has a crib of {count}", name=self.players[seat], count=count)
            self.add_moment(Moment("hand", headline, seat, (*hand, starter)))
        return self.score_to_target(seat, reasons)

    # The result, and views

    def result(self) -> dict[str, Any]:
        """Return `skunk`: 1 if every loser of a game of 121 has 90 or fewer, 2 at 60 or fewer, otherwise 0."""
        match, skunk = self.match, 0
        if match.over and self.values["skunks"] and self.values["target"] == LONG_GAME:
            best = max(score for side, score in enumerate(match.scores) if side not in match.winners)
            skunk = (best <= SKUNK) + (best <= DOUBLE_SKUNK)
        return {"skunk": skunk}

    def winning(self, winners: tuple[int, ...]) -> Moment:
        """Also say that the losers are skunked."""
        moment, skunk = super().winning(winners), self.result()["skunk"]
        for side in winners if skunk else ():
            self.note_feat_of_side("skunk", side)
        follows = ("", text("A skunk."), text("A double skunk."))[skunk]
        return moment._replace(kind="skunk", follows=follows) if skunk else moment

    def remarks(self) -> tuple[str, ...]:
        """A skunk counts as two games won, a double skunk as three."""
        return ((), (text("A skunk."),), (text("A double skunk."),))[self.result()["skunk"]]

    def lying(self) -> Iterable[TableCard]:
        """Add the cards of this count; those of earlier counts may be cleared away."""
        yield from super().lying()
        for seat, card in self.count.plays:
            yield TableCard(card, Zone("play", seat))

    def note(self, seat: int) -> SeatNote:
        """Return whether the seat has said go, or has the crib."""
        if self.count.turn is not None and seat in self.count.gone:
            return SeatNote(text("go"))
        return SeatNote(text("crib") if seat == self.match.dealer else "")

    def poster(self) -> Poster | None:
        """Return the count of the play."""
        return None if self.count.turn is None else Poster(str(self.count.total), (text("count"),))

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
