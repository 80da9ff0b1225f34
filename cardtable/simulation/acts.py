"""What people do at a table: one act is one thing that a hand does, and the action of the game that it stands for."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from engine.actions import Action
from engine.cards import Card
from engine.observations import ActionCard, Zone
from engine.views import View

Kind = Literal["lay", "lift", "move", "sweep", "shuffle", "deal", "pass", "press"]
Face = Card | ActionCard
Spot = tuple[Face | None, Zone]
"""A card as it is named on the table: its face (None where it lies face down) and its zone. Several may be equal."""


@dataclass(frozen=True, slots=True)
class Act:
    """One thing that the hand of `seat` does.

    `lay`: it lays `face` in `zone`, face down where that is None. `lift`: it takes such a card away from `zone`.
    `move`: it takes `face` from `zone` and lays it in `to`. `sweep`: it takes all `faces` off the table.
    `shuffle`: the pack is made up. `deal`: cards for everybody. `pass`: it pushes `face` across the reader in `zone`,
    and nothing lies there.
    `press`: it says the word `face` by its button.

    `action`: what this does in the game; None where it is no action, or where more cards belong to it: it is the act
    with the last of them that completes it. `expect`: what the board must show then, before anybody goes on; None
    where people do not look. `tidy`: it only clears up after the action before it. `refused`: it is against the rules,
    and nobody goes on before the board asks for the card to be taken back.
    """

    kind: Kind
    seat: int
    face: Face | None = None
    zone: Zone | None = None
    to: Zone | None = None
    faces: tuple[Spot, ...] = ()
    action: Action | None = None
    expect: View | None = None
    tidy: bool = False
    refused: bool = False

    @property
    def takes(self) -> tuple[Spot, ...]:
        """The cards that are no longer where they lay."""
        return ((self.face, self.zone),) if self.kind in ("lift", "move") and self.zone else self.faces

    @property
    def lays(self) -> Spot | None:
        """The card that lies somewhere now, and where."""
        zone = self.to or self.zone
        return (self.face, zone) if self.kind in ("lay", "move") and zone else None


class Lain(NamedTuple):
    """A card that lies: its face (None: face down), its zone, and whose hand has laid it."""

    face: Face | None
    zone: Zone
    seat: int


def imagine(act: Act, lying: list[Lain]) -> None:
    """Bring up to date what lies on the table. Raises `ValueError` where a card is taken that does not lie there."""
    for face, zone in act.takes:
        at = next((at for at in reversed(range(len(lying))) if lying[at][:2] == (face, zone)), None)
        if at is None:
            raise ValueError(f"{face or 'a card face down'} does not lie in {zone}, and cannot be taken from there")
        del lying[at]
    if act.lays:
        lying.append(Lain(*act.lays, act.seat))


def same(one: Action | None, other: Action | None) -> bool:
    """Whether both are the same action; the order of the cards in one action makes no difference."""
    return one == other or (one is not None and other is not None and _in_order(one) == _in_order(other))


def told(action: Action) -> str:
    """The action as one line of text: `do=play seat=1 card=KS`."""
    keys = action.to_json().items()
    return " ".join(f"{key}={','.join(value) if isinstance(value, list) else value}" for key, value in keys)


def _in_order(action: Action) -> Action:
    return replace(action, cards=tuple(sorted(action.cards, key=str)) if action.cards else action.cards)


def agree(board: View, expected: View) -> bool:
    """Whether the board shows what people expect to read there."""
    return _read(board) == _read(expected)


def _read(view: View) -> tuple[object, ...]:
    lying = Counter((lying.card, lying.zone) for lying in view.lying)
    return view.phase, view.turn, view.dealer, view.scores, lying, view.won, view.trump, view.over
