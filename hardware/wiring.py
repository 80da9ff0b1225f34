"""The wired devices in the configuration: pins and displays, checked before anything is switched.

Pins have the names of gpiozero: `17`, `"GPIO17"` and `"BOARD11"` (its position on the header) are the same pin.
gpiozero's command `pinout` draws the header of the board.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from engine.texts import text


class HardwareError(Exception):
    """A wired device cannot be used. The message tells the person who wired it what to do."""


class NoPinLibrary(HardwareError, ImportError):
    """The pins of this machine cannot be accessed: not a Raspberry Pi, no pin library, or no permission."""


class NoSuchPin(HardwareError, ValueError):
    """The configuration names a pin that this board does not have."""


class PinUsedTwice(HardwareError, ValueError):
    """The configuration assigns one pin to two devices."""


class PinBusy(HardwareError, OSError):
    """A pin exists but is in use by another program."""


class NoSuchDisplay(HardwareError, ValueError):
    """The configuration names an unknown display, or its size or connection is wrong."""


class DisplayFailed(HardwareError, OSError):
    """A display does not answer."""


class NoVoice(HardwareError, OSError):
    """The command that speaks cannot be run."""


Pin = int | str

_HEADER: Final = {
    3: 2, 5: 3, 7: 4, 8: 14, 10: 15, 11: 17, 12: 18, 13: 27, 15: 22, 16: 23, 18: 24, 19: 10, 21: 9, 22: 25, 23: 11,
    24: 8, 26: 7, 27: 0, 28: 1, 29: 5, 31: 6, 32: 12, 33: 13, 35: 19, 36: 16, 37: 26, 38: 20, 40: 21,
}  # fmt: skip
"""The GPIO number of each position on the 40-pin header, the same on every Raspberry Pi that has one."""


class PinUse(NamedTuple):
    """A pin and the device that uses it, named for messages. `shared`: the bus, if devices may share the pin."""

    pin: Pin
    what: str
    shared: str | None = None


@dataclass(frozen=True, slots=True)
class SeatWiring:
    """The devices wired at a seat.

    `button`: a contact to ground, for example the push contact of the encoder. `encoder`: the two contacts of a rotary
    encoder. `light`: one pin, or those of red, green and blue. `in_view`: whether the camera sees the light.
    """

    seat: int
    button: Pin | None = None
    encoder: tuple[Pin, Pin] | None = None
    light: tuple[Pin, ...] = ()
    in_view: bool = False

    def uses(self) -> list[PinUse]:
        """Return the pins in use at the seat."""
        button = text("the button of seat {seat}", seat=self.seat)
        encoder = text("the encoder of seat {seat}", seat=self.seat)
        light = text("the light of seat {seat}", seat=self.seat)
        uses = [] if self.button is None else [PinUse(self.button, button)]
        return uses + [PinUse(pin, encoder) for pin in self.encoder or ()] + [PinUse(pin, light) for pin in self.light]


def gpio_number(pin: Pin) -> int | None:
    """Return the GPIO number of a pin on the 40-pin header, without access to a board; None for an unknown name.

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
    """Return gpiozero's default pin factory. Raises `NoPinLibrary`; never falls back to a mock.

    This is the factory that is set already or that gpiozero's environment variable names; otherwise that of lgpio or,
    if lgpio is not installed, as on Debian, `hardware.gpio.LineFactory`.
    """
    try:
        import gpiozero

        chosen = gpiozero.Device.pin_factory is not None or "GPIOZERO_PIN_FACTORY" in os.environ
        lines = None if chosen or find_spec("lgpio") else import_module("hardware.gpio")
    except ImportError as error:
        message = "buttons and lights need gpiozero: install the program with the extra 'pi'"
        raise NoPinLibrary(text(message)) from error
    try:
        if lines is not None:
            gpiozero.Device.pin_factory = lines.LineFactory()
        gpiozero.Device.ensure_pin_factory()
    except (ImportError, gpiozero.GPIOZeroError, OSError) as error:  # BadPinFactory is an ImportError
        message = (
            "the pins cannot be reached ({why}): on a Raspberry Pi join their group (sudo adduser $USER gpio) and log "
            "in again; on another machine take [[seat]] and [buzzer] out of the configuration"
        )
        raise NoPinLibrary(text(message, why=str(error))) from error
    return gpiozero.Device.pin_factory


def check_pins(factory: Any, uses: Iterable[PinUse]) -> dict[Pin, str]:
    """Return the board's own name for each pin in `uses`.

    `factory`: a gpiozero pin factory. Raises `NoSuchPin` or `PinUsedTwice`, which name the devices concerned.
    """
    board = factory.board_info
    model = f"Raspberry Pi {board.model}"
    names: dict[Pin, str] = {}
    used: dict[str, PinUse] = {}
    for use in uses:
        found = next((info for _, info in board.find_pin(use.pin)), None)
        if found is None:
            message = "{what}: there is no pin {pin} on this {board}; the command pinout shows them"
            raise NoSuchPin(text(message, what=use.what, pin=repr(use.pin), board=model))
        if "gpio" not in found.interfaces:
            message = "{what}: {pin} is {name}, which cannot be switched; use a GPIO pin (see pinout)"
            raise NoSuchPin(text(message, what=use.what, pin=repr(use.pin), name=found.name))
        before = used.setdefault(found.name, use)
        if before is not use and (use.shared is None or use.shared != before.shared):
            message = "{pin} is used twice: for {first} and for {second}; move one of them"
            raise PinUsedTwice(text(message, pin=found.name, first=before.what, second=use.what))
        names[use.pin] = found.name
    return names


# Small displays: kind, size, bus and pins. Nothing is opened here.

Bus = Literal["i2c", "spi"]

KINDS: Final[Mapping[str, Bus | None]] = {
    "png": None,
    **dict.fromkeys(("ssd1305", "ssd1306", "ssd1309", "ssd1315", "ssd1316", "sh1106", "sh1107", "ch1115"), "i2c"),
    **dict.fromkeys(("ssd1322", "ssd1325", "ssd1327", "ssd1331", "ssd1351", "ssd1362"), "spi"),
    **dict.fromkeys(("pcd8544", "st7567", "st7735", "st7789", "uc1701x", "ili9341", "ili9486", "ili9488"), "spi"),
}
"""The supported displays, each with the bus that most modules of its kind use; None: no bus."""


@dataclass(frozen=True, slots=True)
class DisplayWiring:
    """A display and its connection.

    `kind`: a key of `KINDS`. `seat`: the seat whose cards it may show; None: it is for everyone. `width`, `height`:
    pixels, if they differ from the driver's defaults. `rotate`: quarter turns clockwise. `address`, `port`: I2C address
    and bus. `port`, `device` and the pins `data_command`, `reset` and `backlight`: for SPI. `file`: where the kind
    `png` writes its picture, black on white.
    """

    kind: str
    seat: int | None = None
    width: int | None = None
    height: int | None = None
    rotate: int = 0
    bus: Bus | None = None
    address: int = 0x3C
    port: int | None = None
    device: int = 0
    data_command: Pin = 24
    reset: Pin = 25
    backlight: Pin | None = None
    file: Path | None = None

    @property
    def what(self) -> str:
        """The display, in words for messages."""
        if self.seat is None:
            return text("the {kind} display", kind=self.kind)
        return text("the {kind} display of seat {seat}", kind=self.kind, seat=self.seat)

    @property
    def resolved_bus(self) -> Bus | None:
        """The bus of the display; None for a file. Raises `NoSuchDisplay`."""
        if self.kind not in KINDS:
            message = text(
                "there is no display {kind}; known: {all}", kind=repr(self.kind), all=", ".join(sorted(KINDS))
            )
            raise NoSuchDisplay(message)
        return None if KINDS[self.kind] is None else self.bus or KINDS[self.kind]

    @property
    def needs_pins(self) -> bool:
        """Whether it needs pins besides those of the bus."""
        return self.resolved_bus == "spi" or self.backlight is not None

    def uses(self) -> list[PinUse]:
        """Return the pins in use, including those of the first I2C or SPI bus."""
        bus, what, uses = self.resolved_bus, self.what, []
        if bus == "i2c":
            if self.port in (None, 1):
                uses = [PinUse(pin, what, "I2C") for pin in (2, 3)]
        elif bus == "spi":
            if self.port in (None, 0):
                uses = [PinUse(pin, what, "SPI") for pin in (10, 11)] + [PinUse(8 - self.device, what)]
            uses += [
                PinUse(self.data_command, text("D/C of {what}", what=what)),
                PinUse(self.reset, text("the reset of {what}", what=what)),
            ]
        if self.backlight is not None:
            uses.append(PinUse(self.backlight, text("the backlight of {what}", what=what)))
        return uses
