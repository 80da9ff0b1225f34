"""What the board tells, read from frames' payloads (docs/protocol.md)."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from firmware_bridge.frames import Frame, InvalidFrame

PROTOCOL: Final = 1
FIRMWARE: Final = "1.0"
"""The firmware's version that belongs to this program."""
_HELLO: Final = struct.Struct("<BBBBBBBHHH")
_MCUSR: Final = {1: "power came", 2: "the reset button, or the port was opened", 4: "the voltage fell", 8: "watchdog"}


class EventKind(IntEnum):
    """Kinds of events."""

    LAID = 1
    LIFTED = 2
    PRESSED = 3
    RELEASED = 4
    FAULT = 5
    WORKS = 6
    TESTED = 7


class ReaderStatus(IntEnum):
    """How a reader is: not looked at yet, working, not answering."""

    SCANNING = 0
    WORKING = 1
    BROKEN = 2


@dataclass(frozen=True, slots=True)
class Hello:
    """Who the board is. `boot`: this start of it; `next`, `oldest`: numbers of the next event and the oldest kept.

    `session`: of the host that it heard last. `bad`: damaged frames that came to it since its start.
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

    @property
    def why_started(self) -> str:
        """Why the board started, as far as its bootloader lets it know."""
        return next((text for bit, text in _MCUSR.items() if self.cause & bit), "not known")


@dataclass(frozen=True, slots=True)
class Event:
    """Something happened at reader (or button) `index`. `age`: seconds before this came. `uid`: the tag, hexadecimal.

    `boot` and `number` name it for ever: the same event, sent again, has the same.
    """

    boot: int
    number: int
    kind: EventKind
    index: int
    age: float
    uid: str = ""


@dataclass(frozen=True, slots=True)
class State:
    """What lies on reader `index` after all events with numbers before `next`."""

    boot: int
    next: int
    index: int
    status: ReaderStatus
    uids: tuple[str, ...]


def read_hello(frame: Frame) -> Hello:
    """The board's greeting. Raises `InvalidFrame`; of another protocol all but `protocol` may mean something else."""
    if len(frame.payload) < _HELLO.size:
        if not frame.payload:
            raise InvalidFrame("a greeting without a protocol")
        return Hello(frame.boot, frame.seq, frame.payload[0], "?", 0, 0, 0, 0, 0, frame.seq, 0)
    protocol, major, minor, *rest = _HELLO.unpack_from(frame.payload)
    return Hello(frame.boot, frame.seq, protocol, f"{major}.{minor}", *rest)


def read_event(frame: Frame) -> Event:
    """An event. Raises `InvalidFrame`."""
    try:
        kind, index, age = struct.unpack_from("<BBH", frame.payload)
        return Event(frame.boot, frame.seq, EventKind(kind), index, age / 1000, frame.payload[4:].hex())
    except (struct.error, ValueError) as error:
        raise InvalidFrame("no event") from error


def read_state(frame: Frame) -> State:
    """A reader's state. Raises `InvalidFrame`."""
    uids = []
    at = 2
    try:
        index, status = frame.payload[0], ReaderStatus(frame.payload[1])
        while at < len(frame.payload):
            end = at + 1 + frame.payload[at]
            if end > len(frame.payload):
                raise InvalidFrame("no state")
            uids.append(frame.payload[at + 1 : end].hex())
            at = end
    except (IndexError, ValueError) as error:
        raise InvalidFrame("no state") from error
    return State(frame.boot, frame.seq, index, status, tuple(uids))
