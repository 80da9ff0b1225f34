"""Views: what everybody at the table may see, and what one seat may see.

A view is a plain value, made new after every action: the board, the displays, the lights and the voice show it,
the referee compares it with what lies on the table, and nothing in it tells a hand that was dealt in secret.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from engine.cards import Card
from engine.observations import Zone
from engine.texts import both


class Point(NamedTuple):
    """Points that one action scored: `reason` is the record's `for` (`fifteen`, `beg`, …)."""

    seat: int
    points: int
    reason: str


class Event(NamedTuple):
    """Other news of an action: `trick`, `revoke-proven`, `hand-over`, `redeal`, `sweep`, `round`, `game-over`."""

    event: str
    seat: int | None = None
    card: Card | None = None


@dataclass(frozen=True, slots=True)
class TableCard:
    """A card that the record says lies face up on the table.

    `firm`: it must stay where it is (a card of the trick); otherwise it may be cleared away (the turn-up).
    """

    card: Card
    zone: Zone
    firm: bool = True


@dataclass(frozen=True, slots=True)
class HandView:
    """A seat's hand: how many cards, and those the viewer may see (exposed, or the viewer's own, if known)."""

    size: int
    cards: tuple[Card, ...] = ()


@dataclass(frozen=True, slots=True)
class View:
    """The table as one viewer may see it.

    `turn`: the one seat that must act next, or None. `words`: per seat, what it may say now. `won`: per seat,
    tricks or captured cards. `trump`: a suit (`S H D C`) or None. `facts`: a game's own news, in order,
    as (name, value) texts: ("count", "24"); either may be a `Text`. `hint`: what the table waits for, in the game's own
    words; empty where the usual ones serve. `face_down`: names of the zones where cards may lie face down.
    `dealer_does`: what the dealer is called for ("deals", "starts"), a text.
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
    trump: str | None = None
    points: tuple[Point, ...] = ()
    events: tuple[Event, ...] = ()
    over: bool = False
    winners: tuple[int, ...] = ()
    facts: tuple[tuple[str, str], ...] = field(default=())
    hint: str = ""
    face_down: tuple[str, ...] = ("stock", "crib")
    dealer_does: str = ""


def side_names(players: Sequence[str], sides: int) -> tuple[str, ...]:
    """Who plays on each of `sides` sides; partners sit opposite.

    >>> side_names(("Ann", "Bo", "Cy", "Di"), 2)
    ('Ann and Cy', 'Bo and Di')
    """
    return tuple(both(players[side::sides]) for side in range(sides))
