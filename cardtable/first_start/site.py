"""What the two sites have in common: at the board, and in a terminal."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from cardtable.board.screen_lobby import LobbyCard, SourceCheck
from cardtable.config.changing import Changes, change_config
from cardtable.config.load import NoConfig, checked_config, read_config
from cardtable.config.model import TableConfig
from cardtable.doctor.machine import Machine
from cardtable.evening.idle_sources import IdleSources
from cardtable.first_start.system import System
from vision.camera_pipeline import CameraPipeline

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
