"""The log: quiet unless it is asked for, with levels, and with priorities for journald."""

from __future__ import annotations

import io
import logging
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from cardtable.cli import main
from cardtable.errors import UsageError
from cardtable.table.live_game import LiveGame
from cardtable.terminal.arguments import PACKAGES, VARIABLE, start_logging
from engine.observations import Back, Lost
from engine.record import Header
from engine.table import Table

LOG = logging.getLogger("cardtable.table.live_game")


@pytest.fixture(autouse=True)
def reset() -> Iterator[None]:
    levels = {name: logging.getLogger(name).level for name in PACKAGES}
    yield
    start_logging(None, {})
    for name, level in levels.items():
        logging.getLogger(name).setLevel(level)


def test_nothing_is_logged_by_default(capsys: pytest.CaptureFixture[str]) -> None:
    assert start_logging(None, {}) is None
    LOG.error("storing failed")
    logging.getLogger("vision.cameras").error("the camera hangs")
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(("level", "environment"), [("warning", {}), (None, {VARIABLE: "warning"})])
def test_a_level_is_given_by_option_or_environment(level: str | None, environment: dict[str, str]) -> None:
    out = io.StringIO()
    start_logging(level, environment, out)
    LOG.info("not this")
    LOG.warning("%s is lost", "camera")
    (line,) = out.getvalue().splitlines()
    assert line.endswith(" WARNING cardtable.table.live_game: camera is lost")


def test_the_option_outranks_the_environment() -> None:
    out = io.StringIO()
    start_logging("error", {VARIABLE: "debug"}, out)
    LOG.warning("not this")
    assert out.getvalue() == ""


def test_a_second_call_replaces_the_first() -> None:
    first, second = io.StringIO(), io.StringIO()
    start_logging("info", {}, first)
    start_logging("info", {}, second)
    LOG.info("once")
    assert first.getvalue() == "" and second.getvalue().count("once") == 1


def test_an_unknown_level_is_refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UsageError, match="CARDTABLE_LOG_LEVEL: 'loud' is not one of debug, info, warning, error"):
        start_logging(None, {VARIABLE: "loud"})
    monkeypatch.setenv(VARIABLE, "loud")
    assert main(["watch", "x.avi", "--game", "all-fives", "--players", "Ann,Bo"]) == 2
    assert main(["watch", "x.avi", "--game", "all-fives", "--players", "Ann,Bo", "--log-level", "loud"]) == 2
    assert capsys.readouterr().err.count("'loud' is not one of debug, info, warning, error") == 2


def test_journald_gets_priorities_and_no_time(tmp_path: Path) -> None:
    """Systemd names the stream by device and inode; a terminal that inherits the variable is another stream."""
    path = tmp_path / "journal"
    with path.open("w") as stream:
        state = os.fstat(stream.fileno())
        start_logging("debug", {"JOURNAL_STREAM": f"{state.st_dev}:{state.st_ino}"}, stream)
        LOG.error("first\nsecond")
        LOG.debug("details")
    assert path.read_text().splitlines() == [
        "<3>cardtable.table.live_game: first",
        "<3>second",
        "<7>cardtable.table.live_game: details",
    ]
    with path.open("w") as stream:
        start_logging("debug", {"JOURNAL_STREAM": "1:1"}, stream)
        LOG.error("first")
    assert path.read_text().endswith(" ERROR cardtable.table.live_game: first\n")


def test_lost_and_returning_sources_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    live = LiveGame(Table(Header("all-fives", ("Ann", "Bo"), 0)), None)
    with caplog.at_level("WARNING", "cardtable"):
        live.take(Lost(1.0, "camera", "Plug the camera in."))
        live.take(Back(2.0, "camera"))
    assert [record.getMessage() for record in caplog.records] == [
        "camera is lost: Plug the camera in.",
        "camera is back",
    ]
