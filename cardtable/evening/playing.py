"""A game during an evening, and its result."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cardtable.board.screen_result import Result
from cardtable.board.snapshot import Snapshot
from cardtable.evening.past_games import tally_of
from cardtable.evening.services import Services
from cardtable.history.pictures import KeptPictures, folder_of
from cardtable.play.corrected_crops import CorrectedCrops
from cardtable.play.ending import result_of
from cardtable.play.session import Session
from cardtable.play.trace import open_trace
from engine.actions import Action
from engine.cards import Card
from engine.observations import Observation
from engine.record import Header
from engine.referee.observed_card import SightingId
from engine.table import Table
from vision.camera_pipeline import CameraPipeline


class Playing:
    """Plays the game that the journal has begun or resumed, with `past` actions. Closes what it opens.

    `since`: when the evening began. `see`: see `Session`. `open_game` is called once cameras and readers are open, and
    returns the actions of the game so far. Raises `CardtableError` if the game cannot be played.
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
        self.session = Session(
            header,
            cameras,
            services.journal,
            past,
            services.board,
            calibrations=equipment.calibrations,
            readers=readers,
            outputs=services.outputs,
            alive=services.alive,
            trace=open_trace(services.trace, header, services.trace_hands),
            lent=True,
            see=see,
            result_of=self._result_of,
            corrected=self._corrected,
            show=lambda shown: self._keep_picture(shown, cameras),
        )

    def _kept_pictures(self) -> KeptPictures | None:
        most = self._services.config.history.pictures
        return KeptPictures(folder_of(self._services.journal.path), most) if most else None

    def _keep_picture(self, shown: Snapshot, cameras: Sequence[CameraPipeline]) -> None:
        """Keep what the first camera sees now as the picture of the last action, if there is a new one."""
        journal = self._services.journal
        if self._pictures is None or not shown.news or journal.number is None or journal.started is None:
            return
        frame = next((camera.frame for camera in cameras if camera.frame is not None), None)
        if frame is not None:
            self._pictures.keep(journal.number, journal.started, shown.news[-1].n, frame)

    @property
    def table(self) -> Table:
        """The table of the game."""
        return self.session.controller.table

    def faulty_source(self, error: Exception) -> bool:
        """Return whether `error`, raised by `run`, is a fault of a camera or reader, not of the rules."""
        return self.session.faulty_source(error)

    def run(self, until: Callable[[], bool]) -> None:
        """Play until `until()` is true. Raises whatever the rules, or the thread of a source, raise."""
        self.session.run(until)

    def wake(self) -> None:
        """Let `run` ask again whether it is to end, soon; called in any thread."""
        self.session.wake()

    def close(self) -> None:
        """Stop playing; the game stays stored."""
        self.session.close()
        if self._pictures is not None:
            self._pictures.close()
        self._services.journal.put_down()

    def _corrected(self, sighting: SightingId, card: Card) -> None:
        if self._crops:
            self._crops.keep_from(self.session.cameras, sighting, card)

    def _result_of(self, shown: Snapshot) -> Result | None:
        number = self._services.journal.number
        if number is None:
            return None
        games = self._services.journal.games
        entry = games.entry(number)
        seconds = (entry.ended or entry.started) - entry.started if entry else 0.0
        tally = tally_of(games, self._since())
        return result_of(shown, self._header, number, seconds, tally, self._services.translate)
