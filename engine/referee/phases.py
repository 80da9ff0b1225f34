"""The phases of a game that decide what a card on the table can be."""

from __future__ import annotations

from typing import Final

from engine.table import Table

BEFORE_HAND: Final = ("cut", "deal", "turn")
"""The phases before a hand begins: cards of the last hand may still lie there, and a card laid begins something new."""

BEFORE_START: Final = -1
"""The `hand_phase` of a card that may have lain on the table before the referee started."""


def hand_phase(table: Table) -> int:
    """Number the phases: even during a hand, odd before the next one begins; larger later in the game.

    A card refused in one hand phase never counts by itself in another. A hand begins with its turn-up; without one,
    with the first action after the deal. In a game with turn-ups, a hand may have none.
    """
    before, starts = table.phase in BEFORE_HAND, table.hand_starts
    if not table.turns_up:
        return 2 * (len(starts) - before) + before
    done = [action.do for action in table.actions]
    hands = [done[first:last] for first, last in zip(starts, (*starts[1:], len(done)), strict=True)]
    without = sum("turn" not in hand for hand in hands[:-1])
    if not before and table.phase != "discard" and "turn" not in hands[-1]:
        without += 1
    return 2 * (done.count("turn") + without) + before
