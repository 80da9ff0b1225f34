"""Where the table stands; sets the machine's time zone, or writes `time_zone` if this user may not set it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar
from zoneinfo import available_timezones

from cardtable.doctor.finding import Finding
from cardtable.first_start.question import Choice, Question, doubtful, fine
from cardtable.first_start.step import Site, Step, Unfit
from cardtable.first_start.system import SystemRefused
from engine.texts import text


class TimeZoneStep(Step):
    """Asks for the region, then for the city, so that nothing is typed."""

    name: ClassVar[str] = "time-zone"

    def __init__(self) -> None:
        self._zones: Sequence[str] = ()
        self._now = ""
        self._region = ""

    def begin(self, site: Site) -> None:
        """Ask the machine for its time zones."""
        self._region = ""
        try:
            self._now = site.config.time_zone or site.system.time_zone()
            self._zones = site.system.time_zones()
        except SystemRefused:
            self._zones = sorted(available_timezones())

    def question(self, site: Site) -> Question:
        """Return the regions, or the cities of a region."""
        region, _, city = self._now.partition("/")
        if self._region:
            places = [zone.partition("/")[2] for zone in self._zones if zone.startswith(f"{self._region}/")]
            return Question(
                text("Time zone"),
                text("Which place has the same time as you?"),
                choices=[
                    Choice(place, place.replace("_", " "), chosen=(self._region, place) == (region, city))
                    for place in places
                ],
                inner=True,
            )
        regions = list(dict.fromkeys(zone.partition("/")[0] for zone in self._zones if "/" in zone))
        here: list[Finding] = []
        if "/" in self._now:
            here = [fine(text("the clock is set for {place}", place=city.replace("_", " ")))]
        elif self._now:
            here = [doubtful(text("the clock shows {zone}", zone=self._now), text("choose where the table stands"))]
        return Question(
            text("Time zone"),
            text("Where does the table stand?"),
            here,
            [Choice(name, name, chosen=name == region) for name in regions],
            forward=text("Continue") if self._now else None,
        )

    def answer(self, site: Site, value: str) -> bool:
        """Take a region, then a city."""
        if not self._region:
            if not any(zone.startswith(f"{value}/") for zone in self._zones):
                raise Unfit(text("There is no such place: choose one that is shown."))
            self._region = value
            return False
        zone = f"{self._region}/{value}"
        if zone not in self._zones:
            raise Unfit(text("There is no such place: choose one that is shown."))
        try:
            site.system.set_time_zone(zone)
        except SystemRefused:  # for this table alone, which needs no rights
            site.change({("time_zone",): zone}, reopen=True)
        else:
            if site.config.time_zone is not None:
                site.change({("time_zone",): None}, reopen=True)
        self._now, self._region = zone, ""
        return True

    def back(self) -> bool:
        """Return to the regions."""
        within, self._region = bool(self._region), ""
        return within
