"""Records held against what was really done."""

from __future__ import annotations

from collections.abc import Sequence

from cardtable.simulation.acts import same
from engine.actions import Action


def plain(actions: Sequence[Action]) -> list[Action]:
    """What counts of a record: not cards withdrawn, nor what was played there; not gathering, nor exposing."""
    out: list[Action] = []
    for action in actions:
        if action.do in ("gather", "expose"):
            continue
        if action.do == "withdraw":
            out.pop()
        else:
            out.append(action)
    return out


def begins(record: Sequence[Action], truth: Sequence[Action]) -> bool:
    """Whether the record is the truth as far as it goes; of a last action that several cards make, a part will do."""
    if len(record) > len(truth):
        return False
    pairs = list(zip(record, truth, strict=False))
    return all(same(*pair) for pair in pairs[:-1]) and all(same(*pair) or part_of(*pair) for pair in pairs[-1:])


def described(actions: Sequence[Action]) -> str:
    return "; ".join(str(action.to_json()) for action in actions[-4:])


def part_of(action: Action, whole: Action) -> bool:
    """Whether it is a part of an action that several cards make."""
    if (action.do, action.seat) != (whole.do, whole.seat) or action.do not in ("bid", "show"):
        return False
    left = list(whole.cards or ())
    for card in action.cards or ():
        if card not in left:
            return False
        left.remove(card)
    return True
