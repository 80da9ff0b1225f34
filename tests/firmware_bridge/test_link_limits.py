"""The greatest numbers in the link's frames, and several frames that arrive at once."""

from __future__ import annotations

from firmware_bridge.frames import FrameKind
from firmware_bridge.link import Connected, Incompatible, Link
from firmware_bridge.messages import PROTOCOL, EventKind
from tests.firmware_bridge.link_frames import connected, event, hello, numbers, opened, sent


def test_the_greatest_session() -> None:
    link = Link()
    link.opened(65535, 0.0)
    link.receive(b"", 0.0)
    (greeting,) = sent(link, 0.0, FrameKind.HELLO)
    assert (greeting.boot, greeting.seq, greeting.payload) == (0, 0, bytes((PROTOCOL, 255, 255)))


def test_all_sixteen_lights() -> None:
    link = connected()
    link.set_lights(0xFFFF, 0x8001)
    (lights,) = sent(link, 0.0, FrameKind.LIGHTS)
    assert (lights.boot, lights.seq, lights.payload) == (5, 0, bytes((0xFF, 0xFF, 0x01, 0x80)))


def test_the_greatest_number_of_test_events() -> None:
    link = connected()
    link.request_test_events(65535)
    (request,) = sent(link, 0.0, FrameKind.TEST)
    assert (request.boot, request.seq, request.payload) == (5, 0, bytes((255, 255)))


def test_updates_of_greetings_that_arrive_at_once_are_all_returned() -> None:
    link = opened()
    updates = link.receive(hello(protocol=2) + hello(), 0.0)
    assert [type(update) for update in updates] == [Incompatible, Connected]


def test_an_event_and_a_greeting_at_once() -> None:
    link = connected()
    updates = link.receive(event(0) + hello() + event(1), 0.01)
    assert numbers(updates) == [0, 1] and len(updates) == 2


def test_a_reader_that_is_not_due_is_requested_when_it_is() -> None:
    link = connected(readers=2)
    link.receive(event(0, kind=EventKind.WORKS, index=0), 0.05)
    assert [frame.payload for frame in sent(link, 0.05, FrameKind.ASK)] == [b"\1"], "only reader 0 is due at once"
    link.receive(b"", 0.101)
    assert [frame.payload for frame in sent(link, 0.101, FrameKind.ASK)] == [b"\2"]
