"""`cardtable install`: the files it writes, that systemd understands them, and that it can be run again."""

from __future__ import annotations

import configparser
import getpass
import os
import shlex
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Browser

from cardtable.cli import main
from cardtable.config.load import read_config
from cardtable.errors import CardtableError
from cardtable.maintenance.install import (
    COMPOSITORS,
    DISPLAY,
    LABWC,
    RIGHTS,
    RULES,
    TABLE,
    UNITS,
    WATCHDOG,
    Compositor,
    Installation,
    buses,
    files,
    run_tool,
    write_first_config,
)
from tests.cardtable.web.chromium import CHROMIUM
from tests.system.units import exposure
from tests.waiting import lines_up_to

GOOD = 'game = "all-fives"\nplayers = ["Ann", "Bo"]\n[board]\nhost = "0.0.0.0"\nport = 8123\n'


@pytest.fixture(autouse=True)
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the programs that the display needs, as Raspberry Pi OS calls them."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("cage", "chromium"):
        (folder / name).touch(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
    return folder


@pytest.fixture
def table(tmp_path: Path) -> Path:
    folder = tmp_path / "my table"
    folder.mkdir()
    (folder / "table.toml").write_text(GOOD, "utf-8")
    return folder / "table.toml"


def unit(path: Path) -> configparser.ConfigParser:
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    parser.optionxform = str
    parser.read(path, "utf-8")
    return parser


def test_files_are_written_once(table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = tmp_path / "root"
    command = ["install", "-c", str(table), "--into", str(root), "--display", "--user", getpass.getuser()]
    assert main(command) == 0
    written = [root / UNITS / TABLE, root / RULES, root / RIGHTS, root / WATCHDOG, root / UNITS / DISPLAY]
    assert capsys.readouterr().out.splitlines() == [f"written: {file}" for file in written]
    before = [file.stat().st_mtime_ns for file in written]
    assert main(command) == 0
    assert capsys.readouterr().out == "everything is in place already\n"
    assert [file.stat().st_mtime_ns for file in written] == before
    (root / RULES).write_text("# somebody's own\n", "utf-8")
    assert main(command) == 0
    assert capsys.readouterr().out == f"written: {root / RULES}\n"
    assert all(oct(file.stat().st_mode & 0o777) == "0o644" for file in written)
    assert not list(root.rglob(".*.new"))


def test_the_unit_runs_this_program_with_this_table(table: Path, tmp_path: Path, programs: Path) -> None:
    assert main(["install", "-c", str(table), "--into", str(tmp_path), "--display", "--user", getpass.getuser()]) == 0
    service = unit(tmp_path / UNITS / TABLE)["Service"]
    command = shlex.split(service["ExecStart"])
    assert command == [sys.executable, "-m", "cardtable", "run", "--safe-mode", "-c", str(table)]
    assert (service["Type"], service["User"]) == ("notify", getpass.getuser())
    assert service["WorkingDirectory"] == str(table.parent)
    assert int(service["WatchdogSec"]) == 30
    for name in (TABLE, DISPLAY):  # whatever ends it and however often, it is started again
        written = unit(tmp_path / UNITS / name)
        assert (written["Service"]["Restart"], written["Unit"]["StartLimitIntervalSec"]) == ("always", "0")
    ran = subprocess.run([*command[:4], "--help"], capture_output=True, text=True, check=True)
    assert "cardtable run" in ran.stdout
    shown = unit(tmp_path / UNITS / DISPLAY)["Service"]["ExecStart"]
    assert f" {programs / 'chromium'} --kiosk " in shown and shown.endswith(
        " http://127.0.0.1:8123"
    )  # the board listens on every address; the display is beside it


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="this machine has no systemd")
@pytest.mark.parametrize("folder", ["table", "my table", "100 % $HOME"])
def test_systemd_understands_the_units(tmp_path: Path, folder: str) -> None:
    home = tmp_path / folder
    home.mkdir()
    installation = Installation("root", Path(sys.executable), home / "table.toml", "http://127.0.0.1:8015", ("video",))
    (tmp_path / TABLE).write_text(files(installation)[UNITS / TABLE], "utf-8")
    # Only messages about this file; the other units of the machine do not matter.
    checked = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(tmp_path / TABLE)], capture_output=True, text=True, check=False
    )
    assert [line for line in checked.stderr.splitlines() if TABLE in line] == []
    assert exposure(tmp_path / TABLE) <= 3.0


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="this machine has no systemd")
@pytest.mark.parametrize("compositor", COMPOSITORS)
def test_systemd_understands_the_unit_of_the_display(tmp_path: Path, compositor: Compositor) -> None:
    browser = tmp_path / "the browser"
    installation = Installation(
        "root", Path(sys.executable), tmp_path, "http://127.0.0.1:8015", (), compositor, browser
    )
    text = files(installation)[UNITS / DISPLAY]
    (tmp_path / DISPLAY).write_text(text, "utf-8")
    checked = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(tmp_path / DISPLAY)], capture_output=True, text=True, check=False
    )
    missing = f"Command /usr/bin/{compositor} is not executable"  # where it is not installed
    assert [line for line in checked.stderr.splitlines() if DISPLAY in line and missing not in line] == []
    command = shlex.split(unit(tmp_path / DISPLAY)["Service"]["ExecStart"])
    kiosk = command[3:] if compositor == "cage" else shlex.split(command[4])
    assert command[0] == f"/usr/bin/{compositor}" and kiosk[:2] == [str(browser), "--kiosk"]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("chromium") is None, reason="needs chromium")
def test_a_browser_starts_although_the_machine_has_got_another_name(tmp_path: Path) -> None:
    """What the unit does, step by step; on a display that Chromium only imagines."""
    installation = Installation("root", Path(sys.executable), tmp_path, "about:blank", (), "cage")
    (tmp_path / DISPLAY).write_text(files(installation)[UNITS / DISPLAY], "utf-8")
    service = unit(tmp_path / DISPLAY)["Service"]
    command = shlex.split(service["ExecStart"].replace("platform=wayland", "platform=headless --no-sandbox"))
    browser = command[command.index("--") + 1 :]
    profile = tmp_path / ".config" / "chromium"
    profile.mkdir(parents=True)
    (profile / "SingletonLock").symlink_to("the-old-name-123")
    environment = os.environ | {"HOME": str(tmp_path)}
    refused = subprocess.run(browser, env=environment, stderr=subprocess.PIPE, text=True, check=False, timeout=60)
    assert "in use by another Chromium process (123) on another computer" in refused.stderr
    before = service["ExecStartPre"].removeprefix("-").replace("$$", "$").replace("/dev/tty1", "/dev/null")
    subprocess.run(shlex.split(before), env=environment, check=True)
    with subprocess.Popen(
        [*browser[:-1], "--remote-debugging-port=0", browser[-1]], env=environment, stderr=subprocess.PIPE, text=True
    ) as started:
        lines_up_to(started, "DevTools listening on")
        assert os.readlink(profile / "SingletonLock").startswith(f"{socket.gethostname()}-")
        started.terminate()
        started.communicate()


def test_paths_are_written_for_systemd() -> None:
    config = Path("/home/ann/100%/$x/table.toml")
    written = files(Installation("ann", Path("/opt/a b/python"), config, "http://x", (), display="cage"))
    text = written[UNITS / TABLE]
    assert 'ExecStart="/opt/a b/python" -m cardtable run --safe-mode -c /home/ann/100%%/$$x/table.toml\n' in text
    assert "WorkingDirectory=/home/ann/100%%/$x\n" in text
    assert "After=cardtable.service" in written[UNITS / DISPLAY]


def test_a_user_who_is_a_member_already_needs_no_groups() -> None:
    """A unit with a group that does not exist does not start."""
    installation = Installation(
        "cardtable", Path("/opt/cardtable/bin/python"), Path("/etc/cardtable/table.toml"), "http://x", ()
    )
    assert "\nSupplementaryGroups=\n" in files(installation)[UNITS / TABLE]
    both = Installation("ann", installation.python, installation.config, "http://x", ("video", "gpio"))
    assert "\nUser=ann\nSupplementaryGroups=video gpio\nWorkingDirectory=/etc/cardtable\n" in files(both)[UNITS / TABLE]


def test_the_files_are_made_without_compiled_modules() -> None:
    """The package for arm64 is built on amd64, where the libraries of its environment cannot be loaded."""
    program = (
        "import sys; sys.modules |= dict.fromkeys(['pydantic', 'numpy', 'cv2']); import cardtable.maintenance.install"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_slow_machine_may_take_its_time_to_start(table: Path, tmp_path: Path) -> None:
    """An emulated machine was killed at 90 s, again and again, while the libraries were loaded."""
    assert main(["install", "-c", str(table), "--into", str(tmp_path), "--user", getpass.getuser()]) == 0
    assert unit(tmp_path / UNITS / TABLE)["Service"]["TimeoutStartSec"] == "10min"


def test_the_machine_itself_has_a_watchdog(table: Path, tmp_path: Path) -> None:
    assert main(["install", "-c", str(table), "--into", str(tmp_path), "--user", getpass.getuser()]) == 0
    assert unit(tmp_path / WATCHDOG)["Manager"]["RuntimeWatchdogSec"] == "15"


def test_labwc_starts_nothing_that_blanks_the_display(table: Path, tmp_path: Path, programs: Path) -> None:
    command = ["install", "-c", str(table), "--into", str(tmp_path), "--display", "labwc", "--user", getpass.getuser()]
    assert main(command) == 0
    words = shlex.split(unit(tmp_path / UNITS / DISPLAY)["Service"]["ExecStart"])
    assert words[1:3] == ["-C", f"/{LABWC}"]
    ElementTree.parse(tmp_path / LABWC / "rc.xml")
    lines = (tmp_path / LABWC / "autostart").read_text("utf-8").splitlines()
    assert lines and all(line.startswith("#") for line in lines)


@pytest.mark.parametrize(
    ("displays", "expected"), [("", []), ("ssd1306", ["i2c"]), ("st7789", ["spi"]), ("st7789 ssd1306", ["i2c", "spi"])]
)
def test_the_buses_of_the_displays_are_switched_on(table: Path, displays: str, expected: list[str]) -> None:
    written = "".join(f'[[display]]\nkind = "{kind}"\n' for kind in displays.split())
    table.write_text(GOOD + written, "utf-8")
    assert buses(read_config(table)) == expected


def rules_for(user: str, path: Path = RULES) -> str:
    """The rules of udev, or others, for a table that runs as `user`."""
    return files(Installation(user, Path("/usr/bin/python3"), Path("/etc/cardtable/table.toml"), "http://x"))[path]


def test_udev_rules_name_the_reader() -> None:
    rules = [line for line in rules_for("ann").splitlines() if "SYMLINK" in line]
    assert len(rules) == 3
    for rule in rules:
        parts = [part.strip() for part in rule.split(",")]
        assert parts[0] == 'SUBSYSTEM=="tty"' and 'SYMLINK+="cardtable-reader"' in parts
        assert any(part.startswith('ATTRS{idVendor}=="') for part in parts)


def test_udev_rules_let_the_table_use_pins_and_buses() -> None:
    rules = [line for line in rules_for("ann").splitlines() if 'OWNER="ann"' in line]
    assert [rule.split('"')[1] for rule in rules] == ["gpio", "i2c-dev", "spidev"]


def test_udev_rules_come_after_those_that_look_at_sticks() -> None:
    assert RULES.name > "60-persistent-storage.rules"
    packaged = (Path(__file__).parents[3] / "packaging/debian/rules").read_text("utf-8")
    assert f"--priority={RULES.name.split('-')[0]}\n" in packaged


def test_udev_rules_mount_sticks_for_the_user_of_the_table() -> None:
    rules = [line for line in rules_for("ann").splitlines() if line.startswith("ACTION")]
    assert [rule.split('ID_FS_TYPE}=="')[1].split('"')[0] for rule in rules] == ["vfat", "exfat|ntfs"]
    for rule in rules:
        assert 'ENV{ID_BUS}=="usb"' in rule and "--owner=ann --options=nosuid,nodev,noexec" in rule


@pytest.mark.slow
@pytest.mark.skipif(not CHROMIUM, reason="needs chromium: make setup-dev installs it")
def test_only_the_table_may_change_network_and_time_zone(browser: Browser) -> None:
    """The rules are JavaScript, as polkit runs it."""
    asked = """rules => {
        const polkit = { Result: { YES: "yes", NOT_HANDLED: "" }, addRule(rule) { this.rule = rule; } };
        new Function("polkit", rules)(polkit);
        return (action, user) => polkit.rule({ id: action }, { user });
    }"""
    wifi, zone = "org.freedesktop.NetworkManager.wifi.share.protected", "org.freedesktop.timedate1.set-timezone"
    others = [
        "org.freedesktop.timedate1.set-time",
        "org.freedesktop.systemd1.manage-units",
        "org.freedesktop.NetworkManager.settings.modify.hostname",
        f"x.{wifi}",
    ]
    page = browser.new_page()
    allowed = page.evaluate_handle(asked, rules_for('an"n', RIGHTS))
    answers = {
        (action, user): allowed.evaluate("(rule, [action, user]) => rule(action, user)", [action, user])
        for action in (wifi, zone, *others)
        for user in ('an"n', "ann")
    }
    page.close()
    assert {asked for asked, answer in answers.items() if answer == "yes"} == {(wifi, 'an"n'), (zone, 'an"n')}


@pytest.mark.skipif(shutil.which("udevadm") is None, reason="this machine has no udev")
def test_udev_understands_the_rules(tmp_path: Path) -> None:
    rules = tmp_path / RULES.name
    rules.write_text(rules_for("ann"), "utf-8")
    done = subprocess.run(["udevadm", "verify", str(rules)], capture_output=True, text=True, check=False)
    if "Unknown" in done.stderr:
        pytest.skip("this udev cannot verify rules")
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_table_without_a_configuration_begins_with_the_first_start(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, user = tmp_path / "table.toml", getpass.getuser()
    write_first_config(path, user)
    assert capsys.readouterr().out == f"written: {path}\n"
    assert read_config(path).first_start and path.owner() == user
    path.write_text(GOOD, "utf-8")
    write_first_config(path, user)
    assert path.read_text("utf-8") == GOOD
    with pytest.raises(CardtableError, match="cannot be written: No such file or directory"):
        write_first_config(tmp_path / "none" / "table.toml", user)
    assert main(["install", "-c", str(tmp_path / "other.toml"), "--into", str(tmp_path)]) == 2
    assert not (tmp_path / "other.toml").exists()


def test_wrong_arguments(table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["install", "-c", str(table), "--into", str(tmp_path), "--user", "nobody-of-that-name"]) == 2
    assert "there is no user 'nobody-of-that-name'" in capsys.readouterr().err
    blocked = tmp_path / "file"
    blocked.touch()
    assert main(["install", "-c", str(table), "--into", str(blocked), "--user", getpass.getuser()]) == 1
    assert "cannot be written: Not a directory" in capsys.readouterr().err


def test_a_display_needs_its_programs(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    command = ["install", "-c", str(table), "--user", getpass.getuser()]
    assert main([*command, "--display"]) == 2
    assert "sudo apt install cage chromium" in capsys.readouterr().err
    # The files may be for another machine, so they are written, with a warning.
    into = tmp_path / "root"
    assert main([*command, "--into", str(into), "--display", "labwc"]) == 0
    assert "sudo apt install labwc chromium" in capsys.readouterr().err
    assert f"/usr/bin/labwc -C /{LABWC} -S '/usr/bin/chromium --kiosk" in (into / UNITS / DISPLAY).read_text("utf-8")


def test_without_the_right_to_write_below_etc(
    table: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert main(["install", "-c", str(table), "--user", getpass.getuser()]) == 2
    assert "sudo .venv/bin/cardtable install" in capsys.readouterr().err


def test_failing_system_commands_are_reported() -> None:
    with pytest.raises(CardtableError, match="there is no no-such-command"):
        run_tool(["no-such-command"])
    with pytest.raises(CardtableError, match="no such unit"):
        run_tool([sys.executable, "-c", "raise SystemExit('no such unit')"])
