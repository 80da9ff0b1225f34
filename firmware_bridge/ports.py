"""Serial ports: which may be the board's, and opening them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final, Protocol

import serial
from serial.tools import list_ports

BAUD: Final = 115200
AUTO: Final = "auto"
_BY_ID: Final = Path("/dev/serial/by-id")
# Makers of Arduinos, and of the chips that give them a USB port: Arduino (two numbers), WCH, FTDI, Silicon Labs.
_MAKERS: Final = (0x2341, 0x2A03, 0x1A86, 0x0403, 0x10C4)


class Port(Protocol):
    """What the bridge needs of a serial port; pyserial's have it. Errors are `OSError`s.

    `timeout`: how many seconds `read` waits.
    """

    timeout: float | None

    def read(self, size: int = 1, /) -> bytes:
        """Up to `size` bytes; fewer, or none, where no more come in time."""

    def write(self, data: bytes, /) -> int | None:
        """Send everything."""

    @property
    def in_waiting(self) -> int:
        """How many bytes can be read at once."""

    def close(self) -> None:
        """Let the port go."""


def candidate_ports(spec: str) -> Sequence[str]:
    """The ports that `spec` may stand for: itself, or with `auto` every USB port, likely ones first."""
    if spec != AUTO:
        return (spec,)
    ports = [port for port in list_ports.comports() if port.vid is not None]
    ports.sort(key=lambda port: (port.vid not in _MAKERS, port.device))
    return [_by_id(port.device) for port in ports]


def open_port(address: str, wait: float) -> Port:
    """Open a device (`/dev/serial/by-id/…`) or an address (`socket://…`, `spy://…`); `wait`: seconds `read` waits.

    Raises `OSError` (pyserial's errors are such) and `ValueError` for an address that cannot be one.
    """
    # A program that reads the same port would take every other byte away.
    port: Port = serial.serial_for_url(address, baudrate=BAUD, timeout=wait, write_timeout=2.0, exclusive=True)
    return port


def _by_id(device: str) -> str:
    """The name that stays the same whichever socket it is plugged into, where the system has one."""
    if _BY_ID.is_dir():
        for link in sorted(_BY_ID.iterdir()):
            if str(link.resolve()) == device:
                return str(link)
    return device
