"""The unit of the table under systemd itself: what ends the program starts it again, and the game goes on."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.sync.client import connect

from cardtable.maintenance.install import TABLE, UNITS, Installation, files
from tests.system.systemd_machine import WANTED, Machine

pytestmark = [pytest.mark.long, pytest.mark.skipif(not WANTED, reason="needs root, systemd and its cgroups")]


class TableMachine(Machine):
    """A machine on which systemd runs the table."""

    def __init__(self, folder: Path, watchdog_s: int) -> None:
        (folder / "table.toml").write_text("[board]\nport = 0\n", "utf-8")
        installation = Installation("root", Path(sys.executable), folder / "table.toml", "http://127.0.0.1:8015", ())
        unit = files(installation)[UNITS / TABLE]
        assert "WatchdogSec=30\n" in unit
        super().__init__(folder, TABLE, unit.replace("WatchdogSec=30\n", f"WatchdogSec={watchdog_s}\n"))

    def url(self) -> str:
        """Wait until the table is ready; return the address of its board, which it reports to systemd."""
        self.until(lambda: self.shown("SubState") == "running" and "http" in self.shown("StatusText"))
        return self.shown("StatusText").removeprefix("the board: ")

    def state(self) -> dict[str, Any]:
        """Wait until the board shows something; return it."""
        url = self.url()
        found: list[dict[str, Any]] = []

        def asked() -> bool:
            with suppress(httpx.HTTPError):
                answer = httpx.get(f"{url}/state.json")
                found.extend([answer.json()] if answer.status_code == 200 else [])
            return bool(found and found[-1].get("screen"))

        self.until(asked)
        return found[-1]


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[TableMachine]:
    machine = TableMachine(tmp_path, watchdog_s=5)
    yield machine
    machine.close()


def begin_game(url: str) -> None:
    """Begin a game of three, and turn a card up."""
    messages = ['{"do": "choose-game", "game": "all-fives"}']
    messages += [f'{{"do": "add-player", "name": "{name}"}}' for name in ("Ann", "Bo", "Cy")]
    messages += ['{"do": "set-dealer", "seat": 0}', '{"do": "begin"}', '{"do": "add-card", "n": 0, "card": "4H"}']
    with connect(f"{url.replace('http', 'ws')}/live", proxy=None) as page:
        for message in messages:
            page.send(message)
            time.sleep(0.5)


def test_the_table_survives_what_ends_it(machine: TableMachine) -> None:
    assert machine.state()["screen"] == "lobby"
    begin_game(machine.url())
    machine.until(lambda: machine.state().get("n") == 1)
    ends = (signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGSEGV, signal.SIGQUIT)
    for restarts, number in enumerate(ends, 1):
        before = machine.shown("MainPID")
        machine.send(number)
        machine.until(lambda count=restarts: machine.shown("NRestarts") == str(count))  # type: ignore[misc]
        state = machine.state()
        assert machine.shown("MainPID") != before
        assert (state["screen"], state["n"], state["trump"]) == ("game", 1, "H"), number.name


def test_a_table_that_hangs_is_started_again(machine: TableMachine) -> None:
    machine.state()
    assert machine.shown("NRestarts") == "0"
    machine.send(signal.SIGSTOP)
    machine.until(lambda: machine.shown("NRestarts") == "1")
    assert machine.state()["screen"] == "lobby"


def test_stopping_the_table_is_no_failure(machine: TableMachine) -> None:
    machine.state()
    began = time.monotonic()
    machine.systemctl("stop", TABLE)
    assert time.monotonic() - began < 10
    assert (machine.shown("ActiveState"), machine.shown("Result")) == ("inactive", "success")
    machine.systemctl("start", TABLE)
    assert machine.state()["screen"] == "lobby"


def test_a_table_that_cannot_start_is_not_started_again_and_again(machine: TableMachine, tmp_path: Path) -> None:
    """Safe mode is ready, and alive, for systemd: the display comes up, and the watchdog waits."""
    machine.state()
    (tmp_path / "table.toml").write_text("port =\n", "utf-8")
    machine.send(signal.SIGKILL)
    machine.until(lambda: machine.shown("StatusText").startswith("safe mode: http"))
    assert machine.shown("ActiveState") == "active"
    end = time.monotonic() + 12.0  # more than twice the time of the watchdog
    machine.until(lambda: time.monotonic() > end)
    assert machine.shown("NRestarts") == "1"
    url = machine.shown("StatusText").removeprefix("safe mode: ")
    assert httpx.post(f"{url}/safe/do", json={"do": "good"}).json()["opening"]
    machine.until(lambda: machine.shown("StatusText").startswith("the board: "))
    assert machine.state()["screen"] == "lobby"
