"""Actions: the moves of every game.

What an action means, and which keys it has, is described in docs/reference/record.md. There are two notations, each
with a function to read it and one to write it: JSON, as in records, and a short text for people
(docs/how-to/python.md).

    >>> Action.from_json({"do": "play", "seat": 1, "card": "tc"}).to_json()
    {'do': 'play', 'seat': 1, 'card': '10C'}
    >>> Action.parse("1 play tc")
    Action('1 play 10C')
    >>> str(Action.parse("0 say revoke 2 5S"))
    '0 say revoke 2 5S'
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from engine.cards import Card, UnknownCard, parse_card
from engine.errors import EngineError
from engine.texts import is_small_number, text


@dataclass(frozen=True, slots=True)
class ActionKind:
    """What is the same for all actions of a kind: keys, and zones of the mat.

    What an action means in a game follows from the game's offers (`engine.rules.questions`).

    `name`: the value of `do` in a record. `needs`, `allows`: the keys that an action of the kind must have, and those
    that it may have. `zones`: the zones in which a card that was laid is tried as this kind; a kind that needs `cards`
    takes all cards of the zone together. `hides`: whether only some players have seen its cards.

    >>> ACTION_KINDS["play"].needs, ACTION_KINDS["play"].zones
    (('seat', 'card'), ('play', 'table'))
    """

    name: str
    needs: tuple[str, ...]
    allows: tuple[str, ...] = ()
    zones: tuple[str, ...] = ()
    hides: bool = False


_KINDS: Final = (
    ActionKind("cut", ("seat", "card"), zones=("play",)),
    ActionKind("deal", ("seat", "cards"), hides=True),
    ActionKind("hold", ("seat", "cards"), hides=True),
    ActionKind("turn", ("card",), zones=("turn-up", "table")),
    ActionKind("say", ("seat", "word"), allows=("card", "against"), zones=("say",)),
    ActionKind("discard", ("seat",), allows=("cards",), hides=True),
    ActionKind("give", ("seat", "card"), zones=("turn-up",)),
    ActionKind("play", ("seat", "card"), zones=("play", "table")),
    ActionKind("withdraw", ("seat", "card")),
    ActionKind("gather", ("seat",)),
    ActionKind("take", ("seat", "cards")),
    ActionKind("bid", ("seat", "cards"), zones=("bid",)),
    ActionKind("show", ("seat", "cards"), zones=("show", "crib")),
    ActionKind("expose", ("seat", "card"), zones=("show",)),
    ActionKind("undo", ()),
)

ACTION_KINDS: Final[Mapping[str, ActionKind]] = {kind.name: kind for kind in _KINDS}
"""Every kind of action by its name, in the order of docs/reference/record.md."""


def kinds_in_zone(zone: str) -> tuple[ActionKind, ...]:
    """Return the kinds that a card laid in `zone` may stand for, in the order in which they are tried.

    >>> [kind.name for kind in kinds_in_zone("turn-up")]
    ['turn', 'give']
    """
    return tuple(kind for kind in _KINDS if zone in kind.zones)


HIDING: Final = frozenset(kind.name for kind in _KINDS if kind.hides)
"""The kinds of action whose cards only some players have seen."""

NAMING: Final = frozenset(kind.name for kind in _KINDS if kind.hides and "cards" in kind.needs)
"""Those of them that only name cards: a table that does not see hands does without."""

KEYS: Final[Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    kind.name: (kind.needs, kind.allows) for kind in ACTION_KINDS.values()
}
"""For each kind of action, the keys that it must have and those that it may have."""

Seat = int | Literal["crib"]


class BadAction(EngineError, ValueError):
    """An object or text that does not have the form of an action; the message says what is missing or wrong."""


@dataclass(frozen=True, slots=True, repr=False)
class Action:
    """One action of a game. Attributes that its kind does not have are None.

    `do`: the kind, a key of `KEYS`. `seat`: the seat that acts, or `"crib"` in a `show` of the crib. `card`, `cards`:
    the cards played, dealt, shown. `word`: what is said. `against`: the seat that a word accuses.

    A card given as text is read: raises `UnknownCard`, a `ValueError`, if it is not a card.

    >>> Action("play", 1, "ks")
    Action('1 play KS')
    """

    do: str
    seat: Seat | None = None
    card: Card | None = None
    cards: tuple[Card, ...] | None = None
    word: str | None = None
    against: int | None = None

    def __post_init__(self) -> None:
        if isinstance(self.card, str):
            object.__setattr__(self, "card", parse_card(self.card))
        if self.cards and str in map(type, self.cards):
            cards = tuple(parse_card(card) if isinstance(card, str) else card for card in self.cards)
            object.__setattr__(self, "cards", cards)

    @classmethod
    def parse(cls, written: str) -> Action:
        """Return the action written as `[seat] kind [word] [accused seat] [card ...]`. Raises `BadAction`.

        >>> [Action.parse(text).do for text in ("turn JC", "0 deal AS KS QS", "crib show 5H 6H", "1 say go", "undo")]
        ['turn', 'deal', 'show', 'say', 'undo']
        >>> Action.parse("1 shout hello")
        Traceback (most recent call last):
        engine.actions.BadAction: '1 shout hello' is not an action; write it like “1 play KS” or “0 say go”
        """
        seat, do, rest = _split(written)
        needed, allowed = KEYS[do]
        value: dict[str, object] = {"do": do}
        if seat is not None:
            value["seat"] = seat
        if "word" in needed and rest:
            value["word"] = rest.pop(0)
            if rest and is_small_number(rest[0]):
                value["against"] = int(rest.pop(0))
        if "cards" in needed or ("cards" in allowed and rest):
            value["cards"], rest = rest, []
        elif rest:
            value["card"] = rest.pop(0)
        if rest:
            raise _not_an_action(written)
        for key in needed:
            if key not in value and key != "seat":
                raise BadAction(text("{do!r} needs {key!r}", do=do, key=key))
        return cls(do, **{key: _READ[key](part, do) for key, part in value.items() if key != "do"})

    def __str__(self) -> str:
        """The action in the notation that `parse` reads: `1 play 10C`."""
        parts = [self.seat, self.do, self.word, self.against, self.card, *(self.cards or ())]
        return " ".join(str(part) for part in parts if part is not None)

    def __repr__(self) -> str:
        return f"Action({str(self)!r})"

    @classmethod
    def from_json(cls, value: object) -> Action:
        """Return the action that a decoded line of a record holds. Raises `BadAction`.

        A card that no deck has is kept under its text, for the game to refuse (`no-such-card`).
        """
        if not isinstance(value, Mapping):
            raise BadAction(text('an action is an object like {{"do": "play", "seat": 0, "card": "QS"}}'))
        do = value.get("do")
        if not isinstance(do, str) or do not in KEYS:
            raise BadAction(text("no game has the action {do!r}; known: {names}", do=do, names=", ".join(KEYS)))
        needed, allowed = KEYS[do]
        for key in needed:
            if key not in value:
                raise BadAction(text("{do!r} needs {key!r}", do=do, key=key))
        found = {key: _READ[key](value[key], do) for key in (*needed, *allowed) if key in value}
        return cls(do, **found)

    def with_card(self, card: Card, was: Card) -> Action:
        """Return the action with `card` instead of `was`; of several equal cards, the last is replaced."""
        cards = list(self.cards or ())
        if was in cards:
            cards[len(cards) - 1 - cards[::-1].index(was)] = card
        single = card if self.card == was else self.card
        return replace(self, card=single, cards=None if self.cards is None else tuple(cards))

    def to_json(self) -> dict[str, Any]:
        """Return the action as a record writes it; keys without a value are left out."""
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


def _split(written: str) -> tuple[Seat | None, str, list[str]]:
    """The seat, the kind of action and the other words of an action in the short notation."""
    words = written.split()
    seat: Seat | None = None
    if words and (is_small_number(words[0]) or words[0] == "crib"):
        first = words.pop(0)
        seat = "crib" if first == "crib" else int(first)
    if not words or words[0] not in KEYS:
        raise _not_an_action(written)
    return seat, words[0], words[1:]


def _not_an_action(written: str) -> BadAction:
    return BadAction(text("{written!r} is not an action; write it like “1 play KS” or “0 say go”", written=written))


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
