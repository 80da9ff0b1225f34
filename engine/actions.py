"""Actions: the moves of every game, as records write them.

`Action.from_json` and `Action.to_json` are a pair. What an action means, and which keys it has, is in the
table record's description (docs/record.md).

    >>> Action.from_json({"do": "play", "seat": 1, "card": "tc"}).to_json()
    {'do': 'play', 'seat': 1, 'card': '10C'}
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from engine.cards import Card, UnknownCard, parse_card
from engine.texts import text

# The keys that each kind of action must have, and those it may have.
KEYS: Final[Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "cut": (("seat", "card"), ()),
    "deal": (("seat", "cards"), ()),
    "turn": (("card",), ()),
    "say": (("seat", "word"), ("card", "against")),
    "discard": (("seat",), ("cards",)),
    "give": (("seat", "card"), ()),
    "play": (("seat", "card"), ()),
    "withdraw": (("seat", "card"), ()),
    "gather": (("seat",), ()),
    "take": (("seat", "cards"), ()),
    "bid": (("seat", "cards"), ()),
    "show": (("seat", "cards"), ()),
    "expose": (("seat", "card"), ()),
    "undo": ((), ()),
}

Seat = int | Literal["crib"]


class BadAction(ValueError):
    """An object that has not the form of an action; the message says what is missing or wrong."""


@dataclass(frozen=True, slots=True)
class Action:
    """One action. `seat` is who acts (`crib` in a `show` of the crib); keys that a kind does not have are None."""

    do: str
    seat: Seat | None = None
    card: Card | None = None
    cards: tuple[Card, ...] | None = None
    word: str | None = None
    against: int | None = None

    @classmethod
    def from_json(cls, value: object) -> Action:
        """The action that a decoded line of a record holds. Raises `BadAction`.

        A card that no deck has is kept under its text, for the game to refuse (`no-such-card`).
        """
        if not isinstance(value, Mapping):
            raise BadAction(text('an action is an object like {{"do": "play", "seat": 0, "card": "QS"}}'))
        do = value.get("do")
        if not isinstance(do, str) or do not in KEYS:
            raise BadAction(text("no game has the action {do!r}; there are {names}", do=do, names=", ".join(KEYS)))
        needed, allowed = KEYS[do]
        for key in needed:
            if key not in value:
                raise BadAction(text("{do!r} needs {key!r}", do=do, key=key))
        found = {key: _READ[key](value[key], do) for key in (*needed, *allowed) if key in value}
        return cls(do, **found)

    def to_json(self) -> dict[str, Any]:
        """The action as a record writes it; keys without a value are left out."""
        out: dict[str, Any] = {"do": self.do}
        if self.seat is not None:
            out["seat"] = self.seat
        if self.word is not None:
            out["word"] = self.word
        if self.against is not None:
            out["against"] = self.against
        if self.card is not None:
            out["card"] = str(self.card)
        if self.cards is not None:
            out["cards"] = [str(card) for card in self.cards]
        return out


def _card(value: object, do: str) -> Card:
    if not isinstance(value, str):
        raise BadAction(text('a card is written like "QS", not {value!r}', value=value))
    try:
        return parse_card(value)
    except UnknownCard:
        return Card(value, "")


def _cards(value: object, do: str) -> tuple[Card, ...]:
    if not isinstance(value, list):
        raise BadAction(text("'cards' is a list of cards, not {value!r}", value=value))
    return tuple(_card(card, do) for card in value)


def _seat(value: object, do: str) -> Seat:
    if do == "show" and value == "crib":
        return "crib"
    if type(value) is not int or value < 0:
        raise BadAction(text("a seat is a number from 0, not {value!r}", value=value))
    return value


def _word(value: object, do: str) -> str:
    if not isinstance(value, str):
        raise BadAction(text("a word is a text, not {value!r}", value=value))
    return value


_READ: Final[Mapping[str, Callable[[object, str], Any]]] = {
    "seat": _seat,
    "against": _seat,
    "card": _card,
    "cards": _cards,
    "word": _word,
}
