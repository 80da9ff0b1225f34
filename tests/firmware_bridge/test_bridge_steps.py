"""The bridge step by step: a port that the test controls, a passed-in clock, and every time-out at its limit."""

from __future__ import annotations

import errno
import io
import json
import secrets
import struct

import pytest

from firmware_bridge.bridge import Bridge, BridgeUpdate, Trouble, stepped_bridge
from firmware_bridge.frames import Frame, FrameDecoder, FrameKind, encode
from firmware_bridge.link import Checkpoint, Connected
from firmware_bridge.messages import Event, EventKind, State
from firmware_bridge.raw import Recorder

SESSION = 77
HELLO = encode(Frame(FrameKind.BOARD_HELLO, 5, 0, struct.pack("<BBBBBBBHHH", 1, 1, 0, 0, 0, 0, 1, SESSION, 0, 0)))
EVENT = encode(Frame(FrameKind.EVENT, 5, 0, bytes((EventKind.TESTED, 0, 0, 0))))


class FakePort:
    """A port that returns `incoming` and keeps what is written. `broken`: every operation fails."""

    def __init__(self) -> None:
        self.incoming = b""
        self.written = b""
        self.sizes: list[int] = []
        self.timeout: float | None = None
        self.broken = False
        self.closed = 0

    def _check(self) -> None:
        if self.broken:
            raise OSError(errno.EIO, "gone")

    def read(self, size: int = 1, /) -> bytes:
        self._check()
        self.sizes.append(size)
        data, self.incoming = self.incoming[:size], self.incoming[size:]
        return data

    def write(self, data: bytes, /) -> int | None:
        self._check()
        self.written += data
        return len(data)

    @property
    def in_waiting(self) -> int:
        return len(self.incoming)

    def close(self) -> None:
        self.closed += 1

    def kinds(self) -> list[int]:
        """The kinds of the frames written since the last call."""
        frames, self.written = FrameDecoder().feed(self.written), b""
        return [frame.kind for frame in frames]


class Desk:
    """A bridge to ports that the test controls. `working`: the addresses that can be opened."""

    def __init__(self, *addresses: str, record: Recorder | None = None, checkpoint: Checkpoint | None = None) -> None:
        self.now = 100.0
        self.addresses = list(addresses)
        self.ports = {address: FakePort() for address in addresses}
        self.working = set(addresses)
        self.opened: list[tuple[str, float]] = []
        self.slept: list[float] = []
        self.specs: list[str] = []
        self.bridge = Bridge(
            "auto",
            checkpoint,
            0.1,
            record,
            self._find,
            self._open,
            lambda: self.now,
            self.slept.append,
            lambda: SESSION,
        )

    def _find(self, spec: str) -> list[str]:
        self.specs.append(spec)
        return self.addresses

    def _open(self, address: str, wait: float) -> FakePort:
        self.opened.append((address, wait))
        if address not in self.working:
            raise FileNotFoundError(errno.ENOENT, "no such port")
        return self.ports[address]

    def step(self, seconds: float = 0.0, incoming: bytes = b"") -> list[BridgeUpdate]:
        self.now += seconds
        for port in self.ports.values():
            port.incoming += incoming
        return self.bridge.step()

    def reasons(self, seconds: float = 0.0) -> list[str]:
        return [update.reason for update in self.step(seconds) if isinstance(update, Trouble)]


def connected(record: Recorder | None = None) -> tuple[Desk, FakePort]:
    desk = Desk("/dev/a", record=record)
    assert [type(update) for update in desk.step(0.0, HELLO)] == [Connected]
    return desk, desk.ports["/dev/a"]


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
    assert isinstance(event, Event) and port.timeout == 0.1
    desk.bridge.link.stored(event)
    desk.step()
    assert port.timeout == 0.003
    assert [update for update in desk.step(1.0, EVENT)] == []  # returned once


def test_time_out_of_a_bridge_that_never_waits() -> None:
    desk, port = connected()
    desk.bridge._wait = 0.0
    desk.bridge.link._ack_due = True
    desk.step()
    assert port.timeout == 0.0


def test_stored_sends_the_ack() -> None:
    desk, port = connected()
    (event,) = desk.step(0.1, EVENT)
    desk.now += 1.0
    port.kinds()
    assert isinstance(event, Event)
    desk.bridge.stored(event)
    (frame,) = FrameDecoder().feed(port.written)
    assert (frame.kind, frame.seq) == (FrameKind.ACK, 1)


def test_without_ports_it_sleeps_and_reports_once() -> None:
    desk = Desk()
    assert desk.reasons() == ["No board is plugged in: connect the readers' USB cable."]
    assert desk.slept == [0.1]
    assert desk.reasons(0.4999) == [] and desk.specs == ["auto"]
    assert desk.reasons(0.0001) == [] and desk.specs == ["auto", "auto"]


def test_ports_are_tried_in_order_and_reported_together() -> None:
    desk = Desk("/dev/a", "/dev/b")
    desk.working.clear()
    assert desk.reasons() == []
    message = "The board is not there ({}): plug in its USB cable."
    assert desk.reasons(0.5) == [f"No board is found. {message.format('/dev/a')} {message.format('/dev/b')}"]
    assert [address for address, _ in desk.opened] == ["/dev/a", "/dev/b"]
    assert desk.reasons(0.5) == [] and desk.reasons(0.5) == []
    assert [address for address, _ in desk.opened] == ["/dev/a", "/dev/b"] * 2
    desk.addresses.clear()
    assert desk.reasons(0.5) == ["No board is plugged in: connect the readers' USB cable."]


def test_single_port_that_cannot_be_opened() -> None:
    desk = Desk("/dev/a")
    desk.working.clear()
    assert desk.reasons() == ["The board is not there (/dev/a): plug in its USB cable."]
    assert desk.slept == [0.1]
    desk.working.add("/dev/a")
    assert [type(update) for update in desk.step(0.5, HELLO)] == [Connected]
    desk.ports["/dev/a"].broken = True
    assert desk.reasons() == ["The board's cable is out (/dev/a): plug it in again."]
    desk.working.clear()
    assert desk.reasons(0.5) == ["The board is not there (/dev/a): plug in its USB cable."]


def test_silent_port_is_given_up_after_five_seconds() -> None:
    desk = Desk("/dev/a")
    assert desk.reasons() == []
    assert desk.reasons(5.0) == []
    assert desk.ports["/dev/a"].closed == 0
    reason = "Nothing answers at /dev/a: is it the board, and is the firmware on it (docs/rfid.md)?"
    assert desk.reasons(0.001) == [reason]
    assert desk.ports["/dev/a"].closed == 1
    assert desk.reasons(0.499) == [] and len(desk.opened) == 1
    assert desk.reasons(0.002) == [] and len(desk.opened) == 2


def test_device_that_is_not_a_board_keeps_its_reason() -> None:
    desk = Desk("/dev/a")
    desk.step(0.0, b"?")
    reason = (
        "The device at /dev/a is no card table's board: name the right port, or put the firmware on it (docs/rfid.md)."
    )
    assert desk.reasons(3.001) == [reason]
    assert desk.reasons(3.0) == []
    assert desk.ports["/dev/a"].closed == 1


def test_disconnected_board_is_reported_and_given_five_more_seconds() -> None:
    desk, port = connected()
    assert desk.reasons(3.0) == []
    reason = "The board does not answer (/dev/a): look at its cable, or press its reset button."
    assert desk.reasons(0.001) == [reason]
    assert desk.reasons(5.0) == [] and port.closed == 0
    assert desk.reasons(0.001) == [] and port.closed == 1


def test_board_that_returns_is_reported_again_when_it_fails_again() -> None:
    desk, port = connected()
    assert len(desk.reasons(3.001)) == 1
    assert [type(update) for update in desk.step(1.0, HELLO)] == [Connected]
    assert port.closed == 0
    assert len(desk.reasons(3.001)) == 1


def test_last_address_is_tried_first() -> None:
    desk = Desk("/dev/a", "/dev/b", "/dev/c")
    desk.working = {"/dev/b"}
    desk.step()
    assert [type(update) for update in desk.step(0.5, HELLO)] == [Connected]
    desk.ports["/dev/b"].broken = True
    assert desk.reasons() == ["The board's cable is out (/dev/b): plug it in again."]
    desk.ports["/dev/b"].broken = False
    assert [type(update) for update in desk.step(0.5, HELLO)] == [Connected]
    assert [address for address, _ in desk.opened] == ["/dev/a", "/dev/b", "/dev/b"]


def test_failure_of_the_port_closes_it_and_is_retried() -> None:
    desk, port = connected()
    port.broken = True
    assert desk.reasons() == ["The board's cable is out (/dev/a): plug it in again."]
    assert port.closed == 1
    port.broken = False
    assert desk.step(0.499, HELLO) == [] and len(desk.opened) == 1
    assert [type(update) for update in desk.step(0.002, b"")] == [Connected]


def test_failure_while_sending_is_reported_by_the_next_step() -> None:
    desk, port = connected()
    (event,) = desk.step(0.1, EVENT)
    desk.now += 1.0
    port.broken = True
    assert isinstance(event, Event)
    desk.bridge.stored(event)
    assert port.closed == 1
    assert desk.reasons() == ["The board's cable is out (/dev/a): plug it in again."]


def test_close_sends_the_last_ack_and_may_be_repeated() -> None:
    desk, port = connected()
    (event,) = desk.step(0.0, EVENT)
    port.kinds()
    assert isinstance(event, Event)
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
    assert [type(update) for update in desk.step(0.01, encode(Frame(FrameKind.STATE, 5, 0, b"\0\1")))] == [State]


def _hello_with_a_reader() -> Frame:
    return Frame(FrameKind.BOARD_HELLO, 5, 0, struct.pack("<BBBBBBBHHH", 1, 1, 0, 1, 0, 0, 1, SESSION, 0, 0))


@pytest.mark.parametrize(("random", "session"), [(0, 1), (0xFFFE, 0xFFFF)])
def test_sessions_are_random_from_1_to_65535(monkeypatch: pytest.MonkeyPatch, random: int, session: int) -> None:
    limits: list[int] = []

    def randbelow(limit: int) -> int:
        limits.append(limit)
        return random

    monkeypatch.setattr(secrets, "randbelow", randbelow)
    assert Bridge()._new_session() == session
    assert limits == [0xFFFF]


def test_stepped_bridge_uses_the_clock_of_the_board() -> None:
    port, file = FakePort(), io.StringIO()
    addresses: list[str] = []

    def opener(address: str) -> FakePort:
        addresses.append(address)
        return port

    bridge = stepped_bridge("/dev/a", Checkpoint(5, 2), lambda: 1.5, opener, record=Recorder(file))
    assert bridge.step() == []
    assert addresses == ["/dev/a"] and port.timeout == 0.0 and bridge.clock() == 1.5
    assert json.loads(file.getvalue().splitlines()[0]) == {"t": 0.0, "opened": 1501, "mark": [5, 2]}


def test_stepped_bridge_does_not_sleep_and_its_sessions_wrap_around() -> None:
    now = 65.534

    def opener(address: str) -> FakePort:
        raise FileNotFoundError(errno.ENOENT, "no such port")

    bridge = stepped_bridge("/dev/a", None, lambda: now, opener)
    assert [type(update) for update in bridge.step()] == [Trouble]
    assert bridge._new_session() == 65535
    now = 65.535
    assert bridge._new_session() == 1


def test_retry_interval_begins_at_the_failure() -> None:
    desk, port = connected()
    desk.now += 1.0
    port.broken = True
    assert len(desk.reasons()) == 1
    assert desk.step(0.499) == [] and len(desk.opened) == 1
    desk.step(0.002)
    assert len(desk.opened) == 2


def test_search_starts_again_after_a_connection() -> None:
    desk = Desk("/dev/a", "/dev/b")
    desk.working = {"/dev/b"}
    desk.step()
    assert [type(update) for update in desk.step(0.5, HELLO)] == [Connected]
    desk.ports["/dev/b"].broken = True
    assert len(desk.reasons()) == 1
    desk.working.clear()
    assert desk.reasons(0.5) == []
    message = "The board is not there ({}): plug in its USB cable."
    assert desk.reasons(0.5) == [f"No board is found. {message.format('/dev/b')} {message.format('/dev/a')}"]


def test_trouble_of_a_connected_board_is_reported_although_other_ports_exist() -> None:
    desk = Desk("/dev/a", "/dev/b")
    assert [type(update) for update in desk.step(0.0, HELLO)] == [Connected]
    assert len(desk.reasons(3.001)) == 1


def test_ports_that_vanish_during_the_search_are_reported() -> None:
    desk = Desk("/dev/a", "/dev/b")
    desk.working.clear()
    assert desk.reasons() == []
    desk.addresses.clear()
    assert desk.reasons(0.5) == ["No board is plugged in: connect the readers' USB cable."]
