"""A camera over the table, from its frames to observations: the one part of vision that the application runs.

`CameraPipeline.step` reads one frame and follows the chain: source, the table's frame of reference, what has changed, readers,
pieces, `Scene`. Nothing here waits: a source that fails is tried again when its time has come.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Final

from engine.observations import Back, Lost, Observation
from engine.texts import both, text
from vision.frames import Frame, FrameSource, SourceLost
from vision.readings import Reader
from vision.table.corner_finder import TableFinder
from vision.table.homography import TableFrame
from vision.table.mat import Mat
from vision.tracking.scene_tracker import SceneTracker

TRY_AGAIN: Final = 1.0
"""Seconds on the host's clock between two tries of a source that has failed."""
_MARKS_GET: Final = 0.5
"""Seconds without the corner marks before the person at the table is told: a bumped camera comes to rest first."""
_CORNERS = (text("top left"), text("top right"), text("bottom right"), text("bottom left"))


class CameraPipeline:
    """One camera, recording or simulated table, seen through `readers`.

    `stored`: the calibration of an earlier day, used until the corner marks are seen. `clock`: seconds of the host,
    only used to try a lost source again. `name` is the source's name in every observation.
    """

    def __init__(
        self,
        source: FrameSource,
        mat: Mat,
        readers: Sequence[Reader],
        name: str = "camera",
        stored: TableFrame | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.source: Final = source
        self.name: Final = name
        self.frame: Frame | None = None
        """The last frame that was read."""
        self.table_frame: TableFrame | None = stored
        """Where the mat lies in the picture; None until the corner marks have been seen."""
        self.ended = False
        """True when a recording is over."""
        self.tracker: Final = SceneTracker(mat.zone_at, readers, name)
        self._finder = TableFinder(mat, stored)
        self.least_px_per_mm: Final = max((reader.least_px_per_mm for reader in readers), default=0.0)
        """Below this scale the readers read nothing."""
        self._clock = clock
        self._lost: str | None = None
        self._source_lost = False
        self._try_at = 0.0
        self._without_since: float | None = None

    @property
    def missing_marks(self) -> tuple[int, ...]:
        """The corner marks that were not in sight when they were last looked for."""
        return tuple(self._finder.missing)

    @property
    def stuck(self) -> bool:
        """Whether the source hangs in its driver, so often that it is not opened again: only a new start helps."""
        return bool(getattr(self.source, "stuck", False))

    @property
    def retry_in(self) -> float:
        """Seconds until `step` has something to do: 0 while frames come, more while the source is lost."""
        return max(self._try_at - self._clock(), 0.0) if self._source_lost else 0.0

    def step(self) -> list[Observation]:
        """Reads one frame; gives what is new. Does nothing while a lost source is not due, or after the end."""
        if self.ended or self.retry_in > 0:
            return []
        try:
            frame = self.source.read()
        except SourceLost as lost:
            return self._lose(str(lost))
        if frame is None:
            self.ended = True
            return []
        self.frame = frame
        self._source_lost = False
        self.table_frame = self._finder.update(frame.image)
        scene = self.tracker.update(frame, self.table_frame)
        if self.table_frame is None:
            if self._without_since is None:
                self._without_since = frame.time
            if frame.time - self._without_since < _MARKS_GET and self._lost is None:
                return []
            return self._say_lost(frame.time, self._marks_wanted())
        self._without_since = None
        found: list[Observation] = []
        if too_small := self._too_small(1 / self.table_frame.mm_per_px):
            found += self._say_lost(frame.time, too_small)
        elif self._lost is not None:
            self._lost = None
            found.append(Back(frame.time, self.name))
        if scene is not None:
            found.append(scene)
        return found

    def close(self) -> None:
        """Lets the camera go."""
        self.source.close()

    def _too_small(self, px_per_mm: float) -> str:
        """What to say where the cards are too small in the picture to be read; empty where they are not."""
        if px_per_mm >= self.least_px_per_mm:
            return ""
        return text(
            "The cards are too small in the picture to be read: {scale} pixels a millimetre, and {least} are needed: "
            "bring the camera nearer, or let it take larger pictures.",
            scale=f"{px_per_mm:.2f}",
            least=self.least_px_per_mm,
        )

    def _lose(self, reason: str) -> list[Observation]:
        self._source_lost = True
        self._try_at = self._clock() + (TRY_AGAIN if self.source.live else 0.0)
        return self._say_lost(self.frame.time if self.frame else 0.0, reason)

    def _say_lost(self, when: float, reason: str) -> list[Observation]:
        if self._lost == reason:
            return []
        self._lost = reason
        return [Lost(when, self.name, reason)]

    def _marks_wanted(self) -> str:
        missing = self._finder.missing
        if len(missing) >= len(_CORNERS):
            return text(
                "No corner marks in sight: lay the mat, or the four corner marks, so that the camera sees all four, "
                "with light on them."
            )
        marks = both([text("mark {number} ({corner})", number=mark, corner=_CORNERS[mark]) for mark in missing])
        if len(missing) == 1:
            return text(
                "The corner marks are not all in sight: {mark} is missing: uncover it, or turn the camera to it.",
                mark=marks,
            )
        return text(
            "The corner marks are not all in sight: {marks} are missing: uncover them, or turn the camera to them.",
            marks=marks,
        )
