"""A backup of what people have made at a table, as one ZIP file, and how it is put back.

It holds the journal (games, players, corrections), `table.toml`, calibrations, tags, decks and games of one's own. Not
in it: paired phones and the PIN, keys of plug-ins, pictures. The journal is copied by SQLite, also while the table
runs.

    backup.json      {"backup": 1}
    table.toml       the configuration
    journal.sqlite   the journal
    files/…          what lies beside the configuration: camera.calibration.json, tags.json, decks/…, games/…
"""

from __future__ import annotations

import errno
import json
import logging
import lzma
import os
import re
import shutil
import sqlite3
import tempfile
import time
import tomllib
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from cardtable.config.load import ConfigError, checked_config, read_config
from cardtable.config.model import TableConfig
from cardtable.errors import CardtableError, UsageError, why
from cardtable.journal.journal import Journal
from engine.texts import Text, text
from vision.atomic_files import store
from vision.image_files import is_regular

VERSION: Final = 1
ABOUT, CONFIG, JOURNAL, FILES = "backup.json", "table.toml", "journal.sqlite", "files"
_BESIDE: Final = ("*.calibration.json", "tags*.json", "decks/*.ctdeck", "games/*.toml")
"""What lies beside the configuration and is saved."""
_FILE: Final = re.compile(r"files/([^/]+\.calibration\.json|tags[^/]*\.json|decks/[^/]+\.ctdeck|games/[^/]+\.toml)")
"""Their names in the backup."""
_DAMAGED: Final = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    KeyError,
    ValueError,
    EOFError,
    RuntimeError,  # an encrypted file, an unknown compression, or JSON that is nested too deeply
)
"""What reading a damaged archive raises."""
_MOST_FILES: Final = 2000
_MOST_ABOUT_BYTES: Final = 1_000_000
_MOST_BYTES: Final = 4_000_000_000
"""Limits of a backup that is put back."""
BEFORE: Final = ".before"
"""The end of the names of the files that were there before a backup was put back."""


def write_backup(config_path: Path, output: Path) -> list[str]:
    """Write the backup of the table with this configuration to `output`, mode 0600; return the names in it.

    Raises `ConfigError`, and `CardtableError` if something cannot be read or written; `output` is as before then.
    """
    config = read_config(config_path)
    fresh = output.with_name(f"{output.name}.new")
    try:
        with tempfile.TemporaryDirectory(dir=output.parent) as folder:
            parts = [(CONFIG, config_path), *((f"{FILES}/{name}", path) for name, path in _files(config_path.parent))]
            if config.journal.exists():
                _copy_journal(config.journal, Path(folder) / JOURNAL)
                parts.append((JOURNAL, Path(folder) / JOURNAL))
            with (
                open(fresh, "wb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file,
                zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed,
            ):
                packed.writestr(ABOUT, json.dumps({"backup": VERSION}))
                for name, path in parts:
                    packed.write(path, name)
            with fresh.open("rb") as written:
                os.fsync(written.fileno())
            os.replace(fresh, output)
    except (OSError, sqlite3.Error) as error:
        fresh.unlink(missing_ok=True)
        reason = why(error) if isinstance(error, OSError) else str(error)
        raise CardtableError(text("backup: {output} cannot be written: {why}", output=output, why=reason)) from error
    return [name for name, _ in parts]


def restore_backup(packed: Path, config_path: Path) -> list[Path]:
    """Put the backup `packed` back, with `config_path` as its configuration; return what was replaced and is kept.

    Everything is checked first. A file that was there is kept beside the new one, with `.before` at the end of its
    name. The table must not run. Raises `UsageError` for a file that is not a backup, `CardtableError`.
    """
    folder = config_path.parent
    try:
        with tempfile.TemporaryDirectory(dir=folder, prefix=".restore-") as fresh:
            names = _unpack(packed, Path(fresh))
            config = _checked(Path(fresh), config_path)
            kept = [*_put(Path(fresh) / CONFIG, config_path)]
            for name in names:
                if name.startswith(f"{FILES}/"):
                    kept += _put(Path(fresh) / name, folder / PurePosixPath(name).relative_to(FILES))
            if JOURNAL in names:
                kept += _put_journal(Path(fresh) / JOURNAL, config.journal)
    except (OSError, sqlite3.Error) as error:
        raise _not_put_back(packed, error) from error
    return kept


def check_backup(packed: Path, config_path: Path) -> None:
    """Check that `packed` could be put back, with `config_path` as its configuration; nothing is changed.

    Raises `UsageError` for a file that is not a backup, `CardtableError`.
    """
    try:
        with tempfile.TemporaryDirectory(dir=config_path.parent, prefix=".restore-") as fresh:
            _unpack(packed, Path(fresh))
            _checked(Path(fresh), config_path)
    except (OSError, sqlite3.Error) as error:
        raise _not_put_back(packed, error) from error


def _not_put_back(packed: Path, error: OSError | sqlite3.Error) -> CardtableError:
    reason = why(error) if isinstance(error, OSError) else str(error)
    return CardtableError(text("backup: {packed} cannot be put back: {why}", packed=packed, why=reason))


def _files(folder: Path) -> Iterator[tuple[str, Path]]:
    for pattern in _BESIDE:
        for path in sorted(folder.glob(pattern)):
            if path.is_file():
                yield path.relative_to(folder).as_posix(), path


def _copy_journal(path: Path, to: Path) -> None:
    """Copy a journal as it is at one moment, with what is in its log. Raises `sqlite3.Error`."""
    with (
        closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as source,
        closing(sqlite3.connect(to)) as copy,
    ):
        source.backup(copy)


def _unpack(packed: Path, folder: Path) -> list[str]:
    """Unpack a backup into `folder`; return the names in it. Raises `UsageError`, `OSError`."""
    wrong = text("{packed} is not a backup of a table: name a file that cardtable backup has written", packed=packed)
    try:
        if not is_regular(packed):
            raise UsageError(wrong)
        with zipfile.ZipFile(packed) as archive:
            entries = archive.infolist()
            if archive.getinfo(ABOUT).file_size > _MOST_ABOUT_BYTES:
                raise UsageError(wrong)
            about = json.loads(archive.read(ABOUT))
            names = [entry.filename for entry in entries if entry.filename != ABOUT]
            size = sum(entry.file_size for entry in entries)
            if not isinstance(about, dict) or CONFIG not in names or not all(map(_known, names)):
                raise UsageError(wrong)
            if about.get("backup") != VERSION:
                raise UsageError(
                    text("{packed} was written by a newer version: update this table first", packed=packed)
                )
            if len(entries) > _MOST_FILES or size > _MOST_BYTES:
                raise UsageError(wrong)
            for name in names:
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                with archive.open(name) as source, (folder / name).open("wb") as file:
                    shutil.copyfileobj(source, file)
    except _DAMAGED as error:
        raise UsageError(wrong) from error
    except OSError as error:
        if error.errno in (None, errno.EINVAL):  # a place before the beginning, or data that cannot be decompressed
            raise UsageError(wrong) from error
        raise
    return names


def _known(name: str) -> bool:
    """Return whether a backup may have a file of this name; no path that leads elsewhere is one of them."""
    return name in (CONFIG, JOURNAL) or _FILE.fullmatch(name) is not None


def _checked(fresh: Path, config_path: Path) -> TableConfig:
    """Check the unpacked files; return the configuration as it will be at `config_path`."""
    read_config(fresh / CONFIG)
    if (fresh / JOURNAL).exists():
        with closing(Journal(fresh / JOURNAL, thorough=True)) as journal:
            journal.check()
    written = (fresh / CONFIG).read_text("utf-8-sig")
    try:
        return checked_config(config_path, written, tomllib.loads(written))
    except ConfigError:
        return read_config(fresh / CONFIG)


def _put(new: Path, path: Path) -> list[Path]:
    """Put a file in its place; return the copy of the one that was there, if it was another."""
    content = new.read_bytes()
    kept = []
    if path.exists() and (old := path.read_bytes()) != content:
        before = path.with_name(path.name + BEFORE)
        store(before, old)
        kept = [before]
    path.parent.mkdir(parents=True, exist_ok=True)
    store(path, content)
    return kept


def _put_journal(new: Path, path: Path) -> list[Path]:
    """Put a journal in its place, without the log of the old one; return the copy of that."""
    path.parent.mkdir(parents=True, exist_ok=True)
    kept = []
    if path.exists():
        before = path.with_name(path.name + BEFORE)
        before.unlink(missing_ok=True)
        _copy_journal(path, before)
        before.chmod(0o600)
        kept = [before]
        with closing(sqlite3.connect(path, isolation_level=None)) as old:
            old.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        for ending in ("-wal", "-shm"):
            path.with_name(path.name + ending).unlink(missing_ok=True)
    fresh = path.with_name(f"{path.name}.new")
    shutil.copyfile(new, fresh)
    fresh.chmod(0o600)
    with fresh.open("rb") as file:
        os.fsync(file.fileno())
    os.replace(fresh, path)
    return kept


# A backup that is put back from a page: it waits beside the configuration until the table is opened again.
#
# Only then nothing has the journal open. A power cut in between loses nothing: the next start puts it back.

_LOG: Final = logging.getLogger(__name__)
_WAITING: Final = ".waiting-backup.zip"


def waiting_path(config: Path) -> Path:
    """Return where the backup waits."""
    return config.with_name(_WAITING)


def queue_restore(packed: Path, config: Path) -> None:
    """Check a backup and keep it until the table with this configuration is opened again.

    Raises `UsageError` for a file that is not a backup, `CardtableError`.
    """
    check_backup(packed, config)
    waiting = waiting_path(config)
    fresh = waiting.with_suffix(".new")
    try:
        with (
            packed.open("rb") as source,
            open(fresh, "wb", opener=lambda name, flags: os.open(name, flags, 0o600)) as to,
        ):
            shutil.copyfileobj(source, to)
            to.flush()
            os.fsync(to.fileno())
        os.replace(fresh, waiting)
    except OSError as error:
        fresh.unlink(missing_ok=True)
        raise CardtableError(
            text("backup: {packed} cannot be put back: {why}", packed=packed, why=why(error))
        ) from error


def put_waiting_back(config: Path) -> Text | None:
    """Put the waiting backup back, and return what has happened; None if none waits.

    A backup that cannot be put back is given up: the table starts as it was.
    """
    waiting = waiting_path(config)
    if not waiting.exists():
        return None
    try:
        restore_backup(waiting, config)
    except CardtableError as error:
        _LOG.error("the backup is not put back: %s", error)
        done = text("the backup is not put back: {why}", why=str(error))
    else:
        done = text("the backup is put back; what was there is kept beside it, as .before")
    waiting.unlink(missing_ok=True)
    return done


# USB sticks that are plugged in, and the backups on them.
#
# The package mounts a stick by itself (udev rules of `cardtable.maintenance.install`); a desktop does so too. A stick
# is a USB or removable disk that is mounted below /media, /run/media or /mnt.

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
