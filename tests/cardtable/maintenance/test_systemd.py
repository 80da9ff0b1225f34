"""Notifications to systemd: which, and when. The watchdog behind them is tested in test_watchdog.py."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from cardtable.maintenance.systemd import Service
from tests.hardware.bench import Clock


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


def test_notifications(systemd: socket.socket) -> None:
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
