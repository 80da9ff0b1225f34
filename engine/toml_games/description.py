"""The description of a trick game (docs/how-to/games-in-toml.md): its values, with their types and limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from engine.cards import RANKS, SUIT_NAMES, SUITS, Card, Deck
from engine.errors import guess_or_all
from engine.texts import text

LOWEST_CLUB: Final = "lowest club"
RUN: Final = 3
"""The cards that the dealer runs, if the description does not say how many."""


@dataclass(frozen=True)
class Description:
    """A trick game as data. The fields are the values of the keys in docs/how-to/games-in-toml.md.

    `deals`: the cards of each hand; a single number if it is always the same, empty if all cards are dealt. `points`:
    what each card is worth; `trump_points`: what a trump of each rank is worth instead. `counts`: what each card counts
    for `most`. `closed`: the suit that may not be led before a card of it, or of `opened_by`, was played; or None.
    """

    title: str
    about: str
    players: tuple[int, ...]
    partners: bool
    ranks: tuple[str, ...]
    leave_out: tuple[Card, ...]
    deals: tuple[int, ...]
    passed: int
    pass_to: tuple[str, ...]
    choose: str
    suits: tuple[str, ...]
    named_by: str
    trump_ranks: tuple[str, ...]
    beg: int
    run: int
    bids: bool
    made: int
    made_trick: int
    missed: int
    hook: bool
    lead: str
    follow: str
    closed: str | None
    opened_by: tuple[Card, ...]
    not_first: tuple[Card, ...]
    points: Mapping[Card, int]
    trump_points: Mapping[str, int]
    counts: Mapping[Card, int]
    tricks: int
    above: int
    sweep: int
    sweep_to: str
    high: int
    low: int
    most: int
    revoke: int
    target: int
    wins: str

    @property
    def deck(self) -> Deck:
        """The pack before cards are left out."""
        return Deck(Card(rank, suit) for suit in SUITS for rank in self.ranks)

    @property
    def by_hand(self) -> bool:
        """Whether the number of cards differs from hand to hand; the game ends after the last of them."""
        return len(self.deals) > 1

    @property
    def has_trumps(self) -> bool:
        """Whether there are trumps in some hand."""
        return any(self.suits) if self.choose == "suits" else self.choose != "none"

    def hand_sizes(self, players: int) -> tuple[int, ...]:
        """Return the cards that each of so many players is dealt, hand by hand; one number if it is always the same."""
        return self.deals or (len(self.deck) // players,)

    def deals_all(self, players: int) -> bool:
        """Return whether so many players are dealt every card of the pack in every hand, but those left out."""
        return all(size * players == len(self.deck) for size in self.deals)


SUIT_LETTERS: Final = {name: suit for suit, name in SUIT_NAMES.items()}
"""The letter of each suit by its English name, as descriptions name suits."""
TRUMP: Final = "trump-"
"""What precedes the rank of a trump in `[points]`."""


class DescriptionError(ValueError):
    """A description is not a valid game. `where`: the keys and list indices that lead to the wrong value."""

    def __init__(self, where: Sequence[str | int], message: str) -> None:
        super().__init__(message)
        self.where = tuple(where)


class Values:
    """The values of a section of a description, checked as they are read. Keys that are not `known` are refused.

    `name`: the name of the section, "" for the top of the description. The methods raise `DescriptionError`.
    """

    def __init__(self, values: Mapping[str, Any], name: str, known: tuple[str, ...]) -> None:
        self._values = dict(values)
        self._where = (name,) if name else ()
        for key in values:
            if key not in known:
                raise self.fault(key, text("there is no key {key!r}{guess}", key=key, guess=guess_or_all(key, known)))

    def fault(self, key: str | None, message: str, place: int | None = None) -> DescriptionError:
        """Return the error at `key`, or at the entry `place` of its list; None for the section itself."""
        where = self._where if key is None else (*self._where, key)
        return DescriptionError(where if place is None else (*where, place), message)

    def has(self, key: str) -> bool:
        """Return whether the description sets `key`."""
        return key in self._values

    def section(self, key: str, known: tuple[str, ...]) -> Values:
        """Return the section `key`, empty if it is not there."""
        values = self._values.get(key, {})
        if not isinstance(values, dict):
            raise self.fault(key, text("{key!r} has keys of its own: write [{key}] above them", key=key))
        return Values(values, key, known or tuple(values))

    def string(self, key: str, most: int, default: str | None = None) -> str:
        """Return a text of one line, of `most` letters at most; without `default` it must be there and not empty."""
        value = self._values.get(key, default)
        if not isinstance(value, str) or (default is None and not value.strip()):
            if value is None:
                raise self.fault(None, text("the key {key!r} is missing", key=key))
            raise self.fault(key, text("{key!r} should be a text in quotes, not {value!r}", key=key, value=value))
        if len(value) > most or not value.isprintable():
            raise self.fault(key, text("{key!r} should be one line of at most {most} letters", key=key, most=most))
        return value

    def flag(self, key: str) -> bool:
        """Return true or false; false if it is not there."""
        value = self._values.get(key, False)
        if not isinstance(value, bool):
            raise self.fault(key, text("{key!r} should be true or false, not {value!r}", key=key, value=value))
        return value

    def number(self, key: str, least: int, most: int, default: int = 0) -> int:
        """Return a whole number from `least` to `most`."""
        return self._number(key, None, self._values.get(key, default), least, most)

    def numbers(self, key: str, least: int, most: int) -> tuple[int, ...]:
        """Return a list of whole numbers from `least` to `most`, or one number as a list; empty if it is not there."""
        value = self._values.get(key, [])
        if not isinstance(value, list):
            return (self._number(key, None, value, least, most),)
        return tuple(self._number(key, place, each, least, most) for place, each in enumerate(value))

    def choice(self, key: str, choices: tuple[str, ...]) -> str:
        """Return one of `choices`, the first of them if it is not there."""
        return self._choice(key, None, self._values.get(key, choices[0]), choices)

    def choices(self, key: str, choices: tuple[str, ...]) -> tuple[str, ...]:
        """Return a list of some of `choices`, or one of them as a list; empty if it is not there."""
        value = self._values.get(key, [])
        if not isinstance(value, list):
            return (self._choice(key, None, value, choices),)
        return tuple(self._choice(key, place, each, choices) for place, each in enumerate(value))

    def cards(self, key: str) -> tuple[Card, ...]:
        """Return a list of cards such as `"QS"`; empty if it is not there."""
        names = tuple(rank + suit for rank in RANKS for suit in SUITS)
        return tuple(card_of(name) for name in self.choices(key, names))

    def points(self) -> dict[str, int]:
        """Return all values of the section, which are whole numbers."""
        return {key: self._number(key, None, value, -1000, 1000) for key, value in self._values.items()}

    def _number(self, key: str, place: int | None, value: object, least: int, most: int) -> int:
        if type(value) is int and least <= value <= most:
            return value
        message = "{key!r} should be a whole number from {least} to {most}, not {value!r}"
        raise self.fault(key, text(message, key=key, least=least, most=most, value=value), place)

    def _choice(self, key: str, place: int | None, value: object, choices: tuple[str, ...]) -> str:
        if isinstance(value, str) and value in choices:
            return value
        guess = guess_or_all(str(value), choices)
        raise self.fault(key, text("{key!r} cannot be {value!r}{guess}", key=key, value=value, guess=guess), place)


def card_of(name: str) -> Card:
    """Return the card of an ordinary pack that is called `name`: `"10H"`."""
    return Card(name[:-1], name[-1])


def points_of(section: Values, ranks: tuple[str, ...]) -> tuple[dict[Card, int], dict[str, int]]:
    """Return the points of each card, and those of trumps by rank.

    The value of a card replaces that of its rank, and the value of a rank that of a suit.
    """
    points = section.points()
    by_suit = {Card(rank, suit): name for name, suit in SUIT_LETTERS.items() for rank in ranks}
    known = {*SUIT_LETTERS, *ranks, *(TRUMP + rank for rank in ranks), *map(str, by_suit)}
    for key in points:
        if key not in known:
            message = '{key!r} is no card, rank, suit or trump of this pack: write "QS", "J", "hearts" or "trump-J"'
            raise section.fault(key, text(message, key=key))
    found = {card: points.get(str(card), points.get(card.rank, points.get(suit, 0))) for card, suit in by_suit.items()}
    worth = {card: value for card, value in found.items() if value}
    return worth, {rank: points[TRUMP + rank] for rank in ranks if TRUMP + rank in points}


def counts_of(section: Values, ranks: tuple[str, ...]) -> dict[Card, int]:
    """Return what each card counts, which does not depend on trumps."""
    counts, of_trumps = points_of(section, ranks)
    for rank in of_trumps:
        raise section.fault(TRUMP + rank, text("a card counts the same in every suit: write its rank, or the card"))
    return counts
