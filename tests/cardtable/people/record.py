"""Compare records with the actions really done."""

from __future__ import annotations

from collections.abc import Sequence

from cardtable.simulation.director import same
from engine.actions import Action


def plain(actions: Sequence[Action]) -> list[Action]:
    """Return the actions without withdrawals, withdrawn plays, gathering and exposing.

    A card that was called after the play withdrawn is no longer called.
    """
    out: list[Action] = []
    for action in actions:
        if action.do in ("gather", "expose"):
            continue
        if action.do == "withdraw":
            while out.pop().do != "play":
                pass
        else:
            out.append(action)
    return out


def begins(record: Sequence[Action], truth: Sequence[Action]) -> bool:
    """Return whether the truth begins with the record; the last action may have only some of its cards.

    Players show their cards, and cut, in any order.
    """
    if len(record) > len(truth):
        return False
    pairs = list(zip(record, shown_in_order_of(record, truth), strict=False))
    return all(same(*pair) for pair in pairs[:-1]) and all(same(*pair) or part_of(*pair) for pair in pairs[-1:])


def shown_in_order_of(record: Sequence[Action], truth: Sequence[Action]) -> list[Action]:
    """Return the truth with its shows and cuts in the record's order of seats."""
    out = list(truth)
    for number, action in enumerate(record):
        at = number
        any_order = action.do in ("show", "cut")
        while at < len(out) and any_order and out[at].do == action.do and out[at].seat != action.seat:
            at += 1
        if number < at < len(out) and out[at].do == action.do:
            out.insert(number, out.pop(at))
    return out


def described(actions: Sequence[Action]) -> str:
    return "; ".join(str(action.to_json()) for action in actions[-4:])


def part_of(action: Action, whole: Action) -> bool:
    """Return whether `action` is a bid or show with some of the cards of `whole`."""
    if (action.do, action.seat) != (whole.do, whole.seat) or action.do not in ("bid", "show"):
        return False
    left = list(whole.cards or ())
    for card in action.cards or ():
        if card not in left:
            return False
        left.remove(card)
    return True
