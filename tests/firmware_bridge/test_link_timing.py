"""The link's timers, windows and bit masks at their limits, with handmade frames and a passed-in clock."""

from __future__ import annotations

import struct

import pytest

from firmware_bridge.frames import FrameKind, SerialFrame, encode
from firmware_bridge.link import DEAD_S, Checkpoint, Connected, Disconnected, Incompatible, Link
from tests.firmware_bridge.link_frames import SESSION, connected, event, hello, numbers, opened, sent


def test_greeting_until_the_board_answers() -> None:
    link = opened()
    link.receive(b"", 0.0)
    assert sent(link, 0.0) == [SerialFrame(FrameKind.HELLO, 0, 0, struct.pack("<BH", 1, SESSION))]
    link.receive(b"", 0.149)
    assert sent(link, 0.149) == []
    link.receive(b"", 0.15)
    assert [frame.kind for frame in sent(link, 0.15)] == [FrameKind.HELLO]
    link.receive(b"", 0.16)
    assert sent(link, 0.16) == []


def test_greeting_of_a_connected_board_every_second_with_ack_and_lights() -> None:
    link = connected()
    link.set_lights(0b101, 0b100)
    assert sent(link, 0.01) == [SerialFrame(FrameKind.LIGHTS, 5, 0, struct.pack("<HH", 0b101, 0b100))]
    link.receive(b"", 0.99)
    assert sent(link, 0.99) == []
    link.receive(b"", 1.0)
    assert [frame.kind for frame in sent(link, 1.0)] == [FrameKind.HELLO, FrameKind.LIGHTS, FrameKind.ACK]
    link.receive(b"", 1.9)
    assert sent(link, 1.9) == []


def test_lights_wanted_before_the_connection_are_sent_with_it() -> None:
    link = opened()
    link.set_lights(3)
    assert link.outgoing(0.0) == b""
    link.receive(b"", 0.0)
    link.receive(hello(), 0.05)
    assert sent(link, 0.05, FrameKind.LIGHTS) == [SerialFrame(FrameKind.LIGHTS, 5, 0, struct.pack("<HH", 3, 0))]


def test_greeting_of_another_session_is_answered_at_once() -> None:
    link = opened()
    link.receive(b"", 0.0)
    link.outgoing(0.0)
    assert link.receive(hello(session=SESSION + 1), 0.05) == []
    assert [frame.kind for frame in sent(link, 0.05)] == [FrameKind.HELLO]
    assert link.hello is None


def test_connection_sets_hello_and_checkpoint() -> None:
    link = opened()
    assert link.checkpoint is None and link.hello is None
    (update,) = link.receive(hello(number=7, oldest=4, readers=2), 0.0)
    assert isinstance(update, Connected) and update.restarted
    assert link.hello is update.hello and update.hello.readers == 2
    assert link.checkpoint == Checkpoint(5, 4)
    assert link.receive(hello(number=7, oldest=4, readers=2), 0.5) == []


def test_checkpoint_of_the_constructor() -> None:
    assert Link(Checkpoint(5, 3)).checkpoint == Checkpoint(5, 3)
    (update,) = opened(Checkpoint(5, 3)).receive(hello(number=3, oldest=3), 0.0)
    assert isinstance(update, Connected) and not update.restarted


@pytest.mark.parametrize(
    ("number", "restarted"), [(3, False), (2, True), (3 + 0x7FFF, False), (3 + 0x8000, True), (3 + 0xFFFF, True)]
)
def test_numbers_that_go_back_are_a_restart(number: int, restarted: bool) -> None:
    (update,) = opened(Checkpoint(5, 3)).receive(hello(number=number & 0xFFFF, oldest=3), 0.0)
    assert isinstance(update, Connected) and update.restarted == restarted


@pytest.mark.parametrize(("oldest", "next_event"), [(2, 3), (3, 3), (6, 6), (3 + 0x7FFF, 3 + 0x7FFF), (3 + 0x8000, 3)])
def test_events_that_the_board_has_dropped_are_skipped(oldest: int, next_event: int) -> None:
    link = opened(Checkpoint(5, 3))
    link.receive(hello(number=3 + 0x7FFF, oldest=oldest), 0.0)
    assert numbers(link.receive(event(next_event), 0.001)) == [next_event]


def test_early_events_are_dropped_at_a_restart_and_kept_otherwise() -> None:
    link = connected()
    link.receive(event(1), 0.1)
    link.opened(SESSION + 1, 0.2)
    link.receive(hello(session=SESSION + 1, number=2), 0.2)
    assert numbers(link.receive(event(0), 0.3)) == [0, 1]
    link.receive(event(3), 0.4)
    link.receive(hello(boot=6, session=SESSION + 1), 0.5)
    assert numbers(link.receive(b"".join(event(n, boot=6) for n in range(3)), 0.6)) == [0, 1, 2]
    assert numbers(link.receive(b"", 0.7)) == []


def test_early_events_before_the_oldest_are_dropped() -> None:
    link = connected()
    link.receive(event(1) + event(4), 0.1)
    link.opened(SESSION + 1, 0.2)
    assert numbers(link.receive(hello(session=SESSION + 1, number=5, oldest=3), 0.2)) == []
    assert numbers(link.receive(event(3), 0.3)) == [3, 4]


@pytest.mark.parametrize("silence", [DEAD_S, DEAD_S + 0.001])
def test_silent_board_is_disconnected(silence: float) -> None:
    link = connected()
    link.receive(event(0), 1.0)
    assert link.receive(event(0, boot=4), 1.5) == []  # of another boot: not a sign of life
    gone = [Disconnected()] if silence > DEAD_S else []
    assert link.receive(b"", 1.0 + silence) == gone
    assert (link.hello is None) == bool(gone)
    assert link.receive(b"", 9.0) == ([] if gone else [Disconnected()])
    assert link.receive(b"", 19.0) == []


def test_device_that_never_greets_is_incompatible() -> None:
    link = opened(now=1.0)
    assert link.receive(b"?", 1.0 + DEAD_S) == []
    assert link.receive(b"", 1.001 + DEAD_S) == [Incompatible(None)]
    assert link.receive(b"?", 9.0) == []
    link.opened(SESSION, 10.0)
    assert link.receive(b"", 20.0) == []  # nothing has arrived on this connection
    assert link.receive(b"?", 20.1) == [Incompatible(None)]


def test_board_of_another_session_is_not_incompatible() -> None:
    link = opened()
    link.receive(hello(session=SESSION + 1), 0.0)
    assert link.receive(b"?", 9.0) == []


def test_other_protocol_is_reported_once_per_connection() -> None:
    link = opened()
    (update,) = link.receive(hello(protocol=2), 0.0)
    assert isinstance(update, Incompatible) and update.hello is not None and update.hello.protocol == 2
    assert link.receive(hello(protocol=2), 0.1) == []
    assert link.receive(b"?", 9.0) == []
    link.opened(SESSION, 10.0)
    assert len(link.receive(hello(protocol=2), 10.0)) == 1


def test_invalid_frames_are_counted_and_ignored() -> None:
    link = connected()
    bad_event, bad_state = SerialFrame(FrameKind.EVENT, 5, 0, b"\1"), SerialFrame(FrameKind.STATE, 5, 0, b"\0\7")
    assert link.bad_frames == 0
    assert link.receive(encode(bad_event) + encode(bad_state) + b"damaged\0", 0.1) == []
    assert link.bad_frames == 3
    assert link.receive(encode(SerialFrame(FrameKind.BOARD_HELLO, 5)), 0.2) == []
    assert numbers(link.receive(event(0), 0.3)) == [0]


def test_greeting_is_a_sign_of_life() -> None:
    link = connected()
    assert link.receive(hello(), 2.5) == []
    assert link.receive(b"", 2.5 + DEAD_S) == []
    assert link.receive(b"", 5.501) == [Disconnected()]


def test_connection_is_acknowledged_without_waiting_for_the_next_greeting() -> None:
    link = opened()
    link.receive(b"", 0.0)
    link.outgoing(0.0)
    link.receive(hello(), 0.05)
    assert [frame.kind for frame in sent(link, 0.05)] == [FrameKind.ACK]


def test_a_new_connection_forgets_partial_frames_and_bad_counts() -> None:
    link = connected()
    link.receive(b"damaged\0" + event(0)[:-3], 0.1)
    assert link.bad_frames == 1
    link.opened(SESSION + 1, 0.2)
    assert link.bad_frames == 0
    assert len(link.receive(hello(session=SESSION + 1)[1:], 0.3)) == 1  # not appended to the unfinished frame
