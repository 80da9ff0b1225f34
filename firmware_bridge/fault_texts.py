"""Texts for the user about a reader board that cannot be reached or used: what is wrong, and what to do."""

from __future__ import annotations

import errno
from typing import Final

from serial import SerialTimeoutException

from engine.texts import text
from firmware_bridge.link import Incompatible
from firmware_bridge.messages import PROTOCOL

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
            "firmware on it (docs/rfid.md)."
        )
        return text(message, port=address)
    theirs = update.hello.protocol
    return text(
        "The reader board at {port} speaks protocol {theirs}, this program speaks {ours}: {older}; "
        "put the firmware that came with this program on the reader board (docs/rfid.md).",
        port=address,
        theirs=theirs,
        ours=PROTOCOL,
        older=text("the reader board's firmware is older") if theirs < PROTOCOL else text("this program is older"),
    )
