"""The two sites of the first start: the board of a running table, and a terminal.

A running table has its cameras and readers open already. In a terminal no table is running, so `TerminalSite` opens
them when a step needs them.
"""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Sequence
from concurrent.futures import TimeoutError as TooLate
from pathlib import Path
from typing import Final

from cardtable.errors import CardtableError
from cardtable.evening.equipment import Equipment
from cardtable.evening.host import Host
from cardtable.evening.lobby import Lobby
from cardtable.evening.memory import Evening, Memory
from cardtable.evening.playing import open_game
from cardtable.evening.states import EventRefused
from cardtable.evening.waiting import LiveCheck, Waiting
from cardtable.journal.journal import Journal
from cardtable.languages import translator
from cardtable.setup.step import LobbyMessage, Site, Unfit
from cardtable.table.game_loop import GameLoop
from cardtable.table.messages import Begin
from cardtable.web.access import Access, Denied
from cardtable.web.access_file import phones_file
from cardtable.web.connections import phone_url
from engine.texts import text

_LOG: Final = logging.getLogger(__name__)
_ANSWER_TIMEOUT_S: Final = 15.0
"""Longest wait for the lobby's answer. When a game begins, its cameras are opened in that time."""


class BoardSite(Site):
    """The running table of `host`, configured by the file `path`. The methods are called in a separate thread."""

    def __init__(self, host: Host, path: Path) -> None:
        super().__init__(path)
        self._host = host

    def idle(self) -> LiveCheck | None:
        """Return the cameras and readers of the lobby; None during a game."""
        stage = self._host.stage
        return stage.check if isinstance(stage, Waiting) else None

    def lobby(self) -> Lobby:
        """Return the choices made in the lobby."""
        return self._host.evening.lobby

    def remembered(self) -> Sequence[str]:
        """Return the names of players of earlier evenings."""
        return self._host.remembered

    def ask_lobby(self, message: LobbyMessage) -> None:
        """Send `message` to the lobby. Raises `CardtableError` with the lobby's refusal."""
        try:
            refusal = self._host.request(message).result(_ANSWER_TIMEOUT_S)
        except TooLate as error:
            raise Unfit(text("The table does not answer: try again.")) from error
        if refusal is not None:
            raise Unfit(refusal["refused"])

    def set_pin(self, pin: str) -> None:
        """Set the director's PIN, and admit phones now and after the next start."""
        board = self._host.services.board
        try:
            board.access.set_pin(pin, keep_directors=self.config.first_start)
        except Denied as error:
            raise Unfit(str(error)) from error
        self.change({("board", "network"): True})
        with contextlib.suppress(CardtableError):  # no network, as the question says
            board.network().let_network_in()

    def phone_address(self) -> str | None:
        """Return the address that a phone opens; None without a network."""
        return phone_url(*self._host.services.board.network().address)


class TerminalSite(Site):
    """A table that is not running, configured by the file `path`. Call `close` at the end."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.begun = False
        """Whether a game was begun; `cardtable run` continues it."""
        self._opened: _OpenSources | None = None
        self._journal: Journal | None = None

    def idle(self) -> LiveCheck | None:
        """Return the cameras and readers. They are opened at the first call, and again after a change."""
        if self.reopening:
            self.close_sources()
        if self._opened is None:
            self._opened = _OpenSources(self)
        return self._opened.idle

    def close_sources(self) -> None:
        """Close the cameras and readers until they are needed again."""
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

    def lobby(self) -> Lobby:
        """Return the choices made in the lobby."""
        stored = Memory(self.journal).load()
        return stored.lobby if stored else Lobby()

    def remembered(self) -> Sequence[str]:
        """Return the names of players of earlier evenings."""
        return Memory(self.journal).players()

    def ask_lobby(self, message: LobbyMessage) -> None:
        """Carry out `message` in the stored lobby. Raises `CardtableError` with the lobby's refusal."""
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

    def set_pin(self, pin: str) -> None:
        """Set the director's PIN, and admit phones from the next start on."""
        try:
            Access(self.config.access, phones_file(self.config.journal)).set_pin(pin)
        except Denied as error:
            raise Unfit(str(error)) from error
        self.change({("board", "network"): True})

    def phone_address(self) -> str | None:
        """Return the address that a phone will open; None without a network."""
        board = self.config.board
        return phone_url(board.listens_at, board.port)


class _OpenSources:
    """Open cameras and readers, which run in a thread until `close`."""

    def __init__(self, site: TerminalSite) -> None:
        config = site.config
        self._equipment = Equipment(config, None)
        devices = self._equipment.open_for_lobby(None, len(site.lobby().players))
        self._journal = Journal(config.journal)  # another connection, because it is used in another thread
        self._loop = GameLoop()
        self.idle: Final = LiveCheck(self._loop, devices, self._journal, translator(config.language))
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="first start", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the thread, and close the cameras and readers."""
        self._over.set()
        self._thread.join()
        self._loop.close()
        self._equipment.close()
        self._journal.close()

    def _run(self) -> None:
        try:
            self._loop.run(self.idle, self._over.is_set)
        except Exception:  # the questions must go on, whatever it is
            _LOG.exception("a camera or a reader has failed")
