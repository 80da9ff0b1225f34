"""The configuration of small displays: kind, size, bus and pins. Nothing is opened here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from engine.texts import text
from hardware.errors import NoSuchDisplay
from hardware.pins import Pin, PinUse

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
