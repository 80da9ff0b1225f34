"""USB sticks, found as Linux describes them, and the backups on them."""

from __future__ import annotations

import os
import time
import zipfile
from pathlib import Path

import pytest

from cardtable.errors import CardtableError
from cardtable.maintenance import backup
from cardtable.maintenance.backup import Stick, find_sticks, save_on, saved_at


class Linux:
    """The files in which Linux describes its disks, below a folder."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.mounts = folder / "mounts"
        self.disks = folder / "sys/class/block"
        self.labels = folder / "by-label"
        self.places = folder / "media"
        self.devices = folder / "sys/devices"
        for each in (self.disks, self.labels, self.places, self.devices):
            each.mkdir(parents=True)
        for name, place in (("MOUNTS", self.mounts), ("DISKS", self.disks), ("LABELS", self.labels)):
            monkeypatch.setattr(backup, name, place)
        monkeypatch.setattr(backup, "PLACES", (self.places,))
        self.mounts.write_text("proc /proc proc rw 0 0\ntmpfs /media tmpfs rw 0 0\n", "utf-8")

    def plug_in(self, partition: str, place: str, where: str = "usb1/1-1/1-1:1.0/host0", label: str = "") -> Path:
        disk = self.devices / where / "block" / partition.rstrip("0123456789")
        (disk / partition).mkdir(parents=True)
        (disk / "removable").write_text("0\n", "ascii")
        (self.disks / partition).symlink_to(disk / partition)
        mounted = self.places / place
        mounted.mkdir()
        with self.mounts.open("a", encoding="utf-8") as file:
            file.write(f"/dev/{partition} {str(mounted).replace(' ', chr(92) + '040')} vfat rw,nosuid 0 0\n")
        if label:
            (self.labels / label).symlink_to(Path("../..") / partition)
        return mounted


@pytest.fixture
def linux(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Linux:
    return Linux(tmp_path, monkeypatch)


def test_a_backup_is_as_old_as_its_name_says(tmp_path: Path) -> None:
    """The clock of a stick knows no time zone; a file that was renamed has only that."""
    named, renamed = tmp_path / "cardtable-backup-20260501-120000.zip", tmp_path / "cardtable-backup-of-may.zip"
    for file in (named, renamed):
        file.touch()
        os.utime(file, (1000.0, 1000.0))
    assert time.localtime(saved_at(named))[:6] == (2026, 5, 1, 12, 0, 0)
    assert saved_at(renamed) == 1000.0
    with pytest.raises(FileNotFoundError):
        saved_at(tmp_path / "cardtable-backup-20260501-120001.zip")


def test_a_stick_is_found_by_its_bus(linux: Linux) -> None:
    place = linux.plug_in("sda1", "MY STICK", label=r"MY\x20STICK")
    linux.plug_in("nvme0n1p2", "inside", where="pci0000:00/nvme/nvme0")
    (stick,) = find_sticks()
    assert (stick.place, stick.label, stick.writable) == (place, "MY STICK", True)
    assert stick.free > 0


def test_a_card_in_a_reader_counts_by_its_flag(linux: Linux) -> None:
    linux.plug_in("mmcblk1p1", "card", where="platform/mmc1")
    assert find_sticks() == []
    (linux.devices / "platform/mmc1/block/mmcblk1p" / "removable").write_text("1\n", "ascii")
    assert [stick.label for stick in find_sticks()] == ["mmcblk1p1"]


def test_the_systems_own_disk_is_no_stick(linux: Linux, monkeypatch: pytest.MonkeyPatch) -> None:
    linux.plug_in("sdb1", "data")
    monkeypatch.setattr(backup, "PLACES", (Path("/elsewhere"),))
    assert find_sticks() == []


def test_a_backup_is_saved_and_listed_newest_first(linux: Linux, tmp_path: Path) -> None:
    place = linux.plug_in("sda1", "stick")
    for name in ("cardtable-backup-20250101-120000.zip", "cardtable-backup-20260101-120000.zip", "holiday.zip"):
        (place / name).touch()
    config = tmp_path / "table.toml"
    config.write_text('source = "usb:7"\n', "utf-8")
    (stick,) = find_sticks()
    saved = save_on(stick, config)
    assert saved.name.startswith(time.strftime("cardtable-backup-%Y"))
    with zipfile.ZipFile(saved) as packed:
        assert "table.toml" in packed.namelist()
    assert [path.name for path in stick.backups()] == [
        saved.name,
        "cardtable-backup-20260101-120000.zip",
        "cardtable-backup-20250101-120000.zip",
    ]


def test_a_stick_that_cannot_be_written_is_refused_by_name(tmp_path: Path) -> None:
    stick = Stick(tmp_path, "KODAK", 1000, writable=False)
    with pytest.raises(CardtableError, match="KODAK is not writable"):
        save_on(stick, tmp_path / "table.toml")
