"""The bridge with ports and devices other than a working reader board."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import pty
import select
import socket
import threading
import tty
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from firmware_bridge.bridge import HELLO_TIMEOUT_S, Bridge, BridgeUpdate, Port, Trouble, open_port
from firmware_bridge.frames import FrameKind, SerialFrame, encode
from firmware_bridge.link import Connected
from firmware_bridge.messages import TagEvent
from firmware_bridge.recorder import Recorder, replay
from firmware_bridge.simulated import SimulatedBoard, SteppedPort
from tests.firmware_bridge.boards import Talk


class Clock:
    """A clock that advances when `sleep` is called."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


class Other:
    """Another kind of device, on a pseudo-terminal."""

    def __init__(self) -> None:
        self.master, slave = pty.openpty()
        tty.setraw(slave)
        self.port = os.ttyname(slave)
        self._slave = slave

    def close(self) -> None:
        os.close(self.master)
        os.close(self._slave)


@pytest.fixture
def other() -> Iterator[Other]:
    other = Other()
    yield other
    other.close()


def reasons(bridge: Bridge, clock: Clock, seconds: float, say: bytes = b"", other: Other | None = None) -> list[str]:
    """The reasons of all trouble within `seconds`, while the other device repeats `say`."""
    updates: list[BridgeUpdate] = []
    end = clock.now + seconds
    while clock.now < end:
        if other and say:
            os.write(other.master, say)
        updates += bridge.step()
        clock.now += 0.1
    bridge.close()
    return [update.reason for update in updates if isinstance(update, Trouble)]


def test_missing_port() -> None:
    clock = Clock()
    bridge = Bridge("/dev/serial/by-id/usb-none", clock=clock, sleep=clock.sleep)
    assert reasons(bridge, clock, 5) == [
        "The reader board is not connected (/dev/serial/by-id/usb-none): plug in its USB cable."
    ]


def test_invalid_address() -> None:
    clock = Clock()
    (reason,) = reasons(Bridge("nonsense://x", clock=clock, sleep=clock.sleep), clock, 5)
    assert "not the address of a port" in reason


def test_no_ports() -> None:
    clock = Clock()
    bridge = Bridge(clock=clock, sleep=clock.sleep, find_ports=lambda spec: [])
    assert reasons(bridge, clock, 5) == ["No reader board is plugged in: connect the readers' USB cable."]


def test_silent_device(other: Other) -> None:
    clock = Clock()
    (reason,) = reasons(Bridge(other.port, wait=0.001, clock=clock), clock, HELLO_TIMEOUT_S + 2)
    assert reason.startswith(f"Nothing answers at {other.port}")


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param(b"T:21.3 /0.0\0\r\n", id="rubbish with zeros"),
        pytest.param(b"\r\nERROR\r\n", id="modem"),
        pytest.param(b"$GPGGA,123519,4807.038,N,01131.000,E*47\r\n", id="satellite receiver"),
        pytest.param(b"x" * 300, id="without an end"),
        pytest.param(bytes(40), id="line held low"),
        pytest.param(encode(SerialFrame(FrameKind.HELLO, 0, 0, bytes((1, 7, 0)))), id="echo"),
    ],
)
def test_device_with_another_protocol(other: Other, sent: bytes) -> None:
    clock = Clock()
    bridge = Bridge(other.port, wait=0.001, clock=clock)
    (reason,) = reasons(bridge, clock, HELLO_TIMEOUT_S + 7, sent, other)
    assert reason.startswith(f"The device at {other.port} is not a card table's reader board")


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("/dev/null", "/dev/null is not a serial port"),
        ("/tmp", "/tmp is not a serial port"),
        ("/dev/blocked-by-permission", "The reader board is not connected"),
        ("socket://127.0.0.1:0", "socket://127.0.0.1:0 cannot be reached"),
    ],
)
def test_port_that_cannot_be_opened(address: str, message: str) -> None:
    clock = Clock()
    (reason,) = reasons(Bridge(address, clock=clock, sleep=clock.sleep), clock, 3)
    assert reason.startswith(message)


def test_board_with_another_protocol_version(other: Other) -> None:
    clock = Clock()
    hello = encode(SerialFrame(FrameKind.BOARD_HELLO, 5, 0, bytes((2, 7, 0))))
    (reason,) = reasons(Bridge(other.port, wait=0.001, clock=clock), clock, 3, hello, other)
    assert "speaks protocol 2, this program speaks 1: this program is older" in reason


def test_port_in_use(board: SimulatedBoard) -> None:
    first = Talk(board)
    first.meet()
    clock = Clock()
    (reason,) = reasons(Bridge(board.port, clock=clock, sleep=clock.sleep), clock, 2)
    assert reason.startswith(f"Another program uses {board.port}")
    first.close()


def opened_quickly(address: str, wait: float) -> Port:
    return open_port(address, 0.001)


def test_missing_board_is_reported_once_with_all_ports(other: Other) -> None:
    clock = Clock()
    ports = ("/dev/none", other.port)
    bridge = Bridge(wait=0.0, find_ports=lambda spec: ports, opener=opened_quickly, clock=clock, sleep=clock.sleep)
    (reason,) = reasons(bridge, clock, 3 * HELLO_TIMEOUT_S)
    first, second = reason.removeprefix("No reader board is found. ").split(". ")
    assert first.startswith("The reader board is not connected (/dev/none)")
    assert second.startswith(f"Nothing answers at {other.port}")


def steps(bridge: Bridge, stepped: SimulatedBoard, seconds: float) -> list[BridgeUpdate]:
    updates: list[BridgeUpdate] = []
    end = stepped.time + seconds
    while stepped.time < end and not any(isinstance(update, Connected) for update in updates):
        stepped.run(0.02)
        updates += bridge.step()
    return updates


@pytest.mark.slow
def test_board_is_found_among_others_and_after_it_was_unplugged(stepped: SimulatedBoard, other: Other) -> None:
    """A silent device is given up after some seconds, and the next port tried; other ports are not reported.

    When the cable is plugged in again, the last port of the board is tried first.
    """
    skipped = Clock()  # time that passes without the board, which need not be simulated
    ports = ("/dev/none", other.port, stepped.port)

    def opened(address: str, wait: float) -> Port:
        return SteppedPort(stepped) if address == stepped.port else opened_quickly(address, wait)

    bridge = Bridge(
        wait=0.0,
        find_ports=lambda spec: ports,
        opener=opened,
        clock=lambda: stepped.time + skipped(),
        sleep=skipped.sleep,
    )
    while bridge.address != stepped.port:
        assert bridge.step() == [] and skipped() < 3 * HELLO_TIMEOUT_S
        skipped.sleep(0.1)
    assert skipped() > HELLO_TIMEOUT_S
    assert [type(update) for update in steps(bridge, stepped, 3)] == [Connected]
    stepped.plug(False)
    stepped.run(0.1)
    assert bridge.step() == [Trouble(f"The reader board's cable is unplugged ({stepped.port}): plug it in again.")]
    stepped.plug(True)
    assert [type(update) for update in steps(bridge, stepped, HELLO_TIMEOUT_S - 1)] == [Connected]
    assert bridge.address == stepped.port
    bridge.close()


@pytest.mark.parametrize("number", ["95437313234351F0A1B2", None])
def test_board_that_moves_to_another_port_is_found_by_its_serial_number(
    board: SimulatedBoard, usb_devices: list[SimpleNamespace], tmp_path: Path, number: str | None
) -> None:
    named = tmp_path / "ttyUSB0"
    device = os.path.realpath(board.port)
    named.symlink_to(device)
    usb_devices += [
        SimpleNamespace(device="/dev/none", vid=0x2341, serial_number="another"),
        SimpleNamespace(device=device, vid=0x2341, serial_number=number),
    ]
    talk = Talk(board)
    talk.bridge = Bridge(str(named), wait=0.02)
    talk.meet()
    board.plug(False)
    named.unlink()
    talk.until(lambda: bool(talk.troubles))
    board.plug(True)
    if number:
        talk.until(lambda: len(talk.met) == 2)
        assert talk.bridge.address == device
    else:
        talk.until(lambda: len(talk.troubles) == 2)
        assert f"but a USB device is at /dev/none, {device}." in talk.troubles[1]
    talk.close()


@pytest.mark.slow
def test_port_of_a_silent_board_stays_open(stepped: SimulatedBoard) -> None:
    """Opening the port again would restart most reader boards."""
    opened = 0

    def opener(address: str, wait: float) -> Port:
        nonlocal opened
        opened += 1
        return SteppedPort(stepped)

    bridge = Bridge(stepped.port, wait=0.0, opener=opener, clock=lambda: stepped.time, sleep=stepped.run)
    steps(bridge, stepped, 5)
    stepped.power(False)
    updates = steps(bridge, stepped, 4)
    assert [type(update) for update in updates] == [Trouble]
    stepped.power(True)
    assert [type(update) for update in steps(bridge, stepped, 3)] == [Connected]
    assert opened == 1
    bridge.close()


def test_board_over_the_network(board: SimulatedBoard) -> None:
    """`socket://`: a reader board at another computer with a program like ser2net."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        relaying = threading.Thread(target=_relay, args=(server, board.port), daemon=True)
        relaying.start()
        talk = Talk(board)
        talk.bridge = Bridge(f"socket://127.0.0.1:{server.getsockname()[1]}", wait=0.02)
        talk.meet()
        board.lay(3, "04a1b2c3")
        talk.until(lambda: talk.has(1))
        talk.close()
        relaying.join(5)
        assert not relaying.is_alive()


def _relay(server: socket.socket, port: str) -> None:
    connection, _ = server.accept()
    device = os.open(port, os.O_RDWR | os.O_NOCTTY)
    try:
        while True:
            ready, _, _ = select.select([connection, device], [], [])
            if connection in ready:
                data = connection.recv(4096)
                if not data:
                    return
                os.write(device, data)
            if device in ready:
                connection.sendall(os.read(device, 4096))
    except ConnectionError:
        return
    finally:
        os.close(device)
        connection.close()


def test_replay_of_a_recording_returns_the_same_updates(board: SimulatedBoard, tmp_path: Path) -> None:
    file = io.StringIO()
    talk = Talk(board, record=Recorder(file))
    board.noise(0.01, seed=4)
    talk.meet()
    for reader in range(8):
        board.lay(reader, f"04a1b2c{reader}")
    talk.until(lambda: talk.has(8))
    talk.close()
    again = [update for _, update in replay(file.getvalue().splitlines())]
    assert again == talk.updates
    assert [update.uid for update in again if isinstance(update, TagEvent)] == [event.uid for event in talk.events]


def test_bridge_continues_when_the_disk_of_the_recording_is_full(stepped: SimulatedBoard) -> None:
    with open("/dev/full", "w", encoding="utf-8", buffering=1) as full:
        recorder = Recorder(full)
        talk = Talk(stepped, record=recorder)
        talk.meet()
        stepped.lay(0, "04a1b2c3")
        talk.until(lambda: talk.has(1))
        talk.close()
        assert recorder.trouble is not None and recorder.trouble.errno == errno.ENOSPC
        assert talk.troubles == []
        with contextlib.suppress(OSError):
            full.close()


def test_invalid_recording_is_refused_with_the_line_number() -> None:
    with pytest.raises(ValueError, match="line 2 is not a line of a recorded session"):
        list(replay(['{"t": 0, "opened": 3, "mark": null}', "hello"]))
    with pytest.raises(ValueError, match="begins with a connection"):
        list(replay(['{"t": 0, "in": "00"}']))
