"""The wiring: from a game's header, its marks and its sources to a table that plays.

`run`, `watch` and `demo` are made of these parts: `mat_for`, `readers_for`, `open_eye`, `open_game`, and `Play`, which
owns the controller and the board and runs the loop.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final

import cv2

from cardtable.board.server import Board
from cardtable.config import BoardConfig, Marks
from cardtable.controller import Controller
from cardtable.errors import UsageError
from cardtable.journal import Journal
from cardtable.shown import Shown
from engine.actions import Action
from engine.errors import HeaderError
from engine.games import load_game
from engine.observations import Observation
from engine.record import Header
from engine.table import Table
from vision.eye import Eye
from vision.faces import FaceReader
from vision.frames import FrameSource
from vision.geometry import CalibrationError, TableFrame, load_frame, save_frame
from vision.marks import ArucoReader, QrReader
from vision.mat import Mat, lay_out
from vision.readings import Reader
from vision.sources import BadSource, open_source

_TICK: Final = 0.2
"""Seconds after which the loop looks about though nothing was observed."""
_STORE_AGAIN: Final = 1.0
_PICTURE_WIDTH: Final = 960


def mat_for(header: Header) -> Mat:
    """The mat of this game for so many players."""
    return lay_out(len(header.players), load_game(header.game).zones)


def readers_for(marks: Iterable[Marks]) -> list[Reader]:
    """The readers for a deck with these marks. Printed faces have action cards with ArUco marks beside them."""
    wanted = tuple(dict.fromkeys(marks))
    readers: list[Reader] = []
    if "faces" in wanted:
        readers.append(FaceReader())
    if "aruco" in wanted or "faces" in wanted:
        readers.append(ArucoReader())
    if "qr" in wanted:
        readers.append(QrReader())
    return readers


def checked(header: Header) -> Header:
    """The header, if the game can be played like this. Raises `UsageError`."""
    try:
        header.check()
    except HeaderError as error:
        raise UsageError(str(error)) from error
    return header


def open_eye(
    spec: str,
    header: Header,
    marks: Iterable[Marks],
    name: str = "camera",
    calibration: Path | None = None,
    more: Mapping[str, Callable[[str], FrameSource]] | None = None,
) -> Eye:
    """The camera or recording `spec` over the mat of this game. Raises `UsageError` where there is no such source.

    `calibration`: where the last view of the mat is kept. A camera that does not work now is waited for.
    """
    try:
        source = open_source(spec, more or {})
    except BadSource as error:
        raise UsageError(str(error)) from error
    return Eye(source, mat_for(header), readers_for(marks), name, _stored(calibration))


def _stored(calibration: Path | None) -> TableFrame | None:
    if calibration is None:
        return None
    try:
        return load_frame(calibration)
    except FileNotFoundError:
        return None
    except CalibrationError as error:
        raise UsageError(str(error)) from error


def open_game(journal: Journal, header: Header, anew: bool = False) -> tuple[Action, ...]:
    """Resume the journal's last game, if it is this one and not over, or begin it; what happened so far.

    `anew`: begin it in any case. A game left behind stays in the journal as it is.
    """
    last = journal.last()
    if anew or last is None or last.over or last.header != header:
        journal.begin(header)
        return ()
    journal.resume(last)
    return last.actions


class Play:
    """A game in progress: eyes, controller, and a board if `board` says where. To be used in a `with`.

    `journal` has begun or resumed the game (`open_game`), of which `past` is what happened before. `show` is called
    with everything that is shown, after the board, in the thread that makes and runs the play.
    """

    def __init__(
        self,
        header: Header,
        eyes: Sequence[Eye],
        journal: Journal | None = None,
        past: Sequence[Action] = (),
        board: BoardConfig | None = None,
        show: Callable[[Shown], None] = lambda shown: None,
        calibrations: Mapping[str, Path] | None = None,
    ) -> None:
        self.eyes: Final = tuple(eyes)
        self._inbox: queue.SimpleQueue[Observation] = queue.SimpleQueue()
        self._stop = threading.Event()
        self._threads: list[threading.Thread] = []
        self._calibrations = dict(calibrations or {})
        self._kept: dict[str, TableFrame | None] = {eye.name: eye.table_frame for eye in eyes}
        self.board: Final = board and Board(
            load_game(header.game).title, self._inbox.put, self._picture, board.host, board.port, board.hosts
        )
        self._also = show
        try:
            self.controller: Final = Controller(Table(header), journal, self._show, past)
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
        if self.board:
            self.board.close()

    def run(self, until: Callable[[], bool] = lambda: False) -> None:
        """Play until `until()`, or all recordings have ended.

        Cameras are read by a thread each, so that a slow one holds up nothing. Recordings and simulated tables are
        read step by step: what one frame tells is shown before the next is read.
        """
        live = [eye for eye in self.eyes if eye.source.live]
        recorded = [eye for eye in self.eyes if not eye.source.live]
        for eye in live:
            self._threads.append(threading.Thread(target=self._watch, args=(eye,), name=eye.name, daemon=True))
            self._threads[-1].start()
        store_again = time.monotonic() + _STORE_AGAIN
        while not until() and (live or not self.eyes or any(not eye.ended for eye in recorded)):
            for eye in recorded:
                for observation in eye.step():
                    self.controller.take(observation)
            self._take_inbox(wait=all(eye.ended or eye.retry_in > 0 for eye in recorded))
            self._keep_calibrations()
            if self.controller.shown.trouble and time.monotonic() >= store_again:
                self.controller.again()
                store_again = time.monotonic() + _STORE_AGAIN

    def _take_inbox(self, wait: bool) -> None:
        try:
            self.controller.take(self._inbox.get(timeout=_TICK) if wait else self._inbox.get_nowait())
            while True:
                self.controller.take(self._inbox.get_nowait())
        except queue.Empty:
            return

    def _watch(self, eye: Eye) -> None:
        while not self._stop.is_set() and not eye.ended:
            for observation in eye.step():
                self._inbox.put(observation)
            if eye.retry_in > 0:
                self._stop.wait(min(eye.retry_in, _TICK))

    def _show(self, shown: Shown) -> None:
        if self.board:
            self.board.show(shown)
        self._also(shown)

    def _keep_calibrations(self) -> None:
        """Store where the mat was found, for a day on which a corner mark is hidden."""
        for eye in self.eyes:
            path, frame = self._calibrations.get(eye.name), eye.table_frame
            if path is not None and frame is not None and frame is not self._kept[eye.name]:
                self._kept[eye.name] = frame
                save_frame(path, frame)

    def _picture(self) -> bytes | None:
        """The last frame of the camera that needs help, else of the first one, as JPEG."""
        eyes = sorted(self.eyes, key=lambda eye: not eye.missing_marks)
        frame = next((eye.frame for eye in eyes if eye.frame is not None), None)
        if frame is None:
            return None
        height, width = frame.image.shape[:2]
        scale = min(_PICTURE_WIDTH / width, 1.0)
        small = cv2.resize(frame.image, (round(width * scale), round(height * scale)), interpolation=cv2.INTER_AREA)
        done, data = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, 80])
        return data.tobytes() if done else None
