"""Pins: those that the configuration names, checked before anything is switched.

A pin is named as gpiozero names it: `17` and `"GPIO17"` are the same, and so is `"BOARD11"`, its place on the
header. `pinout`, which comes with gpiozero, draws the header of the board.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from engine.texts import text
from hardware.errors import NoPinLibrary, NoSuchPin, PinUsedTwice

Pin = int | str

_HEADER: Final = {
    3: 2, 5: 3, 7: 4, 8: 14, 10: 15, 11: 17, 12: 18, 13: 27, 15: 22, 16: 23, 18: 24, 19: 10, 21: 9, 22: 25, 23: 11,
    24: 8, 26: 7, 27: 0, 28: 1, 29: 5, 31: 6, 32: 12, 33: 13, 35: 19, 36: 16, 37: 26, 38: 20, 40: 21,
}  # fmt: skip
"""The GPIO number at each place of the 40-pin header, the same on every Raspberry Pi that has it."""


class PinUse(NamedTuple):
    """A pin and what it is for, in the words of the configuration. `shared`: a bus that several may use."""

    pin: Pin
    what: str
    shared: str | None = None


@dataclass(frozen=True, slots=True)
class SeatWiring:
    """What is wired at a seat.

    `button`: closes to ground; with an encoder, its push. `encoder`: its two contacts. `light`: one pin, or those
    of red, green and blue; `in_view`: the camera sees it.
    """

    seat: int
    button: Pin | None = None
    encoder: tuple[Pin, Pin] | None = None
    light: tuple[Pin, ...] = ()
    in_view: bool = False

    def uses(self) -> list[PinUse]:
        """Every pin of the seat."""
        button = text("the button of seat {seat}", seat=self.seat)
        encoder = text("the encoder of seat {seat}", seat=self.seat)
        light = text("the light of seat {seat}", seat=self.seat)
        uses = [] if self.button is None else [PinUse(self.button, button)]
        return uses + [PinUse(pin, encoder) for pin in self.encoder or ()] + [PinUse(pin, light) for pin in self.light]


def gpio_number(pin: Pin) -> int | None:
    """The GPIO number that a pin's name means on the 40-pin header, without asking a board; None for no such name.

    >>> gpio_number("BOARD11"), gpio_number("GPIO17"), gpio_number("17"), gpio_number("X")
    (17, 17, 17, None)
    """
    if isinstance(pin, int):
        return pin
    match = re.fullmatch(r"(GPIO|BCM|BOARD|J8:)?(\d+)", pin)
    if match is None:
        return None
    number = int(match[2])
    return _HEADER.get(number) if match[1] in ("BOARD", "J8:") else number


def open_pins() -> Any:
    """The pins of this machine: gpiozero's default factory. Raises `NoPinLibrary`; never falls back to a mock."""
    try:
        import gpiozero
    except ImportError as error:
        told = "buttons and lights need gpiozero: install the program with the extra 'pi'"
        raise NoPinLibrary(text(told)) from error
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", gpiozero.PinFactoryFallback)
            gpiozero.Device.ensure_pin_factory()
    except (ImportError, gpiozero.GPIOZeroError, OSError) as error:
        # gpiozero's BadPinFactory is an ImportError.
        told = (
            "the pins cannot be reached ({why}): on a Raspberry Pi install lgpio (sudo apt install python3-lgpio, "
            "and a virtual environment with --system-site-packages) and join its group (sudo adduser $USER gpio); "
            "on another machine take [[seat]] and [buzzer] out of the configuration"
        )
        raise NoPinLibrary(text(told, why=str(error))) from error
    return gpiozero.Device.pin_factory


def check_pins(factory: Any, uses: Iterable[PinUse]) -> dict[Pin, str]:
    """The board's own name for each pin. Raises `NoSuchPin` and `PinUsedTwice`, which name what is wired to it.

    `factory`: a gpiozero pin factory.
    """
    board = factory.board_info
    model = f"Raspberry Pi {board.model}"
    names: dict[Pin, str] = {}
    taken: dict[str, PinUse] = {}
    for use in uses:
        found = next((info for _, info in board.find_pin(use.pin)), None)
        if found is None:
            told = "{what}: there is no pin {pin} on this {board}; the command pinout shows them"
            raise NoSuchPin(text(told, what=use.what, pin=repr(use.pin), board=model))
        if "gpio" not in found.interfaces:
            told = "{what}: {pin} is {name}, which cannot be switched; take a GPIO pin (see pinout)"
            raise NoSuchPin(text(told, what=use.what, pin=repr(use.pin), name=found.name))
        before = taken.setdefault(found.name, use)
        if before is not use and (use.shared is None or use.shared != before.shared):
            told = "{pin} is used twice: for {one} and for {other}; move one of them"
            raise PinUsedTwice(text(told, pin=found.name, one=before.what, other=use.what))
        names[use.pin] = found.name
    return names
