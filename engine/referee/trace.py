"""Trace events: how the referee interpreted each card, so that a dispute can be understood afterwards.

The referee passes these events to its callback `trace` at the end of every observation that did not fail. A card is
reported only if its event differs from the last one reported for it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from engine.actions import Action
from engine.cards import Card
from engine.observations import ActionCard, Zone
from engine.referee.observed_cards import ObservedCard, ObservedCards


@dataclass(frozen=True, slots=True)
class Taken:
    """`card` in `zone` was accepted as `action`, now or earlier in the record.

    `card` and `zone` are None for an action for which no card lies on the table: a word said with a button, an undo, a
    trick picked up. `action` is None for a card that the record has on the table, but that no action has laid.
    """

    card: Card | ActionCard | None
    zone: Zone | None
    action: Action | None


@dataclass(frozen=True, slots=True)
class NotTaken:
    """`card` in `zone` was refused; `code` and `message` say why.

    `action` is the action that was tried; None if none was (`two-cards`, `before`, `misread`, `undone`, `unclear`).
    """

    card: Card | ActionCard | None
    zone: Zone | None
    action: Action | None
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Ignored:
    """`card` in `zone` has no effect.

    `reason` is its status (`engine.referee.observed_cards`): `left-over` (it lay there before the referee started),
    `nudged` (it was moved or put back between two hands) or `spent` (an action card that cannot be said now).
    """

    card: Card | ActionCard | None
    zone: Zone | None
    reason: str


TraceEvent = Taken | NotTaken | Ignored


class Tracer:
    """Collects the trace events of one observation at a time and passes them to `trace`."""

    def __init__(self, cards: ObservedCards, trace: Callable[[TraceEvent], None]) -> None:
        self._cards: Final = cards
        self._trace: Final = trace
        self._pending: list[TraceEvent] = []
        self._reported: dict[ObservedCard, TraceEvent | None] = {}

    def begin(self) -> None:
        """Start an observation; drop the events of one that failed."""
        self._pending.clear()

    def accepted(self, action: Action) -> None:
        """Note an action for which no card lies on the table."""
        self._pending.append(Taken(None, None, action))

    def refused(self, action: Action, code: str, message: str) -> None:
        """Note that the rules refused an action for which no card lies on the table."""
        self._pending.append(NotTaken(None, None, action, code, message))

    def end(self) -> None:
        """Pass on the events of this observation: first actions without a card, then cards that have changed."""
        events = {card: _event(card) for card in self._cards}
        for card, event in events.items():
            if event is not None and event != self._reported.get(card):
                self._pending.append(event)
        self._reported = events
        for event in self._pending:
            self._trace(event)
        self._pending.clear()


def _event(card: ObservedCard) -> TraceEvent | None:
    """Return the event for the card's present status; None if it has not been judged."""
    match card.status:
        case "open":
            return None
        case "refused" | "misread":
            return NotTaken(card.face, card.zone, card.tried, card.code, card.message)
        case "spent" | "left-over" | "nudged" if card.action_number is None:
            return Ignored(card.face, card.zone, card.status)
    return Taken(card.face, card.zone, card.action)
