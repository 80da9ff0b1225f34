"""Find the pin of a button by pressing it: every free pin of the header is watched."""

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence
from typing import Any, Final

from hardware.errors import NoPinLibrary

PINS: Final = (4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27)
"""GPIO numbers that a button may have. Those of I2C, the serial line and the HAT's memory are left out."""


class PinSearch:
    """Watches the pins of `factory`, a gpiozero pin factory, except those `taken`, until `close`.

    A pin that is connected to ground from the start is not a button that is pressed; it counts from its release on.
    """

    def __init__(self, factory: Any, taken: Collection[int] = ()) -> None:
        try:
            from gpiozero import DigitalInputDevice, GPIOZeroError
        except ImportError as error:
            raise NoPinLibrary("gpiozero is not installed") from error
        self._pressed: list[int] = []
        self._lock = threading.Lock()
        self._devices: list[Any] = []
        for number in PINS:
            if number in taken:
                continue
            try:
                device = DigitalInputDevice(number, pull_up=True, pin_factory=factory)
            except GPIOZeroError:  # another device uses it
                continue
            device.when_activated = lambda number=number: self._note(number)
            self._devices.append(device)

    def pressed(self) -> Sequence[int]:
        """Return the GPIO numbers of the pins that were pressed since the last call, in order."""
        with self._lock:
            pressed, self._pressed = self._pressed, []
        return list(dict.fromkeys(pressed))

    def close(self) -> None:
        """Stop watching. May be called twice."""
        for device in self._devices:
            device.close()
        self._devices.clear()

    def _note(self, number: int) -> None:
        with self._lock:
            self._pressed.append(number)
