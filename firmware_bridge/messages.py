"""The reader board's messages, parsed from the payloads of its frames (docs/reference/protocol.md)."""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Final

from engine.texts import Text, text
from firmware_bridge.frames import InvalidFrame, SerialFrame

PROTOCOL: Final = 1
"""Version of the protocol that this program speaks."""
FIRMWARE: Final = "1.1"
"""Version of the firmware that comes with this program."""
_HELLO: Final = struct.Struct("<BBBBBBBHHH")
_MCUSR: Final = {
    1: text("its power came"),
    2: text("its reset button was pressed, or its port was opened"),
    4: text("its voltage fell"),
    8: text("its program had stopped, and the watchdog ended it"),
}


class EventKind(IntEnum):
    """Kinds of events: at a reader, at a button (`PRESSED`, `RELEASED`), or a test of the line (`TESTED`)."""

    LAID = 1
    LIFTED = 2
    PRESSED = 3
    RELEASED = 4
    FAULT = 5
    WORKS = 6
    TESTED = 7


class ReaderStatus(IntEnum):
    """Status of a reader: still scanning for the first time, working, or not answering."""

    SCANNING = 0
    WORKING = 1
    BROKEN = 2


@dataclass(frozen=True, slots=True)
class Hello:
    """The reader board's greeting: its identity and position.

    `boot`: number of the reader board's present start. `next`, `oldest`: numbers of its next event and of the oldest
    one that it still keeps. `cause`: the AVR's MCUSR register, why the reader board started. `session`: session of the
    host that the reader board heard last. `bad`: invalid frames that the reader board has received since its start.
    `chips`: the number by which each reader's chip names itself, 0 before it has answered; empty from firmware 1.0.
    """

    boot: int
    next: int
    protocol: int
    firmware: str
    readers: int
    buttons: int
    lights: int
    cause: int
    session: int
    oldest: int
    bad: int
    chips: tuple[int, ...] = ()

    @property
    def why_started(self) -> Text:
        """Why the reader board started, as far as its bootloader preserves the reason."""
        return next((cause for bit, cause in _MCUSR.items() if self.cause & bit), text("the cause is not known"))


@dataclass(frozen=True, slots=True)
class TagEvent:
    """Something happened at reader or button `index`.

    `boot` and `number` identify the event: a retransmission has the same. `age`: seconds from the event to its
    transmission, at most 65.535. `uid`: the tag's identifier in hexadecimal, empty for events without a tag.
    """

    boot: int
    number: int
    kind: EventKind
    index: int
    age: float
    uid: str = ""


@dataclass(frozen=True, slots=True)
class State:
    """The tags (`uids`, hexadecimal) on reader `index` after all events with numbers before `next`."""

    boot: int
    next: int
    index: int
    status: ReaderStatus
    uids: tuple[str, ...]


def read_hello(frame: SerialFrame) -> Hello:
    """Return the greeting in `frame`. Raises `InvalidFrame`.

    The greeting of another protocol version may be shorter; then only `boot`, `next` and `protocol` are meaningful.
    """
    if len(frame.payload) < _HELLO.size:
        if not frame.payload:
            raise InvalidFrame("a greeting without a protocol")
        return Hello(frame.boot, frame.seq, frame.payload[0], "?", 0, 0, 0, 0, 0, frame.seq, 0)
    protocol, major, minor, *rest = _HELLO.unpack_from(frame.payload)
    hello = Hello(frame.boot, frame.seq, protocol, f"{major}.{minor}", *rest)
    return replace(hello, chips=tuple(frame.payload[_HELLO.size :][: hello.readers]))


def read_event(frame: SerialFrame) -> TagEvent:
    """Return the event in `frame`. Raises `InvalidFrame`."""
    try:
        kind, index, age_ms = struct.unpack_from("<BBH", frame.payload)
        return TagEvent(frame.boot, frame.seq, EventKind(kind), index, age_ms / 1000, frame.payload[4:].hex())
    except (struct.error, ValueError) as error:
        raise InvalidFrame("not an event") from error


def read_state(frame: SerialFrame) -> State:
    """Return the state of a reader in `frame`. Raises `InvalidFrame`."""
    uids = []
    at = 2
    try:
        index, status = frame.payload[0], ReaderStatus(frame.payload[1])
        while at < len(frame.payload):
            end = at + 1 + frame.payload[at]
            if end > len(frame.payload):
                raise InvalidFrame("a tag is cut off")
            uids.append(frame.payload[at + 1 : end].hex())
            at = end
    except (IndexError, ValueError) as error:
        raise InvalidFrame("not a state") from error
    return State(frame.boot, frame.seq, index, status, tuple(uids))
