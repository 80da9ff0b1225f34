"""USB sticks that are plugged in, and the backups on them.

The package mounts a stick by itself (udev rules of `cardtable.service.install`); a desktop does so too. A stick is a
USB or removable disk that is mounted below /media, /run/media or /mnt.
"""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cardtable.errors import CardtableError
from cardtable.service.backup import write_backup
from engine.texts import text

MOUNTS: Final = Path("/proc/self/mounts")
DISKS: Final = Path("/sys/class/block")
LABELS: Final = Path("/dev/disk/by-label")
_PLACES: Final = (Path("/media"), Path("/run/media"), Path("/mnt"))
_NAME: Final = "cardtable-backup-%Y%m%d-%H%M%S.zip"
_BACKUPS: Final = "cardtable-backup-*.zip"
_MOST: Final = 12
"""Backups of one stick that are listed, the newest."""
_OCTAL: Final = re.compile(r"\\([0-7]{3})")


@dataclass(frozen=True, slots=True)
class Stick:
    """A USB stick. `place`: where it is mounted; `label`: its name; `free`: bytes; `writable`: by this user."""

    place: Path
    label: str
    free: int
    writable: bool

    def backups(self) -> list[Path]:
        """Return the backups on the stick, the newest first."""
        return sorted(self.place.glob(_BACKUPS), key=lambda path: path.name, reverse=True)[:_MOST]


def find_sticks(
    mounts: Path = MOUNTS, disks: Path = DISKS, labels: Path = LABELS, places: tuple[Path, ...] = _PLACES
) -> list[Stick]:
    """Return the sticks that are plugged in. The arguments are those of Linux, unless tests bring others."""
    found: dict[str, Stick] = {}
    for device, place in _mounted(mounts):
        if not any(place.is_relative_to(each) for each in places) or not _is_removable(disks / Path(device).name):
            continue
        try:
            free = shutil.disk_usage(place).free
        except OSError:  # pulled out
            continue
        found.setdefault(device, Stick(place, _label(device, labels), free, os.access(place, os.W_OK)))
    return list(found.values())


def save_on(stick: Stick, config: Path) -> Path:
    """Write a backup of the table with this configuration to the stick, and wait until it may be pulled out.

    Raises `CardtableError`.
    """
    if not stick.writable:
        raise CardtableError(text("The stick {label} cannot be written: try another one.", label=stick.label))
    output = stick.place / time.strftime(_NAME)
    write_backup(config, output)
    os.sync()
    return output


def saved_at(backup: Path) -> float:
    """Return when a backup was written, in seconds since 1970: by its name, because a stick has no time zone.

    The time of the file counts if the name was changed. Raises `OSError` if the stick is pulled out.
    """
    changed = backup.stat().st_mtime
    try:
        return time.mktime(time.strptime(backup.name, _NAME))
    except (ValueError, OverflowError):
        return changed


def _mounted(mounts: Path) -> Iterator[tuple[str, Path]]:
    """Yield device and place of each mounted file system, as proc(5) writes them: a space as `\\040`."""
    for line in mounts.read_text("utf-8", "surrogateescape").splitlines():
        device, place, *_ = line.split(" ")
        if device.startswith("/dev/"):
            yield device, Path(_OCTAL.sub(lambda code: chr(int(code[1], 8)), place))


def _is_removable(disk: Path) -> bool:
    """Return whether a disk, or the disk of a partition, is connected by USB or can be taken out."""
    real = disk.resolve()
    if any(re.fullmatch(r"usb\d+", part) for part in real.parts):
        return True
    for folder in (real, real.parent):
        try:
            if (folder / "removable").read_text("ascii").strip() == "1":
                return True
        except OSError:
            continue
    return False


def _label(device: str, labels: Path) -> str:
    for link in sorted(labels.glob("*")) if labels.is_dir() else ():
        if link.resolve().name == Path(device).name:
            return re.sub(r"\\x([0-9a-f]{2})", lambda code: chr(int(code[1], 16)), link.name)
    return Path(device).name
