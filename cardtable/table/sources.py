"""What the table gets from outside: what cameras and readers see, and what people say, press and ask for."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from cardtable.journal.journal import ProcessedEvents
from cardtable.table.messages import BOARD, CorrectionMessage, EveningMessage, Refusal, Sender
from engine.observations import Observation
from engine.texts import text
from hardware.buttons import Control

if TYPE_CHECKING:
    from vision.camera_pipeline import CameraPipeline

NO_GAME: Final = text("No game is being played now.")
_LOG: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Received:
    """One thing that has happened.

    `what`: an observation, a message of a page, or a press in a menu; None if only `event` has to be acknowledged.
    `source`: the camera or reader board that waits for the acknowledgement of `event`; None for pages and buttons.
    `sender`: who sent the message. `answer`: what the page waits for; its result is None if the message was obeyed.
    """

    what: Observation | CorrectionMessage | EveningMessage | Control | None = None
    source: Source | None = None
    event: ProcessedEvents | None = None
    sender: Sender = BOARD
    answer: Future[Refusal | None] | None = None

    @property
    def is_for_evening(self) -> bool:
        """Whether it concerns the evening, not only the game that is being played."""
        return isinstance(self.what, EveningMessage | Control)


class Source(Protocol):
    """A camera, a recording, or a reader board."""

    @property
    def name(self) -> str:
        """Its name in its observations."""

    @property
    def live(self) -> bool:
        """Whether it keeps its own time, and needs a thread."""

    @property
    def ended(self) -> bool:
        """Whether it will report nothing more."""

    @property
    def stuck(self) -> bool:
        """Whether it hangs in its driver, and will not go on."""

    @property
    def retry_in(self) -> float:
        """Seconds until `step` has something to do."""

    def step(self) -> Sequence[Received]:
        """Read the source once; return what is new. Called in one thread."""

    def now(self) -> float | None:
        """Return the time on the clock of its observations, seconds; None if it is not known yet."""

    def acknowledge(self, event: ProcessedEvents) -> None:
        """Tell the source that these events are stored. Called in the thread of the game loop."""

    def close(self) -> None:
        """Close the device. May be called twice."""


class CameraSource:
    """A camera or a recording as a source."""

    def __init__(self, camera: CameraPipeline) -> None:
        self.camera: Final = camera
        self.name: Final = camera.name

    @property
    def live(self) -> bool:
        """Whether it is a camera, not a recording. A broken recording becomes live: it is waited for."""
        return self.camera.source.live

    @property
    def ended(self) -> bool:
        """Whether a recording has ended."""
        return self.camera.ended

    @property
    def stuck(self) -> bool:
        """Whether it hangs in its driver."""
        return self.camera.stuck

    @property
    def retry_in(self) -> float:
        """Seconds until a lost camera is tried again."""
        return self.camera.retry_in

    def step(self) -> list[Received]:
        """Process one frame; return the new observations."""
        return [Received(observation, self) for observation in self.camera.step()]

    def now(self) -> float | None:
        """Return the time of the last frame."""
        return self.camera.frame.time if self.camera.frame else None

    def acknowledge(self, event: ProcessedEvents) -> None:
        """Do nothing: a camera waits for nothing."""

    def close(self) -> None:
        """Close the camera."""
        self.camera.close()


# The watchdog. systemd is notified only while every source and the journal make progress.
#
# A source that reports an error makes progress: the board shows the error, and the source is tried again. Only a
# restart helps against a source that hangs without a report, or a journal that has not stored anything for a while, for
# example because its disk was removed and attached again.

STALLED_S: Final = 10.0
"""Seconds without a step after which a source counts as hanging."""
UNSTORED_S: Final = 60.0
"""Seconds without storing after which the journal counts as hanging. Until then the board reports the error."""


class Watchdog:
    """Calls `alive` while every source makes progress. Sources report from their own threads.

    `clock` returns seconds.
    """

    def __init__(self, alive: Callable[[], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._alive = alive
        self._clock = clock
        self._lock = threading.Lock()
        self._steps: dict[str, float] = {}
        self._unstored: float | None = None
        self._hanging: set[str] = set()

    def progressed(self, source: str) -> None:
        """Note that `source` has started, or has completed a step."""
        with self._lock:
            self._steps[source] = self._clock()

    def finished(self, source: str) -> None:
        """Stop watching `source`: it has ended, or it has failed and the failure was reported."""
        with self._lock:
            self._steps[source] = math.inf

    def check(self, storing: bool) -> None:
        """Call `alive` if no source hangs; called in every turn of the game loop.

        `storing`: whether the journal can store.
        """
        now = self._clock()
        if storing:
            self._unstored = None
        elif self._unstored is None:
            self._unstored = now
        with self._lock:
            hanging = {source for source, step in self._steps.items() if now - step >= STALLED_S}
        if self._unstored is not None and now - self._unstored >= UNSTORED_S:
            hanging.add("journal")
        for source in hanging - self._hanging:
            _LOG.error("%s hangs: systemd is not notified until it goes on", source)
        for source in self._hanging - hanging:
            _LOG.warning("%s goes on", source)
        self._hanging = hanging
        if not hanging:
            self._alive()
