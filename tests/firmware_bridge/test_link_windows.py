"""Requests for states, acknowledgements and windows of the link at their limits, with handmade frames."""

from __future__ import annotations

import struct

import pytest

from firmware_bridge.frames import FrameKind, SerialFrame
from firmware_bridge.link import Checkpoint, Connected
from firmware_bridge.messages import EventKind, State, TagEvent
from tests.firmware_bridge.link_frames import SESSION, connected, event, hello, numbers, opened, sent, state


@pytest.mark.parametrize(("readers", "mask"), [(1, 0b1), (2, 0b11), (8, 0xFF), (9, 0xFF)])
def test_states_of_all_readers_are_requested(readers: int, mask: int) -> None:
    link = opened()
    link.receive(hello(readers=readers), 0.0)
    assert sent(link, 0.0, FrameKind.ASK) == [SerialFrame(FrameKind.ASK, 5, 0, bytes((mask,)))]


def test_request_for_a_state_is_repeated_until_it_arrives() -> None:
    link = connected(readers=2)
    link.receive(b"", 0.099)
    assert sent(link, 0.099, FrameKind.ASK) == []
    link.receive(state(0, reader=1), 0.1)
    assert [frame.payload for frame in sent(link, 0.1, FrameKind.ASK)] == [b"\1"]
    assert link.receive(state(0, status=0), 0.11) == []  # still scanning
    assert [type(update) for update in link.receive(state(0), 0.12)] == [State]
    assert link.receive(state(0), 0.13) == []  # not requested
    link.receive(b"", 0.5)
    assert sent(link, 0.5, FrameKind.ASK) == []


def test_state_that_waits_for_events_is_not_requested_again() -> None:
    link = connected(readers=1)
    assert link.receive(state(1), 0.05) == []
    link.receive(b"", 0.5)
    assert sent(link, 0.5, FrameKind.ASK) == []
    assert [type(update) for update in link.receive(event(0), 0.6)] == [TagEvent, State]


@pytest.mark.parametrize(("behind", "again"), [(1, True), (32, True), (33, False)])
def test_overtaken_state_within_the_window_is_requested_again(behind: int, again: bool) -> None:
    link = connected(readers=1, number=100)
    for number in range(100, 100 + 32 + 1):
        link.receive(event(number), 0.01)
    assert link.receive(state(133 - behind), 0.02) == []
    link.receive(b"", 0.5)
    assert bool(sent(link, 0.5, FrameKind.ASK)) == again


@pytest.mark.parametrize(("index", "asked"), [(0, True), (7, True), (8, False), (255, False)])
def test_reader_that_works_again_is_asked_for_its_state(index: int, asked: bool) -> None:
    link = connected()
    link.receive(event(0, kind=EventKind.WORKS, index=index), 0.01)
    assert [frame.payload for frame in sent(link, 0.01, FrameKind.ASK)] == ([bytes((1 << index,))] if asked else [])


def test_state_from_before_a_fault_is_dropped() -> None:
    link = connected(readers=1)
    assert link.receive(state(1), 0.01) == []
    (update,) = link.receive(event(0, kind=EventKind.WORKS), 0.02)
    assert isinstance(update, TagEvent)
    assert len(sent(link, 0.02, FrameKind.ASK)) == 1


@pytest.mark.parametrize(("number", "acknowledged"), [(39, True), (8, True), (7, False), (71, True), (72, False)])
def test_retransmissions_within_the_window_are_acknowledged_again(number: int, acknowledged: bool) -> None:
    """The reader board keeps 32 events: it may resend event 8 until 40 are stored, and cannot send event 72 yet."""
    link = connected()
    for each in range(40):
        link.receive(event(each), 0.01)
    link.outgoing(0.02)
    link.receive(event(number), 0.03)
    assert link.ack_pending == acknowledged
    assert bool(sent(link, 0.04, FrameKind.ACK)) == acknowledged


def test_acks_are_six_milliseconds_apart() -> None:
    link = opened()
    link.receive(hello(), 0.001)
    assert link.ack_pending
    assert sent(link, 0.005, FrameKind.ACK) == []
    assert sent(link, 0.006, FrameKind.ACK) == [SerialFrame(FrameKind.ACK, 5, 0, bytes(4))]
    assert not link.ack_pending
    link.receive(event(0), 0.008)
    assert sent(link, 0.0119, FrameKind.ACK) == []
    assert sent(link, 0.0121, FrameKind.ACK) == [SerialFrame(FrameKind.ACK, 5, 0, b"\1\0\0\0")]
    assert sent(link, 1.0, FrameKind.ACK) == []


def test_numbers_and_bit_masks_wrap_around() -> None:
    link = connected(number=65534)
    first, second, third = link.receive(event(65534) + event(65535) + event(0) + event(2), 0.01)
    assert isinstance(second, TagEvent) and isinstance(third, TagEvent) and (second.number, third.number) == (65535, 0)
    assert sent(link, 0.02, FrameKind.ACK) == [SerialFrame(FrameKind.ACK, 5, 65534, bytes((0b10111, 0, 0, 0)))]
    link.stored(second)
    assert link.checkpoint == Checkpoint(5, 0)
    assert sent(link, 0.03, FrameKind.ACK) == [SerialFrame(FrameKind.ACK, 5, 0, bytes((0b101, 0, 0, 0)))]
    assert isinstance(first, TagEvent)


def test_bit_mask_has_32_bits() -> None:
    link = connected()
    link.receive(b"".join(map(event, range(33))) + event(40), 0.01)
    assert sent(link, 0.02, FrameKind.ACK) == [SerialFrame(FrameKind.ACK, 5, 0, b"\xff" * 4)]


def test_stored_event_of_another_boot_or_without_a_board_is_ignored() -> None:
    link = opened(Checkpoint(5, 0))
    done = TagEvent(5, 3, EventKind.TESTED, 0, 0.0)
    link.stored(done)
    assert link.checkpoint == Checkpoint(5, 0) and not link.ack_pending
    link.receive(hello(number=9), 0.0)
    link.outgoing(1.0)
    link.stored(TagEvent(6, 3, EventKind.TESTED, 0, 0.0))
    assert link.checkpoint == Checkpoint(5, 0) and not link.ack_pending
    link.stored(done)
    assert link.checkpoint == Checkpoint(5, 4) and link.ack_pending


def test_request_for_test_events() -> None:
    link = opened()
    link.request_test_events(500)
    assert link.outgoing(0.0) == b""
    link = connected()
    link.request_test_events(500)
    assert sent(link, 0.01) == [SerialFrame(FrameKind.TEST, 5, 0, struct.pack("<H", 500))]


def test_new_connection_starts_from_scratch() -> None:
    link = connected()
    link.request_test_events(1)
    link.receive(b"\x05half a frame", 0.01)
    link.opened(SESSION + 1, 5.0)
    assert link.hello is None and link.bad_frames == 0
    assert link.outgoing(5.0) == b""
    assert numbers(link.receive(event(0), 5.0)) == []  # not connected yet
    assert [type(update) for update in link.receive(hello(session=SESSION + 1), 7.9)] == [Connected]
