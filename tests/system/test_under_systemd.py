"""The unit of the table under systemd itself: whatever ends the program, it is started again and goes on where it was.

systemd runs as the first process of namespaces of its own, with no units but the table's and the targets that it needs.
That takes root, on Linux.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from websockets.sync.client import connect

from cardtable.service.install import TABLE, Setting, table_unit

ROOT: Final = Path(__file__).parents[2]
SYSTEMD: Final = Path("/lib/systemd/systemd")
HIERARCHY: Final = Path("/sys/fs/cgroup/systemd")
TARGETS: Final = ("sysinit", "basic", "shutdown", "network", "sound", "umount", "final", "multi-user")
SOON_S: Final = 60.0
INSIDE: Final = """
mount -t tmpfs tmpfs /run
mount -t tmpfs tmpfs /sys/fs/cgroup
mkdir /sys/fs/cgroup/systemd
mount -t cgroup -o none,name=systemd cgroup /sys/fs/cgroup/systemd
exec env -i PATH=/usr/bin:/bin container=other SYSTEMD_UNIT_PATH={units} {systemd} --system \
    --unit={unit} --log-target=console --log-level=warning --show-status=0 --default-standard-output=inherit
"""
WANTED: Final = (sys.platform == "linux" and os.geteuid() == 0 and SYSTEMD.exists() and HIERARCHY.is_dir()) and all(
    shutil.which(program) for program in ("unshare", "nsenter", "systemctl")
)

pytestmark = [pytest.mark.long, pytest.mark.skipif(not WANTED, reason="needs root, systemd and its cgroups")]


class Machine:
    """A machine on which systemd runs the table."""

    def __init__(self, folder: Path, watchdog_s: int) -> None:
        units, home = folder / "units", folder / "table"
        units.mkdir()
        home.mkdir()
        (home / "table.toml").write_text("[board]\nport = 0\n", "utf-8")
        setting = Setting("root", Path(sys.executable), home / "table.toml", "http://127.0.0.1:8015", ())
        unit = table_unit(setting)
        assert "WatchdogSec=30\n" in unit
        unit = unit.replace("WatchdogSec=30\n", f"WatchdogSec={watchdog_s}\nEnvironment=PYTHONPATH={ROOT}\n")
        (units / TABLE).write_text(unit, "utf-8")
        for target in TARGETS:
            (units / f"{target}.target").write_text("[Unit]\nDefaultDependencies=no\n", "utf-8")
        inside = INSIDE.format(units=units, systemd=SYSTEMD, unit=TABLE)
        namespaces = ["--pid", "--mount", "--mount-proc", "--cgroup", "--ipc", "--uts"]
        self.cgroup = HIERARCHY / f"cardtable-test-{os.getpid()}"
        self.cgroup.mkdir()
        command = ["unshare", "--fork", "--kill-child", *namespaces, "sh", "-ec", inside]
        join = f'echo $$ > {self.cgroup}/cgroup.procs; exec "$@"'
        self.log = folder / "log"
        with self.log.open("wb") as log:
            self._unshare = subprocess.Popen(["sh", "-ec", join, "sh", *command], stdout=log, stderr=log)

    def systemctl(self, *arguments: str) -> str:
        """Run systemctl inside; return what it prints."""
        children = Path(f"/proc/{self._unshare.pid}/task/{self._unshare.pid}/children").read_text("ascii").split()
        inside = ["nsenter", "-t", children[0], "-m", "-p", "--"] if children else ["false"]
        ran = subprocess.run([*inside, "systemctl", *arguments], capture_output=True, text=True, check=False)
        return ran.stdout.strip()

    def shown(self, name: str) -> str:
        """Return a property of the unit."""
        return self.systemctl("show", TABLE, "--value", "-p", name)

    def send(self, number: signal.Signals) -> None:
        """Send a signal to the program."""
        self.systemctl("kill", "--kill-whom=main", f"--signal={number.name}", TABLE)

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

    def until(self, wanted: Callable[[], bool]) -> None:
        end = time.monotonic() + SOON_S
        while not wanted():
            assert time.monotonic() < end, self.log.read_text("utf-8", "replace")
            time.sleep(0.1)

    def close(self) -> None:
        self._unshare.kill()
        self._unshare.wait()
        for folder in [*sorted(self.cgroup.glob("**/"), reverse=True)]:
            self.until(lambda each=folder: _removed(each))  # type: ignore[misc]


def _removed(folder: Path) -> bool:
    """Remove a control group; return whether it is gone, which takes until its last process has ended."""
    with suppress(FileNotFoundError):
        try:
            folder.rmdir()
        except OSError as error:
            return isinstance(error, FileNotFoundError)
    return True


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    machine = Machine(tmp_path, watchdog_s=5)
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


def test_the_table_survives_what_ends_it(machine: Machine) -> None:
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


def test_a_table_that_hangs_is_started_again(machine: Machine) -> None:
    machine.state()
    assert machine.shown("NRestarts") == "0"
    machine.send(signal.SIGSTOP)
    machine.until(lambda: machine.shown("NRestarts") == "1")
    assert machine.state()["screen"] == "lobby"


def test_stopping_the_table_is_no_failure(machine: Machine) -> None:
    machine.state()
    began = time.monotonic()
    machine.systemctl("stop", TABLE)
    assert time.monotonic() - began < 10
    assert (machine.shown("ActiveState"), machine.shown("Result")) == ("inactive", "success")
    machine.systemctl("start", TABLE)
    assert machine.state()["screen"] == "lobby"
