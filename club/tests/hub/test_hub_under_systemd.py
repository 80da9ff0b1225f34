"""The unit of the hub under systemd itself: it is started again, and its mosquitto ends with it."""

from __future__ import annotations

import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from cardtable_club.hub.broker import mosquitto_program
from cardtable_club.hub.unit import HUB, hub_unit
from tests.system.systemd_machine import WANTED, Machine

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not WANTED or mosquitto_program() is None, reason="needs root, systemd and mosquitto"),
]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


class HubMachine(Machine):
    """A machine on which systemd runs a hub with a mosquitto of its own."""

    def __init__(self, folder: Path) -> None:
        self.port, self.broker = free_port(), free_port()
        config = folder / "hub.toml"
        config.write_text(f"port = {self.port}\n[broker]\nport = {self.broker}\n", "utf-8")
        super().__init__(folder, HUB, hub_unit("root", Path(sys.executable), config))

    def serves(self) -> bool:
        """Return whether the wall is there."""
        with suppress(httpx.HTTPError):
            return httpx.get(f"http://127.0.0.1:{self.port}/").status_code == 200
        return False

    def processes(self) -> list[str]:
        """Return the names of the unit's processes."""
        groups = [file.read_text("ascii").split() for file in self.cgroup.rglob("cgroup.procs")]
        names = [Path("/proc", pid, "comm") for group in groups for pid in group]
        return sorted(path.read_text("utf-8").strip() for path in names if path.exists())


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[HubMachine]:
    machine = HubMachine(tmp_path)
    yield machine
    machine.close()


def test_the_hub_is_started_again_with_a_mosquitto_of_its_own(machine: HubMachine) -> None:
    machine.until(machine.serves)
    for restarts, number in enumerate((signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV), 1):
        machine.send(number)
        machine.until(lambda count=restarts: machine.shown("NRestarts") == str(count))  # type: ignore[misc]
        machine.until(machine.serves)
        assert machine.processes().count("mosquitto") == 1, number.name
    machine.systemctl("stop", HUB)
    assert (machine.shown("ActiveState"), machine.shown("Result")) == ("inactive", "success")
    assert "mosquitto" not in machine.processes()
