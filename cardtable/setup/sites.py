"""The first start without a running table: cameras and readers are opened here, when a step needs them."""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Sequence
from concurrent.futures import TimeoutError as TooLate
from pathlib import Path
from typing import Final

from cardtable.config.load import NoConfig, checked_config, read_config
from cardtable.config.model import TableConfig
from cardtable.config.writing import Changes, change_config
from cardtable.doctor.finding import Machine
from cardtable.errors import CardtableError
from cardtable.evening.equipment import Equipment, lobby_mat
from cardtable.evening.host import Host
from cardtable.evening.lobby import Lobby
from cardtable.evening.memory import Evening, Memory
from cardtable.evening.playing import open_game
from cardtable.evening.states import EventRefused
from cardtable.evening.waiting import IdleSources, Waiting
from cardtable.journal.journal import Journal
from cardtable.languages import translator
from cardtable.setup.network import System
from cardtable.setup.step import LobbyMessage, Unfit
from cardtable.table.messages import Begin
from cardtable.table.readers import RfidSource
from cardtable.web.access import Access, Denied
from cardtable.web.access_file import phones_file
from cardtable.web.connections import phone_url
from cardtable.web.screens import LobbyCard, SourceCheck
from engine.texts import text
from vision.camera_pipeline import CameraPipeline

# What the two sites have in common: at the board, and in a terminal.

_LOOK_S = 0.3
"""Seconds for which what the cameras report is not asked again: a look at a picture takes milliseconds."""


class ConfiguredSite:
    """A machine and its configuration. `machine`, `system`: those of this computer, unless tests bring others."""

    def __init__(self, path: Path, machine: Machine | None = None, system: System | None = None) -> None:
        self.path = path
        self.machine = machine or Machine()
        self.system = system or System()
        self.reopening = False
        """Whether cameras, readers and texts are to be opened again, because the configuration has changed."""
        self._config = config_at(path)
        self._sources: tuple[float, Sequence[SourceCheck]] | None = None

    @property
    def config(self) -> TableConfig:
        """The configuration as it is now."""
        return self._config

    def change(self, changes: Changes, reopen: bool = False) -> None:
        """Write values into the configuration. Raises `CardtableError`; nothing has changed then."""
        self._config = change_config(self.path, changes)
        self.reopening = self.reopening or reopen
        self._sources = None

    def sources(self) -> Sequence[SourceCheck]:
        """Return what the cameras and readers have to say, in the language of the table."""
        now = time.monotonic()
        if self._sources is None or now - self._sources[0] > _LOOK_S:
            idle = self.idle()
            self._sources = now, idle.sources() if idle else ()
        return self._sources[1]

    def cards(self) -> Sequence[LobbyCard]:
        """Return the cards that are seen now."""
        idle = self.idle()
        return idle.cards() if idle else ()

    def cameras(self) -> Sequence[CameraPipeline]:
        """Return the cameras that are open."""
        idle = self.idle()
        return idle.cameras if idle else ()

    def idle(self) -> IdleSources | None:
        """Return the cameras and readers that look at the table; None while there are none."""
        raise NotImplementedError


def config_at(path: Path) -> TableConfig:
    """Return the configuration `path`; the defaults if it does not exist yet. Raises `ConfigError`."""
    try:
        return read_config(path)
    except NoConfig:
        return checked_config(path, "", {})


# The first start on the board of a running table: a host that waits in its lobby.

_ANSWER_S: Final = 15.0
"""Seconds for which the lobby's answer is waited for; a game opens its cameras in that time."""


class BoardSite(ConfiguredSite):
    """The table of `host`, configured by the file `path`. Its methods are called in a thread of its own."""

    def __init__(self, host: Host, path: Path, machine: Machine | None = None, system: System | None = None) -> None:
        super().__init__(path, machine, system)
        self._host = host

    def idle(self) -> IdleSources | None:
        """Return what looks at the table while it waits; None in a game."""
        stage = self._host.stage
        return stage.idle_sources if isinstance(stage, Waiting) else None

    def lobby(self) -> Lobby:
        """Return what is chosen in the lobby."""
        return self._host.evening.lobby

    def remembered(self) -> Sequence[str]:
        """Return the names of players of earlier evenings."""
        return self._host.remembered

    def ask_lobby(self, message: LobbyMessage) -> None:
        """Do this in the lobby. Raises `CardtableError` with the lobby's refusal."""
        try:
            refusal = self._host.request(message).result(_ANSWER_S)
        except TooLate as error:
            raise Unfit(text("The table does not answer: try again.")) from error
        if refusal is not None:
            raise Unfit(refusal)

    def set_pin(self, pin: str) -> None:
        """Set the director's PIN, and let phones in, also after the next start."""
        board = self._host.services.board
        try:
            board.access.set_pin(pin, keep_directors=self.config.first_start)
        except Denied as error:
            raise Unfit(str(error)) from error
        self.change({("board", "network"): True})
        with contextlib.suppress(CardtableError):  # in no network: the question says so
            board.network().let_network_in()

    def phone_address(self) -> str | None:
        """Return the address that a phone opens; None if no network reaches this machine."""
        return phone_url(*self._host.services.board.network().address)


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
