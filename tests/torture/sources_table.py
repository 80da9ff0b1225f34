"""A simulated table with sources that fail: people play on until the board says that it does not see them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from cardtable.play.camera_source import mat_for, readers_for
from cardtable.play.controller import Controller
from cardtable.simulation.director import Board, GaveUp
from cardtable.simulation.pace import FPS
from cardtable.simulation.source import Setting, SyntheticSource
from engine.table import Table
from vision.camera_pipeline import CameraPipeline
from vision.frames import Frame, Image, SourceLost

Fault = Callable[["FaultyCamera", Image], Image | None]
"""What becomes of a picture during a fault: another picture, or None if it is not delivered. May raise `SourceLost`."""


class FaultyCamera:
    """A live camera above a table at which robots play. It delivers what `fault` makes of the pictures.

    The robots wait while the board says that a source is lost, and play slowly while one is hampered.
    """

    live = True
    name = "faulty"

    def __init__(self, setting: Setting) -> None:
        inner = SyntheticSource(setting)
        self.director: Final = inner.director
        self._stage = inner.stage
        self._script = inner.director.run()
        self.setting: Final = setting
        self.rng: Final = np.random.default_rng(setting.seed)
        self.fault: Fault | None = None
        self.ticks = 0
        self.over = False
        self.gave_up = ""
        self._ready: Frame | Exception | None = None
        self._number = 0
        self.before: Image | None = None
        """The last picture that was delivered."""

    @property
    def time(self) -> float:
        """Seconds since the start."""
        return self.ticks / FPS

    def tick(self, act: bool) -> bool:
        """Let 1/30 s pass; return whether there is something to read. `act`: the robots go on."""
        self.ticks += 1
        if act and not self.over:
            try:
                next(self._script)
            except StopIteration:
                self.over = True
            except GaveUp as reason:
                self.over, self.gave_up = True, str(reason)
        image: Image | None = self._stage.frame(self.time)
        try:
            image = self.fault(self, image) if self.fault and image is not None else image
        except SourceLost as lost:
            self._ready = lost
            return True
        if image is None:
            return False
        self.before = image
        self._ready = Frame(image, self.time, self._number)
        self._number += 1
        return True

    def read(self) -> Frame | None:
        """Return the picture of the last tick. Raises `SourceLost` if there is none."""
        ready = self._ready
        if isinstance(ready, Frame):
            return ready
        raise ready or SourceLost("no picture yet")

    def close(self) -> None:
        """Do nothing."""


class WatchedTable:
    """A game at a faulty camera, refereed by the program."""

    def __init__(self, setting: Setting) -> None:
        self.camera: Final = FaultyCamera(setting)
        header = setting.header
        readers = readers_for([setting.marks], None, setting.game)
        self.pipeline: Final = CameraPipeline(self.camera, mat_for(header), readers, clock=lambda: self.camera.time)
        self.controller: Final = Controller(Table(header), None, lambda snapshot: None, sources=("camera",))
        self.camera.director.board = Board(
            lambda: self.controller.snapshot.view, lambda: self.controller.snapshot.prompts
        )

    @property
    def trouble(self) -> str:
        """What the board says about the camera; an empty text if it works."""
        return next((source.trouble for source in self.controller.snapshot.sources if source.trouble), "")

    def run(self, seconds: float) -> float | None:
        """Play for so many seconds; return after how many the board said that the camera fails, None if it did not."""
        begin, reported = self.camera.time, None
        while self.camera.time - begin < seconds and not self.camera.over:
            slow = "pictures a second" in self.trouble
            act = not self.trouble or (slow and self.camera.ticks % 6 == 0)
            if self.camera.tick(act):
                for observation in self.pipeline.step():
                    self.controller.take(observation)
                self.controller.pass_time("camera", self.camera.time)
            if reported is None and self.trouble:
                reported = self.camera.time - begin
        return reported

    def recovered(self, seconds: float = 3.0) -> float | None:
        """Play until the board no longer says that the camera fails; return the seconds; None if it still does."""
        begin = self.camera.time
        while self.trouble and self.camera.time - begin < seconds:
            self.run(1 / FPS)
        return None if self.trouble else self.camera.time - begin
