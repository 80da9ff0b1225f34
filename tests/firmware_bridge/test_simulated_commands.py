"""The commands to the simulator and the stepped port, without a simulator."""

from __future__ import annotations

import io
import threading
from typing import Any

import pytest

from firmware_bridge import BridgeError, simulated
from firmware_bridge.simulated import SimulatedBoard, SteppedPort, run_all


class FakeProcess:
    """A process that records its input and gives the same answer to each command."""

    def __init__(self, answer: str) -> None:
        self.stdin = io.StringIO()
        self.stdout = self
        self.answer = answer

    def readline(self) -> str:
        return self.answer


def board(answer: str = "ok\n", stepped: bool = True) -> Any:
    """A simulated reader board without its process."""
    out: Any = object.__new__(SimulatedBoard)
    out._process, out._turn, out._time, out.sent, out.written = FakeProcess(answer), threading.Lock(), None, 0, 0
    out.stepped, out.port = stepped, "/dev/fake"
    return out


@pytest.mark.parametrize(
    ("method", "arguments", "command"),
    [
        ("lay", (3, "04a1b2c3"), "lay 3 04a1b2c3"),
        ("lift", (3, "04a1b2c3"), "lift 3 04a1b2c3"),
        ("hang", (3,), "hang 3"),
        ("lose_settings", (3,), "deafen 3"),
        ("attach", (3, True), "attach 3"),
        ("attach", (3, False), "remove 3"),
        ("press", (1, True), "press 1"),
        ("press", (1, False), "release 1"),
        ("reset", (), "reset"),
        ("wedge", (), "wedge"),
        ("power", (True,), "on"),
        ("power", (False,), "off"),
        ("plug", (True,), "plug"),
        ("noise", (0.5, 7), "noise 0.5 7"),
        ("noise", (0.5,), "noise 0.5 0"),
    ],
)
def test_commands(method: str, arguments: tuple[Any, ...], command: str) -> None:
    simulator = board()
    getattr(simulator, method)(*arguments)
    assert simulator._process.stdin.getvalue() == f"{command}\n"
    refused = board("no such tag\n")
    with pytest.raises(ValueError, match=rf"^the simulated reader board, asked to {command}: no such tag$"):
        getattr(refused, method)(*arguments)


def test_simulator_that_has_ended() -> None:
    with pytest.raises(BridgeError, match=r"^the simulated reader board has ended; start again$"):
        board("").reset()


def test_questions() -> None:
    simulator = board("5\n")
    assert (simulator.lights, simulator.scans) == (5, 5)
    assert simulator._process.stdin.getvalue() == "lights\nscans\n"


def test_time_of_a_stepped_board_is_asked_once() -> None:
    simulator = board("1.5 20 30\n")
    assert (simulator.time, simulator.time, simulator.sent, simulator.written) == (1.5, 1.5, 20, 0)
    assert simulator._process.stdin.getvalue() == "time\n"
    simulator = board("1.5 20 30\n", stepped=False)
    assert (simulator.time, simulator.time) == (1.5, 1.5)
    assert simulator._process.stdin.getvalue() == "time\ntime\n"


def test_running_stepped_boards() -> None:
    first, second = board("1.5 20 30\n"), board("2.5 21 31\n")
    first.written = 7
    run_all([first, second], 0.25)
    assert first._process.stdin.getvalue() == "run 0.250000 7\n"
    assert (first.time, first.sent, second.time, second.sent) == (1.5, 20, 2.5, 21)
    second.run(1)
    assert second._process.stdin.getvalue() == "run 0.250000 0\nrun 1.000000 0\n"


class FakePort:
    """The port of the system, which delivers two bytes at a time."""

    in_waiting = 0

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.written = b""
        self.closed = False

    def read(self, size: int) -> bytes:
        out, self.data = self.data[: min(size, 2)], self.data[min(size, 2) :]
        return out

    def write(self, data: bytes) -> int:
        self.written += data
        return len(data)

    def close(self) -> None:
        self.closed = True


def test_stepped_port(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[tuple[str, float]] = []
    system = FakePort(b"abcdefg")

    def open_port(address: str, wait: float) -> FakePort:
        opened.append((address, wait))
        return system

    monkeypatch.setattr(simulated, "open_port", open_port)
    simulator = board()
    simulator.sent = 10  # before the port was opened: not to be read
    port = SteppedPort(simulator)
    assert opened == [("/dev/fake", 1.0)] and port.timeout == 0.0
    assert port.in_waiting == 0 and port.read(5) == b""
    simulator.sent = 16
    assert port.in_waiting == 6
    assert port.read() == b"a" and port.read(3) == b"bcd" and port.in_waiting == 2
    assert port.read(9) == b"ef" and port.in_waiting == 0
    assert port.write(b"xyz") == 3 and port.write(b"z") == 1
    assert (system.written, simulator.written) == (b"xyzz", 4)
    simulator.sent = 19
    with pytest.raises(OSError, match=r"^the simulated port is gone$"):
        port.read(3)
    port.close()
    assert system.closed


def test_unplugging_a_stepped_board_drops_what_was_written() -> None:
    simulator = board()
    answers = iter(("ok\n", "1.5 20 30\n"))
    simulator._process.readline = lambda: next(answers)
    simulator.plug(False)
    assert simulator._process.stdin.getvalue() == "unplug\ntime\n" and simulator.written == 30
