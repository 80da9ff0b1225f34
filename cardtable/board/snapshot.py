"""What is shown: immutable values that the controller gives to the board, to the hardware and to the commands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.actions import Action
from engine.referee.prompts import Prompt
from engine.replaying import answer
from engine.table import Outcome
from engine.views import Event, Point, View


@dataclass(frozen=True, slots=True)
class LogEntry:
    """An accepted action and its effect.

    `n`: its line in the game's record (the header is line 1). `scores`, `turn`, `phase`: those of the table after it.
    """

    n: int
    action: Action
    points: tuple[Point, ...]
    events: tuple[Event, ...]
    scores: tuple[int, ...]
    turn: int | None
    phase: str

    def to_json(self) -> dict[str, Any]:
        """Return the object that `replay --json` prints for this action (docs/record.md)."""
        return answer(self.n, Outcome(self.points, self.events), self.scores, self.turn, self.phase)


@dataclass(frozen=True, slots=True)
class SourceState:
    """Whether a camera, reader or other source works. `trouble`: what is wrong and what to do; None if it works."""

    name: str
    trouble: str | None = None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The public state of the table at one moment.

    `n`: number of accepted actions so far, undos included. `time`: of the last observation, in seconds on the clock of
    its source. `news`: the actions accepted since the previous `Snapshot`. `history`: the actions that stand, in order
    (undone ones are removed). `trouble`: why nothing can be stored now, None if storing works; what is seen meanwhile
    is not lost as long as it lies on the table. `between_hands`: whether nothing of the present hand has happened yet.
    """

    n: int
    time: float
    view: View
    prompts: tuple[Prompt, ...]
    news: tuple[LogEntry, ...]
    history: tuple[LogEntry, ...]
    sources: tuple[SourceState, ...]
    trouble: str | None = None
    between_hands: bool = False
