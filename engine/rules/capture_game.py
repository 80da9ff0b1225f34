"""Capture games: a card played takes table cards that make a given sum with it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import ClassVar

from engine.actions import Action
from engine.cards import Card
from engine.errors import Refused
from engine.observations import Zone
from engine.rules.counting import sums
from engine.rules.game import Game
from engine.rules.questions import Offer, Question
from engine.rules.tricks import Play
from engine.texts import text
from engine.views import EventKind, TableCard


class CaptureGame(Game):
    """A game in which the card just played takes table cards that add up to `takes` with it.

    `worth`: what each rank is worth. `table`: the cards on the table. `just_played`: the card played last, as long as
    it may take. `captured`: per seat, the cards taken. `last_taker`: the seat that took last in this deal.
    """

    reasons: ClassVar[tuple[str, ...]] = ("sweep",)
    event_kinds: ClassVar = {
        "sweep": EventKind(lambda name, card: text("{name} sweeps the table", name=name), ends="trick", won=True)
    }
    takes: ClassVar[int]
    worth: ClassVar[Mapping[str, int]]

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

    def possible_takes(self) -> Iterator[tuple[Card, ...]]:
        """Yield every set of table cards that the card just played may take."""
        if self.just_played:
            yield from sums(self.table, self.takes - self.worth[self.just_played.card.rank], self.worth)

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
        self.captured[seat] += [self.just_played.card, *cards]
        self.table = [card for card in self.table if card not in cards]
        self.just_played = None
        if not self.table:
            self.score(seat, 1, "sweep")
            self.report("sweep", seat)

    def leave_card(self) -> None:
        """Leave the card just played on the table, because it did not take."""
        if self.just_played:
            self.table.append(self.just_played.card)
            self.just_played = None

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

    def facts(self) -> tuple[tuple[str, str], ...]:
        """Return who may take, if the card just played makes the sum with table cards."""
        play = self.just_played
        if play and any(self.possible_takes()):
            return ((text("may take"), self.players[play.seat]),)
        return ()


class Take(Offer):
    """Taking table cards that make the game's sum with the card just played."""

    __slots__ = ("played",)
    do = "take"
    game: CaptureGame

    def __init__(self, game: CaptureGame, played: Play) -> None:
        super().__init__(game, (played.seat,))
        self.played = played

    def check(self, action: Action) -> None:
        """Codes: no-such-card, not-your-turn, wrong-count, not-on-table, not-fifteen (not the game's sum)."""
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
        total = sum(self.game.worth[card.rank] for card in (self.played.card, *cards))
        if total != self.game.takes:
            template = "These cards make {total} with {card}, not {sum}."
            message = text(template, total=total, card=self.played.card.glyph, sum=self.game.takes)
            raise Refused("not-fifteen", message)

    def actions(self) -> Iterator[Action]:
        """Yield every set of table cards that makes the sum."""
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
