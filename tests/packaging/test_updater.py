"""The updater of the package, with real packages, dpkg and apt: updates, going back, power cuts."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cardtable.maintenance.updates import Updates
from cardtable_updater import Failed, packages, updater
from cardtable_updater import updater as kept_state
from cardtable_updater import updater as table
from cardtable_updater.updater import TableService, Updater
from tests.killing import killed
from tests.packaging.machine_with_apt import MachineWithApt

PATH_UNIT = Path(__file__).parents[2] / "packaging/debian/cardtable.cardtable-update-due.path"
UPDATER = Path(__file__).parents[2] / "packaging/debian/updater/cardtable-updater"
PROGRAMS = ("apt-get", "dpkg-deb", "dpkg-scanpackages")
pytestmark = pytest.mark.skipif(
    any(shutil.which(name) is None for name in PROGRAMS), reason="needs apt and dpkg-dev of Debian"
)
OLD, NEW = "0.2.0+deb13", "0.3.0+deb13"
COMES_UP_S = 20.0


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MachineWithApt]:
    """A machine with the old version of the table, which runs."""
    made = MachineWithApt(tmp_path)
    for name in ("APT_CONFIG", "PATH"):
        monkeypatch.setenv(name, made.environment[name])
    made.install(made.package(OLD, "good"))
    yield made
    made.close()


@pytest.fixture(autouse=True)
def small_and_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(updater, "PACKING_BYTES", 1000)
    monkeypatch.setattr(updater, "UNPACKING_BYTES", 1000)
    monkeypatch.setattr(table, "PAUSE_S", 0.05)


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table that says that it is unwell has no time left to come up, whatever the machine's load is."""
    health, ahead = TableService.health, [0.0]

    def asked(service: TableService) -> dict[str, Any] | None:
        found = health(service)
        ahead[0] += COMES_UP_S if found is not None and not found["ok"] else 0
        return found

    monkeypatch.setattr(TableService, "health", asked)
    passing = SimpleNamespace(time=time.time, sleep=time.sleep, monotonic=lambda: time.monotonic() + ahead[0])
    monkeypatch.setattr(updater, "time", passing)


def run(machine: MachineWithApt) -> dict[str, Any]:
    """Run the updater; return its status."""
    made = Updater(machine.root, COMES_UP_S, stays_up_s=0.2)
    state = made.run()
    status = made.status.read()
    assert status["state"] == state
    assert not (machine.root / "var/lib/cardtable-updater/unfinished").exists()
    return status


def ask(machine: MachineWithApt, wanted: str = "install") -> None:
    (machine.root / "var/lib/cardtable" / f"update-{wanted}").touch()


def journal(machine: MachineWithApt) -> str:
    return (machine.root / "var/lib/cardtable/journal.sqlite").read_text("utf-8")


def test_a_newer_version_is_found_and_installed(machine: MachineWithApt) -> None:
    machine.offer(machine.package(NEW, "good, and new"))
    status = run(machine)
    assert (status["state"], status["installed"], status["available"]) == ("available", OLD, NEW)
    ask(machine)
    status = run(machine)
    assert (status["state"], status["installed"], status["before"]) == ("updated", NEW, OLD)
    assert journal(machine) == "written by good, and new"
    assert not (machine.root / "var/lib/cardtable/update-install").exists()
    assert run(machine)["state"] == "current"
    assert oct((machine.root / "var/lib/cardtable-updater/status.json").stat().st_mode & 0o777) == "0o644"


@pytest.mark.parametrize("kind", ["unwell", pytest.param("broken", marks=pytest.mark.long)])
def test_a_version_that_does_not_come_up_is_taken_back(machine: MachineWithApt, kind: str) -> None:
    machine.offer(machine.package(NEW, kind))
    (machine.root / "etc/cardtable/camera.calibration.json").write_text("mine", "utf-8")
    ask(machine)
    status = run(machine)
    assert (status["state"], status["installed"], status["why"], status["tried"]) == ("went-back", OLD, "not-up", NEW)
    assert journal(machine) == "written by good"
    assert (machine.root / "etc/cardtable/camera.calibration.json").read_text("utf-8") == "mine"
    assert (machine.root / "opt/cardtable/link").readlink() == Path("kind")
    assert machine.call(["dpkg", "--verify", "cardtable"]) == ""
    assert run(machine)["state"] == "current"  # it is not offered again
    machine.offer(machine.package("0.3.1+deb13", "good"))
    assert run(machine)["available"] == "0.3.1+deb13"


def test_a_package_that_cannot_be_configured_is_taken_back(machine: MachineWithApt) -> None:
    machine.offer(machine.package(NEW, "good", postinst="echo 'no such group' >&2; exit 3"))
    ask(machine)
    status = run(machine)
    assert (status["state"], status["installed"], status["why"]) == ("went-back", OLD, "refused")
    assert "no such group" in status["said"]


def test_nothing_is_installed_during_a_game(machine: MachineWithApt) -> None:
    machine.offer(machine.package(NEW, "good"))
    machine.shows("game")
    ask(machine)
    before = machine.calls()
    status = run(machine)
    assert (status["state"], status["why"], status["installed"]) == ("failed", "game", OLD)
    assert machine.calls() == before


def test_a_game_that_begins_during_the_download_is_not_interrupted(
    machine: MachineWithApt, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.offer(machine.package(NEW, "good"))
    download = packages.Packages.download

    def slow_download(installed: packages.Packages, wanted: Sequence[str]) -> None:
        download(installed, wanted)
        machine.shows("game")

    monkeypatch.setattr(packages.Packages, "download", slow_download)
    ask(machine)
    before = machine.calls()
    status = run(machine)
    assert (status["state"], status["why"], status["installed"]) == ("failed", "game", OLD)
    assert machine.calls() == before


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (Failed("refused", "no room"), "refused"),
        (OSError(28, "No space"), "no-room"),
        pytest.param(OSError(5, "no room"), "refused", marks=pytest.mark.long),
    ],
)
def test_the_table_goes_on_if_its_games_cannot_be_copied(
    machine: MachineWithApt, monkeypatch: pytest.MonkeyPatch, error: Exception, why: str
) -> None:
    machine.offer(machine.package(NEW, "good"))

    def copy(_: kept_state.KeptState) -> None:
        raise error

    monkeypatch.setattr(kept_state.KeptState, "copy", copy)
    ask(machine)
    status = run(machine)
    assert (status["state"], status["why"], status["installed"]) == ("failed", why, OLD)
    assert "pace" in status["said"] or "room" in status["said"]
    assert machine.calls()[-2:] == ["systemctl stop cardtable.service", "systemctl start cardtable.service"]


@pytest.mark.parametrize("missing", ["PACKING_BYTES", "UNPACKING_BYTES"])
def test_without_room_nothing_is_installed(
    machine: MachineWithApt, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    machine.offer(machine.package(NEW, "good"))
    monkeypatch.setattr(updater, missing, 1 << 60)
    ask(machine)
    assert run(machine)["why"] == "no-room"


def test_a_source_that_does_not_answer_or_lacks_the_table(machine: MachineWithApt) -> None:
    assert run(machine)["why"] == "no-answer"  # it has no list of packages
    (machine.source / "Packages").touch()
    assert run(machine)["why"] == "no-source"


@pytest.mark.parametrize(("unpacked", "ends"), [(False, "went-back"), (True, "updated")])
def test_a_power_cut_in_the_middle(
    machine: MachineWithApt, monkeypatch: pytest.MonkeyPatch, unpacked: bool, ends: str
) -> None:
    """The power goes before or after the new package is unpacked; at the next start the updater finishes that."""
    new = machine.package(NEW, "good, and new")
    machine.offer(new)

    class Cut(Exception):
        pass

    def install(_: packages.Packages, wanted: Sequence[str]) -> None:
        if unpacked:
            machine.call(["dpkg", "--unpack", str(new)])
        raise Cut

    ask(machine)
    with monkeypatch.context() as patched:
        patched.setattr(packages.Packages, "install", install)
        with pytest.raises(Cut):
            Updater(machine.root).run()
    assert (machine.root / "var/lib/cardtable-updater/unfinished").exists()
    (machine.root / "var/lib/cardtable/journal.sqlite").write_text("half", "utf-8")
    status = run(machine)
    assert status["state"] == ends
    assert journal(machine) == ("written by good, and new" if unpacked else "written by good")


def test_killed_while_the_old_games_are_put_back_nothing_is_lost(tmp_path: Path) -> None:
    """Before every operation on files, and again in the second attempt."""
    folder, games, configuration = (tmp_path / name for name in ("first/updater", "first/games", "first/config"))
    for each in (folder, games / "pictures", configuration):
        each.mkdir(parents=True)
    old = {"games/journal.sqlite": "old", "games/pictures/1.png": "same", "config/table.toml": "old"}
    new = {"games/journal.sqlite": "new", "games/journal.sqlite-wal": "new", "config/new.deck": "new"}
    for name, content in old.items():
        (tmp_path / "first" / name).write_text(content, "utf-8")
    kept_state.KeptState(folder, games, configuration).copy()
    for name, content in new.items():
        (tmp_path / "first" / name).write_text(content, "utf-8")
    number, ends = 0, False
    while not ends:
        number += 1
        root = Path(shutil.copytree(tmp_path / "first", tmp_path / str(number)))
        kept = kept_state.KeptState(root / "updater", root / "games", root / "config")
        aside_name = kept.new_aside()
        killed(number // 2, kept.fetch)
        kept.fetch()
        ends = not killed(number, kept.set_aside, aside_name)
        killed(number // 2, kept.set_aside, aside_name)
        kept.set_aside(aside_name)
        killed(number // 2, kept.put_back)
        kept.put_back()
        found = {path.relative_to(root).as_posix(): path.read_text() for path in root.rglob("*") if path.is_file()}
        there = {name: content for name, content in found.items() if not name.startswith("updater/")}
        aside = {name: there.pop(name) for name in [*there] if updater.ASIDE in name}
        assert there == old
        assert aside == {name.replace("/", f"/{aside_name}/", 1): content for name, content in ({**old, **new}).items()}
    assert number > 5


@pytest.mark.parametrize("step", ["copy", "fetch", "set_aside", "put_back"])
def test_the_updater_is_killed_and_started_again(
    machine: MachineWithApt, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """Its note is on the disk as long as the table is stopped: cardtable-update-due.path starts it again at once."""
    machine.offer(machine.package(NEW, "good" if step == "copy" else "unwell"))

    class Killed(BaseException):
        pass

    def kill(*_: object) -> None:
        raise Killed

    ask(machine)
    with monkeypatch.context() as patched:
        patched.setattr(kept_state.KeptState, step, kill)
        with pytest.raises(Killed):
            Updater(machine.root, COMES_UP_S, stays_up_s=0.2).run()
    assert (machine.root / "var/lib/cardtable-updater/unfinished").exists()
    status = run(machine)
    assert status["installed"] == OLD and machine.calls()[-1] == "systemctl start cardtable.service"
    assert (status["state"], status["why"]) == (
        ("failed", "interrupted") if step == "copy" else ("went-back", "not-up")
    )
    assert journal(machine) == "written by good"
    aside = machine.root / "var/lib/cardtable" / "update.aside-1/journal.sqlite"
    assert step == "copy" or aside.read_text("utf-8") == "written by unwell"
    assert "PathExists=/var/lib/cardtable-updater/unfinished" in PATH_UNIT.read_text("utf-8")


@pytest.mark.parametrize("fails", ["fetch", "put_back"])
def test_the_table_starts_if_the_way_back_fails(
    machine: MachineWithApt, monkeypatch: pytest.MonkeyPatch, fails: str
) -> None:
    """The disk fails as long as the updater runs: the games of now stay, or a later run puts those of before back."""
    machine.offer(machine.package(NEW, "unwell"))
    folder = machine.root / "var/lib/cardtable-updater"

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    ask(machine)
    with monkeypatch.context() as patched:
        patched.setattr(*((updater, "_bring") if fails == "fetch" else (kept_state.KeptState, "put_back")), fail)
        made = Updater(machine.root, COMES_UP_S, stays_up_s=0.2)
        assert made.run() == "failed"
    status = made.status.read()
    assert (status["why"], machine.calls()[-1]) == ("no-room", "systemctl start cardtable.service")
    if fails == "fetch":
        assert status["installed"] == OLD and not list((machine.root / "var/lib/cardtable").glob("update.*"))
        assert f"are kept: {folder}/before.aside-1" in status["said"]
        assert (folder / "before.aside-1/games/journal.sqlite").read_text("utf-8") == "written by good"
        assert not (folder / "unfinished").exists()
    else:
        assert run(machine)["state"] == "went-back" and journal(machine) == "written by good"


def test_what_an_interrupted_update_left_is_deleted(machine: MachineWithApt) -> None:
    folder = machine.root / "var/lib/cardtable-updater"
    for name in ("before.new/games", "repack-x/DEBIAN", "previous"):
        (folder / name).mkdir(parents=True)
    for name in ("previous/cardtable.new", "status.new"):
        (folder / name).touch()
    machine.offer(machine.package(NEW, "good"))
    run(machine)
    assert {path.name for path in folder.iterdir()} == {"apt", "lock", "previous", "status.json"}


def test_a_note_that_was_cut_off_is_no_update(machine: MachineWithApt) -> None:
    machine.offer(machine.package(NEW, "good"))
    folder = machine.root / "var/lib/cardtable-updater"
    folder.mkdir()
    (folder / "unfinished").write_text('{"from": ', "utf-8")
    assert run(machine)["why"] == "interrupted" and machine.calls()[-1] == "systemctl start cardtable.service"
    assert run(machine)["state"] == "available"


def test_what_the_table_leaves_is_not_followed(machine: MachineWithApt, tmp_path: Path) -> None:
    machine.offer(machine.package(NEW, "good"))
    precious = tmp_path / "precious"
    precious.write_text("kept", "utf-8")
    (machine.root / "var/lib/cardtable/update-check").symlink_to(precious)
    assert run(machine)["state"] == "available"
    assert precious.read_text("utf-8") == "kept"
    (machine.root / "var/lib/cardtable/update-install").mkdir()
    assert run(machine)["installed"] == OLD


def test_the_package_is_packed_again_as_it_is(machine: MachineWithApt) -> None:
    (machine.root / "var/lib/cardtable-updater").mkdir()
    installed = Updater(machine.root).packages
    packed = installed.repack("cardtable")
    assert machine.call(["dpkg-deb", "--field", str(packed), "Version"]).strip() == OLD
    content = machine.call(["dpkg-deb", "--contents", str(packed)])
    assert "opt/cardtable/link -> kind" in content
    assert "./lib/systemd/cardtable.service" in content and "./lib ->" not in content
    (machine.root / "opt/cardtable/kind").unlink()
    with pytest.raises(Failed):
        installed.repack("cardtable")


def test_the_status_is_read_by_the_table(machine: MachineWithApt) -> None:
    machine.offer(machine.package(NEW, "good"))
    run(machine)
    status = machine.root / "var/lib/cardtable-updater/status.json"
    assert json.loads(status.read_text("utf-8"))["state"] == "available"
    assert Updates(UPDATER, status, machine.root / "var/lib/cardtable").state().offer == "0.3.0"


def test_the_updater_imports_only_the_standard_library_at_the_start() -> None:
    """While it runs, dpkg replaces its own files, and the environment of the table."""
    alone = ["-I", "-S", "-B", "-c", f"import sys; sys.path.insert(0, {str(UPDATER.parent)!r})\n" + UPDATER.read_text()]
    done = subprocess.run([sys.executable, *alone[:-1], alone[-1].replace("__main__", "imported")], check=False)
    assert done.returncode == 0
    for module in UPDATER.parent.glob("cardtable_updater/*.py"):
        tree = ast.parse(module.read_text("utf-8"))
        everywhere = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
        assert [node for node in everywhere if node not in tree.body] == [], module.name
