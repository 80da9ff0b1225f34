"""The state of a game in progress: options, seats and sides, the pack, scores, events, and the match.

`engine.rules.game.Game` adds the course of the game. The offers (`engine.rules.questions`) read the state and know
nothing of the course, so that neither imports the other.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, ClassVar, Final, Self, TypeVar

from engine.actions import Action
from engine.cards import STANDARD_DECK, Card, Deck
from engine.errors import HeaderError
from engine.rules.hands import SEEN, Hand, Pile
from engine.rules.tricks import Ranking, Trick
from engine.texts import both, either, text
from engine.views import Combination, CountedHand, Event, EventKind, Feat, FeatKind, Moment, Point, side_names
from engine.words import Word


@dataclass(slots=True)
class Match:
    """The values that one hand leaves to the next.

    `dealer`: None until the cut has decided. `hands`: the number of finished hands. `left`: the last trick of the
    previous hand, while it is on the table; `may_gather`: whether its winner may still gather it. `turn_up`: the card
    turned up. `cut`: the card that each seat has cut, while these are on the table. `counted`: the hands counted at the
    end of the deal, from which `Game.counted` makes what views show. `feats`: those of all hands so far. `more`: values
    that only one game has; they are replaced, never changed in place.
    """

    scores: list[int]
    dealer: int | None
    hands: int = 0
    over: bool = False
    winners: tuple[int, ...] = ()
    left: Trick | None = None
    may_gather: bool = False
    turn_up: Card | None = None
    cut: dict[int, Card] = field(default_factory=dict)
    counted: tuple[Any, ...] = ()
    feats: tuple[Feat, ...] = ()
    more: dict[str, Any] = field(default_factory=dict)

    def copy(self) -> Match:
        """Return an independent copy."""
        # Field by field: a copy is made after every hand, and `dataclasses.replace` takes as long as three plays.
        return Match(
            self.scores.copy(),
            self.dealer,
            self.hands,
            self.over,
            self.winners,
            self.left,
            self.may_gather,
            self.turn_up,
            self.cut.copy(),
            self.counted,
            self.feats,
            self.more.copy(),
        )


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a game. Its values have the type of `default`.

    `label`: its name for people. `about`: what it does, for people. `least`: the smallest number allowed. `choices`:
    the texts allowed. `usual`: numbers that players often choose. `unsaid`: the value in a game whose header leaves the
    option out, if that is not `default`: the default when the option was released, so that records are replayed as they
    were played.
    """

    name: str
    default: bool | int | str
    about: str
    least: int | None = None
    choices: tuple[str, ...] = ()
    label: str = ""
    unsaid: bool | int | str | None = None
    usual: tuple[int, ...] = ()

    @property
    def usual_numbers(self) -> tuple[int, ...]:
        """The numbers to offer for an option that is a number, in order: the usual ones, or some around the default."""
        if isinstance(self.default, bool) or not isinstance(self.default, int):
            return ()
        default = self.default
        found = {*self.usual, default}
        if not self.usual:
            found |= {default // 10, default // 2, default * 2} if default > 20 else {default - 2, default + 2}
        return tuple(sorted(number for number in found if number >= (self.least or 0)))

    @property
    def left_out(self) -> bool | int | str:
        """The value in a game whose header leaves the option out."""
        return self.default if self.unsaid is None else self.unsaid

    @classmethod
    def choice(cls, name: str, choices: tuple[str, ...], about: str, label: str) -> Self:
        """Return an option whose value is one of `choices`; the first is the default."""
        return cls(name, choices[0], about, None, choices, label)

    def check(self, value: object) -> None:
        """Raise `HeaderError` unless `value` is allowed for this option."""
        if type(value) is not type(self.default):
            raise self._wrong(value)
        if isinstance(value, int) and self.least is not None and value < self.least:
            raise self._wrong(value)
        if self.choices and value not in self.choices:
            raise self._wrong(value)

    def _wrong(self, value: object) -> HeaderError:
        return HeaderError(
            text("option {name!r} is {kind}, not {value!r}", name=self.name, kind=self._kind(), value=value),
            f"options.{self.name}",
        )

    def _kind(self) -> str:
        if isinstance(self.default, bool):
            return text("true or false")
        if isinstance(self.default, int):
            if self.least is None:
                return text("a whole number")
            return text("a whole number from {least}", least=self.least)
        return either([repr(choice) for choice in self.choices])


class Pack:
    """A deck as it is dealt: the hands, and the known place of every card.

    `place[card]` is a `Hand` or a `Pile`; a card that may be in any hidden hand or in the stock is missing. The deck
    must have one copy of each card; games whose deck has several copies count them themselves. `ranking`: how the cards
    rank in tricks; None if the ace is high and every card belongs to its own suit.
    """

    def __init__(self, deck: Deck, players: int) -> None:
        self.deck: Final = deck
        self.place: Final[dict[Card, Hand | Pile]] = {}
        self.hands: Final = tuple([Hand(seat, self.place) for seat in range(players)])
        self.ranking: Ranking | None = None

    def rank(self, ranking: Ranking) -> None:
        """Rank the cards by `ranking` from now on."""
        self.ranking = ranking
        for hand in self.hands:
            hand.ranking = ranking

    def put(self, card: Card, pile: Pile = SEEN) -> None:
        """Put `card` into `pile`: turned up from the stock, or moved there."""
        self.place[card] = pile

    def seen(self) -> frozenset[Card]:
        """Return the cards that everybody has seen played or turned up, without cards that the deck has several of."""
        return frozenset([card for card, where in self.place.items() if where is SEEN and self.deck.copies(card) == 1])

    def unaccounted(self) -> Iterator[Card]:
        """Return the cards whose place the table does not know."""
        return (card for card in self.deck if card not in self.place)


K = TypeVar("K", bound=Hashable)


@lru_cache(4096)  # few different ones are used: looking one up is faster than creating it
def _points(seat: int, reasons: tuple[tuple[int, str], ...]) -> tuple[int, tuple[Point, ...]]:
    """Return the sum of the points, and a `Point` of `seat` for each reason."""
    return sum(points for points, _ in reasons), tuple(Point(seat, *reason) for reason in reasons)


def sole_best(values: Mapping[K, int]) -> K | None:
    """Return the key with the highest value; None if several keys share it, or if there are none.

    >>> sole_best({"Ann": 7, "Bo": 9}), sole_best({"Ann": 9, "Bo": 9})
    ('Bo', None)
    """
    highest = max(values.values(), default=0)
    best = [key for key, value in values.items() if value == highest]
    return best[0] if len(best) == 1 else None


class GameState:
    """The state of one game.

    Attributes of a class of games: `partners`: the numbers of players with which those who sit opposite each other are
    partners and share a score. `lowest_wins`: whether the lowest score wins. `vocabulary`: the words of the game, by
    name. `reasons`: what points are scored for, as in records (`for`); the catalogues have them with spaces instead of
    hyphens. `event_kinds`: the properties of the events that are reported, by name. `feat_kinds`: the records that are
    kept of the game, by name, the most wanted first; without any, of its scores. A class lists its reasons, events and
    feats; those of its bases are added.

    Attributes of a game: `players`: the names. `every_seat`: the seats, indices into `players`, clockwise.
    `sitting_out`: the seats that do not play in this hand. `values`: the options by name, defaults included. `match`:
    what one hand leaves to the next. `pack`, `hands`: the cards of this deal. `points`, `events`, `moments`: those of
    the current action. `trump`: the suit of trumps, or None.
    """

    title: ClassVar[str]
    partners: ClassVar[Collection[int]] = ()
    lowest_wins: ClassVar[bool] = False
    options: ClassVar[tuple[Option, ...]] = ()
    words: ClassVar[tuple[Word, ...]] = ()
    vocabulary: ClassVar[Mapping[str, Word]] = {}
    reasons: ClassVar[tuple[str, ...]] = ()
    event_kinds: ClassVar[Mapping[str, EventKind]] = {
        "hand-over": EventKind(lambda name, card: text("The hand is over"), ends="hand"),
        "revoke-proven": EventKind(
            lambda name, card: text("{name} revoked: {card}", name=name, card=card), revoked=True
        ),
        "redeal": EventKind(lambda name, card: text("All cards are dealt again"), ends="hand"),
        "passed": EventKind(lambda name, card: text("Everybody has passed"), ends="hand"),
        "game-over": EventKind(lambda name, card: text("The game is over"), ends="game"),
    }
    feat_kinds: ClassVar[Mapping[str, FeatKind]] = {}
    deck: Deck = STANDARD_DECK
    sitting_out: tuple[int, ...] = ()

    def __init_subclass__(cls) -> None:
        cls.vocabulary = {word.name: word for word in cls.words}
        bases = [base for base in cls.__mro__ if issubclass(base, GameState)]
        cls.reasons = tuple(dict.fromkeys(reason for base in bases for reason in base.__dict__.get("reasons", ())))
        cls.event_kinds = {
            event: kind for base in reversed(bases) for event, kind in base.__dict__.get("event_kinds", {}).items()
        }
        feats = [base.__dict__.get("feat_kinds", {}) for base in bases]
        cls.feat_kinds = {feat: kind for own in feats for feat, kind in own.items()} | feats[0]

    def __init__(self, players: tuple[str, ...], dealer: int | None, options: Mapping[str, object]) -> None:
        self.players = players
        self.every_seat = tuple(range(len(players)))
        self.values: dict[str, Any] = {option.name: option.left_out for option in self.options} | dict(options)
        self._side_of = {seat: side for side, seats in enumerate(self.sides()) for seat in seats}
        self._seats_from = tuple([self._order(seat) for seat in self.every_seat])
        self.match: Match = Match([0] * len(self.sides()), dealer)
        self.points: tuple[Point, ...] = ()
        self.events: tuple[Event, ...] = ()
        self.moments: tuple[Moment, ...] = ()
        self.trump: str | None = None
        self.new_pack()

    # Seats and sides

    @property
    def playing(self) -> tuple[int, ...]:
        """The seats that play in this hand."""
        if not self.sitting_out:
            return self.every_seat
        return tuple(seat for seat in self.every_seat if seat not in self.sitting_out)

    def sides(self) -> tuple[tuple[int, ...], ...]:
        """Return the seats of each side, in the order of the scores: partners, or else each seat by itself."""
        players = len(self.players)
        sides = players // 2 if players in self.partners else players
        return tuple(tuple(range(side, players, sides)) for side in range(sides))

    def side_of(self, seat: int) -> int:
        """Return the side of `seat`, an index into the scores."""
        return self._side_of[seat]

    def partner_of(self, seat: int) -> int | None:
        """Return the partner of `seat`, or None if it plays alone."""
        return next((other for other in self.sides()[self._side_of[seat]] if other != seat), None)

    def side_name(self, side: int) -> str:
        """Return the names of the players of `side`: `Ann and Cy`."""
        return side_names(self.players, len(self.match.scores))[side]

    def next_seat(self, seat: int) -> int:
        """Return the seat after `seat`: its left neighbour, unless the game is played to the right."""
        return (seat + 1) % len(self.players)

    def seats_from(self, first: int) -> tuple[int, ...]:
        """Return every seat once, in the order of play, beginning with `first`."""
        return self._seats_from[first]

    def _order(self, first: int) -> tuple[int, ...]:
        seats = [first]
        while len(seats) < len(self.players):
            seats.append(self.next_seat(seats[-1]))
        return tuple(seats)

    @property
    def dealer(self) -> int:
        """The dealer of this hand. Raises `ValueError` before the cut has decided."""
        if self.match.dealer is None:
            raise ValueError("there is no dealer before the cut")
        return self.match.dealer

    @property
    def eldest(self) -> int:
        """The seat after the dealer."""
        return self.next_seat(self.dealer)

    # The pack

    def new_pack(self) -> None:
        """Shuffle the whole pack: every hand becomes empty, and no card is known."""
        self.pack = Pack(self.deck, len(self.players))
        self.hands = self.pack.hands

    def hand_of(self, action: Action) -> Hand:
        """Return the hand of the seat that acts. Raises `TypeError` for an action without such a seat."""
        if not isinstance(action.seat, int):
            raise TypeError(f"{action} has no seat with a hand")
        return self.hands[action.seat]

    def turn_up(self, card: Card) -> None:
        """Make `card` the turn-up."""
        self.pack.put(card)
        self.match.turn_up = card

    def in_stock(self) -> int:
        """Return how many cards have not been dealt or turned up."""
        seen = sum(1 for where in self.pack.place.values() if not isinstance(where, Hand))
        return len(self.deck) - seen - sum(hand.size for hand in self.hands)

    # Scores and events

    def score(self, seat: int, points: int, reason: str) -> None:
        """Add `points` to the score of the side of `seat`."""
        self.match.scores[self._side_of[seat]] += points
        self.points += (Point(seat, points, reason),)

    def score_to_target(self, seat: int, reasons: Iterable[tuple[int, str]]) -> bool:
        """Score points with their reasons, in order, up to the option `target` and no further.

        Return whether the side of `seat` has reached the target.
        """
        scores, side = self.match.scores, self._side_of[seat]
        total, scored = _points(seat, tuple(reasons))
        left = self.values["target"] - scores[side]
        if total < left:
            scores[side] += total
            self.points += scored
            return False
        for point in scored:
            self.points += (point._replace(points=min(point.points, left)),)
            left -= point.points
            if left <= 0:
                break
        scores[side] = self.values["target"]
        return True

    def add_count(
        self,
        seat: int,
        cards: Iterable[Card],
        combinations: Iterable[tuple[int, str, Iterable[Card]]],
        starter: Card | None = None,
        name: str = "",
    ) -> None:
        """Keep the `cards` that were counted for `seat`, to be shown until the next deal. This scores nothing.

        `combinations`: points, reason and cards of each. `starter`, `name`: as in `engine.views.CountedHand`.
        """
        found = tuple([Combination(points, reason, tuple(scoring)) for points, reason, scoring in combinations])
        self.match.counted = (*self.match.counted, CountedHand(seat, tuple(cards), found, name, starter))

    def score_side(self, side: int, reasons: Iterable[tuple[int, str]]) -> None:
        """Score points with their reasons for `side`, in order, and keep them to be shown. Zero points are left out."""
        seat, scored = self.sides()[side][0], [(points, reason) for points, reason in reasons if points]
        for points, reason in scored:
            self.score(seat, points, reason)
        if scored:
            self.add_count(seat, [], [(points, reason, []) for points, reason in scored], name=self.side_name(side))

    def report(self, event: str, seat: int | None = None, card: Card | None = None) -> None:
        """Add an event of the current action (see `engine.views.Event`)."""
        kind = self.event_kinds[event]
        self.events += (Event(event, seat, card, kind.ends, kind.won, kind.revoked),)

    def add_moment(self, moment: Moment) -> None:
        """Add a moment of the current action. A last trick is one only if the hand ends with nothing greater."""
        self.moments = (*(each for each in self.moments if each.kind != "last-trick"), moment)

    def note_feat(self, kind: str, seat: int, value: int = 1, cards: Iterable[Card] = ()) -> None:
        """Note a feat of `seat` (see `engine.views.Feat`)."""
        self.match.feats = (*self.match.feats, Feat(kind, seat, value, tuple(cards)))

    def note_feat_of_side(self, kind: str, side: int, value: int = 1, cards: Iterable[Card] = ()) -> None:
        """Note a feat of each seat of `side`."""
        for seat in self.sides()[side]:
            self.note_feat(kind, seat, value, cards)

    # Winning

    def win(self, *winners: int) -> None:
        """End the game, with these sides as the winners."""
        self.match.over = True
        self.match.winners = winners
        self.report("game-over")
        if winners:
            self.add_moment(self.winning(winners))

    def winning(self, winners: tuple[int, ...]) -> Moment:
        """Return the moment in which these sides have won."""
        seats = [seat for seat in self.every_seat if self._side_of[seat] in winners]
        if len(seats) == 1:
            return Moment("won", text("{name} wins", name=self.players[seats[0]]), seats[0])
        return Moment("won", text("{names} win", names=both([self.players[seat] for seat in seats])))

    def win_at_target(self, seat: int) -> bool:
        """End the game if the side of `seat` has reached the option `target`. Return whether it has."""
        side = self._side_of[seat]
        if self.match.scores[side] < self.values["target"]:
            return False
        self.win(side)
        return True

    def win_or_deal_again(self, deals: int) -> None:
        """After `deals` hands the highest score wins; if scores are equal, all who have it. Otherwise pass the deal."""
        if self.match.hands + 1 < deals:
            self.match.dealer = self.eldest
            return
        best = max(self.match.scores)
        self.win(*[side for side, score in enumerate(self.match.scores) if score == best])

    def win_or_pass_deal(self, barred: Collection[int] = ()) -> None:
        """End the hand: the side with the sole highest score wins if it has reached the option `target`.

        Otherwise the deal passes to the next seat. `barred`: sides that cannot win on this hand; their scores do not
        count for the highest. With `lowest_wins` the sole lowest score wins once any score reaches the target.
        """
        scores = {side: score for side, score in enumerate(self.match.scores) if side not in barred}
        best = sole_best({side: -score for side, score in scores.items()} if self.lowest_wins else scores)
        if best is not None and max(scores.values()) >= self.values["target"]:
            self.win(best)
        else:
            self.match.dealer = self.eldest
