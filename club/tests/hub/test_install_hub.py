"""`cardtable hub install`: the unit that it writes, and what it refuses; and that mosquitto ends with the hub."""

from __future__ import annotations

import getpass
import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cardtable.cli import main
from cardtable.maintenance.install import UNITS
from cardtable_club.hub.broker import mosquitto_program
from cardtable_club.hub.unit import HUB
from tests.system.units import exposure

HUB_OF_ONE = """
import signal, sys
from pathlib import Path
from cardtable_club.hub.broker import Mosquitto
mosquitto = Mosquitto(Path(sys.argv[1]), "127.0.0.1", int(sys.argv[2]))
print(mosquitto.pid, flush=True)
signal.pause()
"""


def test_the_unit_runs_the_hub_of_this_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path / "club of 3"
    home.mkdir()
    monkeypatch.chdir(home)
    command = ["hub", "install", "--into", str(tmp_path / "root"), "--user", getpass.getuser()]
    assert main(command) == 0  # also without a hub.toml, which may come later
    written = tmp_path / "root" / UNITS / HUB
    assert capsys.readouterr().out == f"written: {written}\n"
    lines = dict(line.split("=", 1) for line in written.read_text("utf-8").splitlines() if "=" in line)
    assert lines["WorkingDirectory"] == str(home)
    assert shlex.split(lines["ExecStart"]) == [sys.executable, "-m", "cardtable", "hub", "-c", "hub.toml"]
    assert (lines["User"], lines["Restart"]) == (getpass.getuser(), "always")
    if shutil.which("systemd-analyze"):
        analysed = subprocess.run(
            ["systemd-analyze", "verify", str(written)], capture_output=True, text=True, check=False
        )
        assert HUB not in analysed.stderr, analysed.stderr
        assert exposure(written) <= 3.0
    assert main(command) == 0
    assert capsys.readouterr().out == "everything is in place already\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--network"], "write network, port and database there"),
        (["--port", "80"], "write network, port and database there"),
        (["--database", "sqlite://"], "write network, port and database there"),
        (["--user", "nobody-of-that-name"], "there is no user 'nobody-of-that-name'"),
        (["-c", "missing.toml"], "missing.toml"),
    ],
)
def test_what_a_service_cannot_use_is_refused(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["hub", "install", "--into", str(tmp_path / "root"), *arguments]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "root").exists()


def test_without_the_right_to_write_below_etc(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert main(["hub", "install", "--user", getpass.getuser()]) == 2
    assert "sudo /opt/hub/bin/cardtable hub install" in capsys.readouterr().err


@pytest.mark.skipif(
    mosquitto_program() is None or shutil.which("setpriv") is None, reason="needs mosquitto, and setpriv of Linux"
)
def test_mosquitto_ends_with_a_hub_that_is_killed(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-c", HUB_OF_ONE, str(tmp_path / "mosquitto"), str(port)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as hub:
        assert hub.stdout is not None
        broker = int(hub.stdout.readline())
        hub.send_signal(signal.SIGKILL)
        hub.wait()
        until = time.monotonic() + 60.0
        while _runs(broker):
            assert time.monotonic() < until, "mosquitto goes on without its hub"
            time.sleep(0.02)


def _runs(process: int) -> bool:
    """Return whether a process is there and has not ended."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
