"""What systemd is told: ready, and alive only while everything makes progress."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from cardtable import app
from cardtable.app import Play
from cardtable.service import Service
from engine.record import Header
from tests.hardware.bench import Clock
from tests.vision.drawn_table import DrawnTable
from vision.eye import Eye
from vision.frames import Frame
from vision.marks import ArucoReader


@pytest.fixture
def systemd(tmp_path: Path) -> Iterator[socket.socket]:
    with closing(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)) as listening:
        listening.bind(str(tmp_path / "notify"))
        listening.setblocking(False)
        yield listening


def heard(systemd: socket.socket) -> list[str]:
    out = []
    while True:
        try:
            out.append(systemd.recv(4096).decode())
        except BlockingIOError:
            return out


def test_systemd_is_told(systemd: socket.socket) -> None:
    clock = Clock()
    service = Service({"NOTIFY_SOCKET": systemd.getsockname(), "WATCHDOG_USEC": "30000000"}, clock)
    service.ready("the board: http://127.0.0.1:8015")
    assert heard(systemd) == ["READY=1\nSTATUS=the board: http://127.0.0.1:8015"]
    for _ in range(100):
        service.alive()
    assert heard(systemd) == ["WATCHDOG=1"]
    clock.now += 14.9
    service.alive()
    assert heard(systemd) == []
    clock.now += 0.2
    service.alive()
    assert heard(systemd) == ["WATCHDOG=1"]


def test_an_abstract_socket() -> None:
    with closing(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)) as listening:
        listening.bind("")  # the kernel chooses an abstract name
        name = listening.getsockname()
        Service({"NOTIFY_SOCKET": "@" + name[1:].decode()}).ready("x")
        assert listening.recv(100) == b"READY=1\nSTATUS=x"


def test_without_systemd_nothing_is_sent_and_nothing_fails(tmp_path: Path, systemd: socket.socket) -> None:
    Service({}).ready("x")
    Service({"NOTIFY_SOCKET": str(tmp_path / "gone"), "WATCHDOG_USEC": "1"}).alive()
    Service({"NOTIFY_SOCKET": systemd.getsockname()}).alive()  # no watchdog is set
    assert heard(systemd) == []


class Hanging:
    """A camera that gives pictures until it hangs in its driver, and goes on when it is let."""

    live = True
    name = "hanging"

    def __init__(self) -> None:
        self.table = DrawnTable(noise=0)
        self.hang = threading.Event()
        self.hanging = threading.Event()
        self.let = threading.Event()

    def read(self) -> Frame | None:
        if self.hang.is_set():
            self.hanging.set()
            self.let.wait(20)
        return self.table.read()

    def close(self) -> None:
        self.let.set()


def test_a_camera_that_hangs_is_no_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "STALLED_S", 0.5)
    camera, beats = Hanging(), Beats()
    eye = Eye(camera, camera.table.mat, [ArucoReader()])
    with Play(Header("all-fives", ("Ann", "Bo"), 0), [eye], alive=beats) as play:
        play.run(until=lambda: beats.count > 2)
        camera.hang.set()
        play.run(until=camera.hanging.is_set)
        play.run(until=beats.stopped)
        camera.hang.clear()
        camera.let.set()
        play.run(until=lambda: not beats.stopped())


class Beats:
    """Counts; has stopped once the loop went round ten times without a beat."""

    def __init__(self) -> None:
        self.count = 0
        self._seen = (0, 0)

    def __call__(self) -> None:
        self.count += 1

    def stopped(self) -> bool:
        count, times = self._seen
        self._seen = (self.count, times + 1 if count == self.count else 0)
        return self._seen[1] >= 10
