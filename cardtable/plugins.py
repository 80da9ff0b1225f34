"""Plug-ins: what other packages add to the table (docs/reference/plug-ins.md).

A package names a subclass of `Plugin` in its entry-point group `cardtable.plugins`. The name of the entry point is the
name of the plug-in, of its section in table.toml and of its step of the first start.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Final, Protocol, TypeVar

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
        """Take the newest state of the board that everybody may see, as JSON. Called in the guest's own thread."""
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
    """The folder with the plug-in's catalogues, such as `fr.po`; a text that it lacks stays English."""
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

        Called in the guest's own thread, as its methods are. Raises `CardtableError` if the table cannot run like this.
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


ANSWER_S: Final = 10.0
"""Seconds after which a plug-in that has not returned is named as one that hangs."""
_CLOSE_S: Final = 4.0
"""Seconds that the end of the program waits for a plug-in. The club needs up to 2.5."""
_LOG: Final = logging.getLogger(__name__)
Answer = TypeVar("Answer")


def in_time(call: Callable[[], Answer]) -> Answer:
    """Return what `call` returns. Raises `TimeoutError` if it takes longer than `ANSWER_S`; it is left running then."""
    from concurrent.futures import Future  # slow to load

    answer: Future[Answer] = Future()

    def work() -> None:
        try:
            answer.set_result(call())
        except BaseException as error:
            answer.set_exception(error)

    threading.Thread(target=work, name="plug-in", daemon=True).start()
    try:
        return answer.result(ANSWER_S)
    except TimeoutError as error:
        raise TimeoutError(text("it does not answer")) from error


class Visit:
    """The guest of the plug-in `name` at a running table, in a thread of its own: nothing at the table waits for it."""

    def __init__(self, name: str, guest: Guest) -> None:
        self.name: Final = name
        self._guest = guest
        self._state: str | None = None
        """The newest state, until the guest takes it."""
        self._changed = threading.Event()
        self._closing = False
        self._busy_since: float | None = None
        self._failure: Text | None = None
        self._thread = threading.Thread(target=self._work, name=f"plug-in {name}", daemon=True)
        self._thread.start()
        _visits[name] = self

    def show(self, state: str) -> None:
        """Let the guest take a state, unless a newer one replaces it. Returns at once."""
        self._state = state
        self._changed.set()

    @property
    def fault(self) -> Text | None:
        """What is wrong with the guest; None if it works."""
        since = self._busy_since
        if self._failure is None and since is not None and time.monotonic() - since > ANSWER_S:
            return text("the plug-in {name!r} does not answer: the table goes on without it", name=self.name)
        return self._failure

    def close(self) -> None:
        """Close the guest, unless it hangs."""
        self._closing = True
        self._changed.set()
        self._thread.join(_CLOSE_S)
        _visits.pop(self.name, None)

    def _work(self) -> None:
        while not self._closing:
            self._changed.wait()
            self._changed.clear()
            state, self._state = self._state, None
            if state is not None and self._failure is None:
                self._call(partial(self._guest.show, state))
        self._call(self._guest.close)

    def _call(self, call: Callable[[], None]) -> None:
        self._busy_since = time.monotonic()
        try:
            call()
        except (Exception, SystemExit) as error:
            _LOG.exception("the plug-in %r gets no more states", self.name)
            why = str(error) or repr(error)
            self._failure = text(
                "the plug-in {name!r} has failed ({why}): the table goes on without it", name=self.name, why=why
            )
        self._busy_since = None


_visits: Final[dict[str, Visit]] = {}


def faults() -> Mapping[str, Text]:
    """Return what is wrong with the plug-ins at the running table, by their names. In any thread."""
    return {name: fault for name, visit in list(_visits.items()) if (fault := visit.fault) is not None}
