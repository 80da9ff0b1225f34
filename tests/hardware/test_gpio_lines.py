"""The pin factory over the kernel's lines. The chip is the test's; `tools/release/boot.py` tries a kernel's."""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import gpiod
import gpiozero
import pytest
from gpiod.line import Bias, Direction, Edge, Value
from gpiozero.exc import BadPinFactory
from gpiozero.pins.local import LocalPiFactory

from hardware import gpio
from hardware.gpio import CHIP, LineFactory, header_chip
from hardware.wiring import NoPinLibrary, open_pins
from tests.hardware.bench import PI_4, PI_5
from tests.waiting import tries

RISING, FALLING = gpiod.EdgeEvent.Type.RISING_EDGE, gpiod.EdgeEvent.Type.FALLING_EDGE


def until(happened: Callable[[], bool], what: str) -> None:
    for _ in tries(what, pause_s=0.002):
        if happened():
            return


class Line:
    """A line that one program has requested, with a real file descriptor for its edges."""

    def __init__(self, chip: Chip, number: int, settings: gpiod.LineSettings) -> None:
        self._chip, self.number = chip, number
        self.fd, self._other = os.pipe2(os.O_NONBLOCK)
        self._edges: list[Any] = []
        self._live = True
        self.values: list[Value] = []
        self.reconfigure_lines({number: settings})

    def __bool__(self) -> bool:
        return self._live

    def reconfigure_lines(self, config: dict[int, gpiod.LineSettings]) -> None:
        self.settings = config[self.number]
        if self.settings.direction is Direction.OUTPUT:
            self.values.append(self.settings.output_value)

    def get_value(self, number: int) -> Value:
        assert number == self.number and self._live
        return self.values[-1] if self.settings.direction is Direction.OUTPUT else self._chip.levels[number]

    def set_value(self, number: int, value: Value) -> None:
        assert number == self.number and self._live and self.settings.direction is Direction.OUTPUT
        self.values.append(value)

    def edge(self, rising: bool) -> None:
        """The level changes; the kernel reports it if it was asked to."""
        self._chip.levels[self.number] = Value.ACTIVE if rising else Value.INACTIVE
        kind = RISING if rising else FALLING
        if self.settings.edge_detection is Edge.BOTH:
            self._edges.append(SimpleNamespace(event_type=kind, timestamp_ns=5_000_000_000, Type=gpiod.EdgeEvent.Type))
            os.write(self._other, b"!")

    def read_edge_events(self) -> list[Any]:
        os.read(self.fd, 100)
        edges, self._edges = self._edges, []
        return edges

    def release(self) -> None:
        if self._live:
            self._live = False
            del self._chip.lines[self.number]
            os.close(self.fd)
            os.close(self._other)


class Chip:
    """The chip of a header. `labels`: that of each device of the machine."""

    labels: ClassVar[dict[str, str]] = {}
    denied = False

    def __init__(self, path: str) -> None:
        if self.denied:
            raise PermissionError(errno.EACCES, "Permission denied", path)
        self.path = path
        self.lines: dict[int, Line] = {}
        self.levels = dict.fromkeys(range(28), Value.ACTIVE)  # pulled up

    def __enter__(self) -> Chip:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def get_info(self) -> SimpleNamespace:
        return SimpleNamespace(label=self.labels[Path(self.path).name])

    def request_lines(self, config: dict[int, gpiod.LineSettings], consumer: str) -> Line:
        ((number, settings),) = config.items()
        if number in self.lines:
            raise OSError(errno.EBUSY, "Device or resource busy")
        self.lines[number] = Line(self, number, settings)
        return self.lines[number]

    def close(self) -> None:
        assert not self.lines, "lines that nobody gave back"


@pytest.fixture(autouse=True)
def chip(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpio.gpiod, "Chip", Chip)
    monkeypatch.setattr(Chip, "labels", {"gpiochip0": "gpio-brcmstb", "gpiochip1": "pinctrl-rp1"})
    monkeypatch.setattr(LocalPiFactory, "pins", {})
    monkeypatch.delenv(CHIP, raising=False)
    monkeypatch.delenv("GPIOZERO_PIN_FACTORY", raising=False)


@pytest.fixture
def factory(monkeypatch: pytest.MonkeyPatch) -> Iterator[LineFactory]:
    monkeypatch.setattr(LineFactory, "_get_revision", lambda self: int(PI_4, 16))
    opened = LineFactory(Path("/dev/gpiochip1"))
    yield opened
    opened.close()
    opened.close()  # may be called twice


def lines(factory: LineFactory) -> dict[int, Line]:
    """Those that are requested from the chip."""
    chip: Any = factory.chip
    requested: dict[int, Line] = chip.lines
    return requested


def test_the_chip_of_the_header_is_found_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in Chip.labels:
        (tmp_path / name).touch()
    assert header_chip(tmp_path) == tmp_path / "gpiochip1"
    monkeypatch.setenv(CHIP, "/dev/gpiochip9")
    assert header_chip(tmp_path) == Path("/dev/gpiochip9")


def test_a_machine_without_a_header_or_without_the_right_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(BadPinFactory, match="not a Raspberry Pi"):
        header_chip(tmp_path)
    (tmp_path / "gpiochip0").touch()
    monkeypatch.setattr(Chip, "denied", True)
    with pytest.raises(BadPinFactory, match=r"Permission denied.*gpiochip0"):
        header_chip(tmp_path)


def test_pins_open_without_lgpio(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpiozero.Device, "pin_factory", None)
    monkeypatch.setattr("hardware.wiring.find_spec", lambda name: None)
    monkeypatch.setattr(LineFactory, "_get_revision", lambda self: int(PI_5, 16))
    monkeypatch.setenv(CHIP, "/dev/gpiochip1")
    opened = open_pins()
    assert isinstance(opened, LineFactory) and opened.board_info.model == "5B"
    assert open_pins() is opened
    opened.close()


def test_pins_that_cannot_be_opened_say_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpiozero.Device, "pin_factory", None)
    monkeypatch.setattr("hardware.wiring.find_spec", lambda name: None)
    monkeypatch.setenv(CHIP, "/dev/gpiochip1")
    monkeypatch.setattr(Chip, "denied", True)
    with pytest.raises(NoPinLibrary, match=r"Permission denied.*adduser \$USER gpio"):
        open_pins()
    assert gpiozero.Device.pin_factory is None


def test_a_button_is_pressed_and_let_go(factory: LineFactory) -> None:
    pressed, released = threading.Semaphore(0), threading.Semaphore(0)
    with gpiozero.Button(17, pin_factory=factory, bounce_time=0.01) as button:
        button.when_pressed, button.when_released = pressed.release, released.release
        line = lines(factory)[17]
        assert line.settings.direction is Direction.INPUT and line.settings.bias is Bias.PULL_UP
        assert line.settings.debounce_period.total_seconds() == 0.01
        assert not button.is_pressed
        for _ in range(3):
            line.edge(rising=False)
            assert pressed.acquire(timeout=20) and button.is_pressed
            line.edge(rising=True)
            assert released.acquire(timeout=20) and not button.is_pressed
    assert not lines(factory)  # other programs may have the pin


def test_two_buttons_and_one_that_is_not_watched_any_more(factory: LineFactory) -> None:
    pressed: list[int] = []
    first, second = (gpiozero.DigitalInputDevice(pin, pull_up=True, pin_factory=factory) for pin in (5, 6))
    first.when_activated, second.when_activated = (lambda: pressed.append(5)), (lambda: pressed.append(6))
    lines(factory)[6].edge(rising=False)
    until(lambda: pressed == [6], "the press of the second button")
    second.close()
    lines(factory)[5].edge(rising=False)
    until(lambda: pressed == [6, 5], "the press of the first button")
    first.close()


def test_a_pin_can_be_used_again_for_something_else(factory: LineFactory) -> None:
    gpiozero.Button(17, pin_factory=factory).close()
    with gpiozero.LED(17, pin_factory=factory) as light:
        light.on()
        line = lines(factory)[17]
        assert light.value == 1 and set(line.values[:-1]) == {Value.INACTIVE} and line.values[-1] is Value.ACTIVE
        light.off()
        assert line.values[-1] is Value.INACTIVE


def test_a_light_is_dimmed_and_dark_at_the_end(factory: LineFactory) -> None:
    with gpiozero.PWMLED(27, pin_factory=factory) as light:
        line = lines(factory)[27]
        light.value = 0.4
        assert light.value == 0.4
        until(lambda: line.values[-6:].count(Value.ACTIVE) == 3, "a light that goes on and off")
        light.value = 1
        until(lambda: line.values[-1] is Value.ACTIVE, "a light that is whole on")
    assert line.values[-1] is Value.INACTIVE


def test_a_pin_of_another_program_is_named(factory: LineFactory) -> None:
    other = factory.chip.request_lines({17: gpiod.LineSettings()}, consumer="another")
    with pytest.raises(gpiozero.GPIOPinInUse, match="GPIO17 is already in use by another program"):
        gpiozero.Button(17, pin_factory=factory)
    other.release()
    gpiozero.Button(17, pin_factory=factory).close()


def test_what_a_pin_cannot_do_is_refused(factory: LineFactory) -> None:
    pin = factory.pin("GPIO17")
    with pytest.raises(gpiozero.PinInvalidFunction):
        pin.function = "analogue"
    with pytest.raises(gpiozero.PinSetInput):
        pin.state = 1
    with pytest.raises(gpiozero.PinInvalidPull):
        pin.pull = "sideways"
    with pytest.raises(gpiozero.PinInvalidBounce):
        pin.bounce = -1
    with pytest.raises(gpiozero.PinFixedPull):
        factory.pin("GPIO2").pull = "down"  # the board pulls it up
    pin.function = "output"
    with pytest.raises(gpiozero.PinFixedPull):
        pin.pull = "up"
