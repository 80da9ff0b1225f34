"""The simulated table without pictures: its cards are reported as by a camera, with the same delays.

The robots, the cards and their timing are those of the demo; only drawing and reading pictures are left out, so that a
game takes seconds instead of minutes. RFID readers are still simulated boards with the real firmware.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from time import sleep
from types import SimpleNamespace
from typing import Any, Final

import numpy as np

from cardtable.cli import demo
from cardtable.simulation import director, rfid, source
from cardtable.simulation.places import Place
from cardtable.simulation.stage import FPS, Doing, Pace, SimulatedCard
from engine.observations import Observation, Scene, Sighting
from vision.camera_pipeline import CameraPipeline
from vision.frames import Image
from vision.mat.layout import Mat

_SEEN_S: Final = 4 / FPS
"""Seconds for which a card must lie still before it is reported."""
_GONE_S: Final = 0.3
_FIRST_S: Final = 5 / FPS
"""The first scene has every card that lies there, because a camera reads all of them before it reports any."""
_FPS: Final = int(os.environ.get("TORTURE_FPS", "0"))
"""Most frames per second of real time; 0 for no limit."""
_SLOW: Final = os.environ.get("TORTURE_SLOW", "")
"""While this file exists, the table runs more slowly, so that its players do not lose patience."""
_NOTHING: Final = np.zeros((2, 2, 3), np.uint8)

Steps = Iterator[list[Any]]


class BareStage:
    """A `Stage` that draws nothing."""

    def __init__(self, mat: Mat, marks: str, pace: Pace, seed: int, words: object = None, faces: object = None) -> None:
        self.mat, self.marks, self.pace = mat, marks, pace
        self.time = 0.0
        self.cards_laid: list[SimulatedCard] = []
        self._lying: list[SimulatedCard] = []
        self._doing: list[Doing] = []

    def frame(self, time: float) -> Image:
        self.move_on(time)
        return _NOTHING

    def move_on(self, time: float) -> list[Any]:
        if time > self.time and (_FPS or os.path.exists(_SLOW)):
            sleep(1 / (_FPS or 250))
        self.time = time
        for doing in self._doing:
            doing.done = next(doing.movement, None) is None
        self._doing = [doing for doing in self._doing if not doing.done]
        return []

    def start(self, movement: Any, seat: int) -> Doing:
        doing = Doing(movement, seat)
        self._doing.append(doing)
        return doing

    def busy(self, seat: int | None = None) -> bool:
        return any(seat is None or doing.seat == seat for doing in self._doing)

    def card(self, face: Any, seat: int, place: Place) -> SimulatedCard:
        return SimulatedCard(face, seat, place)

    def put(self, card: SimulatedCard) -> None:
        card.laid = self.time
        self.cards_laid.append(card)
        self._lying.append(card)

    def take(self, card: SimulatedCard) -> None:
        card.lifted = self.time
        self._lying.remove(card)

    def lying(self) -> list[SimulatedCard]:
        return list(self._lying)


def _frames(count: int) -> Steps:
    for _ in range(count):
        yield []


def _lay(stage: BareStage, card: SimulatedCard) -> Steps:
    yield from _frames(stage.pace.into)
    stage.put(card)
    yield from _frames(stage.pace.dwell + stage.pace.out)


def _lift(stage: BareStage, card: SimulatedCard) -> Steps:
    yield from _frames(stage.pace.into + 1)
    stage.take(card)
    yield from _frames(stage.pace.out)


def _move(stage: BareStage, card: SimulatedCard, to: SimulatedCard) -> Steps:
    yield from _lift(stage, card)
    yield from _lay(stage, to)


def _sweep(stage: BareStage, seat: int, cards: Sequence[SimulatedCard]) -> Steps:
    yield from _frames(stage.pace.into + 1)
    for card in cards:
        stage.take(card)
    yield from _frames(stage.pace.gather + stage.pace.out)


def _deal(stage: BareStage, dealer: int, pack: Place, to: int) -> Steps:
    yield from _frames(stage.pace.into + stage.pace.out)


class SeenPipeline(CameraPipeline):
    """A camera pipeline that reports the cards of the stage instead of looking for them in a picture."""

    _names: dict[int, str]
    _last: tuple[Sighting, ...] | None = None

    def step(self) -> list[Observation]:
        if self.ended:
            return []
        frame = self.source.read()
        if frame is None:
            self.ended = True
            return []
        self.frame = frame
        stage = self.source.stage  # type: ignore[attr-defined]
        cards = enumerate(stage.cards_laid)
        sightings = tuple(
            Sighting(f"card {number}", card.face, card.place.zone, card.laid)
            for number, card in cards
            if (card.face or card.place.zone)
            and (frame.time >= card.laid + _SEEN_S or card.laid == 0)
            and (card.lifted is None or frame.time < card.lifted + _GONE_S)
        )
        if sightings == self._last or frame.time < _FIRST_S:
            return []
        self._last = sightings
        return [Scene(frame.time, self.name, sightings)]


def install() -> None:
    """Replace the drawn table with the one without pictures, in this process."""
    bare: Any = BareStage
    source.Stage = rfid.Stage = bare  # type: ignore[misc, attr-defined]
    director.movements = SimpleNamespace(  # type: ignore[assignment]
        lay=_lay, lift=_lift, move=_move, sweep=_sweep, deal=_deal
    )
    demo.CameraPipeline = SeenPipeline  # type: ignore[misc]
