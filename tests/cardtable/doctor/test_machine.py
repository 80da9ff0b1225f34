"""The machine as the doctor sees it."""

from __future__ import annotations

import logging

import pytest

from cardtable.doctor.finding import Machine


def test_the_log_says_once_that_a_program_is_missing(caplog: pytest.LogCaptureFixture) -> None:
    machine = Machine()
    with caplog.at_level(logging.INFO, "cardtable.doctor.finding"):
        for _ in range(3):
            assert machine.run(["no-such-program-of-the-doctor", "--now"]) is None
    assert len(caplog.messages) == 1
    assert caplog.messages[0].startswith("no-such-program-of-the-doctor --now: ")
