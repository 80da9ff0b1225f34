"""A game in progress: cameras and readers in, controller and journal in the middle, board and hardware out.

`run`, `watch` and `demo` open the parts and hand them to a `Session`, which owns the controller and the board and runs
the main loop.
"""

from __future__ import annotations

import logging
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
from cardtable.board.snapshot import Snapshot
from cardtable.config.model import BoardConfig
from cardtable.play.controller import Controller
from cardtable.play.hardware_outputs import HardwareOutputs
from cardtable.play.journal import Journal
from cardtable.play.rfid_source import RfidSource
from cardtable.play.trace import Trace
from cardtable.play.watchdog import Watchdog
from engine.actions import Action
from engine.games import load_game
from engine.observations import Lost, Observation
from engine.record import Header
from engine.referee.prompts import Prompt
from engine.table import Table
from engine.texts import text
from engine.views import View
from vision.camera_pipeline import CameraPipeline
from vision.table.homography import save_homography

_IDLE_S: Final = 0.2
"""Idle period of the main loop, seconds."""
_CHECK_STORE_S: Final = 1.0
_PICTURE_WIDTH: Final = 960
"""Largest width of the camera pictures on the board, pixels."""

_LOG: Final = logging.getLogger(__name__)


@runtime_checkable
class WatchesBoard(Protocol):
    """A source whose players read the board: the simulated table."""

    def watch(self, view: Callable[[], View], prompts: Callable[[], tuple[Prompt, ...]]) -> None:
        """Keep `view` and `prompts`, which return what the board shows now."""


class Session:
    """A game in progress, to be used in a `with` statement.

    `journal` has begun or resumed the game (`open_game`); `past` are its actions so far. `board`: where to serve the
    board; None for no board. `show` is called with every snapshot, after the board, in the thread that makes and runs
    the session. `calibrations`: by camera name, the file that keeps the view of the mat. `alive` is called repeatedly
    while everything makes progress. `language`: of the board. `trace`: where observations and their effects are
    written.

    The session closes `cameras`, `readers`, `outputs` and `trace`, also if it cannot be made. Raises `CardtableError`
    if the port is in use, or `past` does not fit the rules.
    """

    def __init__(
        self,
        header: Header,
        cameras: Sequence[CameraPipeline],
        journal: Journal | None = None,
        past: Sequence[Action] = (),
        board: BoardConfig | None = None,
        show: Callable[[Snapshot], None] = lambda snapshot: None,
        calibrations: Mapping[str, Path] | None = None,
        readers: Sequence[RfidSource] = (),
        outputs: HardwareOutputs | None = None,
        alive: Callable[[], None] = lambda: None,
        language: str = "en",
        trace: Trace | None = None,
    ) -> None:
        self.cameras: Final = tuple(cameras)
        self._readers = tuple(readers)
        self._outputs = outputs
        self._trace = trace
        self._watchdog = Watchdog(alive)
        self._table = Table(header)
        self.board: Board | None = None
        # Calls that other threads want made in the main thread.
        self._inbox: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._stop = threading.Event()
        self._threads: list[threading.Thread] = []
        self._ended: set[str] = set()
        self._calibrations = dict(calibrations or {})
        self._saved_homographies = {camera.name: camera.homography for camera in cameras}
        self._also_show = show
        self._check_store_at = 0.0
        try:
            if board:
                title, names = load_game(header.game).title, [camera.name for camera in cameras]
                self.board = Board(
                    title, self._enter, self._picture, board.host, board.port, board.hosts, language, names
                )
            if outputs:
                outputs.start(self._enter, self._watchdog)
            sources = [*(camera.name for camera in cameras), *(reader.name for reader in readers)]
            interactive = any(camera.source.live or isinstance(camera.source, WatchesBoard) for camera in cameras)
            recorded = bool(cameras) and not interactive
            self.controller: Final = Controller(self._table, journal, self._show, past, sources, recorded, trace)
            for camera in cameras:
                if isinstance(camera.source, WatchesBoard):
                    camera.source.watch(lambda: self.controller.snapshot.view, lambda: self.controller.snapshot.prompts)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close cameras, readers, hardware and board. Nothing is lost: everything shown is stored. Repeatable."""
        self._stop.set()
        for thread in self._threads:
            thread.join(2)
        for camera in self.cameras:
            camera.close()
        for reader in self._readers:
            reader.close()
        if self._outputs:
            self._outputs.close()
        if self.board:
            self.board.close()
        if self._trace:
            self._trace.close()

    def run(self, until: Callable[[], bool] | None = None) -> None:
        """Play until `until()` is true; without it, until all recordings have ended, which live cameras never do.

        Live cameras and readers are read in one thread each, so that a slow one holds up nothing. Recordings and
        simulated tables are read step by step: what follows from one frame is shown before the next is read. If a
        recording ends before the game and `until` keeps the table waiting, the board says so. Raises whatever was
        raised in the thread of a source.
        """
        self._start_threads()
        threaded = {thread.name for thread in self._threads}
        stepped_cameras = [camera for camera in self.cameras if camera.name not in threaded]
        stepped_readers = [reader for reader in self._readers if not reader.live]

        def finished() -> bool:
            return bool(stepped_cameras) and not threaded and all(camera.ended for camera in stepped_cameras)

        while not (until() if until else finished()):
            for reader in stepped_readers:
                for report in reader.step():
                    reader.deliver(report, self.controller)
            for camera in stepped_cameras:
                for observation in camera.step():
                    self.controller.take(observation)
                if until and camera.ended:
                    self._report_end(camera)
            idle = all(camera.ended or camera.retry_in > 0 for camera in stepped_cameras)
            self._run_inbox(wait=idle and not stepped_readers)
            if self._outputs:
                self._outputs.step()
            self._save_calibrations()
            self._pass_time()
            self._check_store()
            self._watchdog.check(storing=self.controller.snapshot.trouble is None)

    def _report_end(self, camera: CameraPipeline) -> None:
        if camera.name not in self._ended and not self.controller.table.over:
            message = (
                "The recording {source} has ended, but the game has not. Start it again with another source to go on."
            )
            reason = text(message, source=camera.source.name)
            self.controller.take(Lost(camera.frame.time if camera.frame else 0.0, camera.name, reason))
        self._ended.add(camera.name)

    def _start_threads(self) -> None:
        started = {thread.name for thread in self._threads}
        loops = [(camera.name, partial(self._read_camera, camera)) for camera in self.cameras if camera.source.live]
        loops += [(reader.name, partial(self._read_board, reader)) for reader in self._readers if reader.live]
        for name, loop in loops:
            if name not in started:
                self._threads.append(threading.Thread(target=loop, name=name, daemon=True))
                self._watchdog.progressed(name)
                self._threads[-1].start()

    def _read_board(self, reader: RfidSource) -> None:
        """Read a board with RFID readers, in its own thread."""
        try:
            while not self._stop.is_set():
                for report in reader.step():
                    self._inbox.put(partial(reader.deliver, report, self.controller))
                self._watchdog.progressed(reader.name)
        except Exception as error:
            self._inbox.put(partial(_raise, error))

    def _read_camera(self, camera: CameraPipeline) -> None:
        """Read a camera, in its own thread."""
        try:
            while not self._stop.is_set() and not camera.ended:
                for observation in camera.step():
                    self._inbox.put(partial(self.controller.take, observation))
                if not camera.stuck:
                    self._watchdog.progressed(camera.name)
                if camera.retry_in > 0:
                    self._stop.wait(min(camera.retry_in, _IDLE_S))
            self._watchdog.finished(camera.name)
        except Exception as error:
            # Without this the table would go blind and report nothing.
            self._inbox.put(partial(_raise, error))

    def _enter(self, observation: Observation) -> None:
        """Take what was entered on the page or said with a button, or a failure of the hardware.

        Called in a thread of the board or of the hardware; the controller may not exist yet.
        """
        self._inbox.put(lambda: self.controller.take(observation))

    def _run_inbox(self, wait: bool) -> None:
        try:
            (self._inbox.get(timeout=_IDLE_S) if wait else self._inbox.get_nowait())()
            while True:
                self._inbox.get_nowait()()
        except queue.Empty:
            return

    def _pass_time(self) -> None:
        """Pass the time on the clock of each source to the controller."""
        for camera in self.cameras:
            if camera.frame is not None:
                self.controller.pass_time(camera.name, camera.frame.time)
        for reader in self._readers:
            self.controller.pass_time(reader.name, reader.now())

    def _check_store(self) -> None:
        if time.monotonic() >= self._check_store_at:
            self.controller.check_store()
            self._check_store_at = time.monotonic() + _CHECK_STORE_S

    def _show(self, snapshot: Snapshot) -> None:
        if self.board:
            self.board.show(snapshot)
        for reader in self._readers:
            reader.show(snapshot)
        if self._outputs:
            lost = {source.name for source in snapshot.sources if source.trouble}
            names = [*(camera.name for camera in self.cameras), *(reader.name for reader in self._readers)]
            reading = not snapshot.view.over and any(name not in lost for name in names)
            self._outputs.show(snapshot, self._table.view, reading)
        self._also_show(snapshot)

    def _save_calibrations(self) -> None:
        """Store where the mat was found, for a time when a corner mark is hidden."""
        for camera in self.cameras:
            path, homography = self._calibrations.get(camera.name), camera.homography
            if path is not None and homography is not None and homography is not self._saved_homographies[camera.name]:
                self._saved_homographies[camera.name] = homography
                try:
                    save_homography(path, homography)
                except OSError as error:  # a full disk stops no game, and the marks are in sight now
                    _LOG.warning("%s cannot be written: %s", path, error)

    def _picture(self, name: str) -> bytes | None:
        """Return the last frame of the camera `name` as JPEG; None if there is none.

        An empty `name` stands for any camera, preferably one that misses corner marks.
        """
        named = (camera for camera in self.cameras if name in ("", camera.name))
        cameras = sorted(named, key=lambda camera: not camera.missing_marks)
        frame = next((camera.frame for camera in cameras if camera.frame is not None), None)
        if frame is None:
            return None
        height, width = frame.image.shape[:2]
        scale = min(_PICTURE_WIDTH / width, 1.0)
        small = cv2.resize(frame.image, (round(width * scale), round(height * scale)), interpolation=cv2.INTER_AREA)
        done, data = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, 80])
        return data.tobytes() if done else None


def _raise(error: Exception) -> None:
    raise error
