"""The threads that read live cameras and RFID readers, each in its own, so that a slow one holds up nothing.

They pass calls on for the main thread, which runs them in order (`run_inbox`).
"""

from __future__ import annotations

import logging
import math
import queue
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Final

from cardtable.table.game_loop import GameLoop
from cardtable.table.messages import CorrectionMessage, Refusal, Sender
from cardtable.table.readers import Report, RfidSource
from engine.observations import Observation
from engine.texts import text
from vision.camera_pipeline import CameraPipeline

# A watchdog over the sources and the journal: systemd is only notified while all of them make progress.
#
# A source that reports an error makes progress: the board shows the error, and the source is tried again. A source that
# reports nothing at all hangs, and only a restart of the program helps. The same goes for a journal that has stored
# nothing for a while, for example because its disk was removed and attached again.

STALLED_S: Final = 10.0
"""Seconds without a step after which a source counts as hanging."""
UNSTORED_S: Final = 60.0
"""Seconds without storing after which the journal counts as hanging. Until then the board reports the error."""

_LOG: Final = logging.getLogger(__name__)


class Watchdog:
    """Calls `alive` while every source makes progress. Sources report from their own threads.

    `clock` gives seconds.
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
        """Call `alive` if no source hangs; called once per iteration of the main loop.

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


class SourceThreads:
    """Reads the live ones of `cameras` and `readers` from `start` until `stop`.

    In the main thread, `take` is called with each observation of a camera, `deliver` with each report of a reader.
    `watchdog` gets each step of a source. What is raised in a thread is raised in the main thread.
    """

    def __init__(
        self,
        cameras: Sequence[CameraPipeline],
        readers: Sequence[RfidSource],
        take: Callable[[Observation], None],
        deliver: Callable[[RfidSource, Report], None],
        watchdog: Watchdog,
    ) -> None:
        self._cameras = cameras
        self._readers = readers
        self._take = take
        self._deliver = deliver
        self._watchdog = watchdog
        self._inbox: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._stop = threading.Event()
        self.fault: Exception | None = None
        """What was raised in a thread, if anything was."""
        self._threads: list[threading.Thread] = []

    @property
    def names(self) -> set[str]:
        """The names of the sources that have a thread."""
        return {thread.name for thread in self._threads}

    def start(self) -> None:
        """Start a thread for each source that is live and has none yet: a recording may become live."""
        loops = [(camera.name, partial(self._read_camera, camera)) for camera in self._cameras if camera.source.live]
        loops += [(reader.name, partial(self._read_board, reader)) for reader in self._readers if reader.live]
        started = self.names
        for name, loop in loops:
            if name not in started:
                self._threads.append(threading.Thread(target=loop, name=name, daemon=True))
                self._watchdog.progressed(name)
                self._threads[-1].start()

    def stop(self) -> None:
        """End the threads. May be called twice."""
        self._stop.set()
        for thread in self._threads:
            thread.join(_JOIN_S)
            self._watchdog.finished(thread.name)

    def put(self, call: Callable[[], None]) -> None:
        """Let the main thread make this call; called in any thread."""
        self._inbox.put(call)

    def run_inbox(self, wait: bool) -> None:
        """Make the calls that were passed on; `wait`: for the first one, up to `IDLE_S`. In the main thread."""
        try:
            (self._inbox.get(timeout=IDLE_S) if wait else self._inbox.get_nowait())()
            while True:
                self._inbox.get_nowait()()
        except queue.Empty:
            return

    def _read_board(self, reader: RfidSource) -> None:
        """Read a reader board, in its own thread."""
        try:
            while not self._stop.is_set():
                for report in reader.step():
                    self.put(partial(self._deliver, reader, report))
                self._watchdog.progressed(reader.name)
        except Exception as error:
            self.put(partial(self._raise, error))

    def _read_camera(self, camera: CameraPipeline) -> None:
        """Read a camera, in its own thread."""
        try:
            while not self._stop.is_set() and not camera.ended:
                for observation in camera.step():
                    self.put(partial(self._take, observation))
                if not camera.stuck:
                    self._watchdog.progressed(camera.name)
                if camera.retry_in > 0:
                    self._stop.wait(min(camera.retry_in, IDLE_S))
            self._watchdog.finished(camera.name)
        except Exception as error:
            # Without this the table would go blind and report nothing.
            self.put(partial(self._raise, error))

    def _raise(self, error: Exception) -> None:
        self.fault = error
        raise error


# Corrections that pages ask for, made in the main thread.

_NO_GAME: Final = text("No game is being played now.")


class CorrectionsInbox:
    """Takes corrections in any thread. `put` lets the main thread make a call."""

    def __init__(self, put: Callable[[Callable[[], None]], None]) -> None:
        self._put = put
        self._waiting: set[Future[Refusal | None]] = set()
        self._lock = threading.Lock()
        self._closed = False
        self.loop: GameLoop | None = None
        """What makes them; None until the game is there."""

    def ask(self, message: CorrectionMessage, sender: Sender) -> Future[Refusal | None]:
        """Ask for a correction; the result is None once it is made, or why it was not."""
        answer: Future[Refusal | None] = Future()
        with self._lock:
            if self._closed:
                answer.set_result({"refused": _NO_GAME})
                return answer
            self._waiting.add(answer)
        self._put(lambda: self._answer(message, sender, answer))
        return answer

    def make(self, message: CorrectionMessage, sender: Sender) -> Refusal | None:
        """Make a correction now, in the main thread. Return why not, if it was refused."""
        return self.loop.correct(message, sender) if self.loop else {"refused": _NO_GAME}

    def close(self) -> None:
        """Refuse what has not been made yet, and all that is asked for later."""
        with self._lock:
            self._closed = True
            waiting, self._waiting = self._waiting, set()
        for answer in waiting:
            if answer.set_running_or_notify_cancel():
                answer.set_result({"refused": _NO_GAME})

    def _answer(self, message: CorrectionMessage, sender: Sender, answer: Future[Refusal | None]) -> None:
        with self._lock:
            if answer not in self._waiting:
                return
            self._waiting.discard(answer)
        if not answer.set_running_or_notify_cancel():
            return  # the page has gone
        try:
            refusal = self.make(message, sender)
        except BaseException as error:
            answer.set_result({"refused": text("That has failed because of a fault ({why}).", why=str(error))})
            raise
        answer.set_result(refusal)


def deliver(report: Report, reader: RfidSource, controller: GameLoop) -> None:
    """Give the controller what a reader board reports; acknowledge its events once their effect is stored."""
    if report.observation is not None:
        controller.take(report.observation, report.processed(reader.name))
    if report.last_event and controller.snapshot.trouble:
        _LOG.info("%s: event %d is not stored, so not acknowledged", reader.name, report.last_event.number)
    else:
        reader.acknowledge(report)
