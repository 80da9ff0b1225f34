"""Replaying a record: lines in, one answer for each action out (docs/record.md, "Replaying").

Pure: it reads no file and prints nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from engine.actions import Action
from engine.errors import Refused
from engine.record import Record, read_record
from engine.table import Outcome, Table
from engine.views import Event, Point


def replay(lines: Iterable[str | bytes], legal: bool = False) -> Iterator[dict[str, Any]]:
    """One answer an action, then the result. The whole record is read, and may raise `RecordError`, at the call."""
    return answers(read_record(lines), legal)


def answers(record: Record, legal: bool = False) -> Iterator[dict[str, Any]]:
    """The answers to the actions of a record that is read already."""
    table = Table(record.header)
    accepted = 0
    for number, action in zip(record.lines, record.actions, strict=True):
        answer = answer_to(table, action, number)
        accepted += answer["ok"]
        if legal:
            answer["legal"] = [action.to_json() for action in table.legal_actions()]
        yield answer
    yield {
        "over": table.over,
        "winners": list(table.winners),
        "scores": list(table.scores),
        "accepted": accepted,
        "refused": len(record.actions) - accepted,
        **table.result,
    }


def answer_to(table: Table, action: Action, number: int) -> dict[str, Any]:
    """Do `action` on the table, and say what came of it, as a replay does."""
    answer: dict[str, Any] = {"n": number, "ok": True}
    outcome = Outcome()
    try:
        outcome = table.do(action)
    except Refused as refusal:
        answer |= {"ok": False, "error": refusal.code, "message": refusal.message}
    return answer | {
        "scores": list(table.scores),
        "turn": table.turn,
        "phase": table.phase,
        "points": [_point(point) for point in outcome.points],
        "events": [_event(event) for event in outcome.events],
    }


def _point(point: Point) -> dict[str, Any]:
    return {"seat": point.seat, "points": point.points, "for": point.reason}


def _event(event: Event) -> dict[str, Any]:
    out: dict[str, Any] = {"event": event.event}
    if event.seat is not None or event.event == "round":
        out["seat"] = event.seat
    if event.card is not None:
        out["card"] = str(event.card)
    return out
