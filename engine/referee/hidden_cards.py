"""Hidden cards that RFID readers can read through their backs, and what they mean for the game.

Cards that are swiped across the deal reader of a seat become its hand as soon as they are as many as the seat is dealt;
if the seat holds them already, they are laid away (`Swipes`). Cards that lie face down in a zone for such cards are
left out of the scenes until they are laid face up (`FaceDown`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from engine.actions import Action
from engine.cards import Card
from engine.observations import Scene, Swiped
from engine.table import Table
from engine.views import View

_WHILE_DEALING: Final = ("deal", "discard", "gather")
"""Actions done while cards are dealt. After any other action, the next cards swiped belong to another deal."""

_TURN_UP: Final = "turn-up"
_SHOWN_IN: Final = "show"
"""The phase in which face-down cards are laid face up."""


@dataclass(frozen=True, slots=True)
class Swipes:
    """How the cards swiped so far were used; immutable, so that it can be restored with the table.

    If a reader misses a card, the hand stays incomplete and hidden, and its cards do not count for the next deal.
    """

    _deals: Mapping[str, Mapping[int, int]] = field(default_factory=dict)
    """By source and number of the swipe: the deal in which it was reported first."""
    _used: Mapping[tuple[str, int], int] = field(default_factory=dict)
    """By source and seat: the number of the last swipe that was dealt or laid away."""

    def judge(self, swiped: Swiped, table: Table, apply: Callable[[Action], None]) -> Swipes:
        """Apply the deals and discards that the swipes complete; return the new state of the swipes."""
        deal = sum(action.do not in _WHILE_DEALING for action in table.actions)
        known = self._deals.get(swiped.source, {})
        deals = {swipe.number: known.get(swipe.number, deal) for swipe in swiped.swipes}
        used = dict(self._used)
        for seat in sorted({swipe.seat for swipe in swiped.swipes}):
            last = used.get((swiped.source, seat), 0)
            new = [s for s in swiped.swipes if s.seat == seat and s.number > last and deals[s.number] == deal]
            action = _deal_or_discard(seat, tuple(swipe.card for swipe in new), table)
            if action is not None:
                apply(action)
                used[swiped.source, seat] = new[-1].number
        return Swipes({**self._deals, swiped.source: deals}, used)


def _deal_or_discard(seat: int, cards: tuple[Card, ...], table: Table) -> Action | None:
    """Return the action that these cards of `seat` complete; None while they complete none."""
    if not cards:
        return None
    deal = Action("deal", seat, cards=cards)
    if table.can(deal):
        return deal
    held = set(table.view(seat).hands[seat].cards)
    discard = Action("discard", seat, cards=tuple(card for card in cards if card in held))
    return discard if discard.cards and table.can(discard) else None


class FaceDown:
    """Leaves cards that lie face down out of the scenes of sources that read through backs.

    In a zone for cards laid face down (`View.face_down`: the crib, the stock, the showing of It's 15) such a source
    reports nothing until cards must be shown. Cards laid from then on are reported for as long as they lie there. The
    turn-up is always reported: even if it is turned over later, as in Euchre, everybody has seen it.
    """

    def __init__(self) -> None:
        # By source: the ids of the cards in such zones that were laid face up, and of the others.
        self._shown: dict[str, frozenset[str]] = {}
        self._hidden: dict[str, frozenset[str]] = {}

    def without(self, scene: Scene, view: View) -> Scene:
        """Return a scene of such a source without the cards that lie face down. `view`: the table before this scene."""
        zones = {name for name in view.face_down if name != _TURN_UP}
        there = frozenset(each.card_id for each in scene.sightings if each.zone and each.zone.name in zones)
        shown, hidden = (ids.get(scene.source, frozenset[str]()) for ids in (self._shown, self._hidden))
        shown = there - hidden if view.phase == _SHOWN_IN else there & shown
        hidden = there - shown
        self._shown[scene.source], self._hidden[scene.source] = shown, hidden
        return replace(scene, sightings=tuple(each for each in scene.sightings if each.card_id not in hidden))
