"""The scribe: does the actions that the referee finds, and puts right those that were wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from engine.actions import Action
from engine.cards import Card
from engine.table import Table

NAMING: Final = ("take", "say")
"""The actions that name cards which others have laid: where one was misread, it was misread there too."""


class Scribe:
    """`act` does an action on `table` and stores it; it raises `Refused` where the rules say no."""

    def __init__(self, table: Table, act: Callable[[Action], object]) -> None:
        self._table = table
        self._act = act

    def do(self, action: Action) -> None:
        """Do `action`. Raises `Refused`."""
        self._act(action)

    def rewrite(self, at: int, right: Sequence[Action]) -> None:
        """Undo back to action number `at` and do `right` instead. Raises `Refused` and changes nothing if it fails."""
        trial = Table(self._table.header)
        for action in (*self._table.actions[:at], *right):
            trial.do(action)
        while len(self._table.actions) > at:
            self._act(Action("undo"))
        for action in right:
            self._act(action)


def corrected(action: Action, was: Card, now: Card) -> Action:
    """The action with the card `now` for the card `was`; where that is named several times, once."""
    cards = list(action.cards or ())
    if was in cards:
        cards[len(cards) - 1 - cards[::-1].index(was)] = now
    card = now if action.card == was else action.card
    return replace(action, card=card, cards=None if action.cards is None else tuple(cards))
