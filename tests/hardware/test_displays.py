"""Displays: luma's real drivers on a recording bus, and the picture file."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageChops

from hardware.displays import Display, draw
from hardware.seats import Seats
from hardware.wiring import KINDS, DisplayFailed, DisplayWiring, NoSuchDisplay, PinUsedTwice, SeatWiring, check_pins
from tests.hardware.bench import PI_5, board
from tests.hardware.pictures import begging, known, shown

DATA = 0x40


class I2CBus:
    """The interface of smbus2; keeps what is written to the display's memory. `broken`: nothing answers."""

    def __init__(self) -> None:
        self.data: list[int] = []
        self.writes = 0
        self.broken = False
        self.address = 0

    def write_i2c_block_data(self, address: int, register: int, data: list[int]) -> None:
        if self.broken:
            raise OSError(errno.EREMOTEIO, "Remote I/O error")
        self.address = address
        self.writes += 1
        if register == DATA:
            self.data += data


class SPIBus:
    """The interface of spidev; keeps all bytes with the level of the D/C pin."""

    max_speed_hz = 0
    mode = 0

    def __init__(self, data_command: Any) -> None:
        self._data_command = data_command
        self.data: list[int] = []

    def open(self, port: int, device: int) -> None:
        self.opened = (port, device)

    def writebytes(self, data: list[int]) -> None:
        if self._data_command.state:
            self.data += data

    def close(self) -> None:
        pass


def of_pages(data: list[int], width: int, height: int) -> Image.Image:
    """The picture in the memory of an SSD1306: each byte is 8 dots down, pages of them from the top."""
    image = Image.new("1", (width, height))
    for index, byte in enumerate(data):
        for bit in range(8):
            image.putpixel((index % width, index // width * 8 + bit), 255 * (byte >> bit & 1))
    return image


def same(first: Image.Image, second: Image.Image) -> bool:
    return ImageChops.difference(first.convert("RGB"), second.convert("RGB")).getbbox() is None


@pytest.mark.parametrize("height", [64, 32])
def test_ssd1306_receives_the_picture(height: int) -> None:
    bus = I2CBus()
    display = Display(DisplayWiring("ssd1306", height=height, address=0x3D), wire=bus)
    screen = shown(begging(), 1)
    display.open()
    bus.data.clear()
    display.show(screen)
    assert bus.address == 0x3D
    assert same(of_pages(bus.data, 128, height), draw(screen, (128, height), "1"))
    writes = bus.writes
    display.show(screen)
    assert bus.writes == writes  # nothing has changed: nothing is sent
    display.show(shown(begging(), 0))
    assert bus.writes > writes
    display.close()


def test_silent_display_raises_an_error_and_is_opened_again() -> None:
    bus = I2CBus()
    wiring = DisplayWiring("ssd1306", seat=1)
    display = Display(wiring, wire=bus)
    bus.broken = True
    for _ in range(2):
        with pytest.raises(DisplayFailed, match=r"the ssd1306 display of seat 1 does not answer .*i2cdetect -y 1"):
            display.show(shown(begging(), 1))
    with pytest.raises(DisplayFailed, match="raspi-config"):
        display.open()
    bus.broken = False
    display.open()  # plugged in again, its memory is empty
    bus.data.clear()
    display.show(shown(begging(), 1))
    assert same(of_pages(bus.data, 128, 64), draw(shown(begging(), 1), (128, 64), "1"))
    bus.broken = True
    display.close()  # closing an unplugged display raises no error


@pytest.mark.parametrize("revision", [None, PI_5])
def test_st7789_receives_the_picture(revision: str | None) -> None:
    factory = board(revision) if revision else board()
    bus = SPIBus(factory.pin(9))
    wiring = DisplayWiring("st7789", data_command=9, reset="BOARD22", backlight=13, device=1)
    display = Display(wiring, factory, bus)
    display.open()
    assert bus.opened == (0, 1)
    assert factory.pin(13).state == 1
    assert [state.state for state in factory.pin(25).states][-2:] == [0, 1]  # it was reset
    bus.data.clear()
    screen = shown(known(), 1)
    display.show(screen)
    sent = bytes(bus.data[-240 * 240 * 3 :])
    assert same(Image.frombytes("RGB", (240, 240), sent), draw(screen, (240, 240), "RGB"))
    display.close()
    assert factory.pin(13).state == 0


@pytest.mark.parametrize("kind", sorted(set(KINDS) - {"png"}))
def test_every_kind_of_display(kind: str) -> None:
    """Each of luma's drivers accepts the picture drawn for it, over its usual bus."""
    factory = board()
    wiring = DisplayWiring(kind, rotate=1 if kind == "st7735" else 0)
    bus: Any = I2CBus() if wiring.resolved_bus == "i2c" else SPIBus(factory.pin(24))
    display = Display(wiring, factory, bus)
    display.open()
    bus.data.clear()
    display.show(shown(begging(), 1))
    assert any(bus.data)
    display.close()


def test_picture_file(tmp_path: Path) -> None:
    file = tmp_path / "table.png"
    display = Display(DisplayWiring("png", file=file, width=128, height=64))
    screen = shown(begging())
    display.show(screen)
    shown_there = Image.open(file)
    assert shown_there.mode == "1"
    assert same(ImageChops.invert(shown_there.convert("L")), draw(screen, (128, 64), "1").convert("L"))
    written = file.stat().st_mtime_ns
    display.show(screen)
    assert file.stat().st_mtime_ns == written
    display.close()
    assert [path.name for path in tmp_path.iterdir()] == ["table.png"]


def test_rotated_picture_file(tmp_path: Path) -> None:
    file = tmp_path / "table.png"
    Display(DisplayWiring("png", file=file, rotate=1)).show(shown(begging()))
    assert Image.open(file).size == (250, 122)
    upright = draw(shown(begging()), (122, 250), "1")
    turned = Image.open(file).rotate(90, expand=True)
    assert same(ImageChops.invert(turned.convert("L")), upright.convert("L"))


def test_picture_file_that_cannot_be_written(tmp_path: Path) -> None:
    display = Display(DisplayWiring("png", file=tmp_path / "no" / "table.png"))
    with pytest.raises(DisplayFailed, match=r"make sure that .*table\.png can be written"):
        display.show(shown(begging()))


def test_configuration_errors() -> None:
    with pytest.raises(NoSuchDisplay, match=r"there is no display 'ssd1360'; known: .*ssd1306"):
        Display(DisplayWiring("ssd1360")).open()
    with pytest.raises(NoSuchDisplay, match=r"the ssd1306 display: .*100 x 64"):
        Display(DisplayWiring("ssd1306", width=100), wire=I2CBus()).open()
    with pytest.raises(NoSuchDisplay, match="needs the file"):
        Display(DisplayWiring("png")).open()


def test_pins_of_displays_are_checked_with_the_others() -> None:
    left, right = DisplayWiring("ssd1306", seat=0), DisplayWiring("ssd1306", seat=1, address=0x3D)
    check_pins(board(), [*left.uses(), *right.uses()])
    with pytest.raises(PinUsedTwice, match=r"GPIO2 .*the button of seat 0 and for the ssd1306 display of seat 0"):
        Seats(board(), [SeatWiring(0, button="GPIO2")], others=left.uses())
    with pytest.raises(PinUsedTwice, match=r"GPIO24 .*D/C of the st7789 display"):
        Seats(board(), [SeatWiring(0, light=(24,))], others=DisplayWiring("st7789").uses())
    assert DisplayWiring("png").uses() == []
