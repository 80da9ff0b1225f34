"""The pins of a Raspberry Pi through the kernel's interface, for gpiozero; and the search for a pressed button.

`LineFactory` is a pin factory for gpiozero that uses libgpiod, whose Python package includes the library. So it works
without lgpio, for example on Debian, and on every model that the kernel supports. The lines of the chip that drives the
header have the numbers of the GPIOs.
"""

from __future__ import annotations

import errno
import os
import selectors
import threading
from collections.abc import Collection, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import gpiod
from gpiod.line import Bias, Direction, Edge, Value
from gpiozero import GPIOPinInUse, PinFixedPull, PinInvalidBounce, PinInvalidFunction, PinInvalidPull, PinSetInput
from gpiozero.exc import BadPinFactory
from gpiozero.pins.local import LocalPiFactory, LocalPiPin

from hardware.signals import Dimmer
from hardware.wiring import NoPinLibrary

LABELS: Final = ("pinctrl-bcm2835", "pinctrl-bcm2711", "pinctrl-rp1")
"""The kernel's names for the chip that drives the header: up to the Raspberry Pi 3, on the 4, and on the 5."""
CHIP: Final = "CARDTABLE_GPIOCHIP"
"""Environment variable with the chip of the header on another board, such as `/dev/gpiochip1`."""

_DIRECTIONS: Final = {"input": Direction.INPUT, "output": Direction.OUTPUT}
_BIASES: Final = {"up": Bias.PULL_UP, "down": Bias.PULL_DOWN, "floating": Bias.DISABLED}
_EDGES: Final = {"both": Edge.BOTH, "rising": Edge.RISING, "falling": Edge.FALLING}


def header_chip(devices: Path = Path("/dev")) -> Path:
    """Return the device of the chip that drives the header. Raises `BadPinFactory`, an `ImportError`."""
    named = os.environ.get(CHIP)
    if named:
        return Path(named)
    refused: OSError | None = None
    for path in sorted(devices.glob("gpiochip*")):
        try:
            with gpiod.Chip(str(path)) as chip:
                if chip.get_info().label in LABELS:
                    return path
        except OSError as error:
            refused = error
    if refused is not None:
        raise BadPinFactory(str(refused)) from refused
    raise BadPinFactory("this is not a Raspberry Pi with a header")


class LineFactory(LocalPiFactory):  # type: ignore[misc]  # gpiozero has no types
    """The pins of the chip `device`; by default, of the header's chip.

    Raises `OSError` if the chip cannot be opened, and `BadPinFactory` if there is none.
    """

    def __init__(self, device: Path | None = None) -> None:
        super().__init__()
        self.chip: Final = gpiod.Chip(str(device or header_chip()))
        self.lock: Final = threading.RLock()
        """Held during each call of libgpiod, whose objects are not thread-safe."""
        self.edges: Final = _EdgeThread(self.lock)
        self.pin_class = LinePin

    def close(self) -> None:
        """Release all lines. May be called twice."""
        super().close()
        self.edges.close()
        with self.lock:
            self.chip.close()


class LinePin(LocalPiPin):  # type: ignore[misc]  # gpiozero has no types
    """A GPIO. Its line is requested from the kernel at the first use and released by `close`."""

    def __init__(self, factory: LineFactory, info: Any) -> None:
        super().__init__(factory, info)
        self._request: gpiod.LineRequest | None = None
        self._function, self._pull, self._edge = "input", info.pull or "floating", "both"
        self._bounce_s = 0.0
        self._watched = False
        self._dimmer: Dimmer | None = None

    def close(self) -> None:
        """Stop watching and dimming, and release the line. May be called twice."""
        self.when_changed = None
        self._set_frequency(None)
        with self.factory.lock:
            if self._request is not None:
                self._request.release()
            self._request = None
        self._function, self._pull, self._bounce_s = "input", self.info.pull or "floating", 0.0

    def _configure(self) -> gpiod.LineRequest:
        """Configure the line in the kernel. Raises `GPIOPinInUse` if another program uses it."""
        settings = gpiod.LineSettings(direction=_DIRECTIONS[self._function])
        if self._function == "input":
            settings.bias = _BIASES[self._pull]
            settings.debounce_period = timedelta(seconds=self._bounce_s)
            settings.edge_detection = _EDGES[self._edge] if self._watched else Edge.NONE
        with self.factory.lock:
            if self._request is not None:
                self._request.reconfigure_lines({self._number: settings})
                return self._request
            try:
                self._request = self.factory.chip.request_lines({self._number: settings}, consumer="cardtable")
            except OSError as error:
                if error.errno != errno.EBUSY:
                    raise
                raise GPIOPinInUse(f"pin {self.info.name} is already in use by another program") from error
            return self._request

    def _get_function(self) -> str:
        return self._function

    def _set_function(self, value: str) -> None:
        if value not in _DIRECTIONS:
            raise PinInvalidFunction(f'invalid function "{value}" for pin {self!r}')
        self.when_changed = None
        self._function = value
        self._configure()

    def _get_state(self) -> float:
        if self._dimmer is not None:
            return self._dimmer.part
        request = self._request or self._configure()
        with self.factory.lock:
            return float(request.get_value(self._number) == Value.ACTIVE)

    def _set_state(self, value: float) -> None:
        if self._function != "output":
            raise PinSetInput(f"cannot set state of pin {self!r}")
        if self._dimmer is not None:
            self._dimmer.part = value
        else:
            self._switch(bool(value))

    def _switch(self, on: bool) -> None:
        with self.factory.lock:
            if self._request is not None:
                self._request.set_value(self._number, Value.ACTIVE if on else Value.INACTIVE)

    def _get_pull(self) -> str:
        return self._pull

    def _set_pull(self, value: str) -> None:
        if self._function != "input":
            raise PinFixedPull(f"cannot set pull on non-input pin {self!r}")
        if value not in _BIASES:
            raise PinInvalidPull(f'invalid pull "{value}" for pin {self!r}')
        if self.info.pull not in (value, ""):
            raise PinFixedPull(f"{self!r} has a physical pull-{self.info.pull} resistor")
        self._pull = value
        self._configure()

    def _get_frequency(self) -> float | None:
        return None if self._dimmer is None else self._dimmer.frequency

    def _set_frequency(self, value: float | None) -> None:
        before, self._dimmer = self._dimmer, None
        part = 0.0
        if before is not None:
            part = before.part
            before.close()
        if value:
            self._dimmer = Dimmer(self._switch, value, part)

    def _get_bounce(self) -> float | None:
        return self._bounce_s or None

    def _set_bounce(self, value: float | None) -> None:
        if value is not None and value < 0:
            raise PinInvalidBounce("bounce must be 0 or greater")
        self._bounce_s = value or 0.0
        self._configure()

    def _get_edges(self) -> str:
        return self._edge

    def _set_edges(self, value: str) -> None:
        self._edge = value
        self._configure()

    def _enable_event_detect(self) -> None:
        self._watched = True
        self.factory.edges.watch(self._configure(), self._changed)

    def _disable_event_detect(self) -> None:
        self._watched = False
        if self._request is not None:
            self.factory.edges.forget(self._request)
            self._configure()

    def _changed(self, event: gpiod.EdgeEvent) -> None:
        notify = self.when_changed
        if notify is not None:
            notify(event.timestamp_ns / 1e9, int(event.event_type == event.Type.RISING_EDGE))


class _EdgeThread:
    """Notifies the pins of a factory of their edges, in a thread that runs while a line is watched.

    `lock`: held while libgpiod is called, not while a pin is notified.
    """

    def __init__(self, lock: threading.RLock) -> None:
        self._lock = lock
        self._lines = selectors.DefaultSelector()
        self._wake = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._lines.register(self._wake, selectors.EVENT_READ)
        self._thread: threading.Thread | None = None
        self._closed = False

    def watch(self, request: gpiod.LineRequest, notify: Any) -> None:
        """Call `notify` with each edge of the line of `request`."""
        with self._lock:
            self._lines.register(request.fd, selectors.EVENT_READ, (request, notify))
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="pins", daemon=True)
                self._thread.start()

    def forget(self, request: gpiod.LineRequest) -> None:
        """Stop watching the line of `request`."""
        with self._lock:
            self._lines.unregister(request.fd)

    def close(self) -> None:
        """End the thread. May be called twice."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        os.eventfd_write(self._wake, 1)
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()
        self._lines.close()
        os.close(self._wake)

    def _run(self) -> None:
        while not self._closed:
            for key, _ in self._lines.select():
                if key.data is None:
                    continue
                request, notify = key.data
                with self._lock:
                    # The line may have been released since the edge.
                    live = request and request.fd in self._lines.get_map()
                    events = request.read_edge_events() if live else []
                for event in events:
                    notify(event)


PINS: Final = (4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27)
"""GPIO numbers that a button may have. Those of I2C, the serial line and the HAT's memory are left out."""


class PinSearch:
    """Finds the pin of a button that is pressed, by watching all free pins of the header until `close`.

    `factory`: a gpiozero pin factory. `taken`: pins that are not watched. A pin that is connected to ground from the
    start is not a pressed button: it counts only after its release.
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
