"""What is shown: plain values that the controller hands to the board, to `watch` and to the demo."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.actions import Action
from engine.referee.prompts import Prompt
from engine.views import Event, Point, View


@dataclass(frozen=True, slots=True)
class LogEntry:
    """An accepted action and what followed. `n`: its line in the game's record, whose header is line 1.

    `scores`, `turn`, `phase`: the table's after it.
    """

    n: int
    action: Action
    points: tuple[Point, ...]
    events: tuple[Event, ...]
    scores: tuple[int, ...]
    turn: int | None
    phase: str

    def to_json(self) -> dict[str, Any]:
        """The line that `replay --json` prints for it (docs/record.md)."""
        return {
            "n": self.n,
            "ok": True,
            "scores": list(self.scores),
            "turn": self.turn,
            "phase": self.phase,
            "points": [{"seat": point.seat, "points": point.points, "for": point.reason} for point in self.points],
            "events": [_event(event) for event in self.events],
        }


@dataclass(frozen=True, slots=True)
class SourceState:
    """Whether a camera or reader works; `trouble` says what to do where it does not."""

    name: str
    trouble: str | None = None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What everybody at the table may know now, made new whenever it changes.

    `n`: accepted actions so far, undos counted. `time`: of the observation, on its source's clock. `news`: what was
    accepted since the last `Snapshot`. `history`: what stands, in order (undone actions are gone). `trouble`: why
    nothing can be stored now; what is seen meanwhile is not lost, as long as it lies on the table.
    """

    n: int
    time: float
    view: View
    prompts: tuple[Prompt, ...]
    news: tuple[LogEntry, ...]
    history: tuple[LogEntry, ...]
    sources: tuple[SourceState, ...]
    trouble: str | None = None


def _event(event: Event) -> dict[str, Any]:
    out: dict[str, Any] = {"event": event.event}
    if event.seat is not None or event.event == "round":
        out["seat"] = event.seat
    if event.card is not None:
        out["card"] = str(event.card)
    return out
