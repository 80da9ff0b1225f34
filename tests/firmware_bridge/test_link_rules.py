"""The link's rules one by one, on frames of the test's own: what is told, what is dropped, what goes back."""

from __future__ import annotations

import struct

import pytest

from firmware_bridge.frames import Frame, FrameDecoder, FrameKind, encode
from firmware_bridge.link import Connected, Link, LinkUpdate
from firmware_bridge.messages import Event, EventKind, State

SESSION = 9


class Wire:
    """A link that is open, and has met a board in its start `boot`; a millisecond passes with each frame."""

    def __init__(self, boot: int = 5) -> None:
        self.link = Link()
        self.link.opened(SESSION, 0.0)
        self.now = 0.0
        self.greet(boot)
        self.pass_time(0.05)

    def take(self, *frames: Frame) -> list[LinkUpdate]:
        self.now += 0.001
        return self.link.receive(b"".join(map(encode, frames)), self.now)

    def greet(self, boot: int, number: int = 0, session: int = SESSION) -> list[LinkUpdate]:
        about = struct.pack("<BBBBBBBHHH", 1, 1, 0, 2, 0, 0, 1, session, 0, 0)
        return self.take(Frame(FrameKind.BOARD_HELLO, boot, number, about))

    def pass_time(self, seconds: float) -> list[Frame]:
        """What the link sends meanwhile."""
        self.now += seconds
        self.link.receive(b"", self.now)
        return FrameDecoder().feed(self.link.outgoing(self.now))


def event(number: int, boot: int = 5) -> Frame:
    return Frame(FrameKind.EVENT, boot, number, bytes((EventKind.TESTED, 0, 0, 0)))


def state(next_event: int, boot: int = 5, reader: int = 0, tag: str = "04a1b2c3") -> Frame:
    uid = bytes.fromhex(tag)
    return Frame(FrameKind.STATE, boot, next_event, bytes((reader, 1, len(uid))) + uid)


def acknowledged(frames: list[Frame]) -> list[tuple[int, int, int]]:
    """Start, first event not stored, and what has come of those from there on."""
    acks = [frame for frame in frames if frame.kind == FrameKind.ACK]
    return [(frame.boot, frame.seq, int.from_bytes(frame.payload, "little")) for frame in acks]


def test_an_event_that_comes_again_is_acknowledged_again_and_told_once() -> None:
    wire = Wire()
    (told,) = wire.take(event(0))
    assert isinstance(told, Event)
    wire.link.stored(told)
    assert acknowledged(wire.pass_time(0.01)) == [(5, 1, 0)]
    assert wire.take(event(0)) == []
    assert acknowledged(wire.pass_time(0.01)) == [(5, 1, 0)]
    assert acknowledged(wire.pass_time(0.01)) == []


def test_what_came_early_waits_and_is_said_to_have_come() -> None:
    wire = Wire()
    assert wire.take(event(1), event(3)) == []
    assert acknowledged(wire.pass_time(0.01)) == [(5, 0, 0b1010)]
    assert [news.number for news in wire.take(event(0)) if isinstance(news, Event)] == [0, 1]
    assert acknowledged(wire.pass_time(0.01)) == [(5, 0, 0b1011)]


@pytest.mark.parametrize("number", [32, 40])
def test_an_event_that_the_board_cannot_keep_yet_is_dropped(number: int) -> None:
    wire = Wire()
    assert wire.take(event(number)) == []
    told = [news for before in range(number) for news in wire.take(event(before))]
    assert [news.number for news in told if isinstance(news, Event)] == list(range(number))


def test_a_state_waits_for_the_events_before_it() -> None:
    wire = Wire()
    assert wire.take(state(2)) == []
    assert [type(news) for news in wire.take(event(0))] == [Event]
    assert [type(news) for news in wire.take(event(1))] == [Event, State]


def test_a_state_that_was_overtaken_is_asked_for_anew() -> None:
    wire = Wire()
    assert wire.take(event(1), state(1)) == []
    assert [type(news) for news in wire.take(event(0))] == [Event, Event]
    asked = [frame.payload[0] for frame in wire.pass_time(0.15) if frame.kind == FrameKind.ASK]
    assert asked and asked[0] & 1
    assert [type(news) for news in wire.take(state(2))] == [State]


def test_a_greeting_to_an_earlier_connection_is_no_meeting() -> None:
    """What the board sends before it has heard of this connection belongs to the last one."""
    wire = Wire()
    wire.link.opened(SESSION + 1, wire.now)
    assert wire.greet(5, session=SESSION) == []
    assert wire.link.hello is None
    assert wire.take(event(0)) == []
    assert [type(news) for news in wire.greet(5, session=SESSION + 1)] == [Connected]


def test_what_belongs_to_another_start_of_the_board_is_dropped() -> None:
    wire = Wire()
    assert wire.take(event(0, boot=4), state(0, boot=4)) == []
    (told,) = wire.take(event(0))
    assert isinstance(told, Event)
    assert [type(news) for news in wire.greet(6)] == [Connected]
    wire.link.stored(told)  # of the last start: nothing of this one is stored
    assert all(seq == 0 for _, seq, _ in acknowledged(wire.pass_time(0.01)))
    assert [news.boot for news in wire.take(event(0, boot=6)) if isinstance(news, Event)] == [6]


def test_a_state_that_waited_is_forgotten_at_a_new_start() -> None:
    wire = Wire()
    assert wire.take(state(1)) == []
    assert [type(news) for news in wire.greet(6)] == [Connected]
    assert [type(news) for news in wire.take(event(0, boot=6))] == [Event]
    assert [news.uids for news in wire.take(state(1, boot=6, tag="04ffffff")) if isinstance(news, State)] == [
        ("04ffffff",)
    ]
