"""What is shown: immutable values that the controller gives to the board, to the hardware and to the commands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from engine.actions import Action
from engine.cards import Card
from engine.referee.prompts import Prompt
from engine.replaying import answer
from engine.table import Outcome
from engine.views import Event, Point, View

_FACE_UP: Final = ("cut", "turn", "play", "bid", "show")
"""The kinds of actions whose cards everybody sees."""


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

    @property
    def seen_cards(self) -> tuple[Card, ...]:
        """The cards of the action, if everybody has seen them and people can correct them."""
        if self.action.do not in _FACE_UP:
            return ()
        return (self.action.card,) if self.action.card is not None else self.action.cards or ()

    def to_json(self) -> dict[str, Any]:
        """Return the object that `replay --json` prints for this action (docs/record.md)."""
        return answer(self.n, Outcome(self.points, self.events), self.scores, self.turn, self.phase)


@dataclass(frozen=True, slots=True)
class SourceState:
    """Whether a camera, reader or other source works. `trouble`: what is wrong and what to do; None if it works well.
    `works`: whether it reports what it sees, even if it does so badly, as in a glare.
    """

    name: str
    trouble: str | None = None
    works: bool = True


@dataclass(frozen=True, slots=True)
class CorrectionEntry:
    """A correction that people made.

    `n`: the line of the record at which it begins. `who`: who made it, such as `board`. `sentence`: what was corrected.
    """

    n: int
    who: str
    sentence: str


@dataclass(frozen=True, slots=True)
class CardInPicture:
    """A card that a camera sees on the table.

    `source`, `card_id`: its name. `face`: None if it cannot be read. `line`: that of the action that it stands for, if
    it counts. `alternatives`: the other faces that it may have, the likeliest first. `corners`: where it lies in the
    picture of the camera, as fractions of its width and height.
    """

    source: str
    card_id: str
    face: Card | None
    line: int | None
    alternatives: tuple[Card, ...]
    corners: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class LyingDetail:
    """About a card that lies there by the record: the line of the action that laid it, and what else it may be."""

    line: int | None = None
    alternatives: tuple[Card, ...] = ()


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The public state of the table at one moment.

    `n`: number of accepted actions so far, undos included. `time`: of the last observation, in seconds on the clock of
    its source. `news`: the actions accepted since the previous `Snapshot`. `history`: the actions that stand, in order
    (undone ones are removed). `trouble`: why nothing can be stored now, None if storing works; what is seen meanwhile
    is not lost as long as it lies on the table. `between_hands`: as in `Table`.
    `corrections`: what people have corrected, oldest first. `placed`: the cards that cameras see. `lying`: about each
    card of `view.lying`. `restoring`: how many cards must be moved until the table agrees with the record again; None
    if the players are not asked to do that.
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
    corrections: tuple[CorrectionEntry, ...] = ()
    placed: tuple[CardInPicture, ...] = ()
    lying: tuple[LyingDetail, ...] = ()
    restoring: int | None = None

    @property
    def new_events(self) -> tuple[LogEntry, ...]:
        """The news, but nothing of a correction: a prompt says what it was, and what is done again is not new."""
        return () if any(prompt.kind == "corrected" for prompt in self.prompts) else self.news
