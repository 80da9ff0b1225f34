"""Compare a record with the script that was played, independently of the code that the simulated people use."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engine.actions import Action
from engine.record import Header
from engine.table import Table


def difference(header: Header, record: Sequence[Action], script: Sequence[Action]) -> str | None:
    """Return a sentence about the first difference between what was recorded and what was done; None if they agree.

    A withdrawn card counts as not played; gathering a trick is optional; hands may be dealt, and cards laid together,
    in any order. Both are also replayed: scores, the seat on turn and the cards on the table must agree.
    """
    ours, theirs = _essence(record), _essence(script)
    for number, (recorded, planned) in enumerate(zip(ours, theirs, strict=False), start=1):
        if recorded != planned:
            return f"number {number} was {_words(planned)}, the record has {_words(recorded)}"
    if len(ours) != len(theirs):
        longer, which = (ours, "only recorded") if len(ours) > len(theirs) else (theirs, "only done")
        return f"{which}: {_words(longer[min(len(ours), len(theirs))])}"
    states = [_state(header, actions) for actions in (record, script)]
    return None if states[0] == states[1] else f"the record leads to {states[0]}, the script to {states[1]}"


Essence = tuple[str, object, tuple[str, ...], str, object]


def _essence(actions: Iterable[Action]) -> list[Essence]:
    out: list[Essence] = []
    for action in actions:
        if action.do in ("gather", "expose"):
            continue
        if action.do == "withdraw":
            if not out or out[-1][:3] != ("play", action.seat, (str(action.card),)):
                out.append(("withdraw", action.seat, (str(action.card),), "", None))
            else:
                out.pop()
            continue
        cards = tuple(sorted(map(str, action.cards or (() if action.card is None else (action.card,)))))
        each: Essence = (action.do, action.seat, cards, action.word or "", action.against)
        at = len(out)
        while (
            action.do in ("deal", "discard", "cut", "show")
            and at
            and out[at - 1][0] == action.do
            and _later(out[at - 1], each)
        ):
            at -= 1
        out.insert(at, each)
    return out


def _later(first: Essence, second: Essence) -> bool:
    """Whether `first` is of a later seat than `second`: the order in which hands are dealt means nothing."""
    return str(first[1]) > str(second[1])


def _state(header: Header, actions: Iterable[Action]) -> object:
    table = Table(header)
    for action in actions:
        table.do(action)
    view = table.view()
    lying = sorted(f"{entry.card} {entry.zone}" for entry in view.lying if entry.firm)
    return view.phase, view.turn, view.dealer, tuple(view.scores), view.over, lying


def _words(each: Essence) -> str:
    do, seat, cards, word, _ = each
    return " ".join(str(part) for part in (do, seat, ",".join(cards), word) if part not in ("", None))
