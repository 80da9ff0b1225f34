"""Resume an interrupted game: which actions were done, which cards are on the table, and which acts remain."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from cardtable.simulation.acts import Act, PlacedCard, imagine, same
from engine.actions import Action


def catch_up(acts: Iterator[Act], already: Sequence[Action]) -> tuple[list[Action], list[PlacedCard], Iterator[Act]]:
    """Return the actions of `already` that `acts` reproduces, the cards on the table then, and the remaining acts."""
    done: list[Action] = []
    table: list[PlacedCard] = []
    waiting: list[Act] = []
    for act in acts:
        waiting.append(act)
        if act.action is None:
            continue
        done += _taken_up(act.action, already[len(done) :])
        if not same(next(iter(already[len(done) :]), None), act.action):
            break
        done.append(act.action)
        for earlier in waiting:
            imagine(earlier, table)
        waiting = []
    while waiting and waiting[0].tidy:
        imagine(waiting.pop(0), table)
    return done, table, chain(waiting, acts)


def _taken_up(action: Action, ahead: Sequence[Action]) -> list[Action]:
    """Return the actions that the record may have before `action`: its card was played and withdrawn, repeatedly."""
    out: list[Action] = []
    taken_up = Action("withdraw", seat=action.seat, card=action.card)
    while action.do == "play" and tuple(ahead[len(out) : len(out) + 3]) == (action, taken_up, action):
        out += [action, taken_up]
    return out
