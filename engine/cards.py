"""Cards and decks.

A card is an interned value: the same rank and suit are always the same object, so cards compare and hash by
identity and are cheap to pass around. `parse_card` reads what `str(card)` writes:

    >>> parse_card("10h"), parse_card("TH") is parse_card("10H"), str(parse_card("qs"))
    (Card('10H'), True, 'QS')
    >>> parse_card("brown-7").glyph
    'brown 7'
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import ClassVar, Final

from engine.texts import Text, text

COURT_RANKS: Final = ("J", "Q", "K")
SUITS: Final = ("S", "H", "D", "C")
RANKS: Final = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
RANKS_DOWN: Final = ("A", *RANKS[:0:-1])
"""The ranks from the ace down to the two."""
SUIT_NAMES: Final = {"S": "spades", "H": "hearts", "D": "diamonds", "C": "clubs"}
SUIT_GLYPHS: Final = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}
SUIT_TEXTS: Final[dict[str, Text]] = {
    "S": text("spades"),
    "H": text("hearts"),
    "D": text("diamonds"),
    "C": text("clubs"),
    "J": text("jacks"),
}
"""The suits as translatable texts; in some games the jacks are a suit of their own, `J`."""
COLOUR_TEXTS: Final[dict[str, Text]] = {
    "brown": text("brown"),
    "green": text("green"),
    "red": text("red"),
    "blue": text("blue"),
    "yellow": text("yellow"),
    "black": text("black"),
    "orange": text("orange"),
    "purple": text("purple"),
}
"""The colours of decks with coloured numbers, as translatable texts."""

_STANDARD = re.compile(r"(10|[A2-9TJQK])([SHDC])", re.IGNORECASE | re.ASCII)
_COLOURED = re.compile(r"([a-z]+)-([1-9][0-9]?)", re.IGNORECASE | re.ASCII)


class UnknownCard(ValueError):
    """Text that does not have the form of a card."""


class Card:
    """One card: `rank` and `suit` of an ordinary deck, or number and colour in a deck of coloured numbers.

    Made by `parse_card` or `Card(rank, suit)`. Equal cards are the same object; so are all copies of a card in a deck
    that has several. `Card(text, "")` stands for text that does not name a card, so that a game can refuse it.
    """

    __slots__ = ("rank", "suit")
    rank: str
    suit: str
    _known: ClassVar[dict[tuple[str, str], Card]] = {}

    def __new__(cls, rank: str, suit: str) -> Card:
        """Return the one card with this rank and suit."""
        card = cls._known.get((rank, suit))
        if card is None:
            card = object.__new__(cls)
            object.__setattr__(card, "rank", rank)
            object.__setattr__(card, "suit", suit)
            cls._known[rank, suit] = card
        return card

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"cards are immutable: cannot set {name}")

    def __reduce__(self) -> tuple[type[Card], tuple[str, str]]:
        return Card, (self.rank, self.suit)

    def __str__(self) -> str:
        """The card as records write it: `10H`, `brown-7`."""
        return self.rank + self.suit if self.suit in SUIT_NAMES or not self.suit else f"{self.suit}-{self.rank}"

    def __repr__(self) -> str:
        return f"Card({str(self)!r})"

    @property
    def glyph(self) -> str:
        """The card as a person reads it: `10♥`, `brown 7`. A colour is a translatable text."""
        symbol = SUIT_GLYPHS.get(self.suit)
        if symbol or not self.suit:
            return self.rank + (symbol or "")
        return text("{colour} {number}", colour=COLOUR_TEXTS.get(self.suit, self.suit), number=self.rank)


def parse_card(written: str) -> Card:
    """Return the card that `written` names; `T` means `10`, and lower case is accepted.

    Raises `UnknownCard` if the text does not have the form of a card. Whether a game has the card is for its deck to
    say: `card in deck`.
    """
    if match := _STANDARD.fullmatch(written):
        rank, suit = match[1].upper(), match[2].upper()
        return Card("10" if rank == "T" else rank, suit)
    if match := _COLOURED.fullmatch(written):
        return Card(match[2], match[1].lower())
    raise UnknownCard(text("{written!r} is not a card; cards are written like QS, 10H or brown-7", written=written))


class Deck:
    """The cards of a game in a fixed order, copies included.

    Made from cards, or from a mapping of each different card to its number of copies (which may be 0).
    `kinds`: the set of different cards.

    >>> len(STANDARD_DECK), parse_card("QS") in STANDARD_DECK
    (52, True)
    """

    def __init__(self, cards: Iterable[Card] | Mapping[Card, int]) -> None:
        self._copies: Final = Counter(cards)
        self.kinds: Final = frozenset(self._copies)

    @cached_property
    def cards(self) -> tuple[Card, ...]:
        """Every card in the deck's order, the copies of a card next to each other."""
        return tuple(self._copies.elements())

    def __contains__(self, card: object) -> bool:
        return card in self._copies

    def __iter__(self) -> Iterator[Card]:
        """Iterate over the different cards in the deck's order."""
        return iter(self._copies)

    def __len__(self) -> int:
        """The number of cards, copies counted."""
        return self._copies.total()

    def __repr__(self) -> str:
        return f"<Deck of {len(self)} cards, {len(self.kinds)} different>"

    def copies(self, card: Card) -> int:
        """Return how many copies of `card` the deck has; 0 for a card of another deck."""
        return self._copies[card]


STANDARD_DECK: Final = Deck(Card(rank, suit) for suit in SUITS for rank in RANKS)
