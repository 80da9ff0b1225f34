"""The link and the firmware's own core: what is known after silence, new starts of either side, and broken readers."""

from __future__ import annotations

import pytest

from firmware_bridge.frames import Frame, FrameDecoder, FrameKind, encode
from firmware_bridge.link import Checkpoint, Connected, Disconnected, Link
from firmware_bridge.messages import ReaderStatus, State
from tests.firmware_bridge.core import Core, Line, lay


def test_a_new_start_of_the_board_is_noticed_and_told(core: Core) -> None:
    line = Line(core, Link())
    line.run(100)
    lay(core, 0, "00000001")
    line.run(50)
    core.ask("start 2")
    lay(core, 0, "00000002")
    line.run(1500)
    assert [news.restarted for news in line.updates if isinstance(news, Connected)] == [True, True]
    assert [(event.boot, event.number, event.uid) for event in line.events] == [(1, 0, "00000001"), (2, 0, "00000002")]
    last = [news for news in line.updates if isinstance(news, State)][-1]
    assert (last.boot, last.uids) == (2, ("00000002",))


def test_another_board_with_the_same_start_number_is_a_new_start(core: Core) -> None:
    line = Line(core, Link(Checkpoint(1, 77)))
    lay(core, 0, "00000001")
    line.run(100)
    assert [news.restarted for news in line.updates if isinstance(news, Connected)] == [True]
    assert [event.uid for event in line.events] == ["00000001"]


def test_acknowledgements_of_an_earlier_start_forget_nothing(core: Core) -> None:
    line = Line(core, Link())
    line.run(100)
    core.ask("start 2")
    lay(core, 0, "00000001")
    core.ask("take 0 " + encode(Frame(FrameKind.HELLO, payload=bytes((1, 5, 0)))).hex())
    core.ask("take 0 " + encode(Frame(FrameKind.ACK, 1, 1, bytes(4))).hex())
    assert core.ask("queue") == "0 1"
    core.ask("take 0 " + encode(Frame(FrameKind.ACK, 2, 1, bytes(4))).hex())
    assert core.ask("queue") == "1 0"


def test_without_a_host_the_board_only_greets(core: Core) -> None:
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


def test_a_silent_board_is_gone_and_comes_back_without_a_gap(core: Core) -> None:
    line = Line(core, Link())
    line.run(100)
    line.cut = True
    lay(core, 0, "00000001")
    line.run(3500)
    assert isinstance(line.updates[-1], Disconnected)
    lay(core, 0, "00000001", "00000002")
    line.cut = False
    line.run(400)
    met = [news for news in line.updates if isinstance(news, Connected)]
    assert [news.restarted for news in met] == [True, False]
    assert [event.uid for event in line.events] == ["00000001", "00000002"]


@pytest.mark.parametrize("ms", range(1, 25, 3))
def test_what_came_early_is_not_lost_over_a_silence(core: Core, ms: int) -> None:
    """An event that has come before one that was lost is acknowledged, and kept while the line is dead for a while."""
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


def test_a_reader_that_works_again_tells_what_lies_there(core: Core) -> None:
    """A board that started while the reader did not answer cannot know what has been lifted from it."""
    lay(core, 0, "00000001")
    line = Line(core, Link())
    line.run(100)
    core.ask_all(("start 2", "broken 0"))
    line.run(1500)
    states = [news for news in line.updates if isinstance(news, State) and news.index == 0]
    assert [(state.boot, state.status, state.uids) for state in states] == [
        (1, ReaderStatus.WORKING, ("00000001",)),
        (2, ReaderStatus.BROKEN, ()),
    ]
    lay(core, 0)
    line.run(50)
    state = [news for news in line.updates if isinstance(news, State)][-1]
    assert (state.boot, state.index, state.status, state.uids) == (2, 0, ReaderStatus.WORKING, ())


def test_lights_are_what_the_host_wants_and_dark_without_it(core: Core) -> None:
    line = Line(core, Link(), noise=0.05, seed=2)
    line.run(3000, lambda: line.link.hello is not None)
    line.link.set_lights(0b101, 0b100)
    line.run(5000)
    shining = set()
    for _ in range(1100):
        line.step()
        shining.add(core.ask("lights"))
    assert shining == {"5", "1"}
    line.cut = True
    line.run(3500)
    assert core.ask("lights") == "0"


def test_the_lights_of_one_program_do_not_shine_for_the_next(core: Core) -> None:
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
