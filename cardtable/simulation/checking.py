"""Whether the program saw what really happened: its readings and its record, held against the simulated table."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Final

from cardtable.simulation.acts import Face, described, same
from cardtable.simulation.stage import SimulatedCard
from engine.actions import Action
from engine.observations import Observation, Scene, Sighting, Zone
from vision.camera_pipeline import CameraPipeline

LATE_S: Final = 1.5
"""A card may be reported for this long after it was taken up, seconds: its place must be seen empty first."""


def first_difference(record: Sequence[Action], real: Sequence[Action], again: Collection[int]) -> str | None:
    """Return a sentence about the first difference between the record and the real actions; None if they agree.

    `again`: the numbers of the real actions whose card was laid a second time because the board did not show it. There
    the record may have the card played, withdrawn and played. The cards of an action may be in any order.
    """
    at = 0
    for number, action in enumerate(real):
        taken_up = Action("withdraw", seat=action.seat, card=action.card)
        while number in again and tuple(record[at : at + 3]) == (action, taken_up, action):
            at += 2
        if at >= len(record):
            return f"action {number + 1}, {described(action)}, is not in the record"
        if not same(record[at], action):
            return f"action {number + 1} was {described(action)}, the record has {described(record[at])}"
        at += 1
    return f"the record has {described(record[at])}, which nobody did" if at < len(record) else None


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
        self._seen: list[Sighting] = []
        self._times: list[float] = []
        self._now: dict[str, tuple[Face | None, Zone | None]] = {}

    def take(self, observation: Observation) -> None:
        """Note what a scene reports that was not reported before."""
        if not isinstance(observation, Scene):
            return
        for sighting in observation.sightings:
            spot = sighting.face, sighting.zone
            if self._now.get(sighting.card_id) != spot and sighting.face is not None:
                self._seen.append(sighting)
                self._times.append(observation.time)
            self._now[sighting.card_id] = spot

    def count(self, laid: Sequence[SimulatedCard]) -> Count:
        """How many of the cards in `laid` were read right, or missed; how many readings stand for no card at all.

        Of equal cards that lie in one zone each wants to have been reported.
        """
        cards = sorted((piece for piece in laid if piece.face is not None), key=_until)
        right: set[SimulatedCard] = set()
        known: dict[str, SimulatedCard] = {}
        wrong = 0
        for sighting, time in zip(self._seen, self._times, strict=True):
            fitting = [piece for piece in cards if _fits(piece, sighting, time)]
            wrong += not fitting
            if known.get(sighting.card_id) not in fitting:
                # Each reading stands for the card that was taken up first: so the most cards find one.
                piece = next((piece for piece in fitting if piece not in right), None)
                if piece:
                    known[sighting.card_id] = piece
                    right.add(piece)
        return Count(len(cards), len(right), wrong, len(cards) - len(right))


def _until(piece: SimulatedCard) -> float:
    """Until when the card may be reported."""
    return float("inf") if piece.lifted is None else piece.lifted + LATE_S


def _fits(piece: SimulatedCard, sighting: Sighting, time: float) -> bool:
    """Whether `sighting`, first reported at `time`, may be this card."""
    spot: tuple[Face | None, Zone | None] = piece.face, piece.place.zone
    return piece.laid is not None and (sighting.face, sighting.zone) == spot and piece.laid <= time <= _until(piece)


class OverheardEye(CameraPipeline):
    """A camera pipeline whose observations are also passed to `overhear`."""

    overhear: Callable[[Observation], None] = staticmethod(lambda observation: None)

    def step(self) -> list[Observation]:
        """As `CameraPipeline.step`."""
        observations = super().step()
        for observation in observations:
            self.overhear(observation)
        return observations
