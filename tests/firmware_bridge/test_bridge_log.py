"""What the log says about the connection to the reader board."""

from __future__ import annotations

import logging

import pytest

from tests.firmware_bridge.desk import HELLO, Desk


def test_the_log_follows_the_connection(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="firmware_bridge")
    desk = Desk("/dev/a")
    desk.working.clear()
    desk.step()
    desk.working.add("/dev/a")
    desk.step(0.5, HELLO)
    desk.ports["/dev/a"].broken = True
    desk.step()
    assert [(record.levelname, record.getMessage()) for record in caplog.records] == [
        ("INFO", "/dev/a: no reader board: The reader board is not connected (/dev/a): plug in its USB cable."),
        ("INFO", "/dev/a: connected"),
        ("WARNING", "/dev/a: connection lost: The reader board's cable is unplugged (/dev/a): plug it in again."),
    ]


def test_the_log_says_that_the_board_is_silent(caplog: pytest.LogCaptureFixture) -> None:
    desk = Desk("/dev/a")
    desk.step()
    desk.step(0.1, HELLO)
    caplog.clear()
    for _ in range(60):
        desk.step(0.1)
    first = caplog.records[0]
    assert (first.levelname, first.getMessage()) == ("WARNING", "/dev/a: the reader board is silent")
