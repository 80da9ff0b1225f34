"""Rewriting the record as people ask: a card named, added, removed, or everything undone to a point.

Unlike `engine.referee.corrections`, which follows what the sources see, this follows what people say. The cards that
lie on the table then count for the actions of the new record.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from engine.actions import Action
from engine.cards import Card
from engine.observations import Zone
from engine.referee.matching import RecordMatching
from engine.referee.observed_card import ObservedCard, SightingId
from engine.referee.observed_cards import ObservedCards
from engine.referee.placements import is_temporary
from engine.referee.reconciliation import count_as_laid, reconcile
from engine.table import Table

_FINAL: Final = frozenset(("undone", "before"))
"""Refusals that a changed record does not lift: the card must be laid again."""


@dataclass(frozen=True, slots=True)
class NamedCard:
    """What people say that a card on the table is, and in which zone it counts."""

    face: Card
    zone: Zone | None


@dataclass(frozen=True, slots=True)
class SeenCard:
    """A card that is observed on the table.

    `face`: None if it cannot be read. `number`: the index of the action that it stands for, if it counts.
    `alternatives`: the other faces that it may have, the likeliest first. `sightings`: the sources that see it.
    `earlier`: the index of the action that it stood for, if it is `done`: it has had its effect, and still lies there.
    """

    face: Card | None
    zone: Zone | None
    number: int | None
    alternatives: tuple[Card, ...]
    sightings: tuple[SightingId, ...]
    refused: bool = False
    done: bool = False
    earlier: int | None = None


class Rewriting:
    """Rewrites the record of one table. `apply` does an action and stores it, undos among them."""

    def __init__(
        self, table: Table, cards: ObservedCards, matching: RecordMatching, apply: Callable[[Action], object]
    ) -> None:
        self._table = table
        self._cards = cards
        self._matching = matching
        self._apply = apply

    def rewrite(
        self, kept: int, actions: Sequence[Action], named: Mapping[SightingId, NamedCard], started: bool
    ) -> None:
        """Undo all but the first `kept` actions and do `actions`, which the rules must allow.

        `named`: cards that people have named, by any of their sightings. `started`: whether the cards on the table are
        known. A card that stood for an undone action is refused as `undone`, unless the new record has the same action
        or an equal card in its place. Cards that the rules had refused are judged again.
        """
        while len(self._table.actions) > kept:
            self._apply(Action("undo"))
        for action in actions:
            self._apply(action)
        for card in self._cards:
            name = next((named[each] for each in card.alternatives_by_sighting if each in named), None)
            if name is not None:
                card.name(name.face, name.zone)
                if card.is_refused:
                    card.reopen()
            self._carry_over(card, kept, actions)
        if started:
            count_as_laid(self._table, self._cards)
            reconcile(self._table, self._cards, found=())
        self._matching.retire_unmatched()

    def _carry_over(self, card: ObservedCard, kept: int, actions: Sequence[Action]) -> None:
        """Let the card count for the same action of the new record; without one, or if it is refused, judge it."""
        number = card.action_number
        if number is not None and number >= kept:
            same = [new for new, action in enumerate(actions, start=kept) if action == card.action]
            if not same and card.is_done and number < kept + len(actions) and _names(actions[number - kept], card):
                same = [number]
            if not same or card.action is None:
                card.refuse("undone")
            elif card.status in ("counted", "spent", "nudged"):
                done = card.is_done
                card.count(actions[same[-1] - kept], same[-1])
                if done:
                    card.retire()
        elif card.status == "refused" and card.code not in _FINAL:
            if actions or not is_temporary(card):
                card.reopen()
            else:  # it waited for what is undone now, and would count by itself
                card.refuse("undone")
        elif card.status == "misread":
            card.reopen()

    def seen(self) -> tuple[SeenCard, ...]:
        """Return the cards that are observed on the table, except action cards."""
        return tuple(
            SeenCard(
                card.face,
                card.zone,
                card.action_number if card.status == "counted" else None,
                card.alternatives,
                tuple(card.alternatives_by_sighting),
                card.is_refused,
                card.is_done,
                card.action_number if card.is_done else None,
            )
            for card in self._cards
            if card.face is None or isinstance(card.face, Card)
        )


def _names(action: Action, card: ObservedCard) -> bool:
    """Return whether `action` is that of the card, but for its name, and names it as people have done now."""
    same = card.action is not None and (action.do, action.seat) == (card.action.do, card.action.seat)
    return same and card.face in (action.card, *(action.cards or ()))
