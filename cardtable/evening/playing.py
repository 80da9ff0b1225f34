"""A game during an evening, and its result."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Final, Protocol, runtime_checkable

import cv2

from cardtable.config.model import BoardConfig
from cardtable.errors import UsageError
from cardtable.evening.equipment import Services
from cardtable.evening.results import result_of, tally_of
from cardtable.history.pictures import CorrectedCrops, KeptPictures, folder_of
from cardtable.journal.file import UnreadableGame
from cardtable.journal.journal import Journal
from cardtable.table.game_loop import Corrected, GameLoop, return_free_memory
from cardtable.table.messages import BOARD
from cardtable.table.outputs import HardwareOutputs, ReaderLights
from cardtable.table.readers import RfidSource
from cardtable.table.snapshot import Output, Places, Snapshot
from cardtable.table.sources import CameraSource, Received, Sources, Watchdog
from cardtable.table.trace import Trace, open_trace
from cardtable.web.integrations import CameraCounts
from cardtable.web.screens import Result
from cardtable.web.server import Board, open_board
from engine.actions import Action
from engine.cards import Card
from engine.errors import HeaderError
from engine.games import load_game
from engine.observations import Lost, Observation, Scene
from engine.record import Header
from engine.referee.observed_cards import SightingId
from engine.table import Table
from engine.texts import Text, text
from engine.views import Prompt, View
from vision.camera_pipeline import CameraPipeline
from vision.mat.homography import save_homography

# The cameras' pictures for the page, and what they have read so far.

_WIDTH: Final = 960
"""Largest width of a picture, pixels."""


class Cameras:
    """Cameras as the board shows them. Called in any thread."""

    cameras: tuple[CameraPipeline, ...]

    @property
    def camera_names(self) -> list[str]:
        """Their names."""
        return [camera.name for camera in self.cameras]

    def picture(self, name: str) -> bytes | None:
        """Return the last frame of the camera `name` as JPEG; None if there is none.

        An empty `name` stands for any camera, preferably one that misses corner marks.
        """
        named = (camera for camera in self.cameras if name in ("", camera.name))
        found = sorted(named, key=lambda camera: not camera.missing_marks)
        frame = next((camera.frame for camera in found if camera.frame is not None), None)
        if frame is None:
            return None
        height, width = frame.image.shape[:2]
        scale = min(_WIDTH / width, 1.0)
        small = cv2.resize(frame.image, (round(width * scale), round(height * scale)), interpolation=cv2.INTER_AREA)
        done, data = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, 80])
        return data.tobytes() if done else None

    def counts(self) -> list[CameraCounts]:
        """Return what each camera has done, and how many cards it sees."""
        return [
            CameraCounts(
                camera.name,
                camera.processed,
                camera.tracker.reads,
                len(camera.places),
                getattr(camera.source, "restarts", 0),
            )
            for camera in self.cameras
        ]


# Which game is played: a header is checked, and a stored game is resumed or a new one begun.


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
    resumed: `report` gets a message, and a new game begins. So it does if the newest game cannot be read, whatever its
    header: that may be what is damaged. No other game is read. Raises `JournalError` while another program plays the
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


# A game in progress: cameras and readers in, game loop and journal in the middle, board and hardware out.
#
# `run`, `watch` and `demo` open the parts and hand them to a `Session`, which owns the game loop and
# runs the main loop.

_CHECK_STORE_S: Final = 1.0

_LOG: Final = logging.getLogger(__name__)


@runtime_checkable
class WatchesBoard(Protocol):
    """A source whose players read the board: the simulated table."""

    def watch(self, view: Callable[[], View], prompts: Callable[[], tuple[Prompt, ...]]) -> None:
        """Keep `view` and `prompts`, which return what the board shows now."""


class Session(Cameras):
    """A game in progress, to be used in a `with` statement.

    `journal` has begun or resumed the game (`open_game`); `past` are its actions so far. `board`: the board that shows
    it, or where to serve one; None for no board. `hardware`: what is at the seats. `outputs`: what else shows the game,
    after the board and the hardware. `calibrations`: by camera name, the file that keeps the view of the mat. `alive`
    is called repeatedly while everything makes progress. `language`: of the board. `trace`: where observations and
    their effects are written. `see`: called with each scene of a camera or a reader; what it returns is processed.
    `result_of`: of the snapshot of a game that is over, what the board shows as its result. `corrected`: called with
    each card that a camera sees and that a person has named.

    The session closes `cameras`, `readers` and `trace`, also if it cannot be made. A `Board` and the hardware stay
    open. Raises `CardtableError` if the port is in use, or `past` does not fit the rules.
    """

    def __init__(
        self,
        header: Header,
        cameras: Sequence[CameraPipeline],
        journal: Journal | None = None,
        past: Sequence[Action] = (),
        board: Board | BoardConfig | None = None,
        outputs: Sequence[Output] = (),
        calibrations: Mapping[str, Path] | None = None,
        readers: Sequence[RfidSource] = (),
        hardware: HardwareOutputs | None = None,
        alive: Callable[[], None] = lambda: None,
        language: str = "en",
        trace: Trace | None = None,
        see: Callable[[Observation], Observation] = lambda observation: observation,
        result_of: Callable[[Snapshot], Result | None] = lambda shown: None,
        corrected: Corrected = lambda sighting, card: None,
    ) -> None:
        return_free_memory()  # of the game before
        self.cameras = tuple(cameras)
        self.title: Final = load_game(header.game).title
        self.result_of: Final = result_of
        self.playing: Final = True
        self._readers = tuple(readers)
        self._hardware = hardware
        self._see = see
        self._trace = trace
        self._watchdog = Watchdog(alive)
        self.board: Board | None = None
        self._own_board = False
        self._sources = Sources([*readers, *map(CameraSource, cameras)], self._watchdog)
        self._ended: set[str] = set()
        self._calibrations = dict(calibrations or {})
        self._saved_homographies = {camera.name: camera.homography for camera in cameras}
        self._check_store_at = 0.0
        self._places: Places = lambda: {camera.name: camera.places for camera in cameras}
        try:
            self._own_board = isinstance(board, BoardConfig)
            self.board = open_board(board, language) if isinstance(board, BoardConfig) else board
            if self.board:
                self.board.watch(self)
                if journal:
                    self.board.integrations.journal = journal.path
            if hardware:
                hardware.start(self.enter, self._watchdog)
            sources = [*(camera.name for camera in cameras), *(reader.name for reader in readers)]
            interactive = any(camera.source.live or isinstance(camera.source, WatchesBoard) for camera in cameras)
            recorded = bool(cameras) and not interactive
            lights = map(ReaderLights, readers)
            everything = [each for each in (self.board, *lights, hardware, *outputs) if each is not None]
            self.controller: Final = GameLoop(
                Table(header), journal, everything, past, sources, recorded, trace, self._places, corrected
            )
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
        """Close cameras, readers, and a board of its own. Nothing is lost: everything shown is stored."""
        self._sources.close()
        if self.board and self._own_board:
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
        self._sources.start()
        stepped = {source.name for source in self._sources.stepped}
        recordings = [camera for camera in self.cameras if camera.name in stepped]
        threads = len(stepped) < len(self._sources.all)

        def finished() -> bool:
            return bool(recordings) and not threads and all(camera.ended for camera in recordings)

        while not (until() if until else finished()):
            if self.board:
                self.board.integrations.measures.turned()
            for received in self._sources.turn():
                self._process(received)
            for camera in recordings if until else ():
                if camera.ended:
                    self._report_end(camera)
            if self._hardware:
                self._hardware.step()
            self._save_calibrations()
            self._pass_time()
            self._check_store()
            self._watchdog.check(storing=self.controller.snapshot.trouble is None)

    def _process(self, received: Received) -> None:
        if isinstance(received.what, Scene):
            received = replace(received, what=self._see(received.what))
        began = time.monotonic()
        self.controller.process(received)
        if self.board and isinstance(received.what, Observation):
            self.board.integrations.measures.observation.observe(time.monotonic() - began)

    def _report_end(self, camera: CameraPipeline) -> None:
        if camera.name not in self._ended and not self.controller.table.over:
            message = (
                "The recording {source} has ended, but the game has not. Start it again with another source to go on."
            )
            reason = text(message, source=camera.source.name)
            self.controller.take(Lost(camera.frame.time if camera.frame else 0.0, camera.name, reason))
        self._ended.add(camera.name)

    def put(self, received: Received) -> None:
        """Take what was entered on a page, said with a button, or a failure of the hardware; called in any thread."""
        if received.sender is not BOARD:
            _LOG.info("%s: %s", received.sender.name, type(received.what).__name__)
        self._sources.put(received)

    def enter(self, observation: Observation) -> None:
        """Take what is observed, but not by a camera or a reader; called in any thread."""
        self.put(Received(observation))

    def wake(self) -> None:
        """Let `run` ask again whether it is to end, soon; called in any thread."""
        self._sources.wake()

    def show_again(self) -> None:
        """Show the game on the small displays again, after something else."""
        if self._hardware:
            self._hardware.show(replace(self.controller.snapshot, news=()), self.controller.table.view)

    def faulty_source(self, error: Exception) -> bool:
        """Return whether `run` has raised `error` because of a fault of a camera or reader, not of the rules."""
        return self._sources.fault is error

    def _pass_time(self) -> None:
        """Pass the time on the clock of each source to the game loop."""
        for source in self._sources.all:
            if (now := source.now()) is not None:
                self.controller.pass_time(source.name, now)

    def _check_store(self) -> None:
        if time.monotonic() >= self._check_store_at:
            self.controller.check_store()
            self._check_store_at = time.monotonic() + _CHECK_STORE_S

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


class KeptNews:
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


class Playing(Session):
    """Plays the game that the journal has begun or resumed, with `past` actions. Closes what it opens.

    `since`: when the evening began. `see`: as in `Session`. `open_game` is called once cameras and readers are open,
    and returns the actions of the game so far. Raises `CardtableError` if the game cannot be played.
    """

    def __init__(
        self,
        services: Services,
        header: Header,
        open_game: Callable[[], Sequence[Action]],
        since: Callable[[], float | None],
        see: Callable[[Observation], Observation],
    ) -> None:
        self._services = services
        self._header = header
        self._since = since
        folder = services.config.corrected
        self._crops = CorrectedCrops(folder) if folder else None
        equipment = services.equipment
        cameras = equipment.cameras(header)
        try:
            readers = equipment.readers()
            try:
                past = tuple(open_game())
            except BaseException:
                for reader in readers:
                    reader.close()
                raise
        except BaseException:
            for camera in cameras:
                camera.close()
            raise
        self._pictures = self._kept_pictures()
        self.past = past
        """The actions before the program was started, or the game resumed."""
        super().__init__(
            header,
            cameras,
            services.journal,
            past,
            services.board,
            calibrations=equipment.calibrations,
            readers=readers,
            hardware=services.outputs,
            alive=services.alive,
            trace=open_trace(services.trace, header, services.trace_hands),
            see=see,
            result_of=self._result_of,
            corrected=self._corrected,
            outputs=[] if self._pictures is None else [KeptNews(self._pictures, services.journal, cameras)],
        )

    def _kept_pictures(self) -> KeptPictures | None:
        most = self._services.config.history.pictures
        return KeptPictures(folder_of(self._services.journal.path), most) if most else None

    @property
    def table(self) -> Table:
        """The table of the game."""
        return self.controller.table

    def close(self) -> None:
        """Stop playing; the game stays stored."""
        super().close()
        if self._pictures is not None:
            self._pictures.close()
        self._services.journal.put_down()

    def _corrected(self, sighting: SightingId, card: Card) -> None:
        if self._crops:
            self._crops.keep_from(self.cameras, sighting, card)

    def _result_of(self, shown: Snapshot) -> Result | None:
        number = self._services.journal.number
        if number is None:
            return None
        games = self._services.journal.games
        entry = games.entry(number)
        seconds = (entry.ended or entry.started) - entry.started if entry else 0.0
        tally = tally_of(games, self._since())
        return result_of(shown, self._header, number, seconds, tally, self._services.translate)
