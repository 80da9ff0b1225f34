"""Replaying a record: its lines in, one answer per action out (docs/record.md, "Replaying").

>>> lines = [
...     '{"record": 1, "game": "all-fives", "players": ["Ann", "Bo"], "dealer": 0}',
...     '{"do": "turn", "card": "QH"}',
... ]
>>> [answer["phase"] for answer in replay(lines) if "phase" in answer]
['say']
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from engine.actions import Action
from engine.errors import Refused
from engine.record import Record, read_record
from engine.table import Outcome, Table
from engine.views import Event, Point


def replay(lines: Iterable[str | bytes], legal: bool = False) -> Iterator[dict[str, Any]]:
    """Replay the record in `lines`; yield one answer per action, then the result.

    `legal`: also list the legal actions after each action. The answers are dictionaries as docs/record.md describes
    them. The whole record is read first: raises `RecordError` at the call.
    """
    return answers(read_record(lines), legal)


def answers(record: Record, legal: bool = False) -> Iterator[dict[str, Any]]:
    """Yield the answers to the actions of `record`, then the result; as `replay` does."""
    table = Table(record.header)
    accepted = 0
    for number, action in zip(record.lines, record.actions, strict=True):
        each = answer_to(table, action, number)
        accepted += each["ok"]
        if legal:
            each["legal"] = [action.to_json() for action in table.legal_actions()]
        yield each
    yield {
        "over": table.over,
        "winners": list(table.winners),
        "scores": list(table.scores),
        "accepted": accepted,
        "refused": len(record.actions) - accepted,
        **table.result,
    }


def answer_to(table: Table, action: Action, number: int) -> dict[str, Any]:
    """Do `action` on the table and return its answer. `number`: the number of its line, from 2."""
    outcome, refused = Outcome(), None
    try:
        outcome = table.do(action)
    except Refused as refusal:
        refused = refusal
    return answer(number, outcome, table.scores, table.turn, table.phase, refused)


def answer(
    number: int,
    outcome: Outcome,
    scores: Sequence[int],
    turn: int | None,
    phase: str,
    refusal: Refused | None = None,
) -> dict[str, Any]:
    """Return the answer to an action, as `answer_to` does, from values kept of it.

    `number`: the line of the action; `scores`, `turn` and `phase`: those of the table after it.
    """
    out: dict[str, Any] = {"n": number, "ok": refusal is None}
    if refusal is not None:
        out |= {"error": refusal.code, "message": refusal.message}
    return out | {
        "scores": list(scores),
        "turn": turn,
        "phase": phase,
        "points": [_point(point) for point in outcome.points],
        "events": [_event(event) for event in outcome.events],
    }


def _point(point: Point) -> dict[str, Any]:
    return {"seat": point.seat, "points": point.points, "for": point.reason}


def _event(event: Event) -> dict[str, Any]:
    out: dict[str, Any] = {"event": event.event}
    if event.seat is not None or event.won:
        out["seat"] = event.seat
    if event.card is not None:
        out["card"] = str(event.card)
    return out
