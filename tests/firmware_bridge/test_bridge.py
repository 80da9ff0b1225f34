"""The bridge and what may be at the other end of a port instead of a working board."""

from __future__ import annotations

import io
import os
import pty
import select
import socket
import threading
import tty
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from firmware_bridge.bridge import AGAIN_S, PATIENCE_S, Bridge, News, Trouble
from firmware_bridge.frames import Frame, Kind, encode
from firmware_bridge.link import Met
from firmware_bridge.messages import Event
from firmware_bridge.raw import Recorder, replay
from firmware_bridge.simulated import SimulatedBoard
from tests.firmware_bridge.boards import Talk


class Clock:
    """Time that passes when somebody waits."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


class Other:
    """A device of another kind on a pseudo-terminal."""

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
    """What trouble the bridge tells of in so many seconds, while the other device repeats `say`."""
    told: list[News] = []
    end = clock.now + seconds
    while clock.now < end:
        if other and say:
            os.write(other.master, say)
        told += bridge.step()
        clock.now += 0.1
    bridge.close()
    return [news.reason for news in told if isinstance(news, Trouble)]


def test_a_port_that_is_not_there() -> None:
    clock = Clock()
    bridge = Bridge("/dev/serial/by-id/usb-none", clock=clock, sleep=clock.sleep)
    assert reasons(bridge, clock, 5) == ["The board is not there (/dev/serial/by-id/usb-none): plug in its USB cable."]


def test_an_address_that_is_none() -> None:
    clock = Clock()
    (told,) = reasons(Bridge("nonsense://x", clock=clock, sleep=clock.sleep), clock, 5)
    assert "no address of a port" in told


def test_no_board_at_all() -> None:
    clock = Clock()
    bridge = Bridge(clock=clock, sleep=clock.sleep, found=lambda spec: [])
    assert reasons(bridge, clock, 5) == ["No board is plugged in: connect the readers' USB cable."]


def test_a_device_that_says_nothing(other: Other) -> None:
    clock = Clock()
    (told,) = reasons(Bridge(other.port, wait=0.001, clock=clock), clock, PATIENCE_S + 2)
    assert told.startswith(f"Nothing answers at {other.port}")


def test_a_device_that_says_something_else(other: Other) -> None:
    clock = Clock()
    bridge = Bridge(other.port, wait=0.001, clock=clock)
    (told,) = reasons(bridge, clock, PATIENCE_S + 2, b"T:21.3 /0.0\0\r\n", other)
    assert told.startswith(f"The device at {other.port} is no card table's board")


def test_a_board_with_firmware_of_another_version(other: Other) -> None:
    clock = Clock()
    hello = encode(Frame(Kind.BOARD_HELLO, 5, 0, bytes((2, 7, 0))))
    (told,) = reasons(Bridge(other.port, wait=0.001, clock=clock), clock, 3, hello, other)
    assert "speaks protocol 2, this program speaks 1: this program is older" in told


def test_a_port_that_another_program_holds(board: SimulatedBoard) -> None:
    first = Talk(board)
    first.meet()
    clock = Clock()
    (told,) = reasons(Bridge(board.port, clock=clock, sleep=clock.sleep), clock, 2)
    assert told.startswith(f"Another program uses {board.port}")
    first.close()


def test_the_board_is_found_among_other_devices(board: SimulatedBoard, other: Other) -> None:
    """A silent device is given up after some seconds, and the next port is tried."""
    clock = Clock()

    def found(spec: str) -> Sequence[str]:
        return ("/dev/none", other.port, board.port)

    bridge = Bridge(wait=0.01, found=found, clock=clock)
    told: list[News] = []
    for _ in range(2000):
        told += bridge.step()
        clock.now += 0.02
        if any(isinstance(news, Met) for news in told):
            break
    assert bridge.address == board.port
    assert clock.now > PATIENCE_S + AGAIN_S
    bridge.close()


def test_over_the_network(board: SimulatedBoard) -> None:
    """`socket://`: a board at another computer, behind a program like ser2net."""
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


def test_a_recorded_session_tells_the_same_again(board: SimulatedBoard, tmp_path: Path) -> None:
    file = io.StringIO()
    talk = Talk(board, record=Recorder(file))
    board.noise(0.01, seed=4)
    talk.meet()
    for reader in range(8):
        board.lay(reader, f"04a1b2c{reader}")
    talk.until(lambda: talk.has(8))
    talk.close()
    again = [news for _, news in replay(file.getvalue().splitlines())]
    assert again == talk.news
    assert [news.uid for news in again if isinstance(news, Event)] == [event.uid for event in talk.events]


def test_what_is_no_recording_is_refused_with_its_line() -> None:
    with pytest.raises(ValueError, match="line 2 is no line of a recorded session"):
        list(replay(['{"t": 0, "opened": 3, "mark": null}', "hello"]))
    with pytest.raises(ValueError, match="begins with a connection"):
        list(replay(['{"t": 0, "in": "00"}']))
