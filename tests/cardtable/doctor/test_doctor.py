"""The doctor's checks of the machine, with and without faults."""

from __future__ import annotations

import ast
import json
import os
import re
import socket
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from cardtable.cli import main
from cardtable.doctor import CHECKS, Finding, Machine, examine, system
from cardtable.journal.games import newest_time
from cardtable.journal.journal import Journal
from cardtable.languages import translator
from cardtable.web.https import authority_file, open_https
from engine.record import Header
from engine.texts import in_language
from tests.cardtable.doctor.tables import GOOD, SEATS, config, only, states
from tests.cardtable.history.past_games import some_games, store
from tests.cardtable.limits import full_disk

MARKED = re.compile(r"""\btext\(\s*("(?:[^"\\\\]|\\\\.)*")""")
"""A text for people, as it is written in the program."""

# The Raspberry Pi's camera


def test_the_python_that_has_picamera2(tmp_path: Path) -> None:
    table = config(tmp_path, '[camera]\nsource = "picamera"\npython = "/opt/python"\n')
    asked: list[Sequence[str]] = []

    def run(command: Sequence[str]) -> str | None:
        asked.append(command)
        return "" if len(asked) == 1 else None

    found, missing = (only(system.devices(table, Machine(run=run))) for _ in range(2))
    assert asked[0] == ["/opt/python", "-c", "import picamera2"]
    assert (found.state, found.text) == ("good", "/opt/python has picamera2")
    assert missing.state == "trouble" and "python3-picamera2" in missing.command


# Versions


def test_versions(tmp_path: Path) -> None:
    finding = only(system.versions(config(tmp_path), Machine()))
    assert finding.state == "good" and "numpy 2" in finding.text and f"Python {sys.version.split()[0]}" in finding.text


def test_a_package_that_this_table_needs_is_missing(tmp_path: Path) -> None:
    table = config(tmp_path, SEATS + '[[display]]\nkind = "ssd1306"\n')
    without = Machine(version=lambda package: None if package in ("gpiozero", "luma.core") else "1")
    pins, displays = system.versions(table, without)
    assert (pins.state, pins.text) == ("trouble", "gpiozero is not installed") and "'.[pi]'" in pins.command
    assert "'.[displays]'" in displays.command
    assert states(system.versions(config(tmp_path), without)) == ["good"]  # the default configuration needs neither


# Power and clock


def answering(**answers: str | None) -> Machine:
    """Return a machine whose commands give these answers, in 2027."""

    def run(command: Sequence[str]) -> str | None:
        return answers.get(command[0])

    return Machine(run=run, now=lambda: 1.8e9)


@pytest.mark.parametrize(
    ("throttled", "expected"),
    [
        ("0x0", [("good", "high enough")]),
        ("0x50005", [("trouble", "voltage is too low"), ("warning", "slowed down by heat")]),
        ("0x50000", [("warning", "has been too low since")]),
        ("0x80008", [("warning", "slowed down by heat")]),
        ("0xc0000", [("warning", "has been slowed down by heat since")]),
        ("0x50001", [("trouble", "voltage is too low")]),
    ],
)
def test_power(throttled: str, expected: list[tuple[str, str]]) -> None:
    findings = list(system.power(answering(vcgencmd=f"throttled={throttled}")))
    assert [finding.state for finding in findings] == [state for state, _ in expected]
    assert all(text in finding.text for finding, (_, text) in zip(findings, expected, strict=True))


def test_other_machines_have_no_check_of_power() -> None:
    assert list(system.power(answering())) == []
    assert list(system.power(answering(vcgencmd="VCHI initialization failed"))) == []


@pytest.mark.parametrize(
    ("output", "text"),
    [
        ("mmcblk0: error -110 sending status command", "the memory card has failed to read or write"),
        (
            "EXT4-fs error (device mmcblk0p2): ext4_find_entry: inode #2: reading directory",
            "the memory card has failed",
        ),
        ("imx708 10-001a: failed to read chip id 708, with error -5", "the Raspberry Pi’s camera does not answer"),
        (
            "ov5647 10-0036: probe with driver ov5647 failed with error -121",
            "the Raspberry Pi’s camera does not answer",
        ),
        ("usb 1-1.2: device descriptor read/64, error -71", "a USB device does not answer"),
        ("mmc0: Timeout waiting for hardware interrupt.", "the memory card has failed"),
        ("mmc0: Timeout waiting for hardware cmd interrupt.", "the memory card has failed"),
        ("mmc0: error -110 whilst initialising SD card", "the memory card has failed"),
        ("mmcblk0: timed out sending r/w cmd command, card status 0x400b00", "the memory card has failed"),
        ("mmc1: Timeout waiting for hardware interrupt.", "it has reported no fault"),  # the Wi-Fi
        (
            "EXT4-fs error (device sda2): ext4_find_entry:1455: inode #2: comm ls: reading directory",
            "a disk contradicts",
        ),
        ("Aborting journal on device nvme0n1p2-8.", "a disk contradicts itself"),
        *(
            (message.format(device), fault)
            for device, fault in (("mmcblk0p2", "the memory card has failed"), ("dm-0", "a disk contradicts itself"))
            for message in (
                "EXT4-fs warning (device {}): ext4_end_bio:343: I/O error 10 writing to inode 5 starting block 8706)",
                "EXT4-fs ({}): error count since last fsck: 3",
                "EXT4-fs ({}): warning: mounting fs with errors, running e2fsck is recommended",
                "EXT4-fs ({}): This should not happen!! Data will be lost",
                "JBD2: Detected IO errors while flushing file data on {}-8",
                "JBD2: I/O error when updating journal superblock for {}-8.",
            )
        ),
        ("EXT4-fs warning (device sda1): ext4_resize_begin:82: a size", "it has reported no fault"),
        ("mmc0: timeout waiting for hardware interrupt.", "the memory card has failed"),
        ("sdhost-bcm2835 3f202000.mmc: timeout waiting for hardware interrupt.", "the memory card has failed"),
        ("EXT4-fs (sda2): Remounting filesystem read-only", "a disk contradicts itself"),
        ("usb 1-1.3: usbfs: interface 0 claimed by ch341 while 'brltty' sets config #1", "the program brltty"),
        ("usb 5-1: usbfs: interface 0 claimed by usbfs while 'gtkam' sets config #1", "it has reported no fault"),
        ("usb 2-3.3.1: Not enough bandwidth for new device state.", "the devices at one USB connection send more"),
        ("usb 2-3.3.1: Not enough bandwidth for altsetting 1", "the devices at one USB connection send more"),
        ("uvcvideo 1-1.4:1.1: Failed to submit URB 0 (-28).", "the devices at one USB connection send more"),
        ("uvcvideo 3-2:1.1: Failed to resubmit video URB (-28).", "the devices at one USB connection send more"),
        ("uvcvideo 3-2:1.1: Failed to resubmit video URB (-19).", "it has reported no fault"),  # pulled out
        ("usb 3-1: can't set config #1, error -28", "the devices at one USB connection send more"),
        ("usb 3-1: can't set config #1, error -71", "it has reported no fault"),
        (
            "usb 1-2: cannot submit urb 0, error -28: not enough bandwidth",
            "the devices at one USB connection send more",
        ),
        ("xhci_hcd 0000:01:00.0: HC died; cleaning up", "the USB sockets have failed"),
        ("xhci_hcd 0000:01:00.0: xHCI host controller not responding, assume dead", "the USB sockets have failed"),
        (
            "Out of memory: Killed process 1234 (chromium) total-vm:1843200kB, anon-rss:512000kB, file-rss:0kB",
            "the machine’s memory was full",
        ),
        ("Memory cgroup out of memory: Killed process 5 (python) total-vm:9kB", "the machine’s memory was full"),
        ("Out of memory: Kill process 12 (python) score 900 or sacrifice child", "the machine’s memory was full"),
        ("mmcblk0: mmc0:aaaa SC32G 29.7 GiB\nusb 1-1: new high-speed USB device", "it has reported no fault"),
    ],
)
def test_what_the_kernel_reports(output: str, text: str) -> None:
    found = only(system.kernel(Machine(run=lambda command: output if command[0] == "dmesg" else "-- No entries --")))
    assert found.text.startswith(text)


def test_without_the_right_to_read_the_kernels_messages_nothing_is_said() -> None:
    assert list(system.kernel(Machine(run=lambda command: None))) == []


def test_clock(tmp_path: Path) -> None:
    table = config(tmp_path)
    assert only(system.clock(table, answering(timedatectl="yes"))).state == "good"
    assert only(system.clock(table, answering())).state == "good"
    unset = only(system.clock(table, answering(timedatectl="no")))
    assert unset.state == "warning" and "nothing has set it" in unset.text
    wrong = only(system.clock(table, Machine(now=lambda: 0.0, run=lambda command: "yes")))
    assert wrong.state == "trouble" and "the clock says 1970-01-01" in wrong.text


def test_a_clock_behind_the_newest_game(tmp_path: Path) -> None:
    table = config(tmp_path)
    store(table.journal, some_games(1)[:2], since=1_800_000_000.0)
    newest = newest_time(table.journal)
    assert newest is not None

    def found(behind_s: float, synchronized: str) -> Finding:
        return only(system.clock(table, Machine(now=lambda: newest - behind_s, run=lambda command: synchronized)))

    assert found(-60.0, "no").state == "warning" and found(86400.0, "yes").state == "good"
    behind = found(86400.0, "no")
    assert behind.state == "trouble" and "but the newest game was played at 2027-01-17" in behind.text


def test_the_machine_runs_commands() -> None:
    machine = Machine()
    assert machine.run([sys.executable, "-c", "print('throttled=0x0')"]) == "throttled=0x0"
    assert machine.run([sys.executable, "-c", "raise SystemExit(1)"]) is None
    assert machine.run(["no-such-command"]) is None
    assert machine.version("no-such-package") is None


# Disk, journal, port


@pytest.mark.parametrize(("free", "state"), [(2e9, "good"), (1e8, "warning"), (1e7, "trouble")])
def test_disk(tmp_path: Path, free: float, state: str) -> None:
    assert only(system.disk(config(tmp_path), Machine(free=lambda path: int(free)))).state == state


def test_room_on_the_disk_has_a_comma_in_french(tmp_path: Path) -> None:
    finding = only(system.disk(config(tmp_path), Machine(free=lambda path: 7_449_000_000)))
    assert finding.text == f"7.4 GB free in {tmp_path}"
    assert in_language(finding.text, translator("fr")) == f"7,4 Go libres dans {tmp_path}"


def test_the_real_disk_is_measured(tmp_path: Path) -> None:
    statvfs = os.statvfs(tmp_path)
    assert Machine().free(tmp_path) == pytest.approx(statvfs.f_bavail * statvfs.f_frsize, rel=0.05)


def test_a_disk_that_linux_has_protected(tmp_path: Path) -> None:
    """A memory card that fails is mounted read-only by the kernel."""
    finding = only(system.disk(config(tmp_path), Machine(read_only=lambda path: True)))
    assert finding.state == "trouble" and "is read-only" in finding.text and "a new card" in finding.advice
    assert not Machine().read_only(tmp_path)


def test_no_folder_for_the_journal(tmp_path: Path) -> None:
    finding = only(system.disk(config(tmp_path, 'journal = "games/j.sqlite"\n'), Machine()))
    assert finding.state == "trouble" and finding.command == f"mkdir -p {tmp_path / 'games'}"


def test_the_certificate_authority(tmp_path: Path) -> None:
    table = config(tmp_path)
    assert list(system.https(table)) == []  # the table makes it when it starts
    https = open_https(table.journal)
    assert https is not None and https.name in only(system.https(table)).text
    authority_file(table.journal).write_bytes(b"damaged")
    finding = only(system.https(table))
    assert finding.state == "trouble" and "delete it" in finding.text


def test_journal(tmp_path: Path) -> None:
    table = config(tmp_path)
    assert "will be created" in only(system.journal(table)).text
    assert not table.journal.exists()
    with closing(Journal(table.journal)) as journal:
        journal.begin(Header("all-fives", ("Ann", "Bo")))
        assert "can be written" in only(system.journal(table)).text
        with full_disk(100):
            assert only(system.journal(table)).state == "trouble"
    table.journal.write_bytes(b"This is a letter to my aunt, not a journal. " * 100)
    finding = only(system.journal(table))
    assert finding.state == "trouble" and "not a journal" in finding.text


def test_port(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        number = taken.getsockname()[1]
        table = config(tmp_path, f"[board]\nport = {number}\n")
        finding = only(system.port(table))
        assert finding.state == "warning" and finding.text == f"127.0.0.1:{number} is in use"
    assert only(system.port(table)).state == "good"
    finding = only(system.port(config(tmp_path, '[board]\nhost = "192.0.2.1"\n')))  # an address of no machine
    assert finding.state == "trouble" and "an address of this machine" in finding.advice


# Devices


def test_devices(tmp_path: Path) -> None:
    dev = tmp_path / "dev"
    dev.mkdir()
    table = config(tmp_path, 'source = "usb:2"\n[buzzer]\npin = 22\n[[display]]\nkind = "ssd1306"\n')
    names = ("video2", "gpiochip0", "i2c-1")
    assert states(system.devices(table, Machine(dev=dev))) == ["trouble"] * 3
    for name in names:
        (dev / name).touch()
    assert states(system.devices(table, Machine(dev=dev))) == ["good"] * 3
    closed = Machine(dev=dev, allowed=lambda path: path.name != "i2c-1", group=lambda path: "i2c")
    *others, finding = system.devices(table, closed)
    assert states(others) == ["good"] * 2
    assert finding.state == "trouble" and "sudo adduser $USER i2c" in finding.command


def test_a_recording_and_spi(tmp_path: Path) -> None:
    table = config(tmp_path, 'source = "video:game.mp4"\n[[display]]\nkind = "st7789"\ndevice = 1\n')
    finding = only(system.devices(table, Machine(dev=tmp_path)))
    assert finding.text == f"there is no {tmp_path / 'spidev0.1'}" and "SPI" in finding.advice


# Words

COMMANDS = re.compile(r"\b(sudo|apt|pip|ls|mkdir|chmod|systemctl|cardtable [a-z]+) [-/a-z.]")


def test_no_advice_names_a_command() -> None:
    """People at the table have no terminal: what is typed there stands in `command`."""
    modules = (Path(system.__file__).parent).glob("*.py")
    texts = [ast.literal_eval(each) for file in modules for each in MARKED.findall(file.read_text("utf-8"))]
    assert len(texts) > 80
    assert [each for each in texts if COMMANDS.search(each)] == []


# The command


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "table.toml"
    path.write_text(GOOD + 'source = "dir:pictures"\n[board]\nport = 0\n', "utf-8")
    command = ["doctor", "-c", str(path), "--skip", "kernel"]  # whose messages are those of this machine
    assert main([*command, "--json"]) == 1  # the folder is missing
    findings = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert all(finding.keys() == {"check", "state", "text", "advice", "command"} for finding in findings)
    assert [finding["check"] for finding in findings if finding["state"] == "trouble"] == ["camera"]
    assert main([*command, "--skip", "cameras"]) == 0
    assert "✓ versions: cardtable" in capsys.readouterr().out
    assert main([*command, "--skip", "camras"]) == 2
    assert "there is no check 'camras'; did you mean 'cameras'?" in capsys.readouterr().err


def test_findings_are_in_the_language_of_the_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "table.toml"
    path.write_text(f'language = "fr"\n{GOOD}source = "dir:pictures"\n[board]\nport = 0\n', "utf-8")
    command = ["doctor", "-c", str(path), "--skip", "kernel", "--skip", "cameras"]
    assert main(command) == 0
    output = capsys.readouterr().out
    assert "journal.sqlite sera créé à la première partie\n" in output and "127.0.0.1:0 est libre\n" in output
    assert main([*command, "--json"]) == 0  # for programs: the same in every language
    assert "will be created with the first game" in capsys.readouterr().out


def test_the_machine_is_checked_without_a_configuration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["doctor", "--skip", "port", "--json"]) == 1
    first, *others = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert first["check"] == "config" and first["state"] == "trouble"
    assert first["command"] == "cardtable config -o table.toml"
    assert {"versions", "clock", "disk"} <= {finding["check"] for finding in others}
    assert main(["doctor", "-c", "other.toml"]) == 2  # a wrong name of the file
    assert "there is no file other.toml; write one: cardtable config -o other.toml" in capsys.readouterr().err
    assert main(["config", "-o", "table.toml"]) == 0
    capsys.readouterr()
    main(["doctor", "--skip", "cameras", "--skip", "port"])
    assert "there is no table.toml" not in capsys.readouterr().out


def test_skipped_checks_do_not_run(tmp_path: Path) -> None:
    assert list(examine(config(tmp_path), Machine(), CHECKS)) == []
