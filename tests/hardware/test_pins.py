"""Pins are checked against the board; error messages name the device."""

from __future__ import annotations

import sys

import pytest

from hardware.wiring import (
    HardwareError,
    NoPinLibrary,
    NoSuchPin,
    PinUse,
    PinUsedTwice,
    SeatWiring,
    check_pins,
    gpio_number,
    open_pins,
)
from tests.hardware.bench import PI_3, PI_4, PI_5, board


@pytest.mark.parametrize("revision", [PI_4, PI_5])
def test_all_names_of_a_pin(revision: str) -> None:
    uses = [PinUse(17, "a"), PinUse("GPIO27", "b"), PinUse("BOARD15", "c")]
    assert check_pins(board(revision), uses) == {17: "GPIO17", "GPIO27": "GPIO27", "BOARD15": "GPIO22"}


@pytest.mark.parametrize(("revision", "model"), [(PI_4, "4B"), (PI_5, "5B")])
def test_pin_missing_on_the_board(revision: str, model: str) -> None:
    with pytest.raises(NoSuchPin, match=f"^the light of seat 1: there is no pin 40 on this Raspberry Pi {model}"):
        check_pins(board(revision), SeatWiring(1, button=17, light=(40,)).uses())


@pytest.mark.parametrize("revision", [PI_3, PI_4, PI_5])
def test_gpio_number_agrees_with_gpiozero(revision: str) -> None:
    found = board(revision).board_info
    names = [f"{head}{number}" for head in ("", "GPIO", "BCM", "BOARD", "J8:") for number in range(1, 45)]
    gpio = {name: info.name for name in names for _, info in found.find_pin(name) if info.name.startswith("GPIO")}
    assert len(gpio) == 3 * 27 + 2 * 28  # GPIO0 to GPIO27; 28 places on the header
    assert {name: f"GPIO{gpio_number(name)}" for name in gpio} == gpio
    assert [gpio_number(name) for name in ("BOARD1", "BOARD99", "WPI0", "board11", "")] == [None] * 5


def test_power_pin_is_refused() -> None:
    with pytest.raises(NoSuchPin, match=r"the button of seat 0: 'BOARD1' is 3V3, which cannot be switched"):
        check_pins(board(), SeatWiring(0, button="BOARD1").uses())


def test_pin_used_twice_under_two_names() -> None:
    uses = [*SeatWiring(0, button=17).uses(), *SeatWiring(1, button=4, light=("BOARD11",)).uses()]
    with pytest.raises(PinUsedTwice, match="GPIO17 is used twice: for the button of seat 0 and for the light of seat"):
        check_pins(board(), uses)


def test_only_devices_on_the_same_bus_share_pins() -> None:
    two = [PinUse(2, "the display left", "I2C"), PinUse(2, "the display right", "I2C")]
    check_pins(board(), two)
    with pytest.raises(PinUsedTwice, match="the display left and for the buzzer"):
        check_pins(board(), [*two, PinUse(2, "the buzzer")])


def test_missing_pin_library_raises_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    import gpiozero

    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "lgpio")
    monkeypatch.setitem(sys.modules, "lgpio", None)  # as if it were not installed
    monkeypatch.setattr(gpiozero.Device, "pin_factory", None)
    with pytest.raises(NoPinLibrary, match=r"lgpio.*take .*seat.* out of the configuration") as refused:
        open_pins()
    assert isinstance(refused.value, HardwareError) and isinstance(refused.value, ImportError)
    assert gpiozero.Device.pin_factory is None


def test_pin_factory_from_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    import gpiozero
    from gpiozero.pins.mock import MockFactory

    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "mock")
    monkeypatch.setattr(gpiozero.Device, "pin_factory", None)
    assert isinstance(open_pins(), MockFactory)
