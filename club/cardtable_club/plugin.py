"""The club that the table belongs to: with the hub's address and a code of it, the table gets its certificate."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from cardtable.errors import CardtableError
from cardtable.setup.step import Entry, Question, Site, Step, Unfit, fine
from cardtable.web.screens import NextRoundState
from cardtable_club.config import ClubConfig
from engine.texts import text

if TYPE_CHECKING:
    from cardtable_club.member.enrolment import Enrolled
    from cardtable_club.member.link import Link


# What needs the extra `club`, imported where a table asks for it: its connection, and its enrolment.


def open_link(config: ClubConfig, journal: Path, playing: Callable[[], int | None]) -> Link:
    """Return the connection of the table to its club. Raises `CardtableError` if the extra `club` is not installed."""
    try:
        from cardtable_club.member.link import Link
    except ModuleNotFoundError as error:
        raise _missing(error, "paho-mqtt") from error
    return Link(config, journal, playing)


def enrol_table(code: str, hub: str, folder: Path) -> Enrolled:
    """Enrol at the pages of a hub, as `enrolment.enrol` does. Raises `CardtableError`."""
    try:
        from cardtable_club.member.enrolment import enrol
    except ModuleNotFoundError as error:
        raise _missing(error, "cryptography") from error
    return enrol(code, hub, folder)


def _missing(error: ModuleNotFoundError, package: str) -> CardtableError:
    message = "[club] needs the package {name}: pip install 'cardtable[club]', or leave the section out"
    return CardtableError(text(message, name=error.name or package))


# The seats of this table in the next round of its club, as the hub has sent them.


class NextRound:
    """What the lobby shows of the club's next round. Its methods may be called in any thread.

    `say_ready`: called with the number of the round when the players say that they are ready. `version` counts changes.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._state: NextRoundState | None = None
        self.version = 0
        self.say_ready: Callable[[int], None] = lambda number: None

    def put(self, number: int | None, players: Sequence[str], ready: bool) -> None:
        """Take the seats of a round; `number` is None if this table has none."""
        state: NextRoundState | None = None
        if number is not None:
            state = {"round": number, "players": list(players), "ready": ready}
        with self._lock:
            if state != self._state:
                self._state = state
                self.version += 1

    def state(self) -> NextRoundState | None:
        """Return what the lobby shows; None without seats."""
        with self._lock:
            return self._state


_HUB: Final = "hub:"
_CODE: Final = "code:"


class ClubStep(Step):
    """Asks for the address of the hub, then for the code."""

    name: ClassVar[str] = "club"

    def __init__(self) -> None:
        self._hub = ""

    def begin(self, site: Site) -> None:
        """Begin with the address."""
        self._hub = ""

    def question(self, site: Site) -> Question:
        """Return the question for the address, or for the code."""
        if self._hub:
            return Question(
                text("Club"),
                text("The code from “cardtable hub enroll” for this table:"),
                entry=Entry(text("Code"), "address", _CODE),
                inner=True,
            )
        club = site.config.club
        return Question(
            text("Club"),
            text("The address of its hub, if the table belongs to a club:"),
            [] if club is None else [fine(text("this is table {table} of {club}", table=club.table, club=club.name))],
            entry=Entry(text("Address of the hub"), "address", _HUB, "http://192.168.1.20:8020"),
            forward=text("Continue without a club") if club is None else text("Continue"),
        )

    def answer(self, site: Site, value: str) -> bool:
        """Take the address, then the code; with it the table enrols."""
        if value.startswith(_HUB) and not self._hub:
            hub = value.removeprefix(_HUB).strip()
            self._hub = hub if "://" in hub else f"http://{hub}"
            return False
        if not value.startswith(_CODE) or not self._hub:
            raise Unfit(text("There is nothing to choose here."))
        enrolled = enrol_table(value.removeprefix(_CODE), self._hub, site.path.parent)
        site.change({("club", key): set_to for key, set_to in enrolled.keys().items()}, reopen=True)
        return True

    def back(self) -> bool:
        """Return to the address."""
        within, self._hub = bool(self._hub), ""
        return within
