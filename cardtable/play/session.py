"""The wiring: from a game's header, its marks and its sources to a table that plays.

`run`, `watch` and `demo` are made of these parts: `open_eye` (`cardtable.play.camera_source`), `open_game`, and `Play`, which owns
the controller and the board and runs the loop.
"""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Final, Protocol, runtime_checkable

import cv2

from cardtable.board.server import Board
from cardtable.config.model import BoardConfig
from cardtable.errors import UsageError
from cardtable.play.camera_source import mat_for, open_eye, readers_for
from cardtable.play.controller import Controller
from cardtable.play.hardware_outputs import HardwareOutputs
from cardtable.play.journal import Journal
from cardtable.play.rfid_source import RfidSource
from cardtable.play.snapshot import Snapshot
from cardtable.play.watchdog import Watchdog
from engine.actions import Action
from engine.errors import HeaderError
from engine.games import load_game
from engine.observations import Lost, Observation, Said, UndoAsked
from engine.record import Header
from engine.referee.prompts import Prompt
from engine.table import Table
from engine.texts import text
from engine.views import View
from vision.camera_pipeline import CameraPipeline
from vision.table.homography import save_frame

__all__ = ["Play", "checked", "mat_for", "open_eye", "open_game", "readers_for"]

_TICK: Final = 0.2
"""Seconds after which the loop looks about though nothing was observed."""
_STORE_AGAIN: Final = 1.0
_PICTURE_WIDTH: Final = 960


def checked(header: Header) -> Header:
    """The header, if the game can be played like this. Raises `UsageError`."""
    try:
        header.check()
    except HeaderError as error:
        raise UsageError(str(error)) from error
    return header


@runtime_checkable
class Reads(Protocol):
    """A source whose people read the board: the simulated table."""

    def watch(self, view: Callable[[], View], prompts: Callable[[], tuple[Prompt, ...]]) -> None:
        """`view` and `prompts` give what the board shows now."""


def open_game(journal: Journal, header: Header, anew: bool = False) -> tuple[Action, ...]:
    """Resume the last game with this header, if it is not over, or begin one; what happened so far.

    `anew`: begin it in any case. A game left behind stays in the journal as it is. Raises `JournalError` while another
    program plays the last one.
    """
    last = journal.last(header)
    if last is not None and not last.over:
        journal.resume(last)
        if not anew or not last.actions:  # one in which nothing has happened is new
            return last.actions
    journal.begin(header)
    return ()


class Play:
    """A game in progress: eyes, controller, and a board if `board` says where. To be used in a `with`.

    `journal` has begun or resumed the game (`open_game`), of which `past` is what happened before. `show` is called
    with everything that is shown, after the board, in the thread that makes and runs the play. The play closes the
    eyes, the `readers` and what is `wired`, also where it cannot be made (`CardtableError`: the port is in use, the
    past does not fit the rules). `alive` is called again and again while everything makes progress.
    `language`: of the board.
    """

    def __init__(
        self,
        header: Header,
        eyes: Sequence[CameraPipeline],
        journal: Journal | None = None,
        past: Sequence[Action] = (),
        board: BoardConfig | None = None,
        show: Callable[[Snapshot], None] = lambda shown: None,
        calibrations: Mapping[str, Path] | None = None,
        readers: Sequence[RfidSource] = (),
        wired: HardwareOutputs | None = None,
        alive: Callable[[], None] = lambda: None,
        language: str = "en",
    ) -> None:
        self.eyes: Final = tuple(eyes)
        self._readers = tuple(readers)
        self._wired = wired
        self._progress = Watchdog(alive)
        self._table = Table(header)
        self.board: Board | None = None
        # What other threads want the playing one to do.
        self._inbox: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._stop = threading.Event()
        self._threads: list[threading.Thread] = []
        self._ended: set[str] = set()
        self._calibrations = dict(calibrations or {})
        self._kept = {eye.name: eye.table_frame for eye in eyes}
        self._also = show
        self._store_again = 0.0
        try:
            if board:
                title = load_game(header.game).title
                cameras = [eye.name for eye in eyes]
                self.board = Board(
                    title, self._enter, self._picture, board.host, board.port, board.hosts, language, cameras
                )
            if wired:
                wired.start(self._hear, self._progress)
            sources = [*(eye.name for eye in eyes), *(reader.name for reader in readers)]
            recorded = bool(eyes) and not any(eye.source.live or isinstance(eye.source, Reads) for eye in eyes)
            self.controller: Final = Controller(self._table, journal, self._show, past, sources, recorded)
            for eye in eyes:
                if isinstance(eye.source, Reads):
                    eye.source.watch(lambda: self.controller.shown.view, lambda: self.controller.shown.prompts)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Play:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let cameras and board go. Nothing is lost: everything shown is stored. May be called twice."""
        self._stop.set()
        for thread in self._threads:
            thread.join(2)
        for eye in self.eyes:
            eye.close()
        for reader in self._readers:
            reader.close()
        if self._wired:
            self._wired.close()
        if self.board:
            self.board.close()

    def run(self, until: Callable[[], bool] | None = None) -> None:
        """Play until `until()`; without it, until all recordings have ended, which live cameras never do.

        Cameras and readers are read by a thread each, so that a slow one holds up nothing. Recordings and simulated
        tables are read step by step: what one frame tells is shown before the next is read. Where a recording ends
        before the game, and `until` lets the table wait, the board says so.
        """
        self._start_cameras()
        watched = {thread.name for thread in self._threads}
        recorded = [eye for eye in self.eyes if eye.name not in watched]
        stepped = [reader for reader in self._readers if not reader.live]
        while not (until() if until else recorded and not watched and all(eye.ended for eye in recorded)):
            for reader in stepped:
                for report in reader.step():
                    reader.apply(report, self.controller)
            for eye in recorded:
                for observation in eye.step():
                    self.controller.take(observation)
                if until and eye.ended:
                    self._tell_end(eye)
            self._take_inbox(wait=not stepped and all(eye.ended or eye.retry_in > 0 for eye in recorded))
            if self._wired:
                self._wired.step()
            self._keep_calibrations()
            self._catch_up()
            self._progress.look(stores=self.controller.shown.trouble is None)

    def _tell_end(self, eye: CameraPipeline) -> None:
        if eye.name not in self._ended and not self.controller.table.over:
            told = "The recording {source} is over and the game is not. It waits: start it with another source."
            reason = text(told, source=eye.source.name)
            self.controller.take(Lost(eye.frame.time if eye.frame else 0.0, eye.name, reason))
        self._ended.add(eye.name)

    def _start_cameras(self) -> None:
        started = {thread.name for thread in self._threads}
        for eye in self.eyes:
            if eye.source.live and eye.name not in started:
                self._threads.append(threading.Thread(target=self._watch, args=(eye,), name=eye.name, daemon=True))
                self._progress.made(eye.name)
                self._threads[-1].start()
        for reader in self._readers:
            if reader.live and reader.name not in started:
                self._threads.append(
                    threading.Thread(target=self._listen, args=(reader,), name=reader.name, daemon=True)
                )
                self._progress.made(reader.name)
                self._threads[-1].start()

    def _listen(self, reader: RfidSource) -> None:
        """Read a board with readers, in its own thread."""
        try:
            while not self._stop.is_set():
                for report in reader.step():
                    self._inbox.put(partial(reader.apply, report, self.controller))
                self._progress.made(reader.name)
        except Exception as error:
            self._inbox.put(partial(_raise, error))

    def _watch(self, eye: CameraPipeline) -> None:
        """Read a camera, in its own thread."""
        try:
            while not self._stop.is_set() and not eye.ended:
                for observation in eye.step():
                    self._inbox.put(partial(self.controller.take, observation))
                if not eye.stuck:
                    self._progress.made(eye.name)
                if eye.retry_in > 0:
                    self._stop.wait(min(eye.retry_in, _TICK))
            self._progress.over(eye.name)
        except Exception as error:
            # A camera that nobody reads any more would leave the table blind without a word.
            self._inbox.put(partial(_raise, error))

    def _enter(self, observation: Said | UndoAsked, n: int) -> None:
        """What was entered on the page, when it showed `n` actions; called in the board's thread."""
        self._inbox.put(partial(self._entered, observation, n))

    def _hear(self, observation: Observation) -> None:
        """What was said by a button, or that something wired has failed; called in its thread."""
        self._inbox.put(lambda: self.controller.take(observation))  # it may not be made yet

    def _entered(self, observation: Said | UndoAsked, n: int) -> None:
        # Something may have happened since; it is not what was to be taken back.
        if not isinstance(observation, UndoAsked) or n == self.controller.shown.n:
            self.controller.take(observation)

    def _take_inbox(self, wait: bool) -> None:
        try:
            (self._inbox.get(timeout=_TICK) if wait else self._inbox.get_nowait())()
            while True:
                self._inbox.get_nowait()()
        except queue.Empty:
            return

    def _catch_up(self) -> None:
        """Where storing has failed, look every second whether it works again."""
        if self.controller.shown.trouble and time.monotonic() >= self._store_again:
            self.controller.again()
            self._store_again = time.monotonic() + _STORE_AGAIN

    def _show(self, shown: Snapshot) -> None:
        if self.board:
            self.board.show(shown)
        for reader in self._readers:
            reader.show(shown)
        if self._wired:
            troubled = {source.name for source in shown.sources if source.trouble}
            names = [*(eye.name for eye in self.eyes), *(reader.name for reader in self._readers)]
            reads = not shown.view.over and any(name not in troubled for name in names)
            self._wired.show(shown, self._table.view, reads)
        self._also(shown)

    def _keep_calibrations(self) -> None:
        """Store where the mat was found, for a day on which a corner mark is hidden."""
        for eye in self.eyes:
            path, frame = self._calibrations.get(eye.name), eye.table_frame
            if path is not None and frame is not None and frame is not self._kept[eye.name]:
                self._kept[eye.name] = frame
                with contextlib.suppress(OSError):  # a full disk stops no game; the marks are in sight today
                    save_frame(path, frame)

    def _picture(self, name: str) -> bytes | None:
        """The last frame of the camera `name`; of any, those without their marks first, where that is empty. A JPEG."""
        eyes = sorted((eye for eye in self.eyes if name in ("", eye.name)), key=lambda eye: not eye.missing_marks)
        frame = next((eye.frame for eye in eyes if eye.frame is not None), None)
        if frame is None:
            return None
        height, width = frame.image.shape[:2]
        scale = min(_PICTURE_WIDTH / width, 1.0)
        small = cv2.resize(frame.image, (round(width * scale), round(height * scale)), interpolation=cv2.INTER_AREA)
        done, data = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, 80])
        return data.tobytes() if done else None


def _raise(error: Exception) -> None:
    raise error
