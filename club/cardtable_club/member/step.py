"""The step of the first start in which a table joins a club: the address of the hub, then a code."""

from __future__ import annotations

from typing import ClassVar, Final

from cardtable.setup.step import Entry, Question, Site, Step, Unfit, fine
from cardtable_club.config import ClubConfig
from cardtable_club.member.enrolment import enrol
from engine.texts import text

_HUB: Final = "hub:"
_CODE: Final = "code:"


class ClubStep(Step):
    """Asks for the address of the hub, then for the code; with both, the table gets its certificate."""

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
        club = site.config.section(ClubConfig)
        return Question(
            text("Club"),
            text("The address of its hub, if the table belongs to a club:"),
            [] if club is None else [fine(text("this is table {table} of {club}", table=club.table, club=club.name))],
            entry=Entry(text("Address of the hub"), "address", _HUB, "http://192.168.1.20:8020"),
            forward=text("Continue without a club") if club is None else text("Continue"),
        )

    def answer(self, site: Site, value: str) -> bool:
        """Take the address, or the code, and enrol with it."""
        if value.startswith(_HUB) and not self._hub:
            hub = value.removeprefix(_HUB).strip()
            self._hub = hub if "://" in hub else f"http://{hub}"
            return False
        if not value.startswith(_CODE) or not self._hub:
            raise Unfit(text("There is nothing to choose here."))
        enrolled = enrol(value.removeprefix(_CODE), self._hub, site.path.parent)
        site.change({("club", key): set_to for key, set_to in enrolled.keys().items()}, reopen=True)
        return True

    def back(self) -> bool:
        """Return to the address."""
        asks_code, self._hub = bool(self._hub), ""
        return asks_code
