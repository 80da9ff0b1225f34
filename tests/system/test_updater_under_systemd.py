"""The units of the updater under systemd itself: killed while the table is stopped, it goes on, and the table runs."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.system.systemd_machine import WANTED, Machine

pytestmark = [pytest.mark.long, pytest.mark.skipif(not WANTED, reason="needs root, systemd and its cgroups")]
DEBIAN = Path(__file__).parents[2] / "packaging/debian"
PATH_UNIT = "cardtable-update-due.path"
TABLE = """[Unit]
StartLimitIntervalSec=0
[Service]
Type=simple
ExecStart=/bin/sleep infinity
"""
UPDATE = """
import os, signal, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from cardtable_updater import updater
root = Path(sys.argv[1])
class Packages:
    def __init__(self, root, folder): pass
    def installed(self, package): return (root / "version").read_text()
    def present(self): return {"cardtable": self.installed("")}
    def newer(self, refused): return None if "2" in refused else "2"
    def __getattr__(self, name): return lambda *_: None
    def install(self, wanted):
        (root / "version").write_text("2")
        kill("install")
    def put_back(self, packages):
        kill("put_back")
        (root / "version").write_text("1")
def kill(step):
    left = root / f"kill-{step}"
    if left.exists() and (number := int(left.read_text())):
        left.write_text(str(number - 1))
        os.kill(os.getpid(), signal.SIGKILL)
updater.Packages = Packages
updater.PACKING_BYTES = updater.UNPACKING_BYTES = 0
made = updater.Updater(root, 0.1, 0.1)
made._table.health = lambda: {"ok": (root / "version").read_text() == "1", "screen": "lobby"}
made.run()
"""


@pytest.mark.parametrize(("step", "kills"), [("install", 1), ("put_back", 3), ("put_back", 1000)])
def test_the_table_runs_however_often_the_updater_is_killed(tmp_path: Path, step: str, kills: int) -> None:
    root = tmp_path / "root"
    for each in ("var/lib/cardtable", "etc/cardtable", "opt"):
        (root / each).mkdir(parents=True)
    (root / "version").write_text("1", "utf-8")
    (root / "var/lib/cardtable/journal.sqlite").write_text("games", "utf-8")
    (root / f"kill-{step}").write_text(str(kills), "utf-8")
    (tmp_path / "update.py").write_text(UPDATE, "utf-8")
    program = f"{sys.executable} {tmp_path / 'update.py'} {root} {DEBIAN / 'updater'}"
    service = (DEBIAN / "cardtable-updater.service").read_text("utf-8")
    assert "ExecStart=/usr/lib/cardtable/cardtable-updater\n" in service
    unit = (DEBIAN / f"cardtable.{PATH_UNIT}").read_text("utf-8").replace("/var/lib", f"{root}/var/lib")
    units = {
        PATH_UNIT: unit,
        "cardtable.service": TABLE,
        "cardtable-updater.service": service.replace("/usr/lib/cardtable/cardtable-updater", program),
    }
    start = "[Unit]\nWants=cardtable.service cardtable-update-due.path\n[Service]\nExecStart=/bin/sleep infinity\n"
    machine = Machine(tmp_path, "all.service", start, units)
    try:
        machine.until(lambda: machine.systemctl("is-active", "cardtable.service", PATH_UNIT) == "active\nactive")
        (root / "var/lib/cardtable/update-install").touch()
        note = root / "var/lib/cardtable-updater/unfinished"
        machine.until(lambda: (root / "version").read_text("utf-8") == "2")
        if kills < 1000:
            machine.until(lambda: not note.exists())
            status = json.loads((root / "var/lib/cardtable-updater/status.json").read_text("utf-8"))
            assert (status["state"], (root / "version").read_text("utf-8")) == ("went-back", "1")
        else:
            machine.until(lambda: machine.systemctl("is-failed", PATH_UNIT) == "failed")
        machine.until(lambda: machine.systemctl("is-active", "cardtable.service") == "active")
        assert (root / "var/lib/cardtable/journal.sqlite").read_text("utf-8") == "games"
    finally:
        machine.close()
