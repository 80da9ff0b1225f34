"""Small displays, selected by the name of their driver chip, and `png`, which writes the picture to a file.

    display = Display(DisplayWiring("ssd1306"))
    display.show(screen_of(view, prompts))

The drivers are those of luma. `show` raises `DisplayFailed` if the display does not answer; the next call tries again.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from typing import Any, Final

from engine.texts import text
from hardware.display_wiring import DisplayWiring
from hardware.drawing import draw
from hardware.errors import DisplayFailed, NoSuchDisplay
from hardware.pins import Pin, PinUse, check_pins
from hardware.screen import Screen

_LCD: Final = frozenset(("pcd8544", "st7567", "st7735", "st7789", "uc1701x", "ili9341", "ili9486", "ili9488"))
_PNG_SIZE: Final = (250, 122)
"""Default size in pixels: a common 2.13-inch e-ink display."""


class Display:
    """A display. `factory`: a gpiozero pin factory; not needed for `png`, nor for I2C without a backlight.

    `wire`: an open bus with the interface of smbus2 or spidev, instead of the machine's own.
    """

    def __init__(self, wiring: DisplayWiring, factory: Any = None, wire: Any = None) -> None:
        self.wiring: Final = wiring
        self._wire = wire
        self._lines = _Lines(factory)
        self._device: Any = None
        self._shown: bytes | None = None

    def open(self) -> None:
        """Open and initialise the display. Raises `DisplayFailed`, `NoSuchDisplay` and `NoSuchPin`."""
        with self._luma_errors():
            self._device = _open(self.wiring, self._lines, self._wire)

    def show(self, screen: Screen) -> None:
        """Show `screen`, if it differs from what is shown; open the display first if necessary.

        Raises the errors of `open`. After a failure the next call opens the display again: it may have been unplugged.
        """
        if self._device is None:
            self.open()
        picture = draw(screen, self._device.size, self._device.mode)
        pixels = picture.tobytes()
        if pixels != self._shown:
            device, self._device, self._shown = self._device, None, None
            with self._luma_errors():
                device.display(picture)
            self._device, self._shown = device, pixels

    def close(self) -> None:
        """Switch the display off, if it still answers, and release its pins. A file stays as it is."""
        if self._device is not None:
            with contextlib.suppress(DisplayFailed), self._luma_errors():
                self._device.cleanup()
        self._lines.close()

    @contextlib.contextmanager
    def _luma_errors(self) -> Iterator[None]:
        from luma.core.error import DeviceDisplayModeError, Error

        what = self.wiring.what
        try:
            yield
        except DeviceDisplayModeError as error:
            raise NoSuchDisplay(
                text("{what}: {why}; see docs/displays.md for its sizes", what=what, why=str(error))
            ) from error
        except (Error, OSError, ImportError) as error:
            message = "{what} does not answer ({why}): {advice}"
            raise DisplayFailed(text(message, what=what, why=str(error), advice=self._advice())) from error

    def _advice(self) -> str:
        wiring = self.wiring
        if wiring.resolved_bus == "i2c":
            return text(
                "switch I2C on with raspi-config, check its four wires, and look for {address} "
                "in the output of: i2cdetect -y {bus}",
                address=f"{wiring.address:02x}",
                bus=wiring.port if wiring.port is not None else 1,
            )
        if wiring.resolved_bus == "spi":
            return text("switch SPI on with raspi-config, install python3-spidev, and check its wires")
        return text("make sure that {file} can be written", file=wiring.file)


def _open(wiring: DisplayWiring, lines: _Lines, wire: Any) -> Any:
    """Return luma's device for this wiring; its mode is "1" or "RGB"."""
    if wiring.resolved_bus is None:
        file = _PngFile(wiring)
        file.check()
        return file
    from luma.core.interface import serial

    size = {key: value for key, value in (("width", wiring.width), ("height", wiring.height)) if value is not None}
    link: Any
    if wiring.resolved_bus == "i2c":
        link = serial.i2c(bus=wire, port=1 if wiring.port is None else wiring.port, address=wiring.address)
    else:
        dc, reset = (lines.number(pin, wiring) for pin in (wiring.data_command, wiring.reset))
        link = serial.spi(
            spi=wire, gpio=lines, port=wiring.port or 0, device=wiring.device, gpio_DC=dc, gpio_RST=reset,
            reset_hold_time=0.01, reset_release_time=0.12,
        )  # fmt: skip
    more: dict[str, Any] = {}
    if wiring.kind in _LCD:
        from luma.lcd import device as drivers

        more["backlight"] = _backlight(wiring, lines)
    else:
        from luma.oled import device as drivers
    return getattr(drivers, wiring.kind)(link, rotate=wiring.rotate, **size, **more)


def _backlight(wiring: DisplayWiring, lines: _Lines) -> Callable[[bool], None]:
    pin = None if wiring.backlight is None else lines.number(wiring.backlight, wiring)

    def switch(on: bool) -> None:
        if pin is not None:
            lines.output(pin, on)

    if pin is not None:
        lines.setup(pin, lines.OUT)
    return switch


class _Lines:
    """gpiozero's pins behind the interface of RPi.GPIO, which luma expects, and which does not support the Pi 5."""

    OUT, LOW, HIGH = 0, 0, 1

    def __init__(self, factory: Any) -> None:
        self._factory = factory
        self._devices: dict[int, Any] = {}

    def number(self, pin: Pin, wiring: DisplayWiring) -> int:
        """Return the GPIO number of a pin. Raises `NoSuchPin`."""
        return int(check_pins(self._factory, [PinUse(pin, wiring.what)])[pin].removeprefix("GPIO"))

    def setup(self, pin: int, direction: int) -> None:
        """Make `pin` an output."""
        from gpiozero import OutputDevice

        if pin in self._devices:
            self._devices[pin].close()
        self._devices[pin] = OutputDevice(pin, pin_factory=self._factory)

    def output(self, pin: int, value: int | bool) -> None:
        """Switch `pin` on or off."""
        self._devices[pin].value = bool(value)

    def cleanup(self, pins: object = None) -> None:
        """Do nothing: luma calls this, but the pins are released by `close`."""

    def close(self) -> None:
        """Release all pins."""
        while self._devices:
            self._devices.popitem()[1].close()


class _PngFile:
    """A picture file as a display, black on white and replaced atomically, for e-ink scripts and for tests."""

    mode = "1"

    def __init__(self, wiring: DisplayWiring) -> None:
        if wiring.file is None:
            raise NoSuchDisplay(text('a png display needs the file that it writes: file = "table.png"'))
        self._file = wiring.file.resolve()  # replace the target of a symbolic link, not the link
        self._beside = self._file.with_name(f".{self._file.name}.{os.getpid()}")
        self._rotate = wiring.rotate
        width, height = wiring.width or _PNG_SIZE[0], wiring.height or _PNG_SIZE[1]
        self.size = (height, width) if wiring.rotate % 2 else (width, height)

    def check(self) -> None:
        """Check that the file can be written and is not a device. Raises `OSError`."""
        if self._file.exists() and not self._file.is_file():
            raise FileExistsError(f"{self._file} is no ordinary file")
        try:
            self._beside.write_bytes(b"\0" * 1024)
        finally:
            self._beside.unlink(missing_ok=True)

    def display(self, picture: Any) -> None:
        """Write the picture atomically: a reader sees the old or the new one, never a part."""
        from PIL import ImageChops

        turned = ImageChops.invert(picture.convert("L")).convert("1").rotate(-90 * self._rotate, expand=True)
        try:
            turned.save(self._beside, "PNG")
            self._beside.replace(self._file)
        finally:
            self._beside.unlink(missing_ok=True)

    def cleanup(self) -> None:
        """Do nothing: the last picture stays."""
