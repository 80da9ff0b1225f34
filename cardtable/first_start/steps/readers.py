"""The RFID readers, found by laying a card with a tag on them; writes `[[reader]]`."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Final

from cardtable.config.readers import AUTO
from cardtable.doctor.finding import Finding
from cardtable.first_start.question import Choice, Question, doubtful, fine
from cardtable.first_start.reports import reader_reports
from cardtable.first_start.step import Site, Step, Unfit
from engine.texts import Text, text
from firmware_bridge.bridge import Bridge, Trouble
from firmware_bridge.link import Connected
from firmware_bridge.messages import EventKind, TagEvent
from firmware_bridge.ports import candidate_ports
from vision.table.mat import PLAYERS

_DONE: Final = "done"
_AGAIN: Final = "again"
_ZONE: Final = "zone:"
_STEPS: Final = 20
"""Steps of the bridge in one look, of at most `_WAIT_S` seconds each."""
_WAIT_S: Final = 0.01


def _bridge() -> Bridge | None:
    return Bridge(AUTO, wait=_WAIT_S) if candidate_ports(AUTO) else None


class ReadersStep(Step):
    """Asks for one reader after the other. `open_bridge` returns the reader board; None if none is plugged in."""

    name: ClassVar[str] = "readers"

    def __init__(self, open_bridge: Callable[[], Bridge | None] = _bridge) -> None:
        self._open_bridge = open_bridge
        self._bridge: Bridge | None = None
        self._readers = 0
        self._trouble: str | None = None
        self._zones: dict[int, str] = {}
        self._touched: int | None = None

    def begin(self, site: Site) -> None:
        """Open the reader board, unless one is configured already."""
        self._readers, self._trouble, self._zones, self._touched = 0, None, {}, None
        if not site.config.reader:
            self._bridge = self._open_bridge()

    def look(self, site: Site) -> None:
        """Take what the reader board has to say."""
        for _ in range(_STEPS if self._bridge else 0):
            assert self._bridge is not None
            for update in self._bridge.step():
                match update:
                    case Connected():
                        self._readers, self._trouble = update.hello.readers, None
                    case Trouble():
                        self._trouble = update.reason
                    case TagEvent():
                        if update.kind is EventKind.LAID and update.index not in self._zones:
                            self._touched = update.index
                        self._bridge.stored(update)

    def question(self, site: Site) -> Question:
        """Ask for the next reader, or for what lies above the one that was touched."""
        title = text("Readers")
        if site.config.reader:
            asked = text("Lay a card with a tag on a reader: is it read?")
            return Question(title, asked, reader_reports(site), forward=text("Continue"))
        if self._bridge is None or not self._readers:
            found: list[Finding] = [doubtful(self._trouble or text("no reader board is plugged in"))]
            asked = text("RFID readers under the table know cards with tags. A table with a camera needs none.")
            choices = [Choice(_AGAIN, text("Look again"))]
            return Question(title, asked, found, choices, forward=text("Continue without readers"))
        found = [
            fine(text("reader {index}: {zone}", index=index, zone=_label(zone)))
            for index, zone in sorted(self._zones.items())
        ]
        if self._touched is not None:
            free = [zone for zone in _zones() if zone not in self._zones.values()]
            choices = [Choice(f"{_ZONE}{zone}", _label(zone)) for zone in free]
            asked = text("Reader {index} sees a card. What lies above it?", index=self._touched)
            return Question(title, asked, found, choices, inner=True)
        choices = [Choice(_DONE, text("That was the last reader"))] if self._zones else []
        left = self._readers - len(self._zones)
        asked = text(
            "Lay a card with a tag on a reader. {left} of {count} are to be found.", left=left, count=self._readers
        )
        return Question(title, asked, found, choices, forward=None if self._zones else text("Continue without readers"))

    def answer(self, site: Site, value: str) -> bool:
        """Take the zone of the reader that was touched, the end, or the wish to look again."""
        if value == _AGAIN and not self._readers:
            self.end(site)
            self.begin(site)
            return False
        zone = value.removeprefix(_ZONE)
        if value.startswith(_ZONE) and self._touched is not None and zone in _zones():
            self._zones[self._touched] = zone
            self._touched = None
            return False
        if value != _DONE or not self._zones:
            raise Unfit(text("Lay a card with a tag on a reader, or continue without readers."))
        zones = [self._zones.get(index, "") for index in range(max(self._zones) + 1)]
        self.end(site)
        site.change({("reader", 0, "port"): AUTO, ("reader", 0, "zones"): zones}, reopen=True)
        return True

    def back(self) -> bool:
        """Leave the reader that was touched as it is."""
        within, self._touched = self._touched is not None, None
        return within

    def end(self, site: Site) -> None:
        """Close the reader board."""
        if self._bridge is not None:
            self._bridge.close()
            self._bridge = None


def _zones() -> list[str]:
    """Return what may lie above a reader, as `table.toml` writes it."""
    seats = range(PLAYERS[-1])
    owned = [f"{zone} {seat}" for zone in ("play", "deal") for seat in seats]
    return [*owned, "turn-up", "table", "stock", "crib"]


def _label(zone: str) -> Text:
    """Return the zone in words."""
    name, _, seat = zone.partition(" ")
    match name:
        case "play":
            return text("seat {seat}: the cards that are played", seat=seat)
        case "deal":
            return text("seat {seat}: the cards that are dealt", seat=seat)
        case "turn-up":
            return text("the card that is turned up")
        case "stock":
            return text("the stock")
        case "crib":
            return text("the crib")
    return text("the middle of the table")
