"""The link, against the firmware's own core: every event once, in order, whatever the line does to the bytes."""

from __future__ import annotations

import pytest

from firmware_bridge.frames import Frame, FrameDecoder, FrameKind, encode
from firmware_bridge.link import Checkpoint, Connected, Incompatible, Link
from firmware_bridge.messages import Event, EventKind, ReaderStatus, State
from tests.firmware_bridge.core import Core, Line, lay


def told(line: Line) -> list[tuple[EventKind, int, str]]:
    return [(event.kind, event.index, event.uid) for event in line.events]


def test_a_board_is_met_and_its_readers_states_are_asked_for(core: Core) -> None:
    for reader in range(8):
        lay(core, reader, *(["04a1b2c3"] if reader == 3 else []))
    line = Line(core, Link())
    line.run(200)
    assert isinstance(line.updates[0], Connected) and line.updates[0].restarted
    assert line.updates[0].hello.readers == 8
    assert told(line) == [(EventKind.LAID, 3, "04a1b2c3")]
    states = {news.index: news for news in line.updates if isinstance(news, State)}
    assert sorted(states) == list(range(8))
    assert states[3].uids == ("04a1b2c3",) and states[3].status is ReaderStatus.WORKING
    assert states[0].uids == ()


def test_a_state_waits_until_a_reader_has_looked(core: Core) -> None:
    line = Line(core, Link())
    line.run(300)
    assert not any(isinstance(news, State) for news in line.updates)
    lay(core, 5, "04a1b2c3")
    line.run(150)
    states = [news for news in line.updates if isinstance(news, State)]
    assert [(state.index, state.uids) for state in states] == [(5, ("04a1b2c3",))]


@pytest.mark.parametrize(("noise", "share"), [(0.0, 0.9), (0.005, 0.6), (0.02, 1 / 3), (0.05, 0.0)])
def test_every_event_comes_once_and_in_order_on_a_bad_line(core: Core, noise: float, share: float) -> None:
    """Of the events that a clean line could carry in the same time, a share of at least `share`."""
    count = 1200
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
    frame = len(encode(Frame(FrameKind.EVENT, 1, 1, bytes(8))))
    assert count / took * 1000 >= share * 11520 / frame


def test_a_lost_event_is_sent_again_as_soon_as_a_later_one_is_acknowledged(core: Core) -> None:
    line = Line(core, Link())
    line.run(100)
    line.cut = True
    lay(core, 0, "00000001")
    line.run(5)
    line.cut = False
    lay(core, 1, "00000002")
    before = line.now
    assert line.run(100, lambda: len(line.events) == 2)
    assert line.now - before < 30  # less than the wait for an answer
    assert told(line) == [(EventKind.LAID, 0, "00000001"), (EventKind.LAID, 1, "00000002")]


def test_what_is_not_stored_is_not_forgotten(core: Core) -> None:
    """A program that dies between receiving and storing gets the event again; one that has stored it does not."""
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
    met = next(news for news in again.updates if isinstance(news, Connected))
    assert not met.restarted
    assert [event.uid for event in again.events] == ["00000003"]
    assert core.ask("queue") == "3 0"


def test_what_an_acknowledgement_leaves_out_is_sent_again(core: Core) -> None:
    """The last one tells what the program has; an earlier one may have been of a program that lost it."""
    line = Line(core, Link())
    line.run(100)
    line.stored = lambda event: False
    lay(core, 0, "00000001")
    line.run(50)
    core.ask(f"time {line.now + 80}")
    assert len(line.events) == 1 and core.ask("next 63") == ""  # it has come: it is not sent again
    core.ask("take 0 " + encode(Frame(FrameKind.ACK, 1, 0, bytes(4))).hex())
    (frame,) = FrameDecoder().feed(bytes.fromhex(core.ask("next 63")))
    assert (frame.kind, frame.seq) == (FrameKind.EVENT, 0)


def test_a_full_queue_loses_no_event_and_ends_with_what_lies_there(core: Core) -> None:
    """The core reports no change that it cannot keep: it is reported when there is room, if it is still so."""
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


def test_numbers_go_on_past_their_end(core: Core) -> None:
    """After event 65535 comes event 0: nothing is lost or doubled there, on a bad line either."""
    core.ask("oldest 65500")
    line = Line(core, Link(), noise=0.01, seed=3)
    line.run(2000, lambda: line.link.hello is not None)
    while not line.events:
        line.link.request_test_events(100)
        line.run(100)
    assert line.run(3000, lambda: len(line.events) >= 100)
    assert [event.number for event in line.events][:100] == [number & 0xFFFF for number in range(65500, 65600)]


def test_an_acknowledgement_of_what_was_never_sent_is_refused(core: Core) -> None:
    line = Line(core, Link())
    line.run(100)
    lay(core, 0, "00000001")
    for number in (2, 3, 65535):
        core.ask("take 0 " + encode(Frame(FrameKind.ACK, 1, number, bytes(4))).hex())
        assert core.ask("queue") == "0 1"
    core.ask("take 0 " + encode(Frame(FrameKind.ACK, 1, 1)).hex())  # nor one that does not say what has come
    assert core.ask("queue") == "0 1"


def test_a_board_of_another_protocol_is_told_once(core: Core) -> None:
    link = Link()
    link.opened(5, 0.0)
    newer = encode(Frame(FrameKind.BOARD_HELLO, 9, 0, bytes((2, 3, 0, 8))))
    first = link.receive(newer, 0.1)
    assert len(first) == 1 and isinstance(first[0], Incompatible) and first[0].hello is not None
    assert first[0].hello.protocol == 2
    assert link.receive(newer, 0.2) == []
    assert link.hello is None


def test_a_device_that_speaks_something_else_is_foreign(core: Core) -> None:
    link = Link()
    link.opened(5, 0.0)
    news = [item for tenth in range(50) for item in link.receive(b"X:0.00 Y:0.00\r\n\0", tenth / 10)]
    assert news == [Incompatible(None)]


def test_an_event_tells_how_long_ago_it_happened(core: Core) -> None:
    lay(core, 0, "00000001")
    core.ask("time 400")
    line = Line(core, Link())
    line.now = 400
    line.link.opened(1, 0.4)
    line.run(100)
    event = next(news for news in line.updates if isinstance(news, Event))
    assert 0.4 <= event.age < 0.5


def test_how_long_ago_it_happened_ends_at_what_its_number_can_hold(core: Core) -> None:
    lay(core, 0, "00000001")
    core.ask("time 70000")
    line = Line(core, Link())
    line.now = 70_000
    line.link.opened(1, 70.0)
    line.run(100)
    assert [event.age for event in line.events] == [65.535]
