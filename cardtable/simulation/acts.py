"""Acts: the movements of players' hands at the table, and the actions of the game that they do."""

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
"""A card on the table: its face (None if it is face down) and its zone. Several cards can be equal."""


@dataclass(frozen=True, slots=True)
class Act:
    """One movement of the hand of `seat`.

    `kind`:

    - `lay`: lay `face` in `zone`, face down if it is None;
    - `lift`: take such a card away from `zone`;
    - `move`: take `face` from `zone` and lay it in `to`;
    - `sweep`: take all `faces` off the table;
    - `shuffle`: gather all cards into the pack;
    - `deal`: deal cards to every player;
    - `pass`: push `face` across the RFID reader in `zone`, without leaving it there;
    - `press`: say the word `face` with the seat's button.

    `action`: what this does in the game. None if it does nothing, or if further cards complete the action; the act with
    the last card has it. `expect`: what the board must show before the next act; None if the players do not wait.
    `tidy`: the act only clears up after the previous action. `refused`: it breaks the rules, and the next act waits
    until the board asks for the card to be taken back. `slot`: for a card of a hand laid open, its number in the hand
    and the number of cards, so that none covers another's corner; None for a card laid anywhere.
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
    slot: tuple[int, int] | None = None

    @property
    def takes(self) -> tuple[Spot, ...]:
        """The cards that this act takes from their places."""
        return ((self.face, self.zone),) if self.kind in ("lift", "move") and self.zone else self.faces

    @property
    def lays(self) -> Spot | None:
        """The card that this act lays, and its zone."""
        zone = self.to or self.zone
        return (self.face, zone) if self.kind in ("lay", "move") and zone else None


class PlacedCard(NamedTuple):
    """A card on the table: its face (None: face down), its zone, the seat that laid it, and the `slot` of its act."""

    face: Face | None
    zone: Zone
    seat: int
    slot: tuple[int, int] | None = None


def imagine(act: Act, lying: list[PlacedCard]) -> None:
    """Update the cards in `lying` with one act. Raises `ValueError` if the act takes a card that is not there."""
    for face, zone in act.takes:
        at = next((at for at in reversed(range(len(lying))) if lying[at][:2] == (face, zone)), None)
        if at is None:
            raise ValueError(f"{face or 'a card face down'} does not lie in {zone}, and cannot be taken from there")
        del lying[at]
    if act.lays:
        lying.append(PlacedCard(*act.lays, act.seat, act.slot))


def same(one: Action | None, other: Action | None) -> bool:
    """Return whether both are the same action, with the cards of the action in any order."""
    return one == other or (one is not None and other is not None and _in_order(one) == _in_order(other))


def described(action: Action) -> str:
    """Return the action as one line of text: `do=play seat=1 card=KS`."""
    keys = action.to_json().items()
    return " ".join(f"{key}={','.join(value) if isinstance(value, list) else value}" for key, value in keys)


def _in_order(action: Action) -> Action:
    return replace(action, cards=tuple(sorted(action.cards, key=str)) if action.cards else action.cards)


def agree(board: View, expected: View) -> bool:
    """Return whether the board shows what the players expect to read there."""
    return _read(board) == _read(expected)


def _read(view: View) -> tuple[object, ...]:
    lying = Counter((lying.card, lying.zone) for lying in view.lying)
    return view.phase, view.turn, view.dealer, view.scores, lying, view.won, view.trump, view.words, view.over
