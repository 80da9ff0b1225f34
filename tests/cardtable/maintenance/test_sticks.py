"""USB sticks, found as Linux describes them, and the backups on them."""

from __future__ import annotations

import errno
import json
import os
import shutil
import time
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from cardtable.doctor import Machine
from cardtable.errors import CardtableError
from cardtable.maintenance import backup
from cardtable.maintenance.backup import Stick, find_sticks, save_on, saved_at
from tests.cardtable.history.past_games import some_games, store


class Linux:
    """A machine with disks, as lsblk lists them, whose partitions are mounted below a folder."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.places = folder / "media"
        self.places.mkdir()
        self.disks: list[dict[str, Any]] = [disk("zram0", None), disk("vda", "/", label="root")]
        self.machine = Machine(run=lambda command: json.dumps({"blockdevices": self.disks}))
        monkeypatch.setattr(backup, "PLACES", (self.places,))

    def plug_in(self, partition: str, place: str, label: str | None = None, **kind: object) -> Path:
        mounted = self.places / place
        mounted.mkdir()
        self.disks.append(disk("disk", None, **kind) | {"children": [disk(partition, str(mounted), label)]})
        return mounted


def disk(name: str, place: str | None, label: str | None = None, **kind: object) -> dict[str, Any]:
    return {"path": f"/dev/{name}", "label": label, "mountpoints": [place], "rm": False, "tran": None, **kind}


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
    place = linux.plug_in("sda1", "MY STICK", "MY STICK", tran="usb")
    linux.plug_in("nvme0n1p2", "inside", tran="nvme")
    (stick,) = find_sticks(linux.machine)
    assert (stick.place, stick.label, stick.writable) == (place, "MY STICK", True)
    assert stick.free > 0


def test_a_card_in_a_reader_counts_by_its_flag(linux: Linux) -> None:
    linux.plug_in("mmcblk1p1", "card")
    assert find_sticks(linux.machine) == []
    linux.plug_in("mmcblk2p1", "other card", rm=True)
    assert [stick.label for stick in find_sticks(linux.machine)] == ["mmcblk2p1"]


def test_a_stick_without_partitions(linux: Linux) -> None:
    linux.disks.append(disk("sda", str(linux.places), "KODAK", tran="usb"))
    assert [stick.label for stick in find_sticks(linux.machine)] == ["KODAK"]


def test_a_stick_that_is_pulled_out_is_not_found(linux: Linux) -> None:
    linux.plug_in("sda1", "stick", tran="usb").rmdir()
    assert find_sticks(linux.machine) == []


def test_the_systems_own_disk_is_no_stick(linux: Linux, monkeypatch: pytest.MonkeyPatch) -> None:
    linux.plug_in("sdb1", "data", tran="usb")
    monkeypatch.setattr(backup, "PLACES", (Path("/elsewhere"),))
    assert find_sticks(linux.machine) == []


@pytest.mark.skipif(shutil.which("lsblk") is None, reason="this machine has no lsblk")
def test_lsblk_lists_what_is_asked_for() -> None:
    described: list[str | None] = []
    machine = Machine()

    def run(command: Sequence[str]) -> str | None:
        described.append(machine.run(command))
        return described[-1]

    find_sticks(Machine(run=run))
    (listed,) = described
    assert listed is not None and "blockdevices" in json.loads(listed)


def test_without_lsblk_there_are_no_sticks() -> None:
    assert find_sticks(Machine(run=lambda command: None)) == []


def test_a_backup_is_saved_and_listed_newest_first(linux: Linux, tmp_path: Path) -> None:
    place = linux.plug_in("sda1", "stick", tran="usb")
    for name in ("cardtable-backup-20250101-120000.zip", "cardtable-backup-20260101-120000.zip", "holiday.zip"):
        (place / name).touch()
    config = tmp_path / "table.toml"
    config.write_text('source = "usb:7"\n', "utf-8")
    (stick,) = find_sticks(linux.machine)
    saved = save_on(stick, config).path
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


def test_a_stick_needs_room_for_the_backup_alone_and_no_permissions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config, place = tmp_path / "table.toml", tmp_path / "stick"
    config.touch()
    place.mkdir()
    store(tmp_path / "journal.sqlite", some_games(1))
    usage, copied, copy = shutil.disk_usage(place), list[Path](), backup._copy_journal

    def fail(*_: object) -> None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))

    def note(path: Path, to: Path) -> list[str]:
        copied.append(to)
        return copy(path, to)

    monkeypatch.setattr(os, "fchmod", fail)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage._replace(free=1_000 if path == place else 10**9))
    monkeypatch.setattr(backup, "_copy_journal", note)
    saved = save_on(Stick(place, "FAT", 1_000, writable=True), config)
    assert "journal.sqlite" in saved.names and not copied[0].is_relative_to(place)
    assert {path.name for path in tmp_path.iterdir()} <= {
        "table.toml",
        "stick",
        *map("journal.sqlite{}".format, ("", "-wal", "-shm", "-lock")),
    }


def test_a_link_planted_on_a_stick_leads_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "strftime", lambda _: "cardtable-backup-20261129-120000.zip")
    config, stick = tmp_path / "table.toml", tmp_path / "stick"
    config.write_text('language = "fr"\n', "utf-8")
    stick.mkdir()
    (stick / "cardtable-backup-20261129-120000.zip").symlink_to(tmp_path / "elsewhere")
    (stick / "cardtable-backup-20261129-120000-2.zip.new").symlink_to(config)
    saved = save_on(Stick(stick, "STICK", 0, writable=True), config)
    assert saved.path.name == "cardtable-backup-20261129-120000-2.zip" and zipfile.is_zipfile(saved.path)
    assert config.read_text("utf-8") == 'language = "fr"\n' and not (tmp_path / "elsewhere").exists()


def test_a_stick_that_is_pulled_out_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each operation on it fails, once it is gone."""
    config, stick = tmp_path / "table.toml", Stick(tmp_path / "stick", "STICK", 0, writable=True)
    config.touch()
    stick.place.mkdir()
    real = os.scandir

    def gone(path: object) -> object:
        if path == stick.place:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return real(path)  # type: ignore[call-overload]

    monkeypatch.setattr(os, "scandir", gone)
    assert stick.backups() == []
    stick.place.rmdir()
    with pytest.raises(CardtableError, match="cannot be written: No such file"):
        save_on(stick, config)
