"""The bridge step by step: a port that the test controls, a passed-in clock, and every time-out at its limit."""

from __future__ import annotations

import errno
import io
import json
import secrets
import struct

import pytest

from firmware_bridge.bridge import Bridge, Trouble, stepped_bridge
from firmware_bridge.frames import FrameDecoder, FrameKind, SerialFrame, encode
from firmware_bridge.link import Checkpoint, Connected
from firmware_bridge.messages import State, TagEvent
from firmware_bridge.recorder import Recorder
from tests.firmware_bridge.desk import EVENT, HELLO, SESSION, Desk, FakePort, connected, greeting


def test_port_is_opened_with_the_wait_and_read_at_once() -> None:
    desk, port = connected()
    assert desk.opened == [("/dev/a", 0.1)] and desk.specs == ["auto"] and desk.bridge.spec == "auto"
    assert desk.bridge.address == "/dev/a"
    assert port.sizes == [1, len(HELLO) - 1]
    assert desk.slept == []


def test_default_spec_is_auto() -> None:
    assert Bridge(find_ports=lambda spec: []).spec == "auto"


def test_large_input_is_read_in_parts() -> None:
    desk, port = connected()
    desk.step(0.1, bytes(5000))
    assert port.sizes[-2:] == [1, 4096]
    assert port.in_waiting == 5000 - 4097


def test_read_time_out_is_short_while_an_ack_is_pending() -> None:
    desk, port = connected()
    desk.step(0.1)
    assert port.timeout == 0.1 and not desk.bridge.link.ack_pending
    (event,) = desk.step(0.001, EVENT)
    assert isinstance(event, TagEvent) and port.timeout == 0.1
    desk.bridge.link.stored(event)
    desk.step()
    assert port.timeout == 0.003
    assert [update for update in desk.step(1.0, EVENT)] == []  # returned once


def test_stored_sends_the_ack() -> None:
    desk, port = connected()
    (event,) = desk.step(0.1, EVENT)
    desk.now += 1.0
    port.kinds()
    assert isinstance(event, TagEvent)
    desk.bridge.stored(event)
    (frame,) = FrameDecoder().feed(port.written)
    assert (frame.kind, frame.seq) == (FrameKind.ACK, 1)


def test_close_sends_the_last_ack_and_may_be_repeated() -> None:
    desk, port = connected()
    (event,) = desk.step(0.0, EVENT)
    port.kinds()
    assert isinstance(event, TagEvent)
    desk.bridge.link.stored(event)
    desk.bridge.close()
    assert port.kinds() == [FrameKind.ACK] and port.closed == 1
    desk.bridge.close()
    assert port.closed == 1


def test_close_of_a_broken_port() -> None:
    desk, port = connected()
    desk.bridge.link.set_lights(1)
    port.broken = True
    desk.bridge.close()
    assert port.closed == 1


def test_a_port_that_accepts_no_data_is_not_reported_as_unplugged() -> None:
    desk, port = connected()
    port.blocked = True
    desk.bridge.link.set_lights(1)
    (trouble,) = desk.step(0.0)
    assert isinstance(trouble, Trouble)
    assert trouble.reason.startswith("The reader board takes no data (/dev/a): press its reset button")


def test_every_byte_is_recorded() -> None:
    file = io.StringIO()
    desk, port = connected(Recorder(file))
    desk.step(0.25)
    lines = [json.loads(line) for line in file.getvalue().splitlines()]
    assert lines[0] == {"t": 0.0, "opened": SESSION, "mark": None}
    assert lines[1] == {"t": 0.0, "in": HELLO.hex()}
    assert "".join(line["out"] for line in lines[2:]) == port.written.hex()
    assert [line["t"] for line in lines] == sorted(line["t"] for line in lines)


def test_checkpoint_is_recorded_and_used() -> None:
    file = io.StringIO()
    desk = Desk("/dev/a", record=Recorder(file), checkpoint=Checkpoint(5, 0))
    (update,) = desk.step(0.0, HELLO)
    assert isinstance(update, Connected) and not update.restarted
    assert json.loads(file.getvalue().splitlines()[0]) == {"t": 0.0, "opened": SESSION, "mark": [5, 0]}


def test_states_are_returned() -> None:
    desk = Desk("/dev/a")
    desk.step(0.0, HELLO.replace(HELLO, encode(_hello_with_a_reader())))
    assert [type(update) for update in desk.step(0.01, encode(SerialFrame(FrameKind.STATE, 5, 0, b"\0\1")))] == [State]


def _hello_with_a_reader() -> SerialFrame:
    return SerialFrame(FrameKind.BOARD_HELLO, 5, 0, struct.pack("<BBBBBBBHHH", 1, 1, 0, 1, 0, 0, 1, SESSION, 0, 0))


@pytest.mark.parametrize(("random", "session"), [(0, 1), (0xFFFE, 0xFFFF)])
def test_sessions_are_random_from_1_to_65535(monkeypatch: pytest.MonkeyPatch, random: int, session: int) -> None:
    limits, file = list[int](), io.StringIO()

    def randbelow(limit: int) -> int:
        limits.append(limit)
        return random

    monkeypatch.setattr(secrets, "randbelow", randbelow)
    Bridge("/dev/a", record=Recorder(file), opener=lambda address, wait: FakePort()).step()
    assert (limits, opened_session(file)) == ([0xFFFF], session)


@pytest.mark.parametrize(("clock", "session"), [(1.5, 1501), (65.534, 65535), (65.535, 1)])
def test_stepped_bridge_uses_the_clock_of_the_board_and_never_waits(clock: float, session: int) -> None:
    port, file = FakePort(), io.StringIO()
    addresses: list[str] = []

    def opener(address: str) -> FakePort:
        addresses.append(address)
        return port

    bridge = stepped_bridge("/dev/a", Checkpoint(5, 2), lambda: clock, opener, record=Recorder(file))
    assert bridge.step() == []
    assert addresses == ["/dev/a"] and port.timeout == 0.0 and bridge.clock() == clock
    assert json.loads(file.getvalue().splitlines()[0]) == {"t": 0.0, "opened": session, "mark": [5, 2]}
    port.incoming = greeting(session) + EVENT
    _, event = bridge.step()
    assert isinstance(event, TagEvent)
    bridge.link.stored(event)
    bridge.step()
    assert port.timeout == 0.0, "also while an acknowledgement is pending"


def test_stepped_bridge_does_not_sleep() -> None:
    def opener(address: str) -> FakePort:
        raise FileNotFoundError(errno.ENOENT, "no such port")

    bridge = stepped_bridge("/dev/a", None, lambda: 1.0, opener)
    assert [type(update) for update in bridge.step()] == [Trouble]


def opened_session(file: io.StringIO) -> int:
    return int(json.loads(file.getvalue().splitlines()[0])["opened"])
