"""The one queue of the table: what cameras and readers see, and what people say, press and ask for.

Live sources are read in a thread each, so that a slow one holds up nothing. Recordings and simulated tables are read
step by step in the thread of the game loop: the effect of one frame is shown before the next is read.
"""

from __future__ import annotations

import logging
import math
import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence
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


IDLE_S: Final = 0.2
"""Longest wait for something to do, seconds."""
_JOIN_S: Final = 2.0
"""Longest wait for the thread of a source to end, seconds."""


class Sources:
    """The queue, and the open sources that fill it. Each step of a live source is reported to `watchdog`.

    All methods but `put` are called in the thread of the game loop.
    """

    def __init__(self, watchdog: Watchdog) -> None:
        self._watchdog = watchdog
        self._queue: queue.SimpleQueue[Received | Exception] = queue.SimpleQueue()
        self._threads: dict[str, threading.Thread] = {}
        self._stop = threading.Event()
        self._changing = threading.Lock()
        self._closed = False
        self.all: tuple[Source, ...] = ()
        """The open sources."""
        self.fault: Exception | None = None
        """The exception that was raised in the thread of an open source, if there was one."""

    @property
    def stepped(self) -> tuple[Source, ...]:
        """The open sources that have no thread."""
        return tuple(source for source in self.all if source.name not in self._threads)

    def put(self, received: Received) -> None:
        """Add to the queue; called in any thread. After `close` everything is refused."""
        with self._changing:
            if not self._closed:
                self._queue.put(received)
                return
        _refuse(received)

    def open(self, sources: Sequence[Source]) -> None:
        """Read these sources from now on, and close those that were open.

        What is left in the queue concerns the game before and is dropped, and pages that wait for it are refused.
        Messages for the evening stay.
        """
        self.release()
        dropped: list[Received] = []
        with self._changing:  # what comes now is put behind the messages that stay
            for _ in range(self._queue.qsize()):
                received = self._queue.get()
                if isinstance(received, Received):
                    (self._queue.put if received.is_for_evening else dropped.append)(received)
        for received in dropped:
            _refuse(received)
        self.all, self.fault = tuple(sources), None
        self.start()

    def start(self) -> None:
        """Start a thread for each open source that is live and has none yet: a recording may become live."""
        for source in self.all:
            if source.live and source.name not in self._threads:
                thread = threading.Thread(target=self._read, args=(source, self._stop), name=source.name, daemon=True)
                self._threads[source.name] = thread
                self._watchdog.progressed(source.name)
                thread.start()

    def turn(self) -> Iterator[Received]:
        """Step the sources that have no thread, and yield what they report; then yield what is in the queue.

        If there is nothing to step, wait for the queue, up to `IDLE_S`. Raise what was raised in a thread.
        """
        stepped = self.stepped
        for source in stepped:
            yield from source.step()
        wait = all(source.ended or source.retry_in > 0 for source in stepped)
        while True:
            try:
                received = self._queue.get(timeout=IDLE_S) if wait else self._queue.get_nowait()
            except queue.Empty:
                return
            wait = False
            if isinstance(received, Exception):
                self.fault = received
                raise received
            yield received

    def release(self) -> None:
        """End the threads and close the open sources. May be called twice."""
        self._stop.set()
        for name, thread in self._threads.items():
            thread.join(_JOIN_S)
            self._watchdog.finished(name)
        for source in self.all:
            source.close()
        self.all = ()
        self._threads, self._stop = {}, threading.Event()

    def close(self) -> None:
        """Close the open sources; refuse what pages still wait for. May be called twice."""
        self.release()
        with self._changing:
            self._closed = True
        while not self._queue.empty():
            received = self._queue.get()
            if isinstance(received, Received):
                _refuse(received)

    def _read(self, source: Source, stop: threading.Event) -> None:
        """Read a live source, in its own thread."""
        try:
            while not stop.is_set() and not source.ended:
                for received in source.step():
                    if not stop.is_set():
                        self._queue.put(received)
                if not source.stuck and not stop.is_set():
                    self._watchdog.progressed(source.name)
                if source.retry_in > 0:
                    stop.wait(min(source.retry_in, IDLE_S))
            if not stop.is_set():
                self._watchdog.finished(source.name)
        except Exception as error:  # without this the table would go blind and report nothing
            if not stop.is_set():
                self._queue.put(error)


def _refuse(received: Received) -> None:
    """Refuse what a page still waits for."""
    if received.answer is not None and received.answer.set_running_or_notify_cancel():
        received.answer.set_result({"refused": NO_GAME})
