"""The link with the firmware's core: every event arrives once and in order, whatever happens to the bytes."""

from __future__ import annotations

import pytest

from firmware_bridge.frames import FrameDecoder, FrameKind, SerialFrame, encode
from firmware_bridge.link import Checkpoint, Connected, Incompatible, Link
from firmware_bridge.messages import EventKind, ReaderStatus, State, TagEvent
from tests.firmware_bridge.core import Core, Line, lay
from tests.waiting import tries


def seen(line: Line) -> list[tuple[EventKind, int, str]]:
    return [(event.kind, event.index, event.uid) for event in line.events]


def test_connection_requests_the_states_of_all_readers(core: Core) -> None:
    for reader in range(8):
        lay(core, reader, *(["04a1b2c3"] if reader == 3 else []))
    line = Line(core, Link())
    line.run(200)
    assert isinstance(line.updates[0], Connected) and line.updates[0].restarted
    assert line.updates[0].hello.readers == 8
    assert seen(line) == [(EventKind.LAID, 3, "04a1b2c3")]
    states = {update.index: update for update in line.updates if isinstance(update, State)}
    assert sorted(states) == list(range(8))
    assert states[3].uids == ("04a1b2c3",) and states[3].status is ReaderStatus.WORKING
    assert states[0].uids == ()


def test_state_is_sent_after_enough_scans(core: Core) -> None:
    line = Line(core, Link())
    line.run(300)
    assert not any(isinstance(update, State) for update in line.updates)
    lay(core, 5, "04a1b2c3")
    line.run(150)
    states = [update for update in line.updates if isinstance(update, State)]
    assert [(state.index, state.uids) for state in states] == [(5, ("04a1b2c3",))]


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize(("noise", "share"), [(0.0, 0.9), (0.005, 0.6), (0.02, 1 / 3), (0.05, 0.0)])
def test_every_event_arrives_once_and_in_order_despite_noise(core: Core, noise: float, share: float) -> None:
    """`share`: the least throughput, relative to the capacity of the line."""
    count = 600
    line = Line(core, Link(), noise, seed=7)
    line.run(3000, lambda: line.link.hello is not None)
    start = line.now
    line.link.request_test_events(count)
    sent = line.now

    def ask_until_it_is_heard() -> bool:
        nonlocal sent
        if not line.events and line.now - sent > 50:
            line.link.request_test_events(count)
            sent = line.now
        return len(line.events) >= count

    assert line.run(60_000, ask_until_it_is_heard)
    took = line.now - start
    line.run(500)
    assert [event.number for event in line.events] == list(range(len(line.events)))
    assert all(event.kind is EventKind.TESTED for event in line.events)
    frame = len(encode(SerialFrame(FrameKind.EVENT, 1, 1, bytes(8))))
    assert count / took * 1000 >= share * 11520 / frame


def test_lost_event_is_resent_as_soon_as_a_later_one_is_acknowledged(core: Core) -> None:
    line = Line(core, Link())
    line.run(100)
    line.cut = True
    lay(core, 0, "00000001")
    line.run(5)
    line.cut = False
    lay(core, 1, "00000002")
    before = line.now
    assert line.run(100, lambda: len(line.events) == 2)
    assert line.now - before < 30  # sooner than the time-out for an answer
    assert seen(line) == [(EventKind.LAID, 0, "00000001"), (EventKind.LAID, 1, "00000002")]


def test_board_keeps_events_that_are_not_stored(core: Core) -> None:
    """A program killed before it has stored an event receives it again; afterwards it does not."""
    line = Line(core, Link())
    line.run(100)
    lay(core, 0, "00000001")
    line.run(50)
    line.stored = lambda event: False
    lay(core, 1, "00000002")
    lay(core, 2, "00000003")
    line.run(300)
    assert [event.uid for event in line.events] == ["00000001", "00000002", "00000003"]
    checkpoint = line.link.checkpoint
    assert checkpoint is not None and checkpoint.next == 1
    again = Line(core, Link(Checkpoint(1, 2)))  # the second was stored, and its acknowledgement lost
    again.now = line.now
    again.link.opened(2, again.now / 1000)
    again.run(300)
    met = next(update for update in again.updates if isinstance(update, Connected))
    assert not met.restarted
    assert [event.uid for event in again.events] == ["00000003"]
    assert core.ask("queue") == "3 0"


def test_event_missing_from_an_ack_is_resent(core: Core) -> None:
    """The last ACK decides: an earlier one may have come from a program that has lost the event."""
    line = Line(core, Link())
    line.run(100)
    line.stored = lambda event: False
    lay(core, 0, "00000001")
    line.run(50)
    core.ask(f"time {line.now + 80}")
    assert len(line.events) == 1 and core.ask("next 63") == ""  # received: not resent
    core.ask("take 0 " + encode(SerialFrame(FrameKind.ACK, 1, 0, bytes(4))).hex())
    (frame,) = FrameDecoder().feed(bytes.fromhex(core.ask("next 63")))
    assert (frame.kind, frame.seq) == (FrameKind.EVENT, 0)


def test_full_queue_loses_no_event_and_ends_in_the_right_state(core: Core) -> None:
    """A change that does not fit into the queue is reported when there is room, if it still holds."""
    line = Line(core, Link())
    line.run(100)
    line.stored = lambda event: False
    for number in range(40):
        uid = f"{number:08x}"
        lay(core, 0, uid)
        for _ in range(3):
            lay(core, 0)
        line.run(5)
    lay(core, 0, "000000ff")
    assert core.ask("queue").split()[1] == "32"
    line.stored = lambda event: True
    line.link.stored(line.events[-1])
    line.run(100)
    lay(core, 0, "000000ff")
    for _ in range(3):
        lay(core, 0, "000000ff")
    line.run(200)
    assert [event.number for event in line.events] == list(range(len(line.events)))
    lying: set[str] = set()
    for event in line.events:
        if event.kind is EventKind.LAID:
            assert event.uid not in lying
            lying.add(event.uid)
        else:
            lying.remove(event.uid)
    assert lying == {"000000ff"}


def test_event_numbers_wrap_around(core: Core) -> None:
    """Event 0 follows event 65535 without loss or duplicate, also with noise."""
    core.ask("oldest 65500")
    line = Line(core, Link(), noise=0.01, seed=3)
    line.run(2000, lambda: line.link.hello is not None)
    for _ in tries("events through the noise"):
        line.link.request_test_events(100)
        line.run(100)
        if line.events:
            break
    assert line.run(3000, lambda: len(line.events) >= 100)
    assert [event.number for event in line.events][:100] == [number & 0xFFFF for number in range(65500, 65600)]


def test_ack_of_unsent_events_is_ignored(core: Core) -> None:
    line = Line(core, Link())
    line.run(100)
    lay(core, 0, "00000001")
    for number in (2, 3, 65535):
        core.ask("take 0 " + encode(SerialFrame(FrameKind.ACK, 1, number, bytes(4))).hex())
        assert core.ask("queue") == "0 1"
    core.ask("take 0 " + encode(SerialFrame(FrameKind.ACK, 1, 1)).hex())  # nor one without its bit mask
    assert core.ask("queue") == "0 1"


def test_another_protocol_version_is_reported_once(core: Core) -> None:
    link = Link()
    link.opened(5, 0.0)
    newer = encode(SerialFrame(FrameKind.BOARD_HELLO, 9, 0, bytes((2, 3, 0, 8))))
    first = link.receive(newer, 0.1)
    assert len(first) == 1 and isinstance(first[0], Incompatible) and first[0].hello is not None
    assert first[0].hello.protocol == 2
    assert link.receive(newer, 0.2) == []
    assert link.hello is None


def test_another_device_is_incompatible(core: Core) -> None:
    link = Link()
    link.opened(5, 0.0)
    update = [item for tenth in range(50) for item in link.receive(b"X:0.00 Y:0.00\r\n\0", tenth / 10)]
    assert update == [Incompatible(None)]


def test_event_has_its_age(core: Core) -> None:
    lay(core, 0, "00000001")
    core.ask("time 400")
    line = Line(core, Link())
    line.now = 400
    line.link.opened(1, 0.4)
    line.run(100)
    event = next(update for update in line.updates if isinstance(update, TagEvent))
    assert 0.4 <= event.age < 0.5


def test_age_of_an_event_is_limited(core: Core) -> None:
    lay(core, 0, "00000001")
    core.ask("time 70000")
    line = Line(core, Link())
    line.now = 70_000
    line.link.opened(1, 70.0)
    line.run(100)
    assert [event.age for event in line.events] == [65.535]
