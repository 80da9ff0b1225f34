"""The rules of the link one by one, with handmade frames and a passed-in clock."""

from __future__ import annotations

import struct

import pytest

from firmware_bridge.frames import FrameDecoder, FrameKind, SerialFrame, encode
from firmware_bridge.link import Connected, Link, LinkUpdate
from firmware_bridge.messages import EventKind, State, TagEvent

SESSION = 9


class Wire:
    """A link that is connected to a reader board in its start `boot`. Each `take` takes a millisecond."""

    def __init__(self, boot: int = 5) -> None:
        self.link = Link()
        self.link.opened(SESSION, 0.0)
        self.now = 0.0
        self.greet(boot)
        self.pass_time(0.05)

    def take(self, *frames: SerialFrame) -> list[LinkUpdate]:
        self.now += 0.001
        return self.link.receive(b"".join(map(encode, frames)), self.now)

    def greet(self, boot: int, number: int = 0, session: int = SESSION) -> list[LinkUpdate]:
        about = struct.pack("<BBBBBBBHHH", 1, 1, 0, 2, 0, 0, 1, session, 0, 0)
        return self.take(SerialFrame(FrameKind.BOARD_HELLO, boot, number, about))

    def pass_time(self, seconds: float) -> list[SerialFrame]:
        """Let time pass and return the frames that the link sends."""
        self.now += seconds
        self.link.receive(b"", self.now)
        return FrameDecoder().feed(self.link.outgoing(self.now))


def event(number: int, boot: int = 5) -> SerialFrame:
    return SerialFrame(FrameKind.EVENT, boot, number, bytes((EventKind.TESTED, 0, 0, 0)))


def state(next_event: int, boot: int = 5, reader: int = 0, tag: str = "04a1b2c3") -> SerialFrame:
    uid = bytes.fromhex(tag)
    return SerialFrame(FrameKind.STATE, boot, next_event, bytes((reader, 1, len(uid))) + uid)


def acknowledged(frames: list[SerialFrame]) -> list[tuple[int, int, int]]:
    """Boot, first event that is not stored, and bit mask of the received ones, of each ACK."""
    acks = [frame for frame in frames if frame.kind == FrameKind.ACK]
    return [(frame.boot, frame.seq, int.from_bytes(frame.payload, "little")) for frame in acks]


def test_repeated_event_is_acknowledged_again_and_returned_once() -> None:
    wire = Wire()
    (received,) = wire.take(event(0))
    assert isinstance(received, TagEvent)
    wire.link.stored(received)
    assert acknowledged(wire.pass_time(0.01)) == [(5, 1, 0)]
    assert wire.take(event(0)) == []
    assert acknowledged(wire.pass_time(0.01)) == [(5, 1, 0)]
    assert acknowledged(wire.pass_time(0.01)) == []


def test_early_event_waits_and_is_acknowledged_as_received() -> None:
    wire = Wire()
    assert wire.take(event(1), event(3)) == []
    assert acknowledged(wire.pass_time(0.01)) == [(5, 0, 0b1010)]
    assert [update.number for update in wire.take(event(0)) if isinstance(update, TagEvent)] == [0, 1]
    assert acknowledged(wire.pass_time(0.01)) == [(5, 0, 0b1011)]


@pytest.mark.parametrize("number", [32, 40])
def test_event_beyond_the_window_is_dropped(number: int) -> None:
    wire = Wire()
    assert wire.take(event(number)) == []
    received = [update for before in range(number) for update in wire.take(event(before))]
    assert [update.number for update in received if isinstance(update, TagEvent)] == list(range(number))


def test_state_waits_for_the_events_before_it() -> None:
    wire = Wire()
    assert wire.take(state(2)) == []
    assert [type(update) for update in wire.take(event(0))] == [TagEvent]
    assert [type(update) for update in wire.take(event(1))] == [TagEvent, State]


def test_overtaken_state_is_requested_again() -> None:
    wire = Wire()
    assert wire.take(event(1), state(1)) == []
    assert [type(update) for update in wire.take(event(0))] == [TagEvent, TagEvent]
    asked = [frame.payload[0] for frame in wire.pass_time(0.15) if frame.kind == FrameKind.ASK]
    assert asked and asked[0] & 1
    assert [type(update) for update in wire.take(state(2))] == [State]


def test_greeting_of_an_earlier_session_does_not_connect() -> None:
    """Frames that the reader board sends before it has heard of this session belong to the last one."""
    wire = Wire()
    wire.link.opened(SESSION + 1, wire.now)
    assert wire.greet(5, session=SESSION) == []
    assert wire.link.hello is None
    assert wire.take(event(0)) == []
    assert [type(update) for update in wire.greet(5, session=SESSION + 1)] == [Connected]


def test_frames_of_another_boot_are_dropped() -> None:
    wire = Wire()
    assert wire.take(event(0, boot=4), state(0, boot=4)) == []
    (received,) = wire.take(event(0))
    assert isinstance(received, TagEvent)
    assert [type(update) for update in wire.greet(6)] == [Connected]
    wire.link.stored(received)  # of the previous boot: nothing of this one is stored
    assert all(seq == 0 for _, seq, _ in acknowledged(wire.pass_time(0.01)))
    assert [update.boot for update in wire.take(event(0, boot=6)) if isinstance(update, TagEvent)] == [6]


def test_waiting_state_is_dropped_after_a_restart() -> None:
    wire = Wire()
    assert wire.take(state(1)) == []
    assert [type(update) for update in wire.greet(6)] == [Connected]
    assert [type(update) for update in wire.take(event(0, boot=6))] == [TagEvent]
    assert [update.uids for update in wire.take(state(1, boot=6, tag="04ffffff")) if isinstance(update, State)] == [
        ("04ffffff",)
    ]
