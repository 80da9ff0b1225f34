"""Views: what everybody at the table may see, and what one seat may see.

A view is a plain value made after every action. The board, the displays, the lights and the voice show it, and the
referee compares it with the cards that lie on the table. It never contains the cards of a hidden hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from engine.cards import Card
from engine.observations import Zone
from engine.texts import both


class Point(NamedTuple):
    """Points that one action scored. `reason` is the record's `for`: `fifteen`, `beg`, ..."""

    seat: int
    points: int
    reason: str


class Event(NamedTuple):
    """Something else that an action caused: `trick`, `hand-over`, `redeal`, `sweep`, `round`, `game-over`, ..."""

    event: str
    seat: int | None = None
    card: Card | None = None


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


@dataclass(frozen=True, slots=True)
class View:
    """The table as one viewer may see it.

    `turn`: the one seat that must act next, or None. `words`: per seat, what it may say now. `won`: per seat, the
    tricks or cards captured. `trump`: a suit (`S H D C`) or None. `facts`: what else the game shows, in order, as
    (name, value) texts such as ("count", "24"). `hint`: the game's own sentence about what it waits for, or "" if
    the general one will do. `face_down`: the names of the zones in which cards may lie face down. `dealer_does`: what
    the dealer does in this game ("deals", "starts").
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

    def side_scores(self) -> tuple[tuple[str, int], ...]:
        """Return the name and the score of each side."""
        return tuple(zip(side_names(self.players, len(self.scores)), self.scores, strict=True))


def side_names(players: Sequence[str], sides: int) -> tuple[str, ...]:
    """Return the name of each of `sides` sides; partners sit opposite each other.

    >>> side_names(("Ann", "Bo", "Cy", "Di"), 2)
    ('Ann and Cy', 'Bo and Di')
    """
    return tuple(both(players[side::sides]) for side in range(sides))
