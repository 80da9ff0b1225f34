"""Checks of the machine itself: versions, power, clock, disk, journal, port, devices."""

from __future__ import annotations

import contextlib
import datetime
import errno
import os
import platform
import re
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from cardtable.config.model import TableConfig
from cardtable.doctor.finding import Finding, Machine, good, trouble, warning
from cardtable.errors import CardtableError
from cardtable.journal.aside import has_lone_log
from cardtable.journal.file import JournalError
from cardtable.journal.games import newest_time
from cardtable.journal.journal import Journal
from cardtable.web.https import PROGRAM_DATE, Https, authority_file
from engine.texts import decimals, text, why

_PACKAGES: Final = ("cardtable", "numpy", "opencv-python", "onnxruntime")
_MIN_FREE_BYTES: Final = 50_000_000
_ENOUGH_FREE_BYTES: Final = 500_000_000
_BEHIND_S: Final = 3600.0
"""A clock that is so many seconds behind the newest game is wrong."""


def _of_disk(device: str) -> str:
    """Return a pattern of what ext4 and its journal report of a disk with such a name."""
    return (
        rf"EXT4-fs error \(device {device}|EXT4-fs warning \(device {device}.*: I/O error"
        rf"|EXT4-fs \({device}[^)]*\): (Remounting filesystem|error count since last fsck|This should not happen"
        r"|warning: mounting fs with errors)"
        rf"|Aborting journal on device {device}|JBD2: Detected IO errors while flushing file data on {device}"
        rf"|JBD2: .* when updating journal superblock for {device}"
    )


_KERNEL_FAULTS: Final = (
    (
        re.compile(
            r"(I/O error|critical medium error).*\bmmcblk|mmcblk\d+: (error -|recovery failed|timed out)"
            r"|mmc\d: (card never left busy|Card stuck|cache flush error)"
            # The Wi-Fi of a Raspberry Pi is on mmc1.
            r"|mmc0: (error -\d+ whilst|[Tt]imeout waiting for hardware|tuning execution failed|cqhci: timeout)"
            rf"|sdhost-bcm2835 .*timeout waiting for hardware|{_of_disk('mmcblk')}"
        ),
        text("the memory card has failed to read or write"),
        text("save a backup now (Updates and backup), and restore it on a new card"),
    ),
    (
        re.compile(_of_disk("(?!mmcblk)")),
        text("a disk contradicts itself, or cannot be read"),
        text("save a backup now (Updates and backup), then switch off and on; if it happens again, use another disk"),
    ),
    (
        re.compile(r"\b(imx|ov)\d{3,4}\b.*(failed to read chip id|probe.*failed|error -(5|121))", re.IGNORECASE),
        text("the Raspberry Pi’s camera does not answer"),
        text("switch it off, and press both ends of the camera’s cable in; if that does not help, try another cable"),
    ),
    (
        re.compile(r"usb .*(over-current|device descriptor read/64, error|unable to enumerate USB device)"),
        text("a USB device does not answer, or draws too much current"),
        text("plug it in directly, or use a hub with its own power supply"),
    ),
    (
        re.compile(r"claimed by ch34\w* while 'brltty' sets config"),
        text("the program brltty, for Braille displays, takes the reader board away"),
        text("uninstall this program, then plug the board in again"),
    ),
    (
        re.compile(
            r"Not enough (bandwidth|host controller resources) for|not enough bandwidth$"
            r"|Failed to (re)?submit (\w+ )?URB.*\(-28\)|can't set config #\d+, error -28$",
            re.MULTILINE,
        ),
        text("the devices at one USB connection send more than it can carry"),
        text("plug cameras into different USB sockets of the machine, without a hub, or set them to smaller pictures"),
    ),
    (
        re.compile(r"HC died; cleaning up|host controller not responding, assume dead"),
        text("the USB sockets have failed"),
        text(
            "switch the table off and on; if it happens again, unplug one USB device after the other to find the cause"
        ),
    ),
    (
        re.compile(r"[Oo]ut of memory( \(oom_kill_allocating_task\))?: Kill(ed)? process"),
        text("the machine’s memory was full, and a program was ended"),
        text("close other programs, use fewer cameras, or a machine with more memory"),
    ),
)
"""Messages of the kernel, each as a pattern, with their meaning and advice."""

# Bits of `vcgencmd get_throttled`, from the Raspberry Pi documentation.
_UNDERVOLTAGE_NOW, _THROTTLED_NOW, _HOT_NOW = 1 << 0, 1 << 2, 1 << 3
_UNDERVOLTAGE_ONCE, _THROTTLED_ONCE, _HOT_ONCE = 1 << 16, 1 << 18, 1 << 19


def versions(config: TableConfig, machine: Machine) -> Iterator[Finding]:
    """Check the versions of the program, Python, and the packages that this configuration needs."""
    again = text("the program is not installed completely: install it again")
    wanted = {package: (again, "make setup") for package in _PACKAGES}
    if config.seat or config.buzzer:
        wanted["gpiozero"] = text("install the program with its extra 'pi'"), "pip install '.[pi]'"
    if config.display:
        wanted["luma.core"] = (
            text("install the program with its extra 'displays'"),
            "pip install '.[displays]'",
        )
    found = {package: machine.version(package) for package in wanted}
    missing = [package for package, version in found.items() if version is None]
    for package in missing:
        yield trouble("versions", text("{package} is not installed", package=package), *wanted[package])
    if not missing:
        installed = ", ".join(f"{package} {version}" for package, version in found.items())
        yield good("versions", f"{installed}, Python {platform.python_version()}, {platform.platform(terse=True)}")


def power(machine: Machine) -> Iterator[Finding]:
    """Check voltage and temperature of a Raspberry Pi. Other machines are not checked."""
    match = re.fullmatch(r"throttled=0x([0-9a-fA-F]+)", machine.run(["vcgencmd", "get_throttled"]) or "")
    if match is None:
        return
    bits = int(match[1], 16)
    if bits & _UNDERVOLTAGE_NOW:
        advice = text("use its own power supply and a short cable; a display on the same supply is a usual cause")
        yield trouble("power", text("the voltage is too low"), advice)
    elif bits & _UNDERVOLTAGE_ONCE:
        yield warning(
            "power",
            text("the voltage has been too low since the Raspberry Pi was started"),
            text("use its own power supply and a short cable; a display on the same supply is a usual cause"),
        )
    if bits & (_HOT_NOW | _THROTTLED_NOW):
        message = text("the Raspberry Pi is slowed down by heat")
        yield warning("power", message, text("let more air reach it, or add a heat sink"))
    elif bits & (_HOT_ONCE | _THROTTLED_ONCE) and not bits & (_UNDERVOLTAGE_NOW | _UNDERVOLTAGE_ONCE):
        message = text("the Raspberry Pi has been slowed down by heat since it was started")
        yield warning("power", message, text("let more air reach it, or add a heat sink"))
    if not bits & (_UNDERVOLTAGE_NOW | _UNDERVOLTAGE_ONCE | _HOT_NOW | _THROTTLED_NOW | _HOT_ONCE | _THROTTLED_ONCE):
        yield good("power", text("the voltage is high enough, and has been since the start"))


def kernel(machine: Machine) -> Iterator[Finding]:
    """Look for faults of memory card, camera and USB that the kernel has reported since the machine was started.

    Yield nothing if this user may not read the kernel's messages.
    """
    log = machine.run(["journalctl", "--dmesg", "--boot", "--no-pager", "--output=cat"])
    if log in (None, "", "-- No entries --"):
        log = machine.run(["dmesg"])
    if not log:
        return
    faults = [(message, advice) for pattern, message, advice in _KERNEL_FAULTS if pattern.search(log)]
    for message, advice in faults:
        yield trouble("kernel", message, advice)
    if not faults:
        yield good("kernel", text("it has reported no fault of memory card, camera or USB since the start"))


def clock(config: TableConfig, machine: Machine) -> Iterator[Finding]:
    """Check that the clock is set, because the journal stores when games are played."""
    newest = newest_time(config.journal)
    synchronized = machine.run(["timedatectl", "show", "--property=NTPSynchronized", "--value"])
    now = datetime.datetime.fromtimestamp(machine.now(), datetime.UTC)
    if now < PROGRAM_DATE:
        advice = text("connect the table to a network for a minute: it sets the clock")
        command = "sudo date -s '2026-12-24 18:00'"
        yield trouble("clock", text("the clock says {now}", now=f"{now:%Y-%m-%d}"), advice, command)
    elif synchronized == "yes":
        yield good("clock", f"{now:%Y-%m-%d %H:%M} UTC")
    elif newest is not None and machine.now() < newest - _BEHIND_S:
        last = datetime.datetime.fromtimestamp(newest, datetime.UTC)
        message = "the clock says {now} UTC, but the newest game was played at {last}"
        advice = text("connect the table to a network for a minute: it sets the clock")
        yield trouble("clock", text(message, now=f"{now:%Y-%m-%d %H:%M}", last=f"{last:%Y-%m-%d %H:%M}"), advice)
    elif synchronized == "no":
        advice = text("connect the network, or check the date; without a network a Raspberry Pi forgets it")
        message = text("the clock says {now} UTC, and nothing has set it", now=f"{now:%Y-%m-%d %H:%M}")
        yield warning("clock", message, advice)
    else:
        yield good("clock", f"{now:%Y-%m-%d %H:%M} UTC")


def disk(config: TableConfig, machine: Machine) -> Iterator[Finding]:
    """Check that the folder of the journal is writable and has space."""
    folder = config.journal.parent
    if not folder.is_dir():
        message = text("there is no folder {folder} for the journal", folder=folder)
        yield trouble("disk", message, text("create it"), f"mkdir -p {folder}")
        return
    if machine.read_only(folder):
        message = text("{folder} is read-only: Linux protects the disk after an error", folder=folder)
        advice = text("switch the table off and on; if this happens again, restore a backup on a new card")
        yield trouble("disk", message, advice)
        return
    if not os.access(folder, os.W_OK):
        message = text("you have no permission to write in the folder {folder}", folder=folder)
        yield trouble("disk", message, text("allow it, or name another journal"))
        return
    free = machine.free(folder)
    message = text("{size} GB free in {folder}", size=decimals(free / 1e9), folder=folder)
    if free < _MIN_FREE_BYTES:
        yield trouble("disk", message, text("make room: without it no card can be stored, and the game stops"))
    elif free < _ENOUGH_FREE_BYTES:
        yield warning("disk", message, text("make room soon"))
    else:
        yield good("disk", message)


def journal(config: TableConfig) -> Iterator[Finding]:
    """Check that the journal can be read and written, if it exists."""
    if not config.journal.exists() and not has_lone_log(config.journal):
        yield good("journal", text("{path} will be created with the first game", path=config.journal))
        return
    try:
        with contextlib.closing(Journal(config.journal, thorough=True)) as journal:
            journal.check()
    except JournalError as error:
        yield trouble("journal", str(error), text("the file was left unchanged"))
    else:
        yield good("journal", text("{path} can be written", path=config.journal))


def https(config: TableConfig) -> Iterator[Finding]:
    """Check the certificate authority that phones trust, if the table has made it."""
    path = authority_file(config.journal)
    if not path.exists():
        return
    try:
        yield good("https", text("phones can trust the certificate “{name}”", name=Https(path).name))
    except CardtableError as error:
        yield trouble("https", str(error), text("until then phones cannot have the table as an app"))


def port(config: TableConfig) -> Iterator[Finding]:
    """Check that the board can be served at its address."""
    host, number = config.board.host, config.board.port
    where = f"{host}:{number}"
    try:
        family = socket.getaddrinfo(host, number, type=socket.SOCK_STREAM)[0][0]
        with socket.socket(family, socket.SOCK_STREAM) as listening:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind((host, number))
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            advice = text("if that is the table, nothing is wrong; otherwise choose another port under [board]")
            yield warning("port", text("{where} is in use", where=where), advice)
        elif error.errno == errno.EACCES:
            advice = text("choose a port of 1024 or more under [board]")
            yield trouble("port", text("you have no permission to use {where}", where=where), advice)
        else:
            yield trouble(
                "port",
                text("{place}: {what}", place=where, what=why(error)),
                text("give host an address of this machine, or 127.0.0.1"),
            )
    else:
        yield good("port", text("{where} is free", where=where))


def devices(config: TableConfig, machine: Machine) -> Iterator[Finding]:
    """Check that the devices of the configuration exist and may be used by this user."""
    wanted: dict[Path, tuple[str, str]] = {}
    for camera in config.cameras:
        scheme, _, rest = camera.source.partition(":")
        if scheme == "usb":
            device = Path(rest) if rest.startswith("/") else machine.dev / f"video{rest}"
            wanted[device] = text("plug the camera in, or choose another one"), "ls /dev/video* /dev/v4l/by-id"
        elif scheme == "picamera":
            yield _picamera(camera.python, machine)
    if config.seat or config.buzzer:
        wanted[machine.dev / "gpiochip0"] = (
            text("buttons, lights and buzzer need a Raspberry Pi; on another machine, remove them from table.toml"),
            "",
        )
    for display in config.display:
        wiring = display.wiring
        if wiring.resolved_bus == "i2c":
            number = 1 if wiring.port is None else wiring.port
            wanted[machine.dev / f"i2c-{number}"] = text("switch the bus I2C on"), "sudo raspi-config nonint do_i2c 0"
        elif wiring.resolved_bus == "spi":
            name = f"spidev{wiring.port or 0}.{wiring.device}"
            wanted[machine.dev / name] = text("switch the bus SPI on"), "sudo raspi-config nonint do_spi 0"
    for path, (advice, command) in wanted.items():
        if not path.exists():
            yield trouble("devices", text("there is no {path}", path=path), advice, command)
        elif not machine.allowed(path):
            group = machine.group(path)
            yield trouble(
                "devices",
                text("you have no permission to use {path}", path=path),
                text("add the table’s user to the group {group}, then restart the machine", group=group),
                f"sudo adduser $USER {group}",
            )
        else:
            yield good("devices", text("{path} exists and can be used", path=path))


def _picamera(python: str, machine: Machine) -> Finding:
    """Check that `python`, the interpreter that reads the Raspberry Pi camera, has picamera2."""
    if machine.run([python, "-c", "import picamera2"]) is None:
        advice = text("install picamera2, or name the Python that has it: python")
        command = "sudo apt install --no-install-recommends python3-picamera2"
        return trouble("devices", text("{python} has no picamera2", python=python), advice, command)
    return good("devices", text("{python} has picamera2", python=python))
