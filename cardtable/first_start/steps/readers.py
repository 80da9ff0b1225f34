"""The RFID readers, found by laying a card with a tag on them, and the tags of the cards; writes `[[reader]]`."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar, Final

from cardtable.config.readers import AUTO, ReaderConfig
from cardtable.doctor.finding import Finding
from cardtable.errors import CardtableError
from cardtable.first_start.question import Choice, Question, doubtful, fine
from cardtable.first_start.reports import reader_reports
from cardtable.first_start.step import Site, Step, Unfit
from cardtable.first_start.tag_lesson import ENOUGH, SKIP, TagLesson, cards_without_tag
from engine.games import game_names, load_game
from engine.texts import Text, plural, text
from firmware_bridge.bridge import Bridge, Trouble
from firmware_bridge.link import Connected
from firmware_bridge.messages import EventKind, TagEvent
from firmware_bridge.ports import candidate_ports
from firmware_bridge.tags import TagsError, TagTable
from vision.table.mat import PLAYERS

_DONE: Final = "done"
_AGAIN: Final = "again"
_ZONE: Final = "zone:"
_GAME: Final = "tags:"
_LATER: Final = "later"
_FIND: Final = "find-again"
_STEPS: Final = 20
"""Steps of the bridge in one look, of at most `_WAIT_S` seconds each."""
_WAIT_S: Final = 0.01


def _bridge() -> Bridge | None:
    return Bridge(AUTO, wait=_WAIT_S) if candidate_ports(AUTO) else None


class ReadersStep(Step):
    """Asks for one reader after the other, then for the tags of the cards.

    `open_bridge` returns the reader board; None if none is plugged in. `clock`: seconds.
    """

    name: ClassVar[str] = "readers"

    def __init__(
        self, open_bridge: Callable[[], Bridge | None] = _bridge, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._open_bridge = open_bridge
        self._clock = clock
        self._asks_tags = False
        self._lesson: TagLesson | None = None
        self._bridge: Bridge | None = None
        self._readers = 0
        self._trouble: str | None = None
        self._zones: dict[int, str] = {}
        self._touched: int | None = None

    def begin(self, site: Site) -> None:
        """Open the reader board, unless one is configured already."""
        self._readers, self._trouble, self._zones, self._touched = 0, None, {}, None
        self._asks_tags, self._lesson = False, None
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
                        if update.kind is EventKind.LAID and self._lesson is not None:
                            self._lesson.lay(update.uid, update.index)
                        elif update.kind is EventKind.LAID and update.index not in self._zones:
                            self._touched = update.index
                        self._bridge.stored(update)
        if self._lesson is not None:
            self._lesson.look()

    def question(self, site: Site) -> Question:
        """Ask for the next reader, or for what lies above the one that was touched."""
        title = text("Readers")
        if site.config.reader:
            asked = text("Lay a card with a tag on a reader: is it read?")
            choices = [Choice(_FIND, text("Find the readers again, and learn tags"))]
            return Question(title, asked, reader_reports(site), choices, forward=text("Continue"))
        if self._bridge is None or not self._readers:
            found: list[Finding] = [doubtful(self._trouble or text("no reader board is plugged in"))]
            asked = text("RFID readers under the table know cards with tags. A table with a camera needs none.")
            choices = [Choice(_AGAIN, text("Look again"))]
            return Question(title, asked, found, choices, forward=text("Continue without readers"))
        if self._lesson is not None and not self._lesson.is_over:
            return self._lesson.question()
        if self._asks_tags:
            return self._about_tags(site)
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
        if value == _FIND and site.config.reader:
            site.change({("reader",): None}, reopen=True)
            return False
        zone = value.removeprefix(_ZONE)
        if value.startswith(_ZONE) and self._touched is not None and zone in _zones():
            self._zones[self._touched] = zone
            self._touched = None
            return False
        if value == SKIP and self._lesson is not None:
            self._lesson.skip()
            return False
        if value == ENOUGH and self._lesson is not None:
            self._lesson = None
            return False
        if self._asks_tags and value.startswith(_GAME) and value.removeprefix(_GAME) in game_names():
            self._lesson = TagLesson(_tags_file(site), value.removeprefix(_GAME), self._clock)
            return False
        if self._asks_tags and value == _LATER:
            return self._write(site)
        if value == _DONE and self._zones and not self._asks_tags:
            self._asks_tags = True
            return False
        raise Unfit(text("Lay a card with a tag on a reader, or continue without readers."))

    def _about_tags(self, site: Site) -> Question:
        """Ask whose cards have tags that are not known yet."""
        try:
            tags = TagTable(_tags_file(site))
        except TagsError as error:
            raise CardtableError(str(error)) from error
        lacking = {game: len(cards_without_tag(game, tags)) for game in game_names()}
        found = [fine(plural("{count} tag is known", "{count} tags are known", len(tags)))] if len(tags) else []
        choices = [
            Choice(f"{_GAME}{game}", load_game(game).title, plural("{count} card", "{count} cards", count))
            for game, count in lacking.items()
            if count
        ]
        choices.insert(0, Choice(_LATER, text("The tags are known, or are learned later")))
        asked = text("Each card has a tag that the table must know. For which game are the cards laid now, one by one?")
        return Question(text("Tags"), asked, found, choices, inner=True)

    def _write(self, site: Site) -> bool:
        zones = [self._zones.get(index, "") for index in range(max(self._zones) + 1)]
        self.end(site)
        site.change({("reader", 0, "port"): AUTO, ("reader", 0, "zones"): zones}, reopen=True)
        return True

    def back(self) -> bool:
        """Leave the reader that was touched as it is."""
        if self._lesson is not None:
            self._lesson = None
            return True
        if self._asks_tags:
            self._asks_tags = False
            return True
        within, self._touched = self._touched is not None, None
        return within

    def end(self, site: Site) -> None:
        """Close the reader board."""
        if self._bridge is not None:
            self._bridge.close()
            self._bridge = None


def _tags_file(site: Site) -> Path:
    """Return where `[[reader]]` looks for the tags, unless it names another file."""
    named: Path = ReaderConfig.model_fields["tags"].default
    return site.path.parent / named


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
