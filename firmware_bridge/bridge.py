"""The bridge to a reader board: finds and opens its port, runs the link, and reconnects after any failure.

One thread calls `Bridge.step` in a loop. Failures of the port or the line are returned as `Trouble`, never raised.
"""

from __future__ import annotations

import contextlib
import errno
import logging
import math
import os
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

import serial
from serial import SerialTimeoutException
from serial.tools import list_ports

from engine.texts import spaced, text
from firmware_bridge.link import Checkpoint, Connected, Disconnected, Incompatible, Link, LinkUpdate, Numbered
from firmware_bridge.messages import PROTOCOL, State, TagEvent
from firmware_bridge.recorder import Recorder

# Texts for the user about a reader board that cannot be reached or used: what is wrong, and what to do.

_IN_USE: Final = (errno.EAGAIN, errno.EBUSY)
_NO_PORT: Final = (errno.ENOTTY, errno.EISDIR, errno.EINVAL)


def cannot_open(address: str, error: OSError | ValueError) -> str:
    """Return what to do about the port `address`, which could not be opened."""
    message = "The reader board is not connected ({port}): plug in its USB cable."
    if isinstance(error, ValueError):
        message = "{port} is not the address of a port: give a device, or socket://host:port."
    elif address.startswith("socket:"):
        message = (
            "{port} cannot be reached: make sure that the other computer is on and shares the reader board's port."
        )
    elif _number(error) in (errno.EACCES, errno.EPERM):
        message = "You have no permission to open {port}: sudo usermod -a -G dialout $USER, then log in again."
    elif _number(error) in _IN_USE:
        message = "Another program uses {port}: close it (the Arduino IDE's serial monitor, or another card table)."
    elif _number(error) == errno.ENOENT and (others := candidate_ports(AUTO)):
        message = (
            "The reader board is not connected at {port}, but a USB device is at {others}. "
            'If that is the reader board, write its port, or "auto" for the only one, under [[reader]] in table.toml.'
        )
        return text(message, port=address, others=", ".join(others))
    elif _number(error) in _NO_PORT:
        message = (
            "{port} is not a serial port: give the reader board's port, as ls /dev/serial/by-id shows it, or auto."
        )
    return text(message, port=address)


def _number(error: OSError) -> int | None:
    """Return the errno of `error`. If pyserial has left it out, the error that it handled has it as first argument."""
    from_system = error.__context__.args if error.__context__ else ()
    return error.errno if error.errno is not None or not from_system else from_system[0]


def connection_lost(address: str | None, error: OSError) -> str:
    """Return what to do about the port `address`, which failed with `error` while it was in use."""
    message = "The reader board's cable is unplugged ({port}): plug it in again."
    if isinstance(error, SerialTimeoutException):
        message = (
            "The reader board takes no data ({port}): press its reset button, or unplug its cable and plug it in again."
        )
    elif address and address.startswith("socket:"):
        message = (
            "The connection to {port} was lost: make sure that the other computer is on and the "
            "reader board is plugged into it."
        )
    return text(message, port=address)


def incompatible(update: Incompatible, address: str | None) -> str:
    """Return what to do about the device at `address`, which is not a reader board with this program's firmware."""
    if update.hello is None:
        message = (
            "The device at {port} is not a card table's reader board: give the right port, or put the "
            "firmware on it (docs/how-to/rfid.md)."
        )
        return text(message, port=address)
    theirs = update.hello.protocol
    return text(
        "The reader board at {port} speaks protocol {theirs}, this program speaks {ours}: {older}; "
        "put the firmware that came with this program on the reader board (docs/how-to/rfid.md).",
        port=address,
        theirs=theirs,
        ours=PROTOCOL,
        older=text("the reader board's firmware is older") if theirs < PROTOCOL else text("this program is older"),
    )


# Serial ports: finding those that may be the reader board's, and opening them.

BAUD: Final = 115200
AUTO: Final = "auto"
_BY_ID: Final = Path("/dev/serial/by-id")
# USB vendor IDs of Arduinos and of common USB-to-serial chips: Arduino (two), WCH, FTDI, Silicon Labs.
_VENDORS: Final = (0x2341, 0x2A03, 0x1A86, 0x0403, 0x10C4)


class Port(Protocol):
    """The part of pyserial's `Serial` that the bridge uses. Methods raise `OSError`.

    `timeout`: how long `read` waits, seconds.
    """

    timeout: float | None

    def read(self, size: int = 1, /) -> bytes:
        """Return up to `size` bytes; fewer, or none, after the timeout."""

    def write(self, data: bytes, /) -> int | None:
        """Send all of `data`."""

    @property
    def in_waiting(self) -> int:
        """Number of bytes that can be read without waiting."""

    def close(self) -> None:
        """Close the port."""


def candidate_ports(spec: str) -> Sequence[str]:
    """Return the ports that `spec` may refer to: itself, or for `auto` all USB ports, the likely ones first."""
    if spec != AUTO:
        return (spec,)
    ports = [port for port in list_ports.comports() if port.vid is not None]
    ports.sort(key=lambda port: (port.vid not in _VENDORS, port.device))
    return [_by_id(port.device) for port in ports]


def serial_number(address: str) -> str | None:
    """Return the serial number of the USB device at `address`; None if it has none or is no USB device."""
    device = os.path.realpath(address)
    return next((port.serial_number for port in list_ports.comports() if port.device == device), None)


def ports_with(number: str | None) -> Sequence[str]:
    """Return the ports of the USB devices with this serial number; none for None.

    There may be several: some makers give all their devices the same number.
    """
    if number is None:
        return []
    return [_by_id(port.device) for port in list_ports.comports() if port.serial_number == number]


def open_port(address: str, wait: float) -> Port:
    """Open a device (`/dev/serial/by-id/…`) or a pyserial URL (`socket://…`, `spy://…`).

    `wait`: the timeout of `read`, seconds. Raises `OSError` (pyserial's errors are subclasses), and `ValueError` for an
    invalid address.
    """
    # Exclusive: a second program that reads the same port would steal some of the bytes.
    port: Port = serial.serial_for_url(address, baudrate=BAUD, timeout=wait, write_timeout=2.0, exclusive=True)
    return port


def _by_id(device: str) -> str:
    """Return the persistent name of `device`, which does not depend on the USB socket, if the system has one."""
    if _BY_ID.is_dir():
        for link in sorted(_BY_ID.iterdir()):
            if str(link.resolve()) == device:
                return str(link)
    return device


RETRY_S: Final = 0.5
"""Interval between attempts to open a port, seconds."""
HELLO_TIMEOUT_S: Final = 5.0
"""Time without a greeting after which a port is given up, seconds. (A reader board needs two seconds to start.)"""
_READ_MAX: Final = 4096
"""Most bytes that one step reads."""
_ACK_WAIT_S: Final = 0.003
"""How long a step waits for bytes while an acknowledgement is pending, seconds."""

_LOG: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Trouble:
    """The reader board cannot be reached or used. `reason`: why, and what to do about it. The bridge keeps trying."""

    reason: str


BridgeUpdate = Connected | TagEvent | State | Trouble


class Bridge:
    """The reader board at `spec`: a device, a URL for pyserial's `serial_for_url`, or `auto` to search the USB ports.

    `checkpoint`: which events are stored already. `wait`: how long `step` waits for bytes, seconds. `record`: records
    every byte on the line. For tests, `find_ports` (from `spec` to addresses), `opener` (from an address and the
    timeout to a port), `clock` (seconds), `sleep` and `new_session` (1 to 65535) can be replaced. `number`: the USB
    serial number of the reader board that was connected last, if it is known; that board is preferred to any other at
    `spec`.
    """

    def __init__(
        self,
        spec: str = AUTO,
        checkpoint: Checkpoint | None = None,
        wait: float = 0.1,
        record: Recorder | None = None,
        find_ports: Callable[[str], Sequence[str]] = candidate_ports,
        opener: Callable[[str, float], Port] = open_port,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        new_session: Callable[[], int] = lambda: secrets.randbelow(0xFFFF) + 1,
        number: str | None = None,
    ) -> None:
        self.spec: Final = spec
        self.link: Final = Link(checkpoint)
        self.address: str | None = None
        """The port in use, or the last one tried."""
        self._wait = wait
        self._record = record
        self._find_ports = find_ports
        self._opener = opener
        self.clock: Final = clock
        self._sleep = sleep
        self._new_session = new_session
        self._port: Port | None = None
        self._opened_at = 0.0
        self._retry_at = clock()
        self._trouble: str | None = None
        self._reported: str | None = None
        self._failed_ports: dict[str, str] = {}
        """Ports without a reader board in the present round of the search, and why."""
        self._more_ports = False
        """Whether the present round has ports that were not tried yet."""
        self._last_address: str | None = None
        """Where the reader board was connected last."""
        self.number = number
        """The USB serial number of the reader board that was connected last. It keeps it when its port changes."""

    def step(self) -> list[BridgeUpdate]:
        """Read and answer. Return what happened, at once if something did, otherwise after `wait` seconds."""
        if self._port is None and not self._open():
            self._sleep(self._wait)
            return self._new_trouble()
        assert self._port is not None
        try:
            self._port.timeout = min(_ACK_WAIT_S, self._wait) if self.link.ack_pending else self._wait
            data = self._port.read(1)
            if data and (more := self._port.in_waiting):
                data += self._port.read(min(more, _READ_MAX))
            now = self.clock()
            if data and self._record:
                self._record.received(now, data)
            updates = [self._process(update) for update in self.link.receive(data, now)]
            self._send()
        except OSError as error:
            self._drop(connection_lost(self.address, error))
            return self._new_trouble()
        if self.link.hello is None and self.clock() - self._opened_at > HELLO_TIMEOUT_S:
            self._give_up()
        return [update for update in updates if update is not None] + self._new_trouble()

    def stored(self, event: Numbered) -> None:
        """Acknowledge `event` and all events before it: they are stored, and the reader board may forget them."""
        self.link.stored(event)
        self.flush()

    def flush(self) -> None:
        """Send what the link has to send. A failure is reported by the next `step`."""
        try:
            self._send()
        except OSError as error:
            self._drop(connection_lost(self.address, error))

    def close(self) -> None:
        """Send the last acknowledgement and close the port. May be called twice."""
        if self._port is not None:
            with contextlib.suppress(OSError):  # the port may have vanished
                self._send(closing=True)
        self._close_port()

    def _close_port(self) -> None:
        if self._port is not None:
            self._port.close()
            self._port = None

    def _open(self) -> bool:
        now = self.clock()
        if now < self._retry_at:
            return False
        self._retry_at = now + RETRY_S
        # Try the board itself first, wherever it is now, then the last address: another device would cost seconds.
        moved = ports_with(self.number)
        found = {os.path.realpath(address): address for address in (*moved, *self._find_ports(self.spec))}
        own = found[os.path.realpath(moved[0])] if len(moved) == 1 else None
        addresses = sorted(found.values(), key=lambda address: (address != own, address != self._last_address))
        if not addresses:
            self._trouble = text("No reader board is plugged in: connect the readers' USB cable.")
            self._more_ports = False
            return False
        if all(address in self._failed_ports for address in addresses):
            self._failed_ports.clear()
        self.address, *rest = (address for address in addresses if address not in self._failed_ports)
        self._more_ports = bool(rest)
        try:
            self._port = self._opener(self.address, self._wait)
        except (OSError, ValueError) as error:
            self._fail_port(cannot_open(self.address, error))
            return False
        self._trouble = None
        self._opened_at = now
        session = self._new_session()
        self.link.opened(session, now)
        if self._record:
            self._record.opened(now, session, self.link.checkpoint)
        return True

    def _send(self, closing: bool = False) -> None:
        out = self.link.outgoing(math.inf if closing else self.clock())
        if out and self._port is not None:
            self._port.write(out)
            if self._record:
                self._record.sent(self.clock(), out)

    def _process(self, update: LinkUpdate) -> BridgeUpdate | None:
        match update:
            case Connected():
                _LOG.info("%s: connected", self.address)
                self._failed_ports.clear()
                self._last_address = self.address
                self.number = serial_number(self.address) if self.address else None
                self._trouble = self._reported = None
                self._more_ports = False
                return update
            case Disconnected():
                _LOG.warning("%s: the reader board is silent", self.address)
                message = "The reader board does not answer ({port}): check its cable, or press its reset button."
                self._trouble = text(message, port=self.address)
                self._opened_at = self.clock()
                return None
            case Incompatible():
                self._trouble = incompatible(update, self.address)
                return None
        return update

    def _give_up(self) -> None:
        """Close a port at which no reader board answers; the next one is tried, or the same one again."""
        self._close_port()
        self._retry_at = self.clock() + RETRY_S
        message = "Nothing answers at {port}: is it the reader board, and is the firmware on it (docs/how-to/rfid.md)?"
        self._fail_port(self._trouble or text(message, port=self.address))

    def _fail_port(self, reason: str) -> None:
        """Note that the port has no reader board. Of several candidates, the trouble is reported after the last one."""
        assert self.address is not None
        _LOG.info("%s: no reader board: %s", self.address, reason)
        self._failed_ports[self.address] = reason
        reasons = list(self._failed_ports.values())
        several = text("No reader board is found. {reasons}", reasons=spaced(reasons))
        self._trouble = reason if len(reasons) == 1 else several

    def _drop(self, reason: str) -> None:
        _LOG.warning("%s: connection lost: %s", self.address, reason)
        self._trouble, self._more_ports = reason, False
        self._close_port()
        self._retry_at = self.clock() + RETRY_S

    def _new_trouble(self) -> list[BridgeUpdate]:
        """Return the trouble unless it was reported before, or there are other ports to try first."""
        if self._trouble is None or self._trouble == self._reported or self._more_ports:
            return []
        self._reported = self._trouble
        return [Trouble(self._trouble)]


def stepped_bridge(
    spec: str,
    checkpoint: Checkpoint | None,
    clock: Callable[[], float],
    opener: Callable[[str], Port],
    **settings: Any,
) -> Bridge:
    """Return a bridge to a simulated reader board that runs only between steps.

    It uses the reader board's clock (`clock`, seconds), never waits, and chooses its sessions without randomness.
    `settings`: further arguments of `Bridge`.
    """

    def opened(address: str, wait: float) -> Port:
        return opener(address)

    def no_sleep(seconds: float) -> None:
        pass

    def session() -> int:
        return int(clock() * 1000) % 0xFFFF + 1

    return Bridge(spec, checkpoint, 0.0, opener=opened, clock=clock, sleep=no_sleep, new_session=session, **settings)
