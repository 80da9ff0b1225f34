"""Small displays, selected by the name of their driver chip, and `png`, which writes the picture to a file.

    display = Display(DisplayWiring("ssd1306"))
    display.show(screen_of(view, prompts))

The drivers are those of luma. `show` raises `DisplayFailed` if the display does not answer; the next call tries again.
"""

from __future__ import annotations

import contextlib
import os
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any, Final

from luma.core.legacy.font import CP437_FONT, proportional
from PIL import Image, ImageDraw

from engine.texts import text
from hardware.screen import Screen
from hardware.wiring import DisplayFailed, DisplayWiring, NoSuchDisplay, Pin, PinUse, check_pins

# Drawing. The font is the 8 × 8 bitmap font of the first PCs (code page 437), which is sharp on small displays; on
# larger ones each dot is a square of pixels. It has the suits of the cards and the letters of western Europe; other
# characters are replaced by similar ones. Lengths are in dots unless stated otherwise.

_FONT: Final = proportional(CP437_FONT)
_LINE: Final = 9
"""Height of a line including spacing; letters are 8 dots high."""
_GAP: Final = 4
"""Smallest gap between texts side by side."""
_COLUMNS: Final = 128
"""Intended width of the picture; a wider display gets larger dots."""

# Code page 437 has glyphs at the positions of control characters; Python's codec does not map them.
_PICTURES: Final = {"♥": 3, "♦": 4, "♣": 5, "♠": 6, "•": 7, "►": 16}
_NEAREST: Final = {
    "’": "'", "‘": "'", "“": '"', "”": '"', "„": '"', "–": "-", "—": "─", "…": "...", "œ": "oe", "Œ": "OE",
    "\u202f": " ", "\u00a0": " ", "×": "x",
}  # fmt: skip

Colour = tuple[int, int, int]
BLACK: Final[Colour] = (0, 0, 0)
WHITE: Final[Colour] = (255, 255, 255)
GREEN: Final[Colour] = (0, 200, 80)
RED: Final[Colour] = (255, 70, 60)
GREY: Final[Colour] = (150, 150, 150)


def codes(text: str) -> list[int]:
    """Return the positions of the letters in the font."""
    out: list[int] = []
    for letter in text:
        for nearest in _NEAREST.get(letter, letter):
            out.append(_code(nearest))
    return out


def _code(letter: str) -> int:
    if letter in _PICTURES:
        return _PICTURES[letter]
    for form in (letter, unicodedata.normalize("NFD", letter)[0]):
        try:
            return form.encode("cp437")[0]
        except UnicodeEncodeError:
            continue
    return ord("?")


def width_of(text: str) -> int:
    """Return the width of `text`."""
    return sum(len(_FONT[code]) for code in codes(text))


def wrap(text: str, width: int, lines: int) -> list[str]:
    """Break `text` into at most `lines` lines of `width`; end with "..." what does not fit."""
    out: list[str] = []
    for word in filter(None, text.split(" ")):  # not `split()`, which would also split at no-break spaces
        if out and width_of(f"{out[-1]} {word}") <= width:
            out[-1] += f" {word}"
        else:
            out.append(word)
    if len(out) > lines:
        out = [*out[: max(lines - 1, 0)], " ".join(out[max(lines - 1, 0) :])][:lines]
    return [shorten(line, width) for line in out]


def shorten(text: str, width: int) -> str:
    """Return `text`, cut and ended with "..." if it is wider than `width`."""
    if width_of(text) <= width:
        return text
    while text and width_of(text + "...") > width:
        text = text[:-1]
    return text.rstrip() + "..."


def draw(screen: Screen, size: tuple[int, int], mode: str) -> Image.Image:
    """Return the picture of `screen`, light on black. `size`: width and height in pixels; `mode`: "1" or "RGB"."""
    scale = max(1, round(size[0] / _COLUMNS))
    paper = _Paper(size[0] // scale, size[1] // scale)
    _write(screen, paper)
    picture = Image.new("RGB", size)
    picture.paste(paper.image.resize((paper.width * scale, paper.height * scale), Image.Resampling.NEAREST))
    return picture if mode == "RGB" else picture.convert("L").point(lambda grey: 255 * (grey > 0)).convert("1")


def _write(screen: Screen, paper: _Paper) -> None:
    """Draw the scores at the top, the buttons' words and the hand at the bottom, the prompt between them."""
    if screen.entries:
        _write_menu(screen, paper)
        return
    top = _write_players(screen, paper)
    bottom = paper.height
    rows = _rows([f"{mark} {word}" for mark, word in screen.hints], paper.width)
    # The words of the buttons are more useful than a prompt to use them, but an alarm takes precedence.
    rows = rows[: max((bottom - top) // _LINE - (1 if screen.alarm else 0), 0)]
    bottom -= _LINE * len(rows)
    for number, row in enumerate(rows):
        paper.write_all(row, bottom + 1 + number * _LINE, WHITE)
    # On the smallest displays the prompt takes precedence over the hand and the facts.
    if screen.hand and bottom - top >= 3 * _LINE:
        bottom -= _LINE
        paper.write_all(screen.hand, bottom + 1, WHITE)
    if screen.facts and bottom - top >= 3 * _LINE:
        paper.write(0, top, shorten(screen.facts, paper.width), GREY)
        top += _LINE
    top += min(2, max(0, bottom - top - 2 * _LINE))
    lines = wrap(screen.prompt, paper.width - 2, max((bottom - top) // _LINE, 0 if rows else 1))
    if screen.alarm:
        paper.box(0, top - 1, paper.width, len(lines) * _LINE + 1, RED)
    for number, line in enumerate(lines):
        paper.write(1, top + number * _LINE, line, BLACK if screen.alarm else WHITE)


def _write_menu(screen: Screen, paper: _Paper) -> None:
    """Draw the title, if there is room for it, and as many entries as fit, with the chosen one among them."""
    lines = max(paper.height // _LINE, 1)
    top = 0
    if lines > 2 and screen.prompt:
        paper.write(1, 0, shorten(screen.prompt, paper.width - 2), GREY)
        top, lines = _LINE, lines - 1
    first = min(max(screen.chosen - lines // 2, 0), max(len(screen.entries) - lines, 0))
    indent = width_of("► ")
    for row, number in enumerate(range(first, min(first + lines, len(screen.entries)))):
        y = top + row * _LINE
        if number == screen.chosen:
            paper.write(1, y, "► ", GREEN)
        paper.write(1 + indent, y, shorten(screen.entries[number], paper.width - indent - 2), WHITE)


def _rows(texts: Sequence[str], width: int) -> list[list[str]]:
    """Distribute the texts over as few rows as possible."""
    rows: list[list[str]] = []
    for words in texts:
        if rows and sum(map(width_of, rows[-1])) + width_of(words) + _GAP * len(rows[-1]) <= width:
            rows[-1].append(words)
        else:
            rows.append([words])
    return rows


def _write_players(screen: Screen, paper: _Paper) -> int:
    """Draw the players, two in a row, the one on turn in a box. Return the height used."""
    half = paper.width // 2
    margin = 1 if paper.height >= 3 * _LINE else 0  # no room for it on a display of two lines
    for number, player in enumerate(screen.players):
        x, y = number % 2 * half, number // 2 * (8 + 2 * margin)
        score = str(player.score)
        colour = WHITE
        if player.on_turn:
            paper.box(x, y, half - 1, 8 + margin, GREEN)
            colour = BLACK
        name = f"{player.name}{'•' if player.dealer else ''}"
        paper.write(x + 1, y + margin, shorten(name, half - width_of(score) - 5), colour)
        paper.write(x + half - 2 - width_of(score), y + margin, score, colour)
    return (len(screen.players) + 1) // 2 * (8 + 2 * margin) + margin


class _Paper:
    """A picture at one pixel per dot."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self.image = Image.new("RGB", (width, height))
        self._draw = ImageDraw.Draw(self.image)

    def box(self, x: int, y: int, width: int, height: int, colour: Colour) -> None:
        """Draw a filled box with its top left corner at (x, y)."""
        self._draw.rectangle((x, y, x + width - 1, y + height - 1), fill=colour)

    def write(self, x: int, y: int, text: str, colour: Colour) -> int:
        """Write a line of text with its top left corner at (x, y), red suits in red. Return the x of its end."""
        for code in codes(text):
            red = code in (_PICTURES["♥"], _PICTURES["♦"]) and colour != BLACK
            for column in _FONT[code]:
                self._draw.point([(x, y + row) for row in range(8) if column >> row & 1], fill=RED if red else colour)
                x += 1
        return x

    def write_all(self, texts: Sequence[str], y: int, colour: Colour) -> None:
        """Write texts side by side with equal gaps; drop the last ones if they do not fit."""
        room = list(texts)
        while len(room) > 1 and sum(map(width_of, room)) + _GAP * (len(room) - 1) > self.width:
            room.pop()
        gap = min((self.width - sum(map(width_of, room))) // max(len(room) - 1, 1), 12)
        x = 0
        for words in room:
            x = self.write(x, y, shorten(words, self.width - x), colour) + gap


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
                text("{what}: {why}; see docs/how-to/wired-hardware.md for its sizes", what=what, why=str(error))
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

        more["backlight"] = lambda on: None
        if wiring.backlight is not None:
            more["backlight"] = drivers.GPIOBacklight(lines, lines.number(wiring.backlight, wiring))
    else:
        from luma.oled import device as drivers
    return getattr(drivers, wiring.kind)(link, rotate=wiring.rotate, **size, **more)


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
