"""The step of the first start in which a table joins a club: the address of the hub, then a code."""

from __future__ import annotations

from collections.abc import Collection
from typing import ClassVar, Final

from cardtable.setup.step import Entry, Question, Site, Step, fine
from cardtable_club.config import ClubConfig
from cardtable_club.member.enrolment import enrol
from engine.texts import text

_HUB: Final = "hub:"
_CODE: Final = "code:"


class ClubStep(Step):
    """Asks for the address of the hub, then for the code; with both, the table gets its certificate."""

    name: ClassVar[str] = "club"

    def is_needed(self, site: Site, left: Collection[str]) -> bool:
        """Return False: nothing shows that there is a club to join, and the lobby can ask."""
        return False

    def question(self, site: Site) -> Question:
        """Return the question for the address, or for the code."""
        if self.answers:
            return Question(
                text("Club"),
                text("The code from “cardtable hub enroll” for this table:"),
                entry=Entry(text("Code"), "address", _CODE),
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
        if not self.answers:
            hub = value.removeprefix(_HUB).strip()
            self.answers.append(hub if "://" in hub else f"http://{hub}")
            return False
        enrolled = enrol(value.removeprefix(_CODE), self.answers[0], site.path.parent)
        site.change({("club", key): set_to for key, set_to in enrolled.keys().items()}, reopen=True)
        return True
