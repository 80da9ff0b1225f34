"""A simulated table with failing sources: people play on until the board says that it does not see them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final

import numpy as np

from cardtable.simulation.director import Director, GaveUp, ShownBoard
from cardtable.simulation.rfid import RfidTable
from cardtable.simulation.source import Setting, SyntheticSource
from cardtable.simulation.stage import FPS, Stage
from cardtable.table.cameras import card_readers, mat_for
from cardtable.table.live_game import LiveGame
from cardtable.table.readers import RfidSource, open_readers
from engine.table import Table
from firmware_bridge.simulated import SimulatedBoard, SteppedPort
from vision.camera_pipeline import CameraPipeline
from vision.frames import Frame, Image, SourceLost

Draw = Callable[[], Image]
"""Draws the picture of the table now."""

CameraFault = Callable[["FaultyCamera", Draw], Image | None]
"""What a camera delivers during a fault: a picture, or None for none. May raise `SourceLost`."""

ReaderFault = Callable[["WatchedTable"], Iterator[None]]
"""A fault of the readers: it begins with the first step, takes one step for each frame, and ends when it is closed."""

_SLOWLY: Final = 6
"""While a camera is slow, the robots take one step in this many frames."""


class FaultyCamera:
    """A live camera whose pictures pass through `fault`.

    `ticks`: frames since the start. `before`: the last picture delivered. `views`: permanent changes, such as a moved
    camera, which are applied to every picture.
    """

    live = True
    name = "camera"

    def __init__(self, seed: int) -> None:
        self.rng: Final = np.random.default_rng(seed)
        self.fault: CameraFault | None = None
        self.ticks = 0
        self.before: Image | None = None
        self.views: list[Callable[[Image], Image]] = []
        self._ready: Frame | Exception | None = None
        self._number = 0

    def take(self, draw: Draw, time: float) -> bool:
        """Take the picture of the table at `time`; return whether there is a picture to read."""
        try:
            image = self.fault(self, lambda: self._view(draw())) if self.fault else self._view(draw())
        except SourceLost as lost:
            self._ready = lost
            return True
        if image is None:
            return False
        self.before = image
        self._ready = Frame(image, time, self._number)
        self._number += 1
        return True

    def _view(self, image: Image) -> Image:
        for view in self.views:
            image = view(image)
        return image

    def read(self) -> Frame | None:
        """Return the picture taken last. Raises `SourceLost` if there is none."""
        ready = self._ready
        if isinstance(ready, Frame):
            return ready
        raise ready or SourceLost("no picture yet")

    def close(self) -> None:
        """Do nothing."""


class FloodedPort(SteppedPort):
    """The port of a stepped board, on which other bytes arrive too. `drowned`: the board's own bytes are lost."""

    def __init__(self, board: SimulatedBoard) -> None:
        super().__init__(board)
        self.flood = b""
        self.drowned = False

    @property
    def in_waiting(self) -> int:
        """Number of bytes not read yet."""
        return len(self.flood) + super().in_waiting

    def read(self, size: int = 1, /) -> bytes:
        """Return up to `size` bytes, the others first. Raises `OSError` if the port is gone."""
        other, self.flood = self.flood[:size], self.flood[size:]
        data = super().read(size - len(other)) if size > len(other) else b""
        return other + (b"" if self.drowned else data)


class WatchedTable:
    """A game at a table with faulty sources, refereed by the program. Use it in a `with` statement.

    `folder`: where the tags of cards are stored. `camera`, `readers`: which sources there are. The robots wait while
    the board says that a source is lost or that something covers a zone, and play slowly while a camera gives too few
    pictures. Raises `NotBuilt` if the simulated boards cannot be built.
    """

    def __init__(self, setting: Setting, folder: Path, camera: bool = True, readers: bool = False) -> None:
        self.setting: Final = setting
        self.ticks = 0
        self.over = False
        self.gave_up = ""
        self.ports: dict[str, FloodedPort] = {}
        self.rfid: Final = RfidTable(setting, folder) if readers else None
        self.director: Final[Director]
        self._stage: Stage
        if self.rfid:
            self.director, self._stage = self.rfid.director, self.rfid.stage
        else:
            drawn = SyntheticSource(setting)
            self.director, self._stage = drawn.director, drawn.stage
        self._script = self.director.run()
        self.camera: Final = FaultyCamera(setting.seed)
        self.rng: Final = self.camera.rng
        header = setting.header
        self.mat: Final = mat_for(header)
        self.pipeline: Final = (
            CameraPipeline(
                self.camera, self.mat, card_readers([setting.marks], None, setting.game), clock=lambda: self.time
            )
            if camera
            else None
        )
        self.readers: Final[list[RfidSource]] = (
            open_readers(self.rfid.configs, None, lambda: self.time, stepped=self._port) if self.rfid else []
        )
        names = [*((self.camera.name,) if camera else ()), *(reader.name for reader in self.readers)]
        self.live: Final = LiveGame(Table(header), None, (), sources=names)
        self.director.board = ShownBoard(lambda: self.live.snapshot.view, lambda: self.live.snapshot.prompts)

    def __enter__(self) -> WatchedTable:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for reader in self.readers:
            reader.close()
        if self.rfid:
            self.rfid.close()

    @property
    def time(self) -> float:
        """Seconds since the start."""
        return self.rfid.time if self.rfid else self.ticks / FPS

    @property
    def troubles(self) -> dict[str, str]:
        """What the board says about each failed source, by its name."""
        return {source.name: source.trouble for source in self.live.snapshot.sources if source.trouble}

    @property
    def waits_for(self) -> list[str]:
        """Why the robots wait: what the board says about sources and covered zones."""
        prompts = self.live.snapshot.prompts
        return [*self.troubles.values(), *(prompt.text for prompt in prompts if prompt.kind == "covered")]

    def pixels(self, points_mm: Sequence[tuple[float, float]]) -> np.ndarray:
        """Return the (N, 2) pixels of points of the mat, in the picture before `FaultyCamera.views`."""
        return self._stage.camera.pixels(points_mm)

    def _port(self, address: str) -> SteppedPort:
        assert self.rfid is not None
        board = next(board for board in self.rfid.boards if board.port == address)
        self.ports[address] = FloodedPort(board)
        return self.ports[address]

    def tick(self) -> None:
        """Let 1/30 s pass for the robots, the sources and the program."""
        waits = self.waits_for
        slow = len(waits) == 1 and "pictures a second" in waits[0]
        self.ticks += 1
        self.camera.ticks = self.ticks
        if (not waits or (slow and self.ticks % _SLOWLY == 0)) and not self.over:
            self._act()
        time = self.time
        ready = self.pipeline is not None and self.camera.take(lambda: self._stage.frame(time), time)
        if self._stage.time < time:  # nothing was drawn
            self._stage.move_on(time)
        if self.rfid:
            self.rfid.update_boards()
        for reader in self.readers:
            for received in reader.step():
                self.live.process(received)
            self.live.pass_time(reader.name, self.time)
        if self.pipeline:
            if ready:
                for observation in self.pipeline.step():
                    self.live.take(observation)
            self.live.pass_time(self.camera.name, self.time)

    def _act(self) -> None:
        try:
            next(self._script)
        except StopIteration:
            self.over = True
        except GaveUp as reason:
            self.over, self.gave_up = True, str(reason)

    def run(self, seconds: float, fault: Iterator[None] | None = None) -> dict[str, float]:
        """Play for `seconds`; return after how many seconds the board reported each failed source.

        `fault` takes a step with each frame.
        """
        begin, reported = self.time, dict[str, float]()
        while self.time - begin < seconds and not self.over:
            if fault:
                next(fault)
            self.tick()
            for name in self.troubles:
                reported.setdefault(name, self.time - begin)
        return reported

    def run_through(self, accident: Iterator[None]) -> None:
        """Play until the accident is over."""
        for _ in accident:
            self.tick()

    def recovered(self, seconds: float) -> float | None:
        """Play until the board no longer says that a source fails; return the seconds; None if it still does."""
        begin = self.time
        while self.waits_for and self.time - begin < seconds:
            self.tick()
        return None if self.waits_for else self.time - begin
