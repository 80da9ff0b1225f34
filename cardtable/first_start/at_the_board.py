"""The first start on the board of a running table: a host that waits in its lobby."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from concurrent.futures import TimeoutError as TooLate
from pathlib import Path
from typing import Final

from cardtable.board.access.access import Denied
from cardtable.board.addresses import phone_url
from cardtable.doctor.machine import Machine
from cardtable.errors import CardtableError
from cardtable.evening.host import Host
from cardtable.evening.idle_sources import IdleSources
from cardtable.evening.lobby import Lobby
from cardtable.evening.waiting import Waiting
from cardtable.first_start.site import ConfiguredSite
from cardtable.first_start.step import LobbyMessage, Unfit
from cardtable.first_start.system import System
from engine.texts import text

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
