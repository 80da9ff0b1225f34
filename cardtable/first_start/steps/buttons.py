"""The buttons of the seats, found by pressing them; writes `[[seat]]`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Final

from cardtable.config.changing import Changes, KeyPath
from cardtable.first_start.question import Choice, Question, doubtful, fine
from cardtable.first_start.step import Site, Step, Unfit
from engine.texts import commas, text
from hardware.errors import HardwareError
from hardware.pin_search import PinSearch
from hardware.pins import gpio_number, open_pins
from vision.table.mat import PLAYERS

_DONE: Final = "done"
_SKIP: Final = "without"


class ButtonsStep(Step):
    """Asks for one button after the other. `open_factory` returns gpiozero's pin factory."""

    name: ClassVar[str] = "buttons"

    def __init__(self, open_factory: Callable[[], Any] = open_pins) -> None:
        self._open_factory = open_factory
        self._search: PinSearch | None = None
        self._trouble: str | None = None
        self._found: dict[int, int] = {}
        """The GPIO number of each seat's button."""
        self._seat = 0

    def begin(self, site: Site) -> None:
        """Watch the pins, unless buttons are configured already."""
        self._found, self._seat, self._trouble = {}, 0, None
        if any(seat.button is not None for seat in site.config.seat):
            return
        taken = {gpio_number(use.pin) for display in site.config.display for use in display.wiring.uses()}
        taken |= {gpio_number(use.pin) for seat in site.config.seat for use in seat.wiring.uses()}
        if site.config.buzzer is not None:
            taken.add(gpio_number(site.config.buzzer.pin))
        try:
            self._search = PinSearch(self._open_factory(), {pin for pin in taken if pin is not None})
        except HardwareError as error:  # of use on a Raspberry Pi only
            self._trouble = str(error) if any(site.machine.dev.glob("gpiomem*")) else None

    def look(self, site: Site) -> None:
        """Note the buttons that were pressed since."""
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
        """Take the end, or a seat without a button."""
        if value == _SKIP and self._search is not None and self._seat < PLAYERS[-1]:
            self._seat += 1
            return False
        if value != _DONE or not self._found:
            raise Unfit(text("Press a button, or continue without buttons."))
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
