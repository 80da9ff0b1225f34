"""A step of the first start, and what steps find and change: the site."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Protocol

from cardtable.board.messages import AddPlayer, Begin, ChooseGame, RemovePlayer, SetDealer
from cardtable.board.screen_lobby import LobbyCard, SourceCheck
from cardtable.config.changing import Changes
from cardtable.config.model import TableConfig
from cardtable.doctor.machine import Machine
from cardtable.errors import CardtableError
from cardtable.evening.lobby import Lobby
from cardtable.first_start.question import Question
from cardtable.first_start.system import System
from engine.texts import text
from vision.camera_pipeline import CameraPipeline

LobbyMessage = AddPlayer | RemovePlayer | ChooseGame | SetDealer | Begin
"""What the last steps ask the lobby for."""


class Unfit(CardtableError):
    """An answer that cannot be accepted; nothing has changed. The message says what to do."""


class Site(Protocol):
    """The machine, the configuration, and the table in front of the camera."""

    path: Path
    """The configuration."""
    system: System
    machine: Machine

    @property
    def config(self) -> TableConfig:
        """The configuration as it is now."""
        ...

    def change(self, changes: Changes, reopen: bool = False) -> None:
        """Write values into the configuration; `reopen`: cameras, readers and texts change with them.

        Raises `CardtableError`; nothing has changed then.
        """
        ...

    def sources(self) -> Sequence[SourceCheck]:
        """Return what the cameras and readers have to say, in the language of the table."""
        ...

    def cards(self) -> Sequence[LobbyCard]:
        """Return the cards that are seen now."""
        ...

    def cameras(self) -> Sequence[CameraPipeline]:
        """Return the cameras that are open."""
        ...

    def lobby(self) -> Lobby:
        """Return what is chosen in the lobby."""
        ...

    def remembered(self) -> Sequence[str]:
        """Return the names of players of earlier evenings."""
        ...

    def ask_lobby(self, message: LobbyMessage) -> None:
        """Do this in the lobby. Raises `CardtableError` with the lobby's refusal."""
        ...

    def set_pin(self, pin: str) -> None:
        """Set the director's PIN, and let phones in. Raises `CardtableError`."""
        ...

    def phone_address(self) -> str | None:
        """Return the address that a phone opens; None if no network reaches this machine."""
        ...


class Step:
    """One question of the first start, with the questions that follow from its answer. It has its own state.

    A step is begun when it is shown, and again when it is come back to.
    """

    name: ClassVar[str]
    """The name of the step in addresses and in the stored progress."""

    def begin(self, site: Site) -> None:
        """Look at what the step needs; may take seconds."""

    def look(self, site: Site) -> None:
        """Look at what has happened since; called again and again while the step is shown, and must be quick."""

    def question(self, site: Site) -> Question:
        """Return what is asked now."""
        raise NotImplementedError

    def answer(self, site: Site, value: str) -> bool:
        """Take an answer; return whether the step is done. Raises `CardtableError` if it cannot be accepted."""
        raise Unfit(text("There is nothing to choose here."))

    def back(self) -> bool:
        """Return to the first question of the step; False if it is shown already."""
        return False

    def end(self, site: Site) -> None:
        """Close what the step has opened; called when another step is shown."""
