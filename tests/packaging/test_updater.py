"""The updater of the package, with real packages, dpkg and apt: updates, going back, power cuts."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.packaging.machine_with_apt import MachineWithApt

UPDATER = Path(__file__).parents[2] / "packaging/debian/cardtable-updater"
PROGRAMS = ("apt-get", "dpkg-deb", "dpkg-scanpackages")
pytestmark = pytest.mark.skipif(
    any(shutil.which(name) is None for name in PROGRAMS), reason="needs apt and dpkg-dev of Debian"
)
OLD, NEW = "0.2.0+deb13", "0.3.0+deb13"


def load() -> ModuleType:
    loader = importlib.machinery.SourceFileLoader("cardtable_updater", str(UPDATER))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MachineWithApt]:
    """A machine with the old version of the table, which runs."""
    made = MachineWithApt(tmp_path)
    for name in ("APT_CONFIG", "PATH"):
        monkeypatch.setenv(name, made.environment[name])
    made.install(made.package(OLD, "good"))
    yield made
    made.close()


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    made = load()
    monkeypatch.setattr(made, "SPARE_BYTES", 1000)
    monkeypatch.setattr(made, "PAUSE_S", 0.05)
    return made


def run(module: ModuleType, machine: MachineWithApt, comes_up_s: float = 20.0) -> dict[str, Any]:
    """Run the updater; return its status."""
    updater = module.Updater(machine.root, comes_up_s, stays_up_s=0.2)
    state = updater.run()
    status: dict[str, Any] = updater.status()
    assert status["state"] == state
    assert not (machine.root / "var/lib/cardtable-updater/unfinished").exists()
    return status


def ask(machine: MachineWithApt, wanted: str = "install") -> None:
    (machine.root / "var/lib/cardtable" / f"update-{wanted}").touch()


def journal(machine: MachineWithApt) -> str:
    return (machine.root / "var/lib/cardtable/journal.sqlite").read_text("utf-8")


def test_a_newer_version_is_found_and_installed(module: ModuleType, machine: MachineWithApt) -> None:
    machine.offer(machine.package(NEW, "good, and new"))
    status = run(module, machine)
    assert (status["state"], status["installed"], status["available"]) == ("available", OLD, NEW)
    ask(machine)
    status = run(module, machine)
    assert (status["state"], status["installed"], status["before"]) == ("updated", NEW, OLD)
    assert journal(machine) == "written by good, and new"
    assert not (machine.root / "var/lib/cardtable/update-install").exists()
    assert run(module, machine)["state"] == "current"
    assert oct((machine.root / "var/lib/cardtable-updater/status.json").stat().st_mode & 0o777) == "0o644"


@pytest.mark.parametrize("kind", ["broken", "unwell"])
def test_a_version_that_does_not_come_up_is_taken_back(module: ModuleType, machine: MachineWithApt, kind: str) -> None:
    machine.offer(machine.package(NEW, kind))
    (machine.root / "etc/cardtable/camera.calibration.json").write_text("mine", "utf-8")
    ask(machine)
    status = run(module, machine, comes_up_s=0.5)
    assert (status["state"], status["installed"], status["why"], status["tried"]) == ("went-back", OLD, "not-up", NEW)
    assert journal(machine) == "written by good"
    assert (machine.root / "etc/cardtable/camera.calibration.json").read_text("utf-8") == "mine"
    assert (machine.root / "opt/cardtable/link").readlink() == Path("kind")
    assert machine.call(["dpkg", "--verify", "cardtable"]) == ""
    assert run(module, machine)["state"] == "current"  # it is not offered again
    machine.offer(machine.package("0.3.1+deb13", "good"))
    assert run(module, machine)["available"] == "0.3.1+deb13"


def test_a_package_that_cannot_be_configured_is_taken_back(module: ModuleType, machine: MachineWithApt) -> None:
    machine.offer(machine.package(NEW, "good", postinst="echo 'no such group' >&2; exit 3"))
    ask(machine)
    status = run(module, machine)
    assert (status["state"], status["installed"], status["why"]) == ("went-back", OLD, "refused")
    assert "no such group" in status["said"]


def test_nothing_is_installed_during_a_game(module: ModuleType, machine: MachineWithApt) -> None:
    machine.offer(machine.package(NEW, "good"))
    machine.shows("game")
    ask(machine)
    before = machine.calls()
    status = run(module, machine)
    assert (status["state"], status["why"], status["installed"]) == ("failed", "game", OLD)
    assert machine.calls() == before


def test_without_room_nothing_is_installed(
    module: ModuleType, machine: MachineWithApt, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.offer(machine.package(NEW, "good"))
    monkeypatch.setattr(module, "SPARE_BYTES", 1 << 60)
    ask(machine)
    assert run(module, machine)["why"] == "no-room"


def test_a_source_that_does_not_answer_or_lacks_the_table(module: ModuleType, machine: MachineWithApt) -> None:
    assert run(module, machine)["why"] == "no-answer"  # it has no list of packages
    (machine.source / "Packages").touch()
    assert run(module, machine)["why"] == "no-source"


@pytest.mark.parametrize(("unpacked", "ends"), [(False, "went-back"), (True, "updated")])
def test_a_power_cut_in_the_middle(
    module: ModuleType, machine: MachineWithApt, monkeypatch: pytest.MonkeyPatch, unpacked: bool, ends: str
) -> None:
    """The power goes before or after the new package is unpacked; at the next start the updater finishes that."""
    new = machine.package(NEW, "good, and new")
    machine.offer(new)

    class Cut(Exception):
        pass

    def install(updater: Any, *arguments: str, program: str = "apt-get") -> str:
        if arguments[0] == "install" and "--download-only" not in arguments:
            if unpacked:
                machine.call(["dpkg", "--unpack", str(new)])
            raise Cut
        return str(apt(updater, *arguments, program=program))

    apt = module.Updater._apt
    ask(machine)
    with monkeypatch.context() as patched:
        patched.setattr(module.Updater, "_apt", install)
        with pytest.raises(Cut):
            module.Updater(machine.root).run()
    assert (machine.root / "var/lib/cardtable-updater/unfinished").exists()
    (machine.root / "var/lib/cardtable/journal.sqlite").write_text("half", "utf-8")
    status = run(module, machine)
    assert status["state"] == ends
    assert journal(machine) == ("written by good, and new" if unpacked else "written by good")


def test_a_note_that_was_cut_off_is_no_update(module: ModuleType, machine: MachineWithApt) -> None:
    machine.offer(machine.package(NEW, "good"))
    folder = machine.root / "var/lib/cardtable-updater"
    folder.mkdir()
    (folder / "unfinished").write_text('{"from": ', "utf-8")
    assert run(module, machine)["state"] == "available"


def test_what_the_table_leaves_is_not_followed(module: ModuleType, machine: MachineWithApt, tmp_path: Path) -> None:
    machine.offer(machine.package(NEW, "good"))
    precious = tmp_path / "precious"
    precious.write_text("kept", "utf-8")
    (machine.root / "var/lib/cardtable/update-check").symlink_to(precious)
    assert run(module, machine)["state"] == "available"
    assert precious.read_text("utf-8") == "kept"
    (machine.root / "var/lib/cardtable/update-install").mkdir()
    assert run(module, machine)["installed"] == OLD


def test_the_package_is_packed_again_as_it_is(module: ModuleType, machine: MachineWithApt) -> None:
    updater = module.Updater(machine.root)
    updater.folder.mkdir()
    packed = updater.repack("cardtable")
    assert machine.call(["dpkg-deb", "--field", str(packed), "Version"]).strip() == OLD
    assert "opt/cardtable/link -> kind" in machine.call(["dpkg-deb", "--contents", str(packed)])
    (machine.root / "opt/cardtable/kind").unlink()
    with pytest.raises(module.Failed):
        updater.repack("cardtable")


def test_the_status_is_read_by_the_table(module: ModuleType, machine: MachineWithApt) -> None:
    from cardtable.care.updates import Updates

    machine.offer(machine.package(NEW, "good"))
    run(module, machine)
    status = machine.root / "var/lib/cardtable-updater/status.json"
    assert json.loads(status.read_text("utf-8"))["state"] == "available"
    assert Updates(UPDATER, status, machine.root / "var/lib/cardtable").state().offer == "0.3.0"
