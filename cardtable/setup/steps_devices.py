"""The steps of the first start about hardware at the table: RFID readers with the tags of the cards, and buttons.

A reader is found by laying a card with a tag on it, a button by pressing it. `ReadersStep` writes `[[reader]]` and has
the tags of a game's cards learned one by one (`TagLesson`); `ButtonsStep` writes `[[seat]]`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any, ClassVar, Final

from cardtable.config.devices import AUTO, ReaderConfig
from cardtable.config.writing import Changes, KeyPath
from cardtable.doctor.devices import cards_without_tag
from cardtable.doctor.finding import Finding
from cardtable.errors import CardtableError
from cardtable.setup.step import Choice, Question, Site, Step, doubtful, fine
from cardtable.setup.steps_camera import reader_reports
from engine.cards import Card
from engine.games import game_names, load_game
from engine.observations import ActionCard
from engine.texts import Text, commas, plural, text, word_text
from firmware_bridge.bridge import Bridge, Trouble, candidate_ports
from firmware_bridge.link import Connected
from firmware_bridge.messages import EventKind, TagEvent
from firmware_bridge.tags import TagsError, TagTable
from hardware.gpio import PinSearch
from hardware.wiring import HardwareError, gpio_number, open_pins
from vision.mat.layout import PLAYERS

_DONE: Final = "done"
_SKIP: Final = "without"


class ButtonsStep(Step):
    """Ask for the button of each seat. `open_factory` returns gpiozero's pin factory."""

    name: ClassVar[str] = "buttons"

    def __init__(self, open_factory: Callable[[], Any] = open_pins) -> None:
        super().__init__()
        self._open_factory = open_factory
        self._search: PinSearch | None = None
        self._trouble: str | None = None
        self._found: dict[int, int] = {}
        """Seat → GPIO number of its button."""
        self._seat = 0

    def is_needed(self, site: Site, left: Collection[str]) -> bool:
        """Return False: nothing shows that a button is wired, and the lobby can ask."""
        return False

    def begin(self, site: Site) -> None:
        """Watch the pins, unless buttons are configured already."""
        self._found, self._seat, self._trouble = {}, 0, None
        if any(seat.button is not None for seat in site.config.seat):
            return
        taken = {number for _, use in site.config.pins if (number := gpio_number(use.pin)) is not None}
        try:
            self._search = PinSearch(self._open_factory(), taken)
        except HardwareError as error:  # expected unless this is a Raspberry Pi
            self._trouble = str(error) if any(site.machine.dev.glob("gpiomem*")) else None

    def look(self, site: Site) -> None:
        """Note the buttons that have been pressed."""
        for pin in self._search.pressed() if self._search else ():
            if pin not in self._found.values() and self._seat < PLAYERS[-1]:
                self._found[self._seat] = pin
                self._seat += 1

    def question(self, site: Site) -> Question:
        """Ask for the button of the next seat."""
        title = text("Buttons")
        wired = [seat for seat in site.config.seat if seat.button is not None]
        if wired:
            seats = commas([str(seat.seat) for seat in wired])
            found = [fine(text("seats with a button in table.toml: {seats}", seats=seats))]
            asked = text("Press one: its menu opens on the board.")
            return Question(title, asked, found, forward=text("Continue"))
        if self._search is None:
            found = [doubtful(text("no button can be found here"), self._trouble or "")]
            asked = text("Buttons at the seats are wired to a Raspberry Pi. A table plays without them.")
            return Question(title, asked, found, forward=text("Continue without buttons"))
        found = [
            fine(text("seat {seat}: the button on GPIO {pin}", seat=seat, pin=pin)) for seat, pin in self._found.items()
        ]
        choices = []
        if self._found:
            choices = [Choice(_DONE, text("That was the last button"))]
        if self._seat < PLAYERS[-1]:
            choices.append(Choice(_SKIP, text("Seat {seat} has no button", seat=self._seat)))
        asked = text("Press the button of seat {seat} now. Seat 0 sits at the lower edge of the mat.", seat=self._seat)
        return Question(title, asked, found, choices, forward=None if self._found else text("Continue without buttons"))

    def answer(self, site: Site, value: str) -> bool:
        """Skip a seat without a button, or store the buttons at the end."""
        if value == _SKIP:
            self._seat += 1
            return False
        site.change(self._changes(site), reopen=True)
        return True

    def end(self, site: Site) -> None:
        """Stop watching the pins."""
        if self._search is not None:
            self._search.close()
            self._search = None

    def _changes(self, site: Site) -> Changes:
        rows = [seat.seat for seat in site.config.seat]
        changes: dict[KeyPath, object] = {}
        for seat, pin in self._found.items():
            if seat not in rows:
                rows.append(seat)
                changes["seat", rows.index(seat), "seat"] = seat
            changes["seat", rows.index(seat), "button"] = pin
        return changes


ALONE_S: Final = 0.3
"""Two tags that appear on one reader within this time, in seconds, were laid together."""
_SKIP_CARD: Final = "skip-card"
_ENOUGH: Final = "enough"


class TagLesson:
    """Learn the tags of a game's cards one by one into the file `path`. Raises `CardtableError`.

    `clock` is in seconds.
    """

    def __init__(self, path: Path, game: str, clock: Callable[[], float]) -> None:
        self._clock = clock
        try:
            self._tags = TagTable(path)
        except TagsError as error:
            raise CardtableError(str(error)) from error
        self._wanted = cards_without_tag(game, self._tags)
        self._laid: tuple[str, int, float] | None = None
        """The tag that was laid last, its reader, and the time."""
        self._outcome: Finding | None = None

    @property
    def is_over(self) -> bool:
        """Whether every card has a tag or was left out."""
        return not self._wanted

    def lay(self, uid: str, reader: int) -> None:
        """Note that a tag was laid on a reader."""
        if self._laid is not None and self._laid[1] == reader:
            self._laid = None
            advice = text("take them away, and lay one card alone")
            self._outcome = doubtful(text("two tags came to reader {reader} at once", reader=reader), advice)
        else:
            self._laid = uid, reader, self._clock()

    def look(self) -> None:
        """Learn the last tag as soon as it is certain that it lies alone."""
        if self._laid is None or self._clock() - self._laid[2] < ALONE_S or not self._wanted:
            return
        uid, face = self._laid[0], self._wanted[0]
        self._laid = None
        known = self._tags.face(uid)
        if known is not None:
            self._outcome = doubtful(text("that tag is on {card} already", card=_name(known)), text("lay another card"))
            return
        try:
            self._tags.learn(uid, face)
        except TagsError as error:
            raise CardtableError(str(error)) from error
        self._outcome = fine(text("{card} has its tag", card=_name(face)))
        self._wanted.pop(0)

    def skip(self) -> None:
        """Leave the present card out."""
        if self._wanted:
            self._wanted.pop(0)
            self._outcome = None

    def question(self) -> Question:
        """Ask for the next card."""
        found: Sequence[Finding] = [self._outcome] if self._outcome else []
        single = "Lay {card} on any reader. {count} card is left."
        many = "Lay {card} on any reader. {count} cards are left."
        asked = plural(single, many, len(self._wanted), card=_name(self._wanted[0]))
        choices = [Choice(_SKIP_CARD, text("Leave this card out")), Choice(_ENOUGH, text("That is enough for now"))]
        return Question(text("Tags"), asked, found, choices)


def _name(face: Card | ActionCard) -> str:
    return face.glyph if isinstance(face, Card) else word_text(face.text)


_AGAIN: Final = "again"
_ZONE: Final = "zone:"
_GAME: Final = "tags:"
_LATER: Final = "later"
_FIND: Final = "find-again"
_BRIDGE_STEPS: Final = 20
"""Steps of the bridge in one look, each of up to `_WAIT_S`."""
_WAIT_S: Final = 0.01


def _bridge() -> Bridge | None:
    return Bridge(AUTO, wait=_WAIT_S) if candidate_ports(AUTO) else None


class ReadersStep(Step):
    """Ask for one reader after the other, then for the tags of the cards.

    `open_bridge` returns the reader board, or None if none is plugged in. `clock` is in seconds.
    """

    name: ClassVar[str] = "readers"

    def __init__(
        self, open_bridge: Callable[[], Bridge | None] = _bridge, clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__()
        self._open_bridge = open_bridge
        self._clock = clock
        self._lesson: TagLesson | None = None
        self._bridge: Bridge | None = None
        self._readers = 0
        self._trouble: str | None = None
        self._zones: dict[int, str] = {}
        self._touched: int | None = None

    def is_needed(self, site: Site, left: Collection[str]) -> bool:
        """Return whether a reader board is plugged in, or in table.toml."""
        return bool(site.config.reader or self._bridge or candidate_ports(AUTO))

    def begin(self, site: Site) -> None:
        """Open the reader board, unless one is configured already."""
        self._readers, self._trouble, self._zones, self._touched = 0, None, {}, None
        self._lesson = None
        if not site.config.reader:
            self._bridge = self._open_bridge()

    def look(self, site: Site) -> None:
        """Handle the messages of the reader board."""
        for _ in range(_BRIDGE_STEPS if self._bridge else 0):
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
            if self._lesson.is_over:
                self._leave_lesson()

    def question(self, site: Site) -> Question:
        """Ask for the next reader, or for the zone above the reader that was touched."""
        title = text("Readers")
        if site.config.reader:
            asked = text("Lay a card with a tag on a reader: is it read?")
            choices = [Choice(_FIND, text("Find the readers again, and learn tags"))]
            return Question(title, asked, reader_reports(site), choices, forward=text("Continue"))
        if self._bridge is None or not self._readers:
            found: list[Finding] = [doubtful(self._trouble or text("no reader board is plugged in"))]
            asked = text("RFID readers under the table recognise cards with tags. A table with a camera needs none.")
            choices = [Choice(_AGAIN, text("Search again"))]
            return Question(title, asked, found, choices, forward=text("Continue without readers"))
        if self._lesson is not None:
            return self._lesson.question()
        if self.answers:
            return self._about_tags(site)
        found = [
            fine(text("reader {index}: {zone}", index=index, zone=_label(zone)))
            for index, zone in sorted(self._zones.items())
        ]
        if self._touched is not None:
            free = [zone for zone in _zones() if zone not in self._zones.values()]
            choices = [Choice(f"{_ZONE}{zone}", _label(zone)) for zone in free]
            asked = text("Reader {index} sees a card. What lies above it?", index=self._touched)
            return Question(title, asked, found, choices)
        choices = [Choice(_DONE, text("That was the last reader"))] if self._zones else []
        left = self._readers - len(self._zones)
        asked = text(
            "Lay a card with a tag on a reader. {left} of {count} readers are still to be found.",
            left=left,
            count=self._readers,
        )
        return Question(title, asked, found, choices, forward=None if self._zones else text("Continue without readers"))

    def answer(self, site: Site, value: str) -> bool:
        """Accept the zone above a reader or an answer about tags, look again, or store the readers at the end."""
        if value == _LATER:
            return self._write(site)
        if value == _AGAIN:
            self.end(site)
            self.begin(site)
        elif value == _FIND:
            site.change({("reader",): None}, reopen=True)
        elif value.startswith(_ZONE) and self._touched is not None:
            self._zones[self._touched] = value.removeprefix(_ZONE)
            self._touched = None
        elif value == _SKIP_CARD and self._lesson is not None:
            self._lesson.skip()
        elif value == _ENOUGH:
            self._leave_lesson()
        elif value.startswith(_GAME):
            self._lesson = TagLesson(_tags_file(site), value.removeprefix(_GAME), self._clock)
            self.answers.append(value)
        else:
            self.answers.append(_DONE)
        return False

    def _about_tags(self, site: Site) -> Question:
        """Ask for the game whose tags are to be learned."""
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
        choices.insert(0, Choice(_LATER, text("The tags are known, or will be learned later")))
        asked = text("The table must know the tag on each card. For which game will you lay the cards now, one by one?")
        return Question(text("Tags"), asked, found, choices)

    def _leave_lesson(self) -> None:
        self._lesson = None
        self.answers.pop()

    def _write(self, site: Site) -> bool:
        zones = [self._zones.get(index, "") for index in range(max(self._zones) + 1)]
        self.end(site)
        site.change({("reader", 0, "port"): AUTO, ("reader", 0, "zones"): zones}, reopen=True)
        return True

    def back(self) -> bool:
        """Leave the lesson, the question about tags, or the reader that was touched."""
        was_touched, self._touched, self._lesson = self._touched is not None, None, None
        return super().back() or was_touched

    def end(self, site: Site) -> None:
        """Close the reader board."""
        if self._bridge is not None:
            self._bridge.close()
            self._bridge = None


def _tags_file(site: Site) -> Path:
    """Return the default path of the tags of a `[[reader]]`."""
    named: Path = ReaderConfig.model_fields["tags"].default
    return site.path.parent / named


_COMMON_ZONES: Final = {
    "turn-up": text("the card that is turned up"),
    "table": text("the middle of the table"),
    "stock": text("the stock"),
    "crib": text("the crib"),
}
"""The zones without a seat, in words."""


def _zones() -> list[str]:
    """Return the zones that may lie above a reader, as in `table.toml`."""
    owned = [f"{zone} {seat}" for zone in ("play", "deal") for seat in range(PLAYERS[-1])]
    return [*owned, *_COMMON_ZONES]


def _label(zone: str) -> Text:
    """Return the zone in words."""
    name, _, seat = zone.partition(" ")
    if name == "play":
        return text("seat {seat}: the cards that are played", seat=seat)
    if name == "deal":
        return text("seat {seat}: the cards that are dealt", seat=seat)
    return _COMMON_ZONES[name]
