"""Back up a table to a ZIP file, restore a backup, and find the backups on USB sticks.

A backup holds the journal (games, players, corrections), `table.toml`, calibrations, tags, learned decks and described
games. It does not hold paired phones and the PIN, keys of plug-ins, or pictures. SQLite copies the journal, also while
the table is running.

    backup.json      {"backup": 1}
    table.toml       the configuration
    journal.sqlite   the journal
    files/…          files beside the configuration: camera.calibration.json, tags.json, decks/…, games/…

While a table is running, its journal is open and cannot be replaced. `queue_restore` therefore keeps a backup beside
the configuration until the table is opened again, and `restore_waiting` restores it then, also after a power cut.

A stick is a USB or removable disk that is mounted below /media, /run/media or /mnt. The Debian package mounts sticks
itself (udev rules of `cardtable.maintenance.install`), as a desktop does.
"""

from __future__ import annotations

import errno
import json
import logging
import lzma
import os
import shutil
import sqlite3
import tempfile
import time
import tomllib
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import Any, Final

from cardtable.config.decks import FOLDER, SUFFIX
from cardtable.config.load import ConfigError, checked_config, read_config
from cardtable.config.model import TableConfig
from cardtable.doctor.finding import Machine
from cardtable.errors import CardtableError, UsageError, why
from cardtable.journal.aside import refuse_lone_log
from cardtable.journal.journal import Journal
from engine.texts import Text, text
from vision.atomic_files import replacing, store

VERSION: Final = 1
ABOUT, CONFIG, JOURNAL, FILES = "backup.json", "table.toml", "journal.sqlite", "files"
_BESIDE: Final = ("*.calibration.json", "tags*.json", f"{FOLDER}/*{SUFFIX}", "games/*.toml")
"""The files beside the configuration that are saved; in the backup they are in the folder `FILES`."""
_DAMAGED: Final = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    KeyError,
    ValueError,
    EOFError,
    RuntimeError,  # an encrypted file, an unknown compression, or JSON that is nested too deeply
)
"""Errors raised while reading a damaged archive."""
_MAX_FILES: Final = 2000
_MAX_ABOUT_BYTES: Final = 1_000_000
_MAX_BYTES: Final = 4_000_000_000
BEFORE: Final = ".before"
"""Suffix of the previous files, which are kept when a backup is restored."""
_WAITING: Final = ".waiting-backup.zip"
_LOG: Final = logging.getLogger(__name__)


def write_backup(config_path: Path, output: Path) -> list[str]:
    """Write a backup of the table with this configuration to `output`, mode 0600; return the names in it.

    Raises `ConfigError`, and `CardtableError` if something cannot be read or written. `output` is then left unchanged.
    """
    config = read_config(config_path)
    refuse_lone_log(config.journal)  # the backup would lack its games
    try:
        with tempfile.TemporaryDirectory(dir=output.parent) as folder:
            parts = [(CONFIG, config_path), *((f"{FILES}/{name}", path) for name, path in _files(config_path.parent))]
            if config.journal.exists():
                _copy_journal(config.journal, Path(folder) / JOURNAL)
                parts.append((JOURNAL, Path(folder) / JOURNAL))
            with replacing(output, 0o600) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
                packed.writestr(ABOUT, json.dumps({"backup": VERSION}))
                for name, path in parts:
                    packed.write(path, name)
    except (OSError, sqlite3.Error) as error:
        reason = why(error) if isinstance(error, OSError) else str(error)
        raise CardtableError(text("backup: {output} cannot be written: {why}", output=output, why=reason)) from error
    return [name for name, _ in parts]


def restore_backup(packed: Path, config_path: Path) -> list[Path]:
    """Restore the backup `packed`, with `config_path` as its configuration; return the copies of replaced files.

    Everything is checked first. The copy of a replaced file lies beside the new file, with the suffix `.before`. The
    table must not be running. Raises `UsageError` for a file that is not a backup, and `CardtableError`.
    """
    with _unpacked(packed, config_path) as (fresh, names, config):
        kept = [*_put(fresh / CONFIG, config_path)]
        for name in names:
            if name.startswith(f"{FILES}/"):
                kept += _put(fresh / name, config_path.parent / PurePosixPath(name).relative_to(FILES))
        if JOURNAL in names:
            kept += _put_journal(fresh / JOURNAL, config.journal)
    return kept


def check_backup(packed: Path, config_path: Path) -> None:
    """Check whether `packed` can be restored, with `config_path` as its configuration, without changing anything.

    Raises `UsageError` for a file that is not a backup, and `CardtableError`.
    """
    with _unpacked(packed, config_path):
        pass


@contextmanager
def _unpacked(packed: Path, config_path: Path) -> Iterator[tuple[Path, list[str], TableConfig]]:
    """Unpack and check a backup; yield the folder, the names of the files in it, and the configuration.

    The folder is deleted at the end. Errors within the `with` block are raised as `CardtableError`.
    """
    try:
        with tempfile.TemporaryDirectory(dir=config_path.parent, prefix=".restore-") as folder:
            fresh = Path(folder)
            yield fresh, _unpack(packed, fresh), _checked(fresh, config_path)
    except (OSError, sqlite3.Error) as error:
        raise _not_restored(packed, error) from error


def _not_restored(packed: Path, error: OSError | sqlite3.Error) -> CardtableError:
    reason = why(error) if isinstance(error, OSError) else str(error)
    return CardtableError(text("backup: {packed} cannot be restored: {why}", packed=packed, why=reason))


def _files(folder: Path) -> Iterator[tuple[str, Path]]:
    for pattern in _BESIDE:
        for path in sorted(folder.glob(pattern)):
            if path.is_file():
                yield path.relative_to(folder).as_posix(), path


def _copy_journal(path: Path, to: Path) -> None:
    """Copy a consistent state of a journal, including its write-ahead log; mode 0600. Raises `sqlite3.Error`."""
    with (
        closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as source,
        closing(sqlite3.connect(to)) as copy,
    ):
        source.backup(copy)
    to.chmod(0o600)


def _unpack(packed: Path, folder: Path) -> list[str]:
    """Unpack a backup into `folder`; return the names in it. Raises `UsageError`, `OSError`."""
    from vision.image_files import is_regular  # loads OpenCV, which safe mode must not need

    wrong = text("{packed} is not a backup of a table: name a file written by cardtable backup", packed=packed)
    try:
        if not is_regular(packed):
            raise UsageError(wrong)
        with zipfile.ZipFile(packed) as archive:
            entries = archive.infolist()
            if archive.getinfo(ABOUT).file_size > _MAX_ABOUT_BYTES:
                raise UsageError(wrong)
            about = json.loads(archive.read(ABOUT))
            names = [entry.filename for entry in entries if entry.filename != ABOUT]
            size = sum(entry.file_size for entry in entries)
            if not isinstance(about, dict) or CONFIG not in names or not all(map(_is_expected, names)):
                raise UsageError(wrong)
            if about.get("backup") != VERSION:
                raise UsageError(
                    text("{packed} was written by a newer version: update this table first", packed=packed)
                )
            if len(entries) > _MAX_FILES or size > _MAX_BYTES:
                raise UsageError(wrong)
            for name in names:
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                with archive.open(name) as source, (folder / name).open("wb") as file:
                    shutil.copyfileobj(source, file)
    except _DAMAGED as error:
        raise UsageError(wrong) from error
    except OSError as error:
        if error.errno in (None, errno.EINVAL):  # a negative offset, or data that cannot be decompressed
            raise UsageError(wrong) from error
        raise
    return names


def _is_expected(name: str) -> bool:
    """Return whether a backup may contain a file of this name. No path that leads elsewhere is allowed."""
    known = (CONFIG, JOURNAL, *(f"{FILES}/{pattern}" for pattern in _BESIDE))
    return any(name.count("/") == pattern.count("/") and fnmatchcase(name, pattern) for pattern in known)


def _checked(fresh: Path, config_path: Path) -> TableConfig:
    """Check the unpacked files, and return the configuration as it will be read from `config_path`."""
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
    """Move a file to `path`; return the copy of the previous file, if its content was different."""
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
    """Copy a journal to `path`, in one transaction; return the copy of the previous journal."""
    path.parent.mkdir(parents=True, exist_ok=True)
    kept = []
    if path.exists():
        kept = [path.with_name(path.name + BEFORE)]
        kept[0].unlink(missing_ok=True)
        _copy_journal(path, kept[0])
    _copy_journal(new, path)
    return kept


def waiting_path(config: Path) -> Path:
    """Return the path of the backup that waits to be restored."""
    return config.with_name(_WAITING)


def queue_restore(packed: Path, config: Path) -> None:
    """Check a backup, and keep it until the table with this configuration is opened again.

    Raises `UsageError` for a file that is not a backup, and `CardtableError`.
    """
    check_backup(packed, config)
    try:
        with packed.open("rb") as source, replacing(waiting_path(config), 0o600) as to:
            shutil.copyfileobj(source, to)
    except OSError as error:
        raise _not_restored(packed, error) from error


def restore_waiting(config: Path) -> Text | None:
    """Restore the waiting backup, and return a message about the outcome; None if no backup is waiting.

    A backup that cannot be restored is discarded, and the table starts as it was.
    """
    waiting = waiting_path(config)
    if not waiting.exists():
        return None
    try:
        restore_backup(waiting, config)
    except CardtableError as error:
        _LOG.error("the backup was not restored: %s", error)
        outcome = text("the backup was not restored: {why}", why=str(error))
    else:
        outcome = text("the backup was restored; the previous files are kept beside it, as .before")
    waiting.unlink(missing_ok=True)
    return outcome


_LSBLK: Final = ("lsblk", "--json", "--output", "PATH,LABEL,MOUNTPOINTS,RM,TRAN")
PLACES: Final = (Path("/media"), Path("/run/media"), Path("/mnt"))
_NAME: Final = "cardtable-backup-%Y%m%d-%H%M%S.zip"
_BACKUPS: Final = "cardtable-backup-*.zip"
_MAX_LISTED: Final = 12
"""Backups of a stick that are listed."""


@dataclass(frozen=True, slots=True)
class Stick:
    """A USB stick, mounted at `place`, with `free` bytes; `writable` by this user or not."""

    place: Path
    label: str
    free: int
    writable: bool

    def backups(self) -> list[Path]:
        """Return the latest backups on the stick, newest first."""
        return sorted(self.place.glob(_BACKUPS), key=lambda path: path.name, reverse=True)[:_MAX_LISTED]


def find_sticks(machine: Machine | None = None) -> list[Stick]:
    """Return the sticks that are plugged in."""
    listed = (machine or Machine()).run(_LSBLK)
    disks = json.loads(listed)["blockdevices"] if listed else []
    sticks = [disk for disk in disks if disk["rm"] or disk["tran"] == "usb"]
    return [found for disk in sticks for part in (disk, *disk.get("children", ())) for found in _mounted(part)]


def _mounted(part: dict[str, Any]) -> Iterator[Stick]:
    """Yield the disk or partition that lsblk describes as a stick, if it is mounted where sticks are."""
    for place in map(Path, filter(None, part["mountpoints"])):
        if any(place.is_relative_to(each) for each in PLACES):
            with suppress(OSError):  # pulled out
                free = shutil.disk_usage(place).free
                yield Stick(place, part["label"] or Path(part["path"]).name, free, os.access(place, os.W_OK))
            return


def save_on(stick: Stick, config: Path) -> Path:
    """Write a backup of the table with this configuration to the stick, and wait until it can be unplugged safely.

    Raises `CardtableError`.
    """
    if not stick.writable:
        raise CardtableError(text("The stick {label} is not writable: try another one.", label=stick.label))
    output = stick.place / time.strftime(_NAME)
    write_backup(config, output)
    os.sync()
    return output


def saved_at(backup: Path) -> float:
    """Return the time when a backup was written, in seconds since 1970.

    The time comes from the file name, because sticks store no time zone, or from the file if it was renamed. Raises
    `OSError` if the stick has been unplugged.
    """
    changed = backup.stat().st_mtime
    try:
        return time.mktime(time.strptime(backup.name, _NAME))
    except (ValueError, OverflowError):
        return changed
