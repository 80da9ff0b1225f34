"""The cameras and readers of the table, opened again for each game and for the lobby.

A live camera stays open until `Equipment.close`: opening one takes seconds, and only its mat and its readers depend on
the game.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from cardtable.config.decks import learned_deck, suits_of, unlearned
from cardtable.config.devices import CameraConfig
from cardtable.config.model import TableConfig
from cardtable.errors import CardtableError
from cardtable.evening.next_round import NextRound
from cardtable.journal.journal import Journal
from cardtable.table.cameras import card_readers, mat_for, open_frames, stored_view
from cardtable.table.game_loop import GameLoop
from cardtable.table.outputs import HardwareOutputs
from cardtable.table.readers import RfidSource, open_readers
from cardtable.web.server import Board
from engine.games import load_game
from engine.record import Header
from engine.rules.game import Game
from engine.texts import Text, Translate
from vision.camera_pipeline import CameraPipeline
from vision.cameras.sources import Recording
from vision.frames import FrameSource
from vision.mat.layout import PLAYERS, Mat, lay_out
from vision.readings import Reader


class Kept:
    """A live `FrameSource` whose `close` does nothing, because the next game goes on with it."""

    def __init__(self, source: FrameSource) -> None:
        self.live = True
        self.source = source
        self.name = source.name
        self.read = source.read

    def __getattr__(self, name: str) -> Any:
        return getattr(self.source, name)

    def close(self) -> None:
        """Do nothing."""


@dataclass(frozen=True, slots=True)
class LobbyDevices:
    """The cameras and readers that look at the table while no game is played.

    `mat`: the mat that the cameras expect. `waiting`: the names of cameras that begin with the game, such as
    recordings. `failed`: why devices could not be opened, by name. `mats`: the mats that may lie there, for each
    number of players.
    """

    mat: Mat
    cameras: Sequence[CameraPipeline] = ()
    readers: Sequence[RfidSource] = ()
    waiting: Sequence[str] = ()
    failed: Mapping[str, str] = field(default_factory=dict)
    mats: Sequence[Mat] = ()


class Equipment:
    """The cameras and readers that `config` names.

    `report` gets remarks for the terminal. `more`: further schemes of sources, for tests.
    """

    def __init__(
        self,
        config: TableConfig,
        journal: Journal | None,
        report: Callable[[Text], None] = lambda message: None,
        more: Mapping[str, Callable[[str], FrameSource]] | None = None,
    ) -> None:
        self._config = config
        self._journal = journal
        self._report = report
        self._more = {"video": Recording, **(more or {})}
        self._sources: dict[str, Kept] = {}
        self._readers: dict[tuple[str | None, str | None, tuple[float, float] | None], list[Reader]] = {}
        self._gaps: set[str] = set()
        self.calibrations: Final[dict[str, Path]] = {
            camera.name: camera.calibration for camera in config.cameras if camera.calibration
        }

    def cameras(self, header: Header) -> list[CameraPipeline]:
        """Open all cameras over the mat of this game. Raises `CardtableError`."""
        opened: list[CameraPipeline] = []
        try:
            for camera in self._config.cameras:
                opened.append(self._pipeline(camera, self._source(camera, header), mat_for(header), header.game))
                gap = unlearned(camera.deck, header.game)
                if gap is not None and gap not in self._gaps:
                    self._gaps.add(gap)
                    self._report(gap)
        except BaseException:
            for each in opened:
                each.close()
            raise
        return opened

    def open_for_lobby(
        self, game: str | None, players: int, readers_only: bool = False, unfit: str | None = None
    ) -> LobbyDevices:
        """Open cameras and readers while no game is played.

        `game`: the game that is chosen; `players`: how many sit at the table. `unfit`: what is wrong with all cameras,
        which then stay closed.
        """
        kind = load_game(game) if game else None
        mat = lobby_mat(kind, players)
        cameras: list[CameraPipeline] = []
        waiting: list[str] = []
        failed: dict[str, str] = {}
        for camera in () if readers_only else self._config.cameras:
            if unfit is not None:
                failed[camera.name] = unfit
                continue
            try:
                opened = self._camera_in_lobby(camera, game, mat)
            except CardtableError as error:
                failed[camera.name] = str(error)
                continue
            if opened is None:
                waiting.append(camera.name)
            else:
                cameras.append(opened)
        readers: list[RfidSource] = []
        try:
            readers = self.readers()
        except CardtableError as error:
            failed["readers"] = str(error)
        seats, zones = (kind.seats, kind.zones) if kind else (PLAYERS, ("show",))
        return LobbyDevices(mat, cameras, readers, waiting, failed, [lay_out(count, zones) for count in seats])

    def _camera_in_lobby(self, camera: CameraConfig, game: str | None, mat: Mat) -> CameraPipeline | None:
        """Open a camera; return None for a recording, which begins with the game. Raises `CardtableError`."""
        if camera.source.startswith("synthetic:"):
            return None
        source = self._source(camera, None)
        if not source.live:
            source.close()
            return None
        return self._pipeline(camera, source, mat, game)

    def readers(self) -> list[RfidSource]:
        """Open the reader boards. Raises `CardtableError`."""
        return open_readers(self._config.reader, self._journal)

    def close(self) -> None:
        """Close the cameras; they are opened again when they are needed."""
        for kept in self._sources.values():
            kept.source.close()
        self._sources.clear()

    def _source(self, camera: CameraConfig, header: Header | None) -> FrameSource:
        if camera.name in self._sources:
            return self._sources[camera.name]
        spec = f"video:{camera.source}" if Path(camera.source).is_file() else camera.source
        source = open_frames(spec, header, self._more, camera.settings)
        if not source.live:
            return source
        self._sources[camera.name] = Kept(source)
        return self._sources[camera.name]

    def _pipeline(self, camera: CameraConfig, source: FrameSource, mat: Mat, game: str | None) -> CameraPipeline:
        try:
            key = camera.deck, game, camera.card_mm
            if key not in self._readers:
                deck = learned_deck(camera.deck, game) if game else None
                self._readers[key] = card_readers(self._config.marks, deck, game, camera.card_mm, suits_of(camera.deck))
            return CameraPipeline(source, mat, self._readers[key], camera.name, stored_view(camera.calibration))
        except CardtableError:
            source.close()
            raise


def lobby_mat(game: type[Game] | None, players: int) -> Mat:
    """Return the mat of `game` for the number of seats nearest to `players`; without a game, a mat without zones."""
    if game is None:
        return lay_out(max(players, 2), ())
    return lay_out(min(game.seats, key=lambda seats: abs(seats - players)), game.zones)


@dataclass(frozen=True, slots=True)
class Services:
    """What the parts of an evening share. `trace`, `trace_hands`: the command's options."""

    config: TableConfig
    journal: Journal
    loop: GameLoop
    board: Board
    equipment: Equipment
    translate: Translate
    outputs: HardwareOutputs | None = None
    trace: Path | None = None
    trace_hands: bool = False
    next_round: NextRound = field(default_factory=NextRound)
