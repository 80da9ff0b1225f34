"""Serial ports: finding those that may be the reader board's, and opening them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final, Protocol

import serial
from serial.tools import list_ports

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
