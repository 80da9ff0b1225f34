"""Pins are checked against the board, and every mistake names what is wired wrongly."""

from __future__ import annotations

import sys

import pytest

from hardware.errors import HardwareError, NoPinLibrary, NoSuchPin, PinUsedTwice
from hardware.pins import PinUse, SeatWiring, check_pins, gpio_number, open_pins
from tests.hardware.bench import PI_3, PI_4, PI_5, board


@pytest.mark.parametrize("revision", [PI_4, PI_5])
def test_pins_by_every_name(revision: str) -> None:
    uses = [PinUse(17, "a"), PinUse("GPIO27", "b"), PinUse("BOARD15", "c")]
    assert check_pins(board(revision), uses) == {17: "GPIO17", "GPIO27": "GPIO27", "BOARD15": "GPIO22"}


@pytest.mark.parametrize(("revision", "model"), [(PI_4, "4B"), (PI_5, "5B")])
def test_a_pin_that_the_board_does_not_have(revision: str, model: str) -> None:
    with pytest.raises(NoSuchPin, match=f"^the light of seat 1: there is no pin 40 on this Raspberry Pi {model}"):
        check_pins(board(revision), SeatWiring(1, button=17, light=(40,)).uses())


@pytest.mark.parametrize("revision", [PI_3, PI_4, PI_5])
def test_a_pin_is_the_same_without_a_board_as_with_it(revision: str) -> None:
    found = board(revision).board_info
    names = [f"{head}{number}" for head in ("", "GPIO", "BCM", "BOARD", "J8:") for number in range(1, 45)]
    gpio = {name: info.name for name in names for _, info in found.find_pin(name) if info.name.startswith("GPIO")}
    assert len(gpio) == 3 * 27 + 2 * 28  # GPIO0 to GPIO27; 28 places on the header
    assert {name: f"GPIO{gpio_number(name)}" for name in gpio} == gpio
    assert [gpio_number(name) for name in ("BOARD1", "BOARD99", "WPI0", "board11", "")] == [None] * 5


def test_a_pin_that_only_gives_power() -> None:
    with pytest.raises(NoSuchPin, match=r"the button of seat 0: 'BOARD1' is 3V3, which cannot be switched"):
        check_pins(board(), SeatWiring(0, button="BOARD1").uses())


def test_a_pin_used_twice_under_two_names() -> None:
    uses = [*SeatWiring(0, button=17).uses(), *SeatWiring(1, button=4, light=("BOARD11",)).uses()]
    with pytest.raises(PinUsedTwice, match="GPIO17 is used twice: for the button of seat 0 and for the light of seat"):
        check_pins(board(), uses)


def test_a_bus_may_be_shared_and_by_nothing_else() -> None:
    two = [PinUse(2, "the display left", "I2C"), PinUse(2, "the display right", "I2C")]
    check_pins(board(), two)
    with pytest.raises(PinUsedTwice, match="the display left and for the buzzer"):
        check_pins(board(), [*two, PinUse(2, "the buzzer")])


def test_without_a_pin_library_it_says_so_and_takes_no_mock(monkeypatch: pytest.MonkeyPatch) -> None:
    import gpiozero

    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "lgpio")
    monkeypatch.setitem(sys.modules, "lgpio", None)  # not installed, wherever this runs
    monkeypatch.setattr(gpiozero.Device, "pin_factory", None)
    with pytest.raises(NoPinLibrary, match=r"lgpio.*take .*seat.* out of the configuration") as refused:
        open_pins()
    assert isinstance(refused.value, HardwareError) and isinstance(refused.value, ImportError)
    assert gpiozero.Device.pin_factory is None


def test_the_factory_that_the_user_names_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    import gpiozero
    from gpiozero.pins.mock import MockFactory

    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "mock")
    monkeypatch.setattr(gpiozero.Device, "pin_factory", None)
    assert isinstance(open_pins(), MockFactory)
