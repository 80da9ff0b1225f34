"""What people do at a table: one act is one thing that a hand does, and the action of the game that it stands for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from engine.actions import Action
from engine.cards import Card
from engine.observations import Word, Zone
from engine.views import View

Kind = Literal["lay", "lift", "move", "sweep", "deal"]
Face = Card | Word


@dataclass(frozen=True, slots=True)
class Act:
    """One thing that the hand of `seat` does.

    `lay`: it lays `face` in `zone`. `lift`: it takes `face` away from `zone`. `move`: it takes `face` from `zone` and
    lays it in `to`. `sweep`: it takes all `faces` (each in its zone) off the table. `deal`: cards for everybody.

    `action`: what this does in the game; None where it is no action. `expect`: what the board must show then, before
    anybody goes on; None where people do not look. `tidy`: it only clears up after the action before it.
    """

    kind: Kind
    seat: int
    face: Face | None = None
    zone: Zone | None = None
    to: Zone | None = None
    faces: tuple[tuple[Face, Zone], ...] = ()
    action: Action | None = None
    expect: View | None = None
    tidy: bool = False


def agree(board: View, expected: View) -> bool:
    """Whether the board shows what people expect to read there."""
    return _read(board) == _read(expected)


def _read(view: View) -> tuple[object, ...]:
    lying = frozenset((lying.card, lying.zone) for lying in view.lying)
    return view.phase, view.turn, view.dealer, view.scores, lying, view.won, view.trump, view.over
