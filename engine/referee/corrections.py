"""Corrections of the record: a card that counted turns out to be another card."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from engine.actions import Action
from engine.cards import Card
from engine.errors import Refused
from engine.referee.observed_card import ObservedCard
from engine.referee.phases import hand_phase
from engine.table import Table

_NAME_OTHER_CARDS: Final = ("take", "say")
"""The kinds of actions that name cards laid before, so that a misread card is wrong in them too."""


class Corrections:
    """Replaces actions in the record of one table.

    `apply` does an action and stores it, undos among them; it raises `Refused` if the rules do not allow it.
    """

    def __init__(self, table: Table, apply: Callable[[Action], object]) -> None:
        self._table = table
        self._apply = apply

    def rewrite(self, number: int, actions: Sequence[Action]) -> None:
        """Undo back to action number `number`, and do `actions` instead.

        Raises `Refused` and changes nothing if the rules do not allow all of them.
        """
        trial = Table(self._table.header)
        for action in (*self._table.actions[:number], *actions):
            trial.do(action)
        while len(self._table.actions) > number:
            self._apply(Action("undo"))
        for action in actions:
            self._apply(action)

    def correct(self, card: ObservedCard) -> Action:
        """Replace `card.counted_as` in the record by `card.face`; return the action that the card stands for now.

        Raises `Refused` (`misread`) and changes nothing if the record cannot be corrected: the card stands for no
        action of the record, a hand has ended since, or the rules do not allow what follows.
        """
        number, was, face = card.action_number, card.counted_as, card.face
        if card.action is None or number is None or not isinstance(face, Card) or not isinstance(was, Card):
            raise Refused("misread", "")
        old = self._table.actions[number:]
        if old[:1] != (card.action,) or (len(old) > 1 and card.hand_phase != hand_phase(self._table)):
            raise Refused("misread", "")
        first = old[0].with_card(face, was)
        rest = [each.with_card(face, was) if each.do in _NAME_OTHER_CARDS else each for each in old[1:]]
        self.rewrite(number, [first, *rest])
        return first
