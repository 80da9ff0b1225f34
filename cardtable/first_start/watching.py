"""The first start without a running table: cameras and readers are opened here, when a step needs them."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from cardtable.board.access.access import Access, Denied
from cardtable.board.access.store import phones_file
from cardtable.board.addresses import phone_url
from cardtable.board.messages import Begin
from cardtable.doctor.machine import Machine
from cardtable.errors import CardtableError
from cardtable.evening.equipment import Equipment, lobby_mat
from cardtable.evening.idle_sources import IdleSources
from cardtable.evening.lobby import Lobby
from cardtable.evening.memory import Evening, Memory
from cardtable.evening.states import EventRefused
from cardtable.first_start.site import ConfiguredSite
from cardtable.first_start.step import LobbyMessage, Unfit
from cardtable.first_start.system import System
from cardtable.languages import translator
from cardtable.play.games import open_game
from cardtable.play.journal import Journal
from cardtable.play.rfid_source import RfidSource
from vision.camera_pipeline import CameraPipeline

_LOG: Final = logging.getLogger(__name__)


class TerminalSite(ConfiguredSite):
    """A table that does not run, configured by the file `path`. Call `close` at the end."""

    def __init__(self, path: Path, machine: Machine | None = None, system: System | None = None) -> None:
        super().__init__(path, machine, system)
        self.begun = False
        """Whether a game was begun; `cardtable run` continues it."""
        self._opened: _Opened | None = None
        self._journal: Journal | None = None

    def idle(self) -> IdleSources | None:
        """Return the cameras and readers; they are opened at the first call, and again after a change."""
        if self.reopening:
            self.close_sources()
        if self._opened is None:
            self._opened = _Opened(self)
        return self._opened.idle

    def close_sources(self) -> None:
        """Close cameras and readers; they are opened again when they are needed."""
        self.reopening = False
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    def close(self) -> None:
        """Close everything. May be called twice."""
        self.close_sources()
        if self._journal is not None:
            self._journal.close()
            self._journal = None

    @property
    def journal(self) -> Journal:
        """The journal, opened at its first use. Raises `CardtableError`."""
        if self._journal is None:
            self._journal = Journal(self.config.journal)
        return self._journal

    # Players and the game, as the journal stores them

    def lobby(self) -> Lobby:
        """Return what is chosen in the lobby."""
        stored = Memory(self.journal).load()
        return stored.lobby if stored else Lobby()

    def remembered(self) -> Sequence[str]:
        """Return the names of players of earlier evenings."""
        return Memory(self.journal).players()

    def ask_lobby(self, message: LobbyMessage) -> None:
        """Do this in the stored lobby. Raises `CardtableError` with the lobby's refusal."""
        memory, lobby = Memory(self.journal), self.lobby()
        stored = memory.load() or Evening()
        try:
            if isinstance(message, Begin):
                header = lobby.header()
                self.close_sources()
                open_game(self.journal, header, new=True)
                since = memory.begun(stored.since)
                memory.save(Evening("game", lobby.of(header), self.journal.number, since), header.players)
                self.begun = True
                return
            lobby = lobby.changed(message)
        except EventRefused as error:
            raise Unfit(str(error)) from error
        memory.save(Evening("lobby", lobby, None, stored.since), lobby.players)

    # Phones

    def set_pin(self, pin: str) -> None:
        """Set the director's PIN, and let phones in from the next start on."""
        try:
            Access(self.config.access, phones_file(self.config.journal)).set_pin(pin)
        except Denied as error:
            raise Unfit(str(error)) from error
        self.change({("board", "network"): True})

    def phone_address(self) -> str | None:
        """Return the address that a phone will open; None if no network reaches this machine."""
        board = self.config.board
        return phone_url(board.listens_at, board.port)


class _Opened:
    """Cameras and readers that run in a thread of their own until `close`."""

    def __init__(self, site: TerminalSite) -> None:
        config = site.config
        self._equipment = Equipment(config, None)
        lobby = site.lobby()
        mat = lobby_mat(None, len(lobby.players))
        cameras: list[CameraPipeline] = []
        failed: dict[str, str] = {}
        waiting: list[str] = []
        for camera in config.cameras:
            try:
                pipeline = self._equipment.camera_in_lobby(camera, None, mat)
            except CardtableError as error:
                failed[camera.name] = str(error)
                continue
            if pipeline is None:
                waiting.append(camera.name)
            else:
                cameras.append(pipeline)
        readers: list[RfidSource] = []
        try:
            readers = self._equipment.readers()
        except CardtableError as error:
            failed["readers"] = str(error)
        self._journal = Journal(config.journal)  # of its own, because it is used in another thread
        translate = translator(config.language)
        self.idle: Final = IdleSources(cameras, readers, mat, self._journal, translate, waiting=waiting, failed=failed)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="first start", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop looking, and close what was opened."""
        self._over.set()
        self.idle.wake()
        self._thread.join()
        self.idle.close()
        self._equipment.close()
        self._journal.close()

    def _run(self) -> None:
        try:
            self.idle.run(self._over.is_set)
        except Exception:  # whatever it is, the questions go on
            _LOG.exception("a camera or a reader has stopped because of a fault")
