"""Plug-ins: what other packages add to the table (docs/reference/plug-ins.md).

A package names a subclass of `Plugin` in its entry-point group `cardtable.plugins`. The name of the entry point is the
name of the plug-in, of its section in table.toml and of its step of the first start.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Final, Protocol

from cardtable.errors import CardtableError
from engine.texts import Text, text

if TYPE_CHECKING:  # only types: a plug-in is loaded by the room that needs it, and no room by this module
    from cardtable.config.model import TableConfig
    from cardtable.config.section import Section
    from cardtable.doctor.finding import Finding
    from cardtable.evening.next_round import NextRound
    from cardtable.setup.step import Step

GROUP: Final = "cardtable.plugins"
VARIABLE: Final = "CARDTABLE_PLUGINS"
"""The environment variable that, set to `off`, hides all plug-ins."""
IGNORED: Final = "ignored"
"""A value of it that also hides their sections in table.toml."""
EXTRAS: Final = ("club",)
"""The plug-ins that are extras of this package. If table.toml names a missing one, the error says how to get it."""


class Guest(Protocol):
    """A plug-in at a running table."""

    def show(self, state: str) -> None:
        """Take each new state of the board that everybody may see, as JSON. Must return at once and raise nothing."""
        ...

    def close(self) -> None:
        """Stop; the table is closing."""
        ...


class HostTable(Protocol):
    """The running table, as a plug-in sees it. Every method may be called in any thread."""

    @property
    def config(self) -> TableConfig:
        """The configuration."""
        ...

    @property
    def journal(self) -> Path:
        """The journal, an SQLite database that may be read while the table writes."""
        ...

    @property
    def next_round(self) -> NextRound:
        """What the lobby offers to play next."""
        ...

    def playing(self) -> int | None:
        """Return the number in the journal of the game being played; None between games."""
        ...

    def faults(self) -> list[str]:
        """Return what is wrong with cameras, readers, journal and machine, as sentences in the table's language."""
        ...

    def say(self, seat: int, word: str) -> bool:
        """Say a word of the game for a seat; return whether that seat is playing."""
        ...

    def not_before(self, time: float) -> None:
        """Note that it is later than `time`, in seconds since 1970, whatever the clock says."""
        ...

    def show_message(self, message: str) -> None:
        """Show a message on the board until the next one; an empty one removes it."""
        ...


class Plugin:
    """What a package adds to the table. A subclass overrides what it needs; every default adds nothing.

    Loading the module of the subclass must be quick, since `cardtable --help` does: import the rest in the methods.
    """

    commands: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """The module of each command, by the command's name. A module has what those in `cardtable/cli/` have."""
    locale: ClassVar[Path | None] = None
    """The folder with the plug-in's catalogues: `fr.po`."""
    lobby_link: ClassVar[Text | None] = None
    """The label of the link in the lobby that opens the plug-in's step alone; None for no link."""

    def section(self) -> type[Section] | None:
        """Return the model of the plug-in's section in table.toml."""
        return None

    def step(self) -> type[Step] | None:
        """Return the plug-in's step of the first start, asked after those of the network."""
        return None

    def check(self, config: TableConfig) -> Iterable[Finding]:
        """Return what the doctor finds about what the plug-in adds. May take some seconds. Raises nothing."""
        return ()

    def join(self, table: HostTable) -> Guest | None:
        """Join a table that has just been opened. Return None if the configuration does not ask for it.

        Raises `CardtableError` if the table cannot run like this.
        """
        return None


def installed() -> Mapping[str, Plugin]:
    """Return the installed plug-ins by name, in alphabetical order. Raises `CardtableError` for a broken one."""
    return {} if os.environ.get(VARIABLE) in ("off", IGNORED) else _installed()


def left_out() -> list[str]:
    """Return the names of the installed plug-ins if they and their sections are ignored."""
    if os.environ.get(VARIABLE) != IGNORED:
        return []
    from importlib.metadata import entry_points  # slow to load, and rarely needed

    return sorted(entry.name for entry in entry_points(group=GROUP))


@cache
def _installed() -> Mapping[str, Plugin]:
    from importlib.metadata import entry_points  # slow to load, and rarely needed

    found: dict[str, Plugin] = {}
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        with blamed(entry.name):
            found[entry.name] = entry.load()()
    return found


@contextmanager
def blamed(name: str) -> Iterator[None]:
    """Replace whatever the plug-in `name` raises with a `CardtableError` that names it."""
    try:
        yield
    except CardtableError:
        raise
    except (Exception, SystemExit) as error:
        message = "the plug-in {name!r} has failed ({why}): install it again, or uninstall it"
        raise CardtableError(text(message, name=name, why=str(error) or repr(error))) from error
