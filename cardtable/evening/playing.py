"""Playing a game: which stored game is resumed, and the activity of the game loop that plays it."""

from __future__ import annotations

import ctypes
import gc
import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Final, Protocol, runtime_checkable

from cardtable.config.model import BoardConfig
from cardtable.errors import UsageError
from cardtable.evening.equipment import Services
from cardtable.evening.results import result_of, tally_of
from cardtable.history.pictures import CorrectedCrops, KeptPictures
from cardtable.journal.file import UnreadableGame
from cardtable.journal.journal import Journal
from cardtable.table.game_loop import GameLoop
from cardtable.table.live_game import Corrected, LiveGame
from cardtable.table.messages import BOARD, Refusal
from cardtable.table.outputs import HardwareOutputs, ReaderLights
from cardtable.table.readers import RfidSource
from cardtable.table.snapshot import Corners, Output, Snapshot
from cardtable.table.sources import CameraSource, Received
from cardtable.table.trace import Trace, open_trace
from cardtable.web.screens import Result
from cardtable.web.server import Board, CameraPictures, ResultOf
from engine.actions import Action
from engine.errors import HeaderError
from engine.games import load_game
from engine.observations import Lost, Observation
from engine.record import Header
from engine.table import Table
from engine.texts import Text, text
from engine.views import Prompt, View
from vision.camera_pipeline import CameraPipeline
from vision.mat.homography import save_homography

_CHECK_STORE_S: Final = 1.0
"""Seconds between two checks that the journal can store."""

_LOG: Final = logging.getLogger(__name__)


def checked(header: Header) -> Header:
    """Return `header` if the game can be played with it. Raises `UsageError`."""
    try:
        header.check()
    except HeaderError as error:
        raise UsageError(str(error)) from error
    return header


def open_game(
    journal: Journal, header: Header, new: bool = False, report: Callable[[Text], None] = lambda message: None
) -> tuple[Action, ...]:
    """Resume the last game with this header unless it is over, or begin one; return its actions so far.

    `new`: begin one even if the last is not over. The last one then stays in the journal as it is; one without any
    actions is used as the new game. A game that cannot be read, or that the rules refuse, stays stored and is not
    resumed: `report` gets a message, and a new game begins. The same goes if the newest game cannot be read, whatever
    its header: the damage may be there. No other game is read. Raises `JournalError` while another program plays the
    last one.
    """
    if journal.notice is not None:
        report(journal.notice)
    number, newest = journal.games.last(header), journal.games.last()
    if newest is not None and not new and (newest != number or journal.games.over(newest)):
        try:
            journal.games.check(newest)
        except UnreadableGame as error:
            report(error.args[0])
    if number is not None and not journal.games.over(number):
        journal.resume(number)
        try:
            past = journal.games.replayed(number)[0].actions
        except UnreadableGame as error:
            if not new:
                report(text("{error}. A new game begins.", error=str(error)))
        else:
            if not new or not past:
                return past
    journal.begin(header)
    return ()


@dataclass(frozen=True, slots=True)
class Parts:
    """What a game is played with, opened already.

    `journal` has begun or resumed the game (`open_game`); `past` are its actions so far. `board` and `hardware` show
    the game, then `outputs`. `calibrations`: by camera name, the file that keeps the view of the mat. `trace`: where
    observations and their effects are written. `corrected`: as for `LiveGame`. `result_of`: returns the result that the
    board shows when the game is over. `observed`: called with each observation before it is processed.
    """

    header: Header
    cameras: Sequence[CameraPipeline] = ()
    journal: Journal | None = None
    past: Sequence[Action] = ()
    readers: Sequence[RfidSource] = ()
    board: Board | None = None
    hardware: HardwareOutputs | None = None
    outputs: Sequence[Output] = ()
    calibrations: Mapping[str, Path] = field(default_factory=dict)
    trace: Trace | None = None
    corrected: Corrected = lambda sighting, card: None
    result_of: ResultOf | None = None
    observed: Callable[[Observation], None] = lambda observation: None

    def close(self) -> None:
        """Close cameras, readers and trace; not the board and the hardware. May be called twice."""
        for camera in self.cameras:
            camera.close()
        for reader in self.readers:
            reader.close()
        if self.trace:
            self.trace.close()


@runtime_checkable
class WatchesBoard(Protocol):
    """A source whose players read the board: the simulated table."""

    def watch(self, view: Callable[[], View], prompts: Callable[[], tuple[Prompt, ...]]) -> None:
        """Keep `view` and `prompts`, which return what the board shows now."""


class Playing:
    """The activity of `loop` that plays a game with `parts`, until `close`. `past`: the actions before it was resumed.

    Raises `CardtableError` if `past` does not fit the rules; `parts` are closed then.
    """

    def __init__(self, loop: GameLoop, parts: Parts) -> None:
        if parts.cameras:
            return_free_memory()  # of the game before
        self._loop = loop
        self._parts = parts
        self.cameras: Final = parts.cameras
        self.board: Final = parts.board
        self.past: Final = parts.past
        self._saved_homographies = {camera.name: camera.homography for camera in parts.cameras}
        self._ends_with_recordings = False
        self._reported_ends: set[str] = set()
        self._check_store_at = 0.0
        try:
            self._open(parts)
            self.game: Final = _live_game(parts)
            self.table: Final = self.game.table
        except BaseException:
            self.close()
            raise
        for camera in parts.cameras:
            if isinstance(camera.source, WatchesBoard):
                camera.source.watch(lambda: self.game.snapshot.view, lambda: self.game.snapshot.prompts)

    def _open(self, parts: Parts) -> None:
        """Connect the parts with the loop."""
        self._loop.open([*parts.readers, *map(CameraSource, parts.cameras)])
        if parts.board:
            title, options = load_game(parts.header.game).title, parts.header.options
            parts.board.watch(CameraPictures(parts.cameras, title, options), parts.result_of)
            if parts.journal:
                parts.board.integrations.journal = parts.journal.path
        if parts.hardware:
            parts.hardware.start(self._loop.put, self._loop.watchdog)

    def close(self) -> None:
        """Close cameras, readers and trace. Nothing is lost: everything shown is stored."""
        self._loop.release()
        self._parts.close()

    @property
    def storing(self) -> bool:
        """Whether the journal can store."""
        return self.game.snapshot.trouble is None

    def enter(self, observation: Observation) -> None:
        """Add an observation that no camera or reader has made; called in any thread."""
        self._loop.observe(observation)

    def run(self, until: Callable[[], bool] | None = None) -> None:
        """Play until `until()` is true; without it, until all recordings have ended, which live cameras never do.

        If a recording ends before the game and `until` keeps the table waiting, the board says so. Raises whatever was
        raised in the thread of a source.
        """
        self._ends_with_recordings = until is None
        self._loop.start()
        recordings, threads = self._recordings(), len(self._loop.stepped) < len(self._loop.sources)

        def ended() -> bool:
            return bool(recordings) and not threads and all(camera.ended for camera in recordings)

        self._loop.run(self, until or ended)

    def process(self, received: Received) -> Refusal | None:
        """Process what has happened in the game; refuse messages for an evening."""
        if received.sender is not BOARD:
            _LOG.info("%s: %s", received.sender.name, type(received.what).__name__)
        if received.is_for_evening:
            return {"refused": text("This table plays one game only: start it with cardtable run.")}
        if not isinstance(received.what, Observation):
            return self.game.process(received)
        self._parts.observed(received.what)
        began = time.monotonic()
        refusal = self.game.process(received)
        if self.board:
            self.board.integrations.measures.observation.observe(time.monotonic() - began)
        return refusal

    def pass_time(self) -> None:
        """Do what is due: drive the hardware, show urgent prompts, check the journal, keep the view of the mat."""
        if self.board:
            self.board.integrations.measures.turned()
        if not self._ends_with_recordings:
            self._report_ended_recordings()
        if self._parts.hardware:
            self._parts.hardware.step()
        self._save_calibrations()
        for source in self._loop.sources:
            if (now := source.now()) is not None:
                self.game.pass_time(source.name, now)
        if time.monotonic() >= self._check_store_at:
            self.game.check_store()
            self._check_store_at = time.monotonic() + _CHECK_STORE_S

    def show_again(self) -> None:
        """Show the game on the small displays again, after something else."""
        if self._parts.hardware:
            self._parts.hardware.show(replace(self.game.snapshot, news=()), self.table.view)

    def _recordings(self) -> list[CameraPipeline]:
        """Return the cameras that are read step by step."""
        stepped = {source.name for source in self._loop.stepped}
        return [camera for camera in self.cameras if camera.name in stepped]

    def _report_ended_recordings(self) -> None:
        for camera in self._recordings():
            if camera.ended and camera.name not in self._reported_ends:
                self._reported_ends.add(camera.name)
                if not self.table.over:
                    message = (
                        "The recording {source} has ended, but the game has not. "
                        "Start it again with another source to go on."
                    )
                    reason = text(message, source=camera.source.name)
                    self.game.take(Lost(camera.frame.time if camera.frame else 0.0, camera.name, reason))

    def _save_calibrations(self) -> None:
        """Store where the mat was found, for a time when a corner mark is hidden."""
        for camera in self.cameras:
            path, homography = self._parts.calibrations.get(camera.name), camera.homography
            if path is not None and homography is not None and homography is not self._saved_homographies[camera.name]:
                self._saved_homographies[camera.name] = homography
                try:
                    save_homography(path, homography)
                except OSError as error:  # a full disk stops no game, and the marks are in sight now
                    _LOG.warning("%s cannot be written: %s", path, error)


def _live_game(parts: Parts) -> LiveGame:
    """Return the game, which shows itself on all outputs."""
    outputs: list[Output | None] = [parts.board, *map(ReaderLights, parts.readers), parts.hardware, *parts.outputs]
    cameras = parts.cameras
    interactive = any(camera.source.live or isinstance(camera.source, WatchesBoard) for camera in cameras)

    def places() -> dict[str, Mapping[str, Corners]]:
        return {camera.name: camera.places for camera in cameras}

    return LiveGame(
        Table(parts.header),
        parts.journal,
        [output for output in outputs if output is not None],
        parts.past,
        [*(camera.name for camera in cameras), *(reader.name for reader in parts.readers)],
        recorded=bool(cameras) and not interactive,
        trace=parts.trace,
        places=places,
        corrected=parts.corrected,
    )


@contextmanager
def one_game(
    parts: Parts,
    board: BoardConfig | None = None,
    language: str = "en",
    alive: Callable[[], None] = lambda: None,
) -> Iterator[Playing]:
    """Play one game without an evening; `Playing.run` runs it. Everything is closed at the end but the hardware.

    `board`: serve this board, in this language. `alive`: as for `GameLoop`. Raises `CardtableError` if the port is in
    use, or the actions so far do not fit the rules.
    """
    with ExitStack() as stack:
        stack.callback(parts.close)
        loop = GameLoop(alive)
        if board:
            served = stack.enter_context(closing(Board(board, language, loop.put)))
            parts = replace(parts, board=served)
        stack.callback(loop.close)
        yield stack.enter_context(closing(Playing(loop, parts)))


def open_playing(
    services: Services,
    header: Header,
    open_game: Callable[[], Sequence[Action]],
    since: float,
    pictures: KeptPictures | None,
) -> Playing:
    """Open a game of the evening that began at `since`, as the activity of the table's loop.

    `open_game` is called once cameras and readers are open; it begins or resumes the game in the journal, and returns
    its actions so far. `pictures`: where a picture of each action is kept. Raises `CardtableError` if the game cannot
    be played; everything is closed then.
    """
    journal, equipment, folder = services.journal, services.equipment, services.config.corrected
    parts = Parts(header, journal=journal, board=services.board, hardware=services.outputs)
    try:
        parts = replace(parts, cameras=equipment.cameras(header))
        parts = replace(parts, readers=equipment.readers())
        parts = replace(
            parts,
            past=tuple(open_game()),
            outputs=[_KeptNews(pictures, journal, parts.cameras)] if pictures else [],
            calibrations=equipment.calibrations,
            trace=open_trace(services.trace, header, services.trace_hands),
            result_of=lambda shown: _evening_result(services, shown, header, since),
        )
        if folder:
            parts = replace(parts, corrected=partial(CorrectedCrops(folder).keep_from, parts.cameras))
    except BaseException:
        parts.close()
        raise
    return Playing(services.loop, parts)


def _evening_result(services: Services, shown: Snapshot, header: Header, since: float) -> Result | None:
    """Return the result of the game that is over, with the tally of the evening."""
    number, games = services.journal.number, services.journal.games
    if number is None:
        return None
    entry = games.entry(number)
    seconds = (entry.ended or entry.started) - entry.started if entry else 0.0
    return result_of(shown, header, number, seconds, tally_of(games, since), services.translate)


class _KeptNews:
    """Keeps what the first camera sees as the picture of the last action."""

    def __init__(self, pictures: KeptPictures, journal: Journal, cameras: Sequence[CameraPipeline]) -> None:
        self._pictures = pictures
        self._journal = journal
        self._cameras = cameras

    def show(self, snapshot: Snapshot, view_of: Callable[[int | None], View]) -> None:
        """Keep a picture if there is a new action."""
        number, started = self._journal.number, self._journal.started
        frame = next((camera.frame for camera in self._cameras if camera.frame is not None), None)
        if snapshot.news and number is not None and started is not None and frame is not None:
            self._pictures.keep(number, started, snapshot.news[-1].n, frame)


def return_free_memory() -> None:
    """Return free memory to the system, if the C library can do that (glibc).

    Otherwise glibc keeps the space of a game's pictures that lies between smaller pieces still in use: 150 to 400 MB
    more with every game before a camera.
    """
    gc.collect()  # pictures that refer to each other
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)
