"""Whether the program saw what really happened: its readings and its record, held against the simulated table."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Final

from cardtable.simulation.stage import Piece
from engine.actions import Action
from engine.observations import Observation, Scene, Sighting, Zone
from vision.eye import Eye

LATE_S: Final = 1.5
"""For so long after a card was taken up it may still be reported: it must be seen to be gone first."""


def first_difference(record: Sequence[Action], real: Sequence[Action], again: Collection[int]) -> str | None:
    """Where the record and what was really done part; None where they agree.

    `again`: the numbers of the real actions whose card was taken up and laid again because nobody seemed to see it;
    there the record may hold that it was played, withdrawn and played.
    """
    at = 0
    for number, action in enumerate(real):
        taken_up = Action("withdraw", seat=action.seat, card=action.card)
        while number in again and tuple(record[at : at + 3]) == (action, taken_up, action):
            at += 2
        if at >= len(record):
            return f"action {number + 1}, {_text(action)}, is not in the record"
        if record[at] != action:
            return f"action {number + 1} was {_text(action)}, the record has {_text(record[at])}"
        at += 1
    return f"the record has {_text(record[at])}, which nobody did" if at < len(record) else None


def _text(action: Action) -> str:
    return " ".join(f"{key}={value}" for key, value in action.to_json().items())


@dataclass(frozen=True, slots=True)
class Count:
    """Cards laid (each time one was laid counts), and how the camera read them."""

    laid: int
    right: int
    wrong: int
    missed: int


class Readings:
    """Everything that was reported to lie on the table, to be held against what was laid."""

    def __init__(self) -> None:
        self._seen: dict[str, list[tuple[float, float, Sighting]]] = {}

    def take(self, observation: Observation) -> None:
        """Note what a scene reports."""
        if not isinstance(observation, Scene):
            return
        for sighting in observation.sightings:
            spans = self._seen.setdefault(sighting.piece, [])
            if spans and (spans[-1][2].face, spans[-1][2].zone) == (sighting.face, sighting.zone):
                spans[-1] = (spans[-1][0], observation.time, sighting)
            else:
                spans.append((observation.time, observation.time, sighting))

    def count(self, laid: Sequence[Piece]) -> Count:
        """How many of the cards in `laid` were read right, or missed; how many readings stand for no card at all."""
        cards = [piece for piece in laid if piece.face is not None]
        spans = [span for each in self._seen.values() for span in each if span[2].face is not None]
        right = sum(any(_fits(piece, span) for span in spans) for piece in cards)
        wrong = sum(not any(_fits(piece, span) for piece in cards) for span in spans)
        return Count(len(cards), right, wrong, len(cards) - right)


def _fits(piece: Piece, span: tuple[float, float, Sighting]) -> bool:
    start, _, sighting = span
    zone: Zone | None = piece.place.zone
    if piece.laid is None or sighting.face != piece.face or sighting.zone != zone:
        return False
    return piece.laid <= start <= (float("inf") if piece.lifted is None else piece.lifted + LATE_S)


class OverheardEye(Eye):
    """An eye whose observations are also told to `overhear`; nothing else is different."""

    overhear: Callable[[Observation], None] = staticmethod(lambda observation: None)

    def step(self) -> list[Observation]:
        """As `Eye.step`."""
        observations = super().step()
        for observation in observations:
            self.overhear(observation)
        return observations
