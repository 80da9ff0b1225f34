"""The game loop: the one queue of the table, the sources that fill it, and the loop that has everything processed.

Live sources are read in a thread each, so that a slow one holds up nothing. Recordings and simulated tables are read
step by step in the thread of the game loop: the effect of one frame is shown before the next is read.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from typing import Final, Protocol

from cardtable import stopping
from cardtable.table.messages import BOARD, CorrectionMessage, EveningMessage, Refusal, Sender
from cardtable.table.sources import NO_GAME, Received, Source, Watchdog
from engine.observations import Observation
from engine.texts import text

IDLE_S: Final = 0.2
"""Longest wait for something to do, seconds."""
_JOIN_S: Final = 2.0
"""Longest wait for the thread of a source to end, seconds."""


class Activity(Protocol):
    """What the table does now: it plays a game, or waits for one."""

    @property
    def storing(self) -> bool:
        """Whether the journal can store."""

    def process(self, received: Received) -> Refusal | None:
        """Process one thing that has happened; return why it is refused, if it is."""

    def pass_time(self) -> None:
        """Do what is due; called in every turn of the loop, several times a second."""


class GameLoop:
    """The loop of one table, from the start of the program to its end.

    `alive` is called repeatedly while everything makes progress. All methods but `put`, `observe` and `ask` are called
    in the thread of the loop.
    """

    def __init__(self, alive: Callable[[], None] = lambda: None) -> None:
        self.watchdog: Final = Watchdog(alive)
        self.sources: tuple[Source, ...] = ()
        """The open sources."""
        self.fault: Exception | None = None
        """The exception that was raised in the thread of an open source, if there was one."""
        self._queue: queue.SimpleQueue[Received | Exception] = queue.SimpleQueue()
        self._threads: dict[str, threading.Thread] = {}
        self._stop = threading.Event()
        self._changing = threading.Lock()
        self._closed = False

    @property
    def stepped(self) -> tuple[Source, ...]:
        """The open sources that have no thread."""
        return tuple(source for source in self.sources if source.name not in self._threads)

    def put(self, received: Received) -> None:
        """Add something that has happened to the queue; called in any thread. After `close` everything is refused."""
        with self._changing:
            if not self._closed:
                self._queue.put(received)
                return
        _refuse(received)

    def observe(self, observation: Observation) -> None:
        """Add an observation that no camera or reader has made; called in any thread."""
        self.put(Received(observation))

    def ask(self, message: CorrectionMessage | EveningMessage, sender: Sender = BOARD) -> Future[Refusal | None]:
        """Add the message of a page; called in any thread. The result is None, or why the message is refused."""
        answer: Future[Refusal | None] = Future()
        self.put(Received(message, sender=sender, answer=answer))
        return answer

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
        self.sources, self.fault = tuple(sources), None
        self.start()

    def start(self) -> None:
        """Start a thread for each open source that is live and has none yet: a recording may become live."""
        for source in self.sources:
            if source.live and source.name not in self._threads:
                thread = threading.Thread(target=self._read, args=(source, self._stop), name=source.name, daemon=True)
                self._threads[source.name] = thread
                self.watchdog.progressed(source.name)
                thread.start()

    def run(self, activity: Activity, until: Callable[[], bool]) -> None:
        """Let `activity` process what happens until `until()` is true.

        Raise what is raised in the thread of a source, or by `activity`.
        """
        self.start()
        while not until():
            stopping.check()
            for received in self.turn():
                process(activity, received)
            activity.pass_time()
            self.watchdog.check(activity.storing)

    def turn(self) -> Iterator[Received]:
        """Step the sources that have no thread, and yield what they report; then yield what is in the queue by now.

        If there is nothing to step, wait for the queue, up to `IDLE_S`. Raise what was raised in a thread.
        """
        stepped = self.stepped
        for source in stepped:
            yield from source.step()
        wait = all(source.ended or source.retry_in > 0 for source in stepped)
        for _ in range(max(self._queue.qsize(), 1)):
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
            self.watchdog.finished(name)
        for source in self.sources:
            source.close()
        self.sources = ()
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
                    self.watchdog.progressed(source.name)
                if source.retry_in > 0:
                    stop.wait(min(source.retry_in, IDLE_S))
            if not stop.is_set():
                self.watchdog.finished(source.name)
        except Exception as error:  # without this the table would go blind and report nothing
            if not stop.is_set():
                self._queue.put(error)


def process(activity: Activity, received: Received) -> None:
    """Let `activity` process one thing, and answer the page that waits for it; do nothing if the page has gone."""
    answer = received.answer
    if answer is not None and not answer.set_running_or_notify_cancel():
        return
    try:
        refusal = activity.process(received)
    except BaseException as error:
        if answer is not None:
            answer.set_result({"refused": text("That has failed because of a fault ({why}).", why=str(error))})
        raise
    if answer is not None:
        answer.set_result(refusal)


def _refuse(received: Received) -> None:
    """Refuse what a page still waits for."""
    if received.answer is not None and received.answer.set_running_or_notify_cancel():
        received.answer.set_result({"refused": NO_GAME})
