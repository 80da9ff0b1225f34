"""Why a board cannot be reached or used, and what to do about it: texts for the people at the table."""

from __future__ import annotations

import errno
from typing import Final

from engine.texts import text
from firmware_bridge.link import Incompatible
from firmware_bridge.messages import PROTOCOL

_IN_USE: Final = (errno.EAGAIN, errno.EBUSY)
_NO_PORT: Final = (errno.ENOTTY, errno.EISDIR, errno.EINVAL)


def cannot_open(address: str, error: OSError | ValueError) -> str:
    """What is to be done about a port that could not be opened."""
    told = "The board is not there ({port}): plug in its USB cable."
    if isinstance(error, ValueError):
        told = "{port} is no address of a port: name a device, or socket://host:port."
    elif address.startswith("socket:"):
        told = "{port} cannot be reached: see that the other computer is on, and shares the board's port there."
    elif _number(error) in (errno.EACCES, errno.EPERM):
        told = "{port} may not be opened: sudo usermod -a -G dialout $USER, then log in again."
    elif _number(error) in _IN_USE:
        told = "Another program uses {port}: close it (the Arduino IDE's serial monitor, or another card table)."
    elif _number(error) in _NO_PORT:
        told = "{port} is no serial port: name the board's, as ls /dev/serial/by-id shows it, or auto."
    return text(told, port=address)


def _number(error: OSError) -> int | None:
    """The system's number of the error; where pyserial leaves it out, what its error came from has it first."""
    from_system = error.__context__.args if error.__context__ else ()
    return error.errno if error.errno is not None or not from_system else from_system[0]


def connection_lost(address: str | None) -> str:
    """What is to be done about a port that has gone while it was in use."""
    told = "The board's cable is out ({port}): plug it in again."
    if address and address.startswith("socket:"):
        told = "The connection to {port} broke off: see that the other computer is on, and the board plugged into it."
    return text(told, port=address)


def foreign(news: Incompatible, address: str | None) -> str:
    """What is to be done about a device that is no board of this program."""
    if news.hello is None:
        told = (
            "The device at {port} is no card table's board: "
            "name the right port, or put the firmware on it (docs/rfid.md)."
        )
        return text(told, port=address)
    theirs = news.hello.protocol
    return text(
        "The board at {port} speaks protocol {theirs}, this program speaks {ours}: {older}; "
        "put the firmware that came with this program on the board (docs/rfid.md).",
        port=address,
        theirs=theirs,
        ours=PROTOCOL,
        older=text("the board's firmware is older") if theirs < PROTOCOL else text("this program is older"),
    )
