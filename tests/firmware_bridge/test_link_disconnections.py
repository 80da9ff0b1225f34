"""The link with the firmware's core: silence, restarts of either side, and broken readers."""

from __future__ import annotations

import pytest

from firmware_bridge.frames import FrameDecoder, FrameKind, SerialFrame, encode
from firmware_bridge.link import Checkpoint, Connected, Disconnected, Link
from firmware_bridge.messages import ReaderStatus, State
from tests.firmware_bridge.core import Core, Line, lay


def test_restart_of_the_board_is_reported(core: Core) -> None:
    line = Line(core, Link())
    line.run(100)
    lay(core, 0, "00000001")
    line.run(50)
    core.ask("start 2")
    lay(core, 0, "00000002")
    line.run(1500)
    assert [update.restarted for update in line.updates if isinstance(update, Connected)] == [True, True]
    assert [(event.boot, event.number, event.uid) for event in line.events] == [(1, 0, "00000001"), (2, 0, "00000002")]
    last = [update for update in line.updates if isinstance(update, State)][-1]
    assert (last.boot, last.uids) == (2, ("00000002",))


def test_another_board_with_the_same_boot_number_counts_as_restarted(core: Core) -> None:
    line = Line(core, Link(Checkpoint(1, 77)))
    lay(core, 0, "00000001")
    line.run(100)
    assert [update.restarted for update in line.updates if isinstance(update, Connected)] == [True]
    assert [event.uid for event in line.events] == ["00000001"]


def test_acks_of_an_earlier_boot_are_ignored(core: Core) -> None:
    line = Line(core, Link())
    line.run(100)
    core.ask("start 2")
    lay(core, 0, "00000001")
    core.ask("take 0 " + encode(SerialFrame(FrameKind.HELLO, payload=bytes((1, 5, 0)))).hex())
    core.ask("take 0 " + encode(SerialFrame(FrameKind.ACK, 1, 1, bytes(4))).hex())
    assert core.ask("queue") == "0 1"
    core.ask("take 0 " + encode(SerialFrame(FrameKind.ACK, 2, 1, bytes(4))).hex())
    assert core.ask("queue") == "1 0"


def test_board_only_greets_without_a_host(core: Core) -> None:
    line = Line(core, Link())
    line.run(100)
    line.cut = True
    line.run(3100)
    lay(core, 0, "00000001")
    sent = []
    for ms in range(line.now, line.now + 2000, 10):
        core.ask(f"time {ms}")
        sent += FrameDecoder().feed(bytes.fromhex(core.ask("next 63")))
    assert {frame.kind for frame in sent} == {FrameKind.BOARD_HELLO} and len(sent) == 2


def test_silent_board_disconnects_and_returns_without_a_gap(core: Core) -> None:
    line = Line(core, Link())
    line.run(100)
    line.cut = True
    lay(core, 0, "00000001")
    line.run(3500)
    assert isinstance(line.updates[-1], Disconnected)
    lay(core, 0, "00000001", "00000002")
    line.cut = False
    line.run(400)
    met = [update for update in line.updates if isinstance(update, Connected)]
    assert [update.restarted for update in met] == [True, False]
    assert [event.uid for event in line.events] == ["00000001", "00000002"]


@pytest.mark.slow
@pytest.mark.sampled(3)
@pytest.mark.parametrize("ms", range(1, 25, 3))
def test_early_event_survives_a_disconnection(core: Core, ms: int) -> None:
    """An event received before a lost one is acknowledged, and kept during a disconnection."""
    line = Line(core, Link())
    line.run(100)
    line.cut = True
    lay(core, 0, "00000001")
    line.run(5)
    line.cut = False
    lay(core, 1, "00000002")
    line.run(ms)
    line.cut = True
    line.run(3500)
    assert isinstance(line.updates[-1], Disconnected)
    line.cut = False
    lay(core, 2, "00000003")
    line.run(1500)
    assert [event.uid for event in line.events] == ["00000001", "00000002", "00000003"]
    assert core.ask("queue") == "3 0"


def test_reader_that_works_again_sends_its_state(core: Core) -> None:
    """A reader board that restarted while the reader did not answer cannot know what was lifted from it."""
    lay(core, 0, "00000001")
    line = Line(core, Link())
    line.run(100)
    core.ask_all(("start 2", "broken 0"))
    line.run(1500)
    states = [update for update in line.updates if isinstance(update, State) and update.index == 0]
    assert [(state.boot, state.status, state.uids) for state in states] == [
        (1, ReaderStatus.WORKING, ("00000001",)),
        (2, ReaderStatus.BROKEN, ()),
    ]
    lay(core, 0)
    line.run(50)
    state = [update for update in line.updates if isinstance(update, State)][-1]
    assert (state.boot, state.index, state.status, state.uids) == (2, 0, ReaderStatus.WORKING, ())


@pytest.mark.slow
def test_lights_follow_the_host_and_are_off_without_it(core: Core) -> None:
    line = Line(core, Link(), noise=0.05, seed=2)
    line.run(3000, lambda: line.link.hello is not None)
    line.link.set_lights(0b101, 0b100)
    line.run(5000, lambda: core.ask("lights") != "0")
    shining = set()
    for _ in range(1100):
        line.step()
        shining.add(core.ask("lights"))
    assert shining == {"5", "1"}
    line.cut = True
    line.run(3500)
    assert core.ask("lights") == "0"


def test_lights_are_off_in_a_new_session(core: Core) -> None:
    first = Line(core, Link())
    first.run(100)
    first.link.set_lights(0b11)
    first.run(50)
    assert core.ask("lights") == "3"
    second = Line(core, Link())
    second.now = first.now
    second.link.opened(2, second.now / 1000)
    second.run(100)
    assert second.link.hello is not None and core.ask("lights") == "0"
