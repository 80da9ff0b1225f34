"""Views: what everybody at the table, or one seat, may see; and prompts: what the players should do.

A view is a plain value made after every action. The board, the displays, the lights and the voice show it, and the
referee compares it with the cards that lie on the table. It never contains the cards of a hidden hand. A `Prompt` is
made by the referee (`engine.referee.prompts` lists the kinds) and shown beside the view.

>>> from engine.table import Table
>>> table = Table("all-fives", ["Ann", "Bo"], dealer=0)
>>> for action in ("turn 10H", "say stand", "play KS"):
...     _ = table.do(action)
>>> table.view()
<View of all-fives: Ann 0, Bo 0; play>
>>> print(table.view())
all-fives, play: Ann to act
  Ann (dealer)  0 points  6 cards
  Bo            0 points  5 cards
trumps: hearts ♥
on the table: turn-up 10♥, Bo K♠
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import groupby
from typing import Final, Literal, NamedTuple

from engine.cards import RANKS_DOWN, STANDARD_DECK, SUITS, Card, Deck
from engine.observations import Zone
from engine.texts import Text, both, text
from engine.words import Word


class Point(NamedTuple):
    """Points that one action scored. `reason` is the record's `for`: `fifteen`, `beg`, ..."""

    seat: int
    points: int
    reason: str


Ended = Literal["trick", "hand", "game"]
"""What an event completes, the smallest first."""


class Event(NamedTuple):
    """Something else that an action caused: `trick`, `hand-over`, `redeal`, `sweep`, `round`, `game-over`, ...

    `ends`, `won`, `revoked`: as in `EventKind`.
    """

    event: str
    seat: int | None = None
    card: Card | None = None
    ends: Ended | None = None
    won: bool = False
    revoked: bool = False


FactDisplay = Literal["all", "large", "placed", "symbol"]
"""Where a fact is shown: on every display; on large ones only; on small displays and in speech only, because the board
has a place for it (`SeatNote`, `Poster`, `Tally`); or everywhere as a symbol (trumps) or beside the seat (a bid), so
that only plain text shows it among the facts."""


class Combination(NamedTuple):
    """Cards that score together. `reason` as in `Point`."""

    points: int
    reason: str
    cards: tuple[Card, ...]


class CountedHand(NamedTuple):
    """Cards that have been counted for `seat`, with what scores among them, in the order counted.

    `name`: what the cards are called, a text such as "the crib"; "" for the seat's own hand. `starter`: the card that
    is counted with them, or None.
    """

    seat: int
    cards: tuple[Card, ...]
    combinations: tuple[Combination, ...]
    name: str = ""
    starter: Card | None = None

    @property
    def total(self) -> int:
        """The points of all combinations."""
        return sum([combination.points for combination in self.combinations])


class SeatNote(NamedTuple):
    """What the board shows beside a seat, besides its name and its score.

    `role`: what its player is in this hand, a text such as "declarer"; may be "". `gained`: the points of this hand so
    far; None in games whose players do not look at them. `cards`: cards that it has taken and that everybody wants to
    know, such as the queen of spades in Hearts, the most important first. `compass`: `N`, `E`, `S` or `W` in games
    whose players are called so, else "". `vulnerable`: whether its side is, in Bridge.
    """

    role: str = ""
    gained: int | None = None
    cards: tuple[Card, ...] = ()
    compass: str = ""
    vulnerable: bool = False


class Poster(NamedTuple):
    """What the players look at most, shown as the largest figure of the board: the contract, the trumps, the count.

    `figure`: a text such as "4♠" or "24". `lines`: texts that explain it, such as "South, doubled".
    """

    figure: str
    lines: tuple[str, ...] = ()


class Tally(NamedTuple):
    """What one party of this hand has won: `figure` tricks or points. `name`: the party. `need`: how many it needs.

    A party need not be a side that shares a score: in Skat the two defenders are one.
    """

    figure: int
    name: str
    need: int | None = None


class Moment(NamedTuple):
    """What one action has brought about and the whole table looks at: a slam, the moon, a proven revoke.

    `kind`: for programs, such as `revoke`, `trumps` or `won`. `headline`: a text such as "Bo had a diamond". `seat`:
    whose moment it is; None if it is nobody's. `cards`: those that show it, which everybody sees. `captions`: a text
    beside each card; empty without them. `follows`: a text that says what follows; may be "".
    """

    kind: str
    headline: str
    seat: int | None = None
    cards: tuple[Card, ...] = ()
    captions: tuple[str, ...] = ()
    follows: str = ""


USUAL_MOMENTS: Final = ("trumps", "last-trick", "won")
"""The kinds of moments that every hand or game has, which nobody talks about afterwards."""


class FeatKind(NamedTuple):
    """What players boast about in one game, such as the best crib or the moon.

    `title`: a text. `counted`: it matters how often a player has done it; otherwise the highest value is the record.
    """

    title: Text
    counted: bool = False


class Feat(NamedTuple):
    """A feat of `seat`. `kind`: its name in `feat_kinds`. `value`: as in "a crib of 24". `cards`: open ones."""

    kind: str
    seat: int
    value: int = 1
    cards: tuple[Card, ...] = ()


class EventKind(NamedTuple):
    """What is the same for all events of one name.

    `sentence`: makes the sentence about an event from the name of its player and its card; either may be unused.
    `ends`: what is complete after it, or None. `won`: its seat has won something; an event without a seat is a tie.
    `revoked`: its seat is proved to have played, or said, what the cards of its hand did not allow.
    """

    sentence: Callable[[str, str], Text]
    ends: Ended | None = None
    won: bool = False
    revoked: bool = False


@dataclass(frozen=True, slots=True)
class TableCard:
    """A card that lies face up on the table according to the record.

    `firm`: it must stay (a card of the current trick); otherwise it may be cleared away (the turn-up).
    """

    card: Card
    zone: Zone
    firm: bool = True


@dataclass(frozen=True, slots=True)
class HandView:
    """A seat's hand: its size, and the cards that the viewer may see (exposed ones; the viewer's own, if known)."""

    size: int
    cards: tuple[Card, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class View:
    """The table as one viewer may see it. `str(view)` is a text for a terminal.

    The play:

    - `turn`: the one seat that must act next, or None; `actor`: that seat, or the one that plays its cards for it.
    - `hint`: the game's own sentence about what it waits for; "" if the general one will do.
    - `words`: per seat, what it may say now. `vocabulary`: the words of the game, by name.
    - `accused`: by word, the seats that can be accused with it now, each with a sentence that says what it costs; no
      entry for a word with which every other seat can be accused.
    - `calls`: what each seat has called in the auction, in order, as (seat, word). `bids`: per seat, the number of
      tricks that it has bid, or None; empty in games without such bids.
    - `won`: per seat, the tricks or cards captured. `led`: the suit led to the trick, also to one just completed.
    - `taker`: the seat that has won the complete trick on the table; None without one.

    The cards:

    - `deck`: the game's cards. `trump`: a suit (`S H D C`) or None. `moved`: the suit of each card that belongs to
      another suit than its own in play, such as a bower.
    - `face_down`: the names of the zones in which cards may lie face down.
    - `seen`: the cards that everybody has seen played or turned up, so that no hand holds them.

    The score:

    - `points`, `events`: of the last action. `event_kinds`: the properties of events, by name.
    - `counted`: the hands counted at the end of this deal, in order; empty before that.
    - `pegboard`: the scores at which the cribbage board has a line; None without such a board.
    - `hand`: the number of this hand, from 1.
    - `lowest_wins`: whether the lowest score wins.

    What the players look at:

    - `notes`: per seat, what is shown beside it; empty if there is nothing.
    - `poster`: the largest figure of the board; None for none.
    - `tallies`: what the parties have won in this hand; empty, or two of them.

    `facts`: further facts of the game, in order, as (name, value) texts such as ("count", "24"). `fact_displays`: where
    each is shown, by its name; "all" if a name is not in it. `dealer_does`: what the dealer does ("deals", "starts").
    """

    game: str
    players: tuple[str, ...]
    phase: str
    turn: int | None
    dealer: int | None
    scores: tuple[int, ...]
    target: int | None
    lying: tuple[TableCard, ...]
    hands: tuple[HandView, ...]
    won: tuple[int, ...]
    words: tuple[tuple[str, ...], ...]
    bids: tuple[int | None, ...] = ()
    actor: int | None = None
    calls: tuple[tuple[int, str], ...] = ()
    trump: str | None = None
    points: tuple[Point, ...] = ()
    events: tuple[Event, ...] = ()
    over: bool = False
    winners: tuple[int, ...] = ()
    facts: tuple[tuple[str, str], ...] = field(default=())
    hint: str = ""
    face_down: tuple[str, ...] = ("stock", "crib")
    dealer_does: str = ""
    led: str | None = None
    taker: int | None = None
    seen: frozenset[Card] = frozenset()
    accused: Mapping[str, Mapping[int, str]] = field(default_factory=dict, repr=False, compare=False)
    counted: tuple[CountedHand, ...] = ()
    pegboard: tuple[int, ...] | None = None
    vocabulary: Mapping[str, Word] = field(default_factory=dict, repr=False, compare=False)
    event_kinds: Mapping[str, EventKind] = field(default_factory=dict, repr=False, compare=False)
    fact_displays: Mapping[str, FactDisplay] = field(default_factory=dict, repr=False, compare=False)
    deck: Deck = field(default=STANDARD_DECK, repr=False, compare=False)
    moved: Mapping[Card, str] = field(default_factory=dict, repr=False, compare=False)
    lowest_wins: bool = False
    hand: int = 1
    notes: tuple[SeatNote, ...] = ()
    poster: Poster | None = None
    tallies: tuple[Tally, ...] = ()

    def suit(self, card: Card) -> str:
        """Return the suit that `card` belongs to in play."""
        return self.moved.get(card, card.suit)

    def fact_display(self, name: str) -> FactDisplay:
        """Return where the fact of this name is shown."""
        return self.fact_displays.get(name, "all")

    def told_facts(self) -> list[tuple[str, str]]:
        """Return the facts that small displays and the voice tell, as (name, value) texts."""
        return [(name, value) for name, value in self.facts if value and self.fact_display(name) in ("all", "placed")]

    def choices(self, word: str, against: int | None = None) -> tuple[Card, ...]:
        """Return the cards that may be named with `word` (see `engine.words.Word.cards`), the highest of a suit first.

        `against`: the seat that is accused, if it is known; cards that lie exposed before others are then left out.
        Only what everybody sees decides: the cards may include some that the rules refuse.
        """
        declared = self.vocabulary.get(word)
        if declared is None or "card" not in declared.keys:
            return ()
        if declared.cards == "open":
            return tuple(lying.card for lying in self.lying if lying.zone == Zone("show", self.turn))
        gone = self.seen.union(lying.card for lying in self.lying if lying.zone.name == "play")
        if against is not None:
            gone = gone.union(*(hand.cards for seat, hand in enumerate(self.hands) if seat != against))
        led = self.led if declared.cards == "led" else None
        cards = [card for card in self.deck if led in (None, self.suit(card)) and card not in gone]
        return tuple(sorted(cards, key=_from_the_highest))

    def describe(self, event: Event) -> str:
        """Return the event as a sentence, `Bo wins the trick`; its name if the game has no sentence for it."""
        kind = self.event_kinds.get(event.event)
        if kind is None:
            return event.event
        name = text("Nobody") if event.seat is None else self.players[event.seat]
        return kind.sentence(name, event.card.glyph if event.card else "")

    def side_scores(self) -> tuple[tuple[str, int], ...]:
        """Return the name and the score of each side."""
        return tuple(zip(side_names(self.players, len(self.scores)), self.scores, strict=True))

    def summary(self) -> str:
        """Return game, scores and phase in one line: `cribbage: Ann 2, Bo 0; play`."""
        scores = ", ".join(f"{name} {score}" for name, score in self.side_scores())
        return f"{self.game}: {scores}; {self.phase}"

    def headline(self) -> str:
        """Return the game with who must act, or who has won: `cribbage, play: Bo to act`."""
        if self.over:
            return f"{self.game}, over: {' and '.join(self.side_scores()[side][0] for side in self.winners)} won"
        who = "" if self.turn is None else f": {self.players[self.turn]} to act"
        return f"{self.game}, {self.phase}{who}"

    def by_zone(self) -> list[list[TableCard]]:
        """Return the cards on the table, in the order laid, in groups of neighbours that lie in the same zone."""
        return [list(cards) for _, cards in groupby(self.lying, key=lambda lying: lying.zone)]

    def place(self, zone: Zone) -> str:
        """Return the zone with its player's name: `turn-up`, `Bo` for the play zone, `Bo (show)` for another."""
        if zone.seat is None:
            return zone.name
        return self.players[zone.seat] + f" ({zone.name})" * (zone.name != "play")

    def __repr__(self) -> str:
        return f"<View of {self.summary()}>"

    def __str__(self) -> str:
        lines = [self.headline()]
        names = [name + " (dealer)" * (seat == self.dealer) for seat, name in enumerate(self.players)]
        width = max(map(len, names))
        for seat, name in enumerate(names):
            hand = self.hands[seat]
            cards = "".join(f" {card.glyph}" for card in hand.cards)
            points = self.scores[seat % len(self.scores)]
            lines.append(f"  {name:{width}}  {points} points  {hand.size} cards{':' * bool(cards)}{cards}")
        lines += [f"{name}: {value}" for name, value in self.facts]
        groups = [
            (self.place(cards[0].zone), " ".join(lying.card.glyph for lying in cards)) for cards in self.by_zone()
        ]
        if groups:
            lines.append("on the table: " + ", ".join(f"{place} {cards}" for place, cards in groups))
        return "\n".join(lines)


def _from_the_highest(card: Card) -> tuple[int, str, int]:
    """Sort key: suits in their usual order, each from the ace down; the cards of other decks by colour and number."""
    if card.suit in SUITS:
        return SUITS.index(card.suit), "", RANKS_DOWN.index(card.rank)
    return len(SUITS), card.suit, int(card.rank) if card.rank.isdecimal() else 0


@dataclass(frozen=True, slots=True)
class Prompt:
    """A request to the players. It stands until its cause is gone.

    `kind`: its cause, for lights, sounds and filters. `seat`: the player it concerns; None for everybody. `text`: what
    to do. `urgent`: something has been wrong for longer than it takes to lay a card.
    """

    kind: str
    seat: int | None
    text: str
    urgent: bool = False


MISPLACED: Final = frozenset(("take-back", "put-back", "two-cards", "unclear", "misread", "unreadable", "outside"))
"""Kinds of prompts about cards that lie in the wrong place, or cannot be read there. They become urgent."""


def side_names(players: Sequence[str], sides: int) -> tuple[str, ...]:
    """Return the name of each of `sides` sides; partners sit opposite each other.

    >>> side_names(("Ann", "Bo", "Cy", "Di"), 2)
    ('Ann and Cy', 'Bo and Di')
    """
    return tuple(both(players[side::sides]) for side in range(sides))


def ranked_sides(scores: Sequence[int], winners: Sequence[int]) -> list[int]:
    """Return the sides in the order in which a result names them: the winners first, then the better scores first.

    Low scores are better if the winner has the lowest one.

    >>> ranked_sides((2, 5, 11), (2,)), ranked_sides((26, 104, 80), (0,))
    ([2, 1, 0], [0, 2, 1])
    """
    lowest_wins = any(scores[side] == min(scores) < max(scores) for side in winners)
    best_first = 1 if lowest_wins else -1
    return sorted(range(len(scores)), key=lambda side: (side not in winners, best_first * scores[side]))


def result_scores(scores: Sequence[int], winners: Sequence[int]) -> str:
    """Return the scores of a game that is over, the winner's first, as people write them.

    >>> result_scores((2, 11), (1,)), result_scores((-5, 12), (1,))
    ('11–2', '12 : −5')
    """
    between = " : " if min(scores, default=0) < 0 else "–"
    return between.join(str(scores[side]).replace("-", "−") for side in ranked_sides(scores, winners))


CARD: Final = (46, 64)
"""Width and height of a card in the picture of a table, in px."""
MARGIN: Final = 12
ROW: Final = CARD[1] + 34


def table_svg(view: View) -> str:
    """Return an SVG picture of the cards on the table for a notebook, each group under its zone or player."""
    parts, x = [], MARGIN
    for cards in view.by_zone():
        parts.append(f'<text x="{x}" y="44" font-size="13">{escape(view.place(cards[0].zone))}</text>')
        for lying in cards:
            parts.append(_card_svg(lying.card, x, 52))
            x += CARD[0] + 6
        x += MARGIN
    title = escape(view.headline())
    width = max(x, MARGIN * 2 + 8 * len(title))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{ROW + 30}" font-family="sans-serif">'
        f'<rect width="100%" height="100%" fill="#e8f0e8"/>'
        f'<text x="{MARGIN}" y="22" font-size="14" font-weight="bold">{title}</text>{"".join(parts)}</svg>'
    )


def _card_svg(card: Card, x: int, y: int) -> str:
    colour = "#b00020" if card.suit in ("H", "D") else "#111"
    width, height = CARD
    return (
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="5" fill="#fff" stroke="#888"/>'
        f'<text x="{x + width / 2}" y="{y + height / 2 + 6}" font-size="17" text-anchor="middle" fill="{colour}">'
        f"{escape(str(card.glyph))}</text>"
    )
