"""The maintainer scripts of the Debian package, run in a folder that stands for the root of a machine."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

DEBIAN = Path(__file__).parents[2] / "packaging" / "debian"
SCRIPTS = ("preinst", "postinst", "postrm")
GROUPS = ("video", "gpio", "input")
CONFIGURATION = '[board]\nhost = "0.0.0.0"\n'

needs_dpkg = pytest.mark.skipif(shutil.which("dpkg") is None, reason="this machine has no dpkg")


class FakeMachine:
    """A root folder, and programs that note how they are called instead of changing this machine."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "root"
        self.calls = folder / "calls"
        self.programs = folder / "programs"
        self.programs.mkdir()
        template = self.root / "usr/share/cardtable/table.toml"
        template.parent.mkdir(parents=True)
        template.write_text(CONFIGURATION, "utf-8")
        known = "|".join(f"group:{name}" for name in GROUPS)
        self.add("getent", f'case "$1:$2" in {known}) exit 0;; passwd:cardtable) test -e "$0.user";; *) exit 2;; esac')
        self.add(
            "adduser",
            f'echo "adduser $*" >> {self.calls}; case "$*" in *--system*) touch {self.programs}/getent.user;; esac',
        )
        self.add("chown", f'echo "chown $*" >> {self.calls}')

    def add(self, name: str, body: str) -> None:
        file = self.programs / name
        file.write_text(f"#!/bin/sh\n{body}\n", "utf-8")
        file.chmod(0o755)

    def run(self, script: str, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        environment = os.environ | {"DPKG_ROOT": str(self.root), "PATH": f"{self.programs}:{os.environ['PATH']}"}
        command = ["sh", str(DEBIAN / f"cardtable.{script}"), *arguments]
        return subprocess.run(command, env=environment | variables, capture_output=True, text=True, check=False)

    def called(self) -> list[str]:
        return self.calls.read_text("utf-8").splitlines() if self.calls.exists() else []


@pytest.fixture
def machine(tmp_path: Path) -> FakeMachine:
    return FakeMachine(tmp_path)


def test_a_first_installation_makes_user_folders_and_configuration(machine: FakeMachine) -> None:
    assert machine.run("postinst", "configure", "").returncode == 0
    calls = machine.called()
    assert "--system --group --home /var/lib/cardtable" in calls[0]
    # Only groups that exist: a machine without pins has no group gpio, and adduser would fail.
    assert calls[1:4] == [f"adduser --quiet cardtable {name}" for name in ("video", "input", "gpio")]
    assert (machine.root / "etc/cardtable/table.toml").read_text("utf-8") == CONFIGURATION
    assert not (machine.root / "etc/cardtable/table.toml.new").exists()
    state = machine.root / "var/lib/cardtable"
    assert oct(state.stat().st_mode & 0o777) == "0o750"
    assert f"chown cardtable:cardtable {state} {machine.root}/etc/cardtable" in calls


def test_the_buses_of_a_raspberry_pi_are_switched_on_once(machine: FakeMachine) -> None:
    machine.add("raspi-config", f'echo "raspi-config $*" >> {machine.calls}')
    assert machine.run("postinst", "configure", "").returncode == 0
    wanted = ["raspi-config nonint do_i2c 0", "raspi-config nonint do_spi 0"]
    assert [call for call in machine.called() if call.startswith("raspi")] == wanted
    machine.calls.unlink()
    assert machine.run("postinst", "configure", "0.1.0+deb13").returncode == 0
    assert not [call for call in machine.called() if call.startswith("raspi")]
    machine.add("raspi-config", "exit 1")  # an older one
    assert machine.run("postinst", "configure", "").returncode == 0


def test_an_upgrade_keeps_configuration_and_user(machine: FakeMachine) -> None:
    assert machine.run("postinst", "configure", "").returncode == 0
    file = machine.root / "etc/cardtable/table.toml"
    file.write_text("# mine\n", "utf-8")
    machine.calls.unlink()
    assert machine.run("postinst", "configure", "0.1.0+deb12").returncode == 0
    assert file.read_text("utf-8") == "# mine\n"
    assert not [call for call in machine.called() if "--system" in call]


@needs_dpkg
@pytest.mark.parametrize("action", ["upgrade", "install"])
@pytest.mark.parametrize(
    ("old", "new", "allowed"),
    [
        ("0.2.0+deb13", "0.2.0+deb13", True),
        ("0.2.0+deb12", "0.2.0+deb13", True),
        ("0.2.0~rc1+deb13", "0.2.0+deb13", True),
        ("0.9.0+deb13", "0.10.0+deb13", True),
        ("0.10.0+deb13", "0.9.0+deb13", False),
        ("0.2.0+deb13", "0.2.0+deb12", False),
        ("0.2.0+deb13", "0.2.0~rc1+deb13", False),
    ],
)
def test_an_older_version_is_refused(machine: FakeMachine, action: str, old: str, new: str, allowed: bool) -> None:
    done = machine.run("preinst", action, old, new, CARDTABLE_DOWNGRADE="")
    assert (done.returncode == 0) is allowed
    if not allowed:
        assert f"version {new} is older than {old}" in done.stderr
        assert f"apt install --allow-downgrades cardtable={new}" in done.stderr
        assert machine.run("preinst", action, old, new, CARDTABLE_DOWNGRADE="yes").returncode == 0


def test_a_first_installation_has_no_older_version(machine: FakeMachine) -> None:
    assert machine.run("preinst", "install").returncode == 0
    assert machine.run("preinst", "abort-upgrade", "9.0", "0.1").returncode == 0


def test_remove_keeps_what_people_have_made_and_purge_deletes_it(machine: FakeMachine) -> None:
    assert machine.run("postinst", "configure", "").returncode == 0
    journal = machine.root / "var/lib/cardtable/journal.sqlite"
    journal.touch()
    for action in ("remove", "upgrade", "failed-upgrade", "abort-install", "disappear"):
        assert machine.run("postrm", action).returncode == 0
        assert journal.exists() and (machine.root / "etc/cardtable/table.toml").exists()
    assert machine.run("postrm", "purge").returncode == 0
    assert not (machine.root / "var/lib/cardtable").exists() and not (machine.root / "etc/cardtable").exists()
    assert (machine.root / "usr/share/cardtable").exists()


@pytest.mark.parametrize("script", SCRIPTS)
def test_the_scripts_have_a_place_for_debhelper(script: str) -> None:
    """Without it no service would be enabled, started, stopped or restarted."""
    text = (DEBIAN / f"cardtable.{script}").read_text("utf-8")
    assert text.startswith("#!/bin/sh\n") and "\nset -e\n" in text and text.endswith("\n#DEBHELPER#\n")


@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="this machine has no shellcheck")
def test_shellcheck_finds_nothing() -> None:
    files = [str(DEBIAN / f"cardtable.{script}") for script in SCRIPTS]
    done = subprocess.run(["shellcheck", "--shell=sh", *files], capture_output=True, text=True, check=False)
    assert done.stdout == ""
