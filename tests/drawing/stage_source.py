"""The simulated table as a camera sees it."""

from __future__ import annotations

import time

from cardtable.simulation.stage import FPS, Stage
from vision.frames import Frame


class StageSource:
    """The stage as a `FrameSource`. `drawing`: processor time for drawing its pictures, seconds."""

    name = "stage"
    live = False

    def __init__(self, stage: Stage) -> None:
        self.stage, self._number, self.drawing = stage, 0, 0.0

    def read(self) -> Frame:
        """Return the next frame."""
        begun = time.thread_time()
        self._number += 1
        frame = Frame(self.stage.frame(self._number / FPS), self._number / FPS, self._number)
        self.drawing += time.thread_time() - begun
        return frame

    def close(self) -> None:
        """Do nothing: the source holds no resources."""
