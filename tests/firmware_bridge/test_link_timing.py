"""The link's timers, windows and bit masks at their limits, with handmade frames and a passed-in clock."""

from __future__ import annotations

import struct

import pytest

from firmware_bridge.frames import Frame, FrameDecoder, FrameKind, encode
from firmware_bridge.link import Checkpoint, Connected, Disconnected, Incompatible, Link, LinkUpdate
from firmware_bridge.messages import PROTOCOL, Event, EventKind, State

SESSION = 9


def hello(
    boot: int = 5, number: int = 0, oldest: int = 0, readers: int = 0, session: int = SESSION, protocol: int = PROTOCOL
) -> bytes:
    about = struct.pack("<BBBBBBBHHH", protocol, 1, 0, readers, 0, 0, 1, session, oldest, 0)
    return encode(Frame(FrameKind.BOARD_HELLO, boot, number, about))


def event(number: int, boot: int = 5, kind: EventKind = EventKind.TESTED, index: int = 0) -> bytes:
    return encode(Frame(FrameKind.EVENT, boot, number, bytes((kind, index, 0, 0))))


def state(number: int, reader: int = 0, status: int = 1, boot: int = 5) -> bytes:
    return encode(Frame(FrameKind.STATE, boot, number, bytes((reader, status))))


def opened(checkpoint: Checkpoint | None = None, now: float = 0.0) -> Link:
    link = Link(checkpoint)
    link.opened(SESSION, now)
    return link


def connected(readers: int = 0, number: int = 0) -> Link:
    """A link that is connected at 0.0, with nothing left to send."""
    link = opened()
    assert [type(update) for update in link.receive(hello(number=number, oldest=number, readers=readers), 0.0)] == [
        Connected
    ]
    link.outgoing(0.006)  # the first ACK
    return link


def sent(link: Link, now: float, *kinds: FrameKind) -> list[Frame]:
    """The frames that the link sends at `now`; only those of `kinds`, if given."""
    frames = FrameDecoder().feed(link.outgoing(now))
    return [frame for frame in frames if not kinds or frame.kind in kinds]


def numbers(updates: list[LinkUpdate]) -> list[int]:
    return [update.number for update in updates if isinstance(update, Event)]


def test_greeting_until_the_board_answers() -> None:
    link = opened()
    link.receive(b"", 0.0)
    assert sent(link, 0.0) == [Frame(FrameKind.HELLO, 0, 0, struct.pack("<BH", 1, SESSION))]
    link.receive(b"", 0.149)
    assert sent(link, 0.149) == []
    link.receive(b"", 0.15)
    assert [frame.kind for frame in sent(link, 0.15)] == [FrameKind.HELLO]
    link.receive(b"", 0.16)
    assert sent(link, 0.16) == []


def test_greeting_of_a_connected_board_every_second_with_ack_and_lights() -> None:
    link = connected()
    link.set_lights(0b101, 0b100)
    assert sent(link, 0.01) == [Frame(FrameKind.LIGHTS, 5, 0, struct.pack("<HH", 0b101, 0b100))]
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
    assert sent(link, 0.05, FrameKind.LIGHTS) == [Frame(FrameKind.LIGHTS, 5, 0, struct.pack("<HH", 3, 0))]


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


@pytest.mark.parametrize("silence", [3.0, 3.001])
def test_silent_board_is_disconnected_after_three_seconds(silence: float) -> None:
    link = connected()
    link.receive(event(0), 1.0)
    assert link.receive(event(0, boot=4), 1.5) == []  # of another boot: not a sign of life
    gone = [Disconnected()] if silence > 3.0 else []
    assert link.receive(b"", 1.0 + silence) == gone
    assert (link.hello is None) == bool(gone)
    assert link.receive(b"", 9.0) == ([] if gone else [Disconnected()])
    assert link.receive(b"", 19.0) == []


def test_device_that_never_greets_is_incompatible_after_three_seconds() -> None:
    link = opened(now=1.0)
    assert link.receive(b"?", 4.0) == []
    assert link.receive(b"", 4.001) == [Incompatible(None)]
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
    bad_event, bad_state = Frame(FrameKind.EVENT, 5, 0, b"\1"), Frame(FrameKind.STATE, 5, 0, b"\0\7")
    assert link.bad_frames == 0
    assert link.receive(encode(bad_event) + encode(bad_state) + b"damaged\0", 0.1) == []
    assert link.bad_frames == 3
    assert link.receive(encode(Frame(FrameKind.BOARD_HELLO, 5)), 0.2) == []
    assert numbers(link.receive(event(0), 0.3)) == [0]


@pytest.mark.parametrize(("readers", "mask"), [(1, 0b1), (2, 0b11), (8, 0xFF), (9, 0xFF)])
def test_states_of_all_readers_are_requested(readers: int, mask: int) -> None:
    link = opened()
    link.receive(hello(readers=readers), 0.0)
    assert sent(link, 0.0, FrameKind.ASK) == [Frame(FrameKind.ASK, 5, 0, bytes((mask,)))]


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
    assert [type(update) for update in link.receive(event(0), 0.6)] == [Event, State]


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
    assert isinstance(update, Event)
    assert len(sent(link, 0.02, FrameKind.ASK)) == 1


@pytest.mark.parametrize(("number", "acknowledged"), [(39, True), (8, True), (7, False), (71, True), (72, False)])
def test_retransmissions_within_the_window_are_acknowledged_again(number: int, acknowledged: bool) -> None:
    """The board keeps 32 events: it may resend event 8 until 40 are stored, and cannot send event 72 yet."""
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
    assert sent(link, 0.006, FrameKind.ACK) == [Frame(FrameKind.ACK, 5, 0, bytes(4))]
    assert not link.ack_pending
    link.receive(event(0), 0.008)
    assert sent(link, 0.0119, FrameKind.ACK) == []
    assert sent(link, 0.0121, FrameKind.ACK) == [Frame(FrameKind.ACK, 5, 0, b"\1\0\0\0")]
    assert sent(link, 1.0, FrameKind.ACK) == []


def test_numbers_and_bit_masks_wrap_around() -> None:
    link = connected(number=65534)
    first, second, third = link.receive(event(65534) + event(65535) + event(0) + event(2), 0.01)
    assert isinstance(second, Event) and isinstance(third, Event) and (second.number, third.number) == (65535, 0)
    assert sent(link, 0.02, FrameKind.ACK) == [Frame(FrameKind.ACK, 5, 65534, bytes((0b10111, 0, 0, 0)))]
    link.stored(second)
    assert link.checkpoint == Checkpoint(5, 0)
    assert sent(link, 0.03, FrameKind.ACK) == [Frame(FrameKind.ACK, 5, 0, bytes((0b101, 0, 0, 0)))]
    assert isinstance(first, Event)


def test_bit_mask_has_32_bits() -> None:
    link = connected()
    link.receive(b"".join(map(event, range(33))) + event(40), 0.01)
    assert sent(link, 0.02, FrameKind.ACK) == [Frame(FrameKind.ACK, 5, 0, b"\xff" * 4)]


def test_stored_event_of_another_boot_or_without_a_board_is_ignored() -> None:
    link = opened(Checkpoint(5, 0))
    done = Event(5, 3, EventKind.TESTED, 0, 0.0)
    link.stored(done)
    assert link.checkpoint == Checkpoint(5, 0) and not link.ack_pending
    link.receive(hello(number=9), 0.0)
    link.outgoing(1.0)
    link.stored(Event(6, 3, EventKind.TESTED, 0, 0.0))
    assert link.checkpoint == Checkpoint(5, 0) and not link.ack_pending
    link.stored(done)
    assert link.checkpoint == Checkpoint(5, 4) and link.ack_pending


def test_request_for_test_events() -> None:
    link = opened()
    link.request_test_events(500)
    assert link.outgoing(0.0) == b""
    link = connected()
    link.request_test_events(500)
    assert sent(link, 0.01) == [Frame(FrameKind.TEST, 5, 0, struct.pack("<H", 500))]


def test_new_connection_starts_from_scratch() -> None:
    link = connected()
    link.request_test_events(1)
    link.receive(b"\x05half a frame", 0.01)
    link.opened(SESSION + 1, 5.0)
    assert link.hello is None and link.bad_frames == 0
    assert link.outgoing(5.0) == b""
    assert numbers(link.receive(event(0), 5.0)) == []  # not connected yet
    assert [type(update) for update in link.receive(hello(session=SESSION + 1), 7.9)] == [Connected]


def test_greeting_is_a_sign_of_life() -> None:
    link = connected()
    assert link.receive(hello(), 2.5) == []
    assert link.receive(b"", 5.5) == []
    assert link.receive(b"", 5.501) == [Disconnected()]


def test_connection_is_acknowledged_without_waiting_for_the_next_greeting() -> None:
    link = opened()
    link.receive(b"", 0.0)
    link.outgoing(0.0)
    link.receive(hello(), 0.05)
    assert [frame.kind for frame in sent(link, 0.05)] == [FrameKind.ACK]


def test_new_connection_forgets_an_unfinished_frame_and_the_count_of_bad_ones() -> None:
    link = connected()
    link.receive(b"damaged\0" + event(0)[:-3], 0.1)
    assert link.bad_frames == 1
    link.opened(SESSION + 1, 0.2)
    assert link.bad_frames == 0
    assert len(link.receive(hello(session=SESSION + 1)[1:], 0.3)) == 1  # not appended to the unfinished frame
