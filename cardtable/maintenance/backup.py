"""Back up a table to a ZIP file, restore a backup, and find the backups on USB sticks.

A backup holds the journal (games, players, corrections), `table.toml`, calibrations, tags, learned decks and described
games. It does not hold paired phones and the PIN, keys of plug-ins, pictures, the secrets in `table.toml`, or the known
hands of a deal that is not over: that deal goes on with hidden hands. SQLite copies the journal, also while the table
is running.

    backup.json      {"backup": 1}
    table.toml       the configuration
    journal.sqlite   the journal
    files/…          files beside the configuration: camera.calibration.json, tags.json, decks/…, games/…

While a table is running, its journal is open and cannot be replaced. `queue_restore` therefore keeps a backup beside
the configuration until the table is opened again, and `restore_waiting` restores it then.

A backup is restored in two steps, so that it may be interrupted anywhere. First each new file is written beside the one
that it replaces, and a plan beside the configuration. From then on each old file is set aside and the new one gets its
name; the plan is deleted last. As long as there is one, the next start goes on with it.

A stick is a USB or removable disk that is mounted below /media, /run/media or /mnt. The Debian package mounts sticks
itself (udev rules of `cardtable.maintenance.install`), as a desktop does.
"""

from __future__ import annotations

import errno
import fcntl
import filecmp
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
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import Any, Final, NamedTuple

from cardtable.config.decks import FOLDER, SUFFIX
from cardtable.config.load import add_games, read_config
from cardtable.doctor.finding import Machine
from cardtable.errors import CardtableError, UsageError, why
from cardtable.files import MAX_BYTES
from cardtable.journal.aside import free_name, refuse_lone_log, rename_with_log
from cardtable.journal.file import ADVICE, JournalError, as_journal_errors, at, beside, store_checksum
from cardtable.journal.games import Games, forget_summary, store_summaries, with_hidden_hands
from cardtable.journal.journal import Journal, dumps, insert_actions
from cardtable.journal.schema import forget_identity
from cardtable.maintenance.transfer import Adopted, adopted, own_text, public_config
from engine.texts import Text, commas, text
from vision.atomic_files import replacing, store, sync_folder, zip_entry

VERSION: Final = 1
ABOUT, CONFIG, JOURNAL, FILES = "backup.json", "table.toml", "journal.sqlite", "files"
BESIDE: Final = ("*.calibration.json", "tags*.json", f"{FOLDER}/*{SUFFIX}", "games/*.toml")
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
_END: Final = b"PK\5\6"
_MAX_END_BYTES: Final = 66_000
"""How the end of an archive begins, and how long it is at most, with a comment."""
_MAX_LIST_BYTES: Final = 500_000
"""Length of the list of some 5000 files in an archive."""
_MAX_ABOUT_BYTES: Final = 1_000_000
_MAX_BYTES: Final = 4_000_000_000
_COPIES: Final = 2
"""Each file is unpacked, and then copied beside the one that it replaces."""
_WAITING: Final = ".waiting-backup.zip"
_TAKEN: Final = ".taken-backup.zip"
"""The waiting backup while it is restored. Another one may be chosen meanwhile, which waits then."""
_PLAN: Final = ".restoring.json"
UNFINISHED: Final = (".restore-", ".received-", ".backup-", ".salvage-", f"{_PLAN}.new", f"{_WAITING}.new")
"""How unfinished files and folders begin: restored, received from a page, saved, salvaged; a plan; a backup."""
RUNNING: Final = text(
    "backup: the table is running: stop it first (sudo systemctl stop cardtable), then restore the backup"
)
TWICE: Final = text(
    "another table runs with the same configuration: close it first, or name another configuration with -c FILE"
)
_SHM_LOCK: Final = 128
"""The byte of a journal's index (`-shm`) that every program locks as long as it has the journal open."""
_LOCK_TRIES: Final = 10
_LOCK_PAUSE_S: Final = 0.1
_LOG: Final = logging.getLogger(__name__)


class _InUse(CardtableError):
    """Another program has the journal open."""


class Written(NamedTuple):
    """A backup that was written to `path`, with the `names` of the files in it.

    `left_out`: why damaged games are not in it; they stay in the journal.
    """

    path: Path
    names: list[str]
    left_out: list[str]

    def warnings(self) -> list[Text]:
        """Return what to say about the games that are left out."""
        return [text("Left out of the backup: {why}.", why=why) for why in self.left_out]


class Restored(NamedTuple):
    """The outcome of a restored backup. `kept`: the previous files; `own`: the keys that stay the machine's own."""

    kept: tuple[Path, ...]
    own: tuple[str, ...]

    def kept_keys(self) -> Text:
        """Return which keys stay the machine's own."""
        return text("these keys of table.toml stay as they are on this machine: {keys}", keys=commas(self.own))

    def message(self) -> Text:
        """Return what to say about it."""
        done = text("the backup was restored; the previous files are kept beside it, as .aside-1 and so on")
        if not self.own:
            return done
        return text("{done}; {own}", done=done, own=self.kept_keys())


def write_backup(config_path: Path, output: Path) -> Written:
    """Write a backup of the table with this configuration to `output`, mode 0600; return what it holds.

    Raises `ConfigError`, and `CardtableError` if something cannot be read or written. `output` is then left unchanged.
    """
    config = read_config(config_path)
    refuse_lone_log(config.journal)  # the backup would lack its games
    left_out: list[str] = []
    try:
        # A stick may have little room, and file systems on which SQLite cannot work.
        folders = [each for each in (config.journal.parent, output.parent) if os.access(each, os.W_OK)]
        most = max(folders, key=lambda each: shutil.disk_usage(each).free, default=output.parent)
        with tempfile.TemporaryDirectory(dir=most, prefix=UNFINISHED[2]) as name:
            folder = Path(name)
            written, named = public_config(config_path)
            store(folder / CONFIG, written.encode(), 0o600)
            parts = [(CONFIG, folder / CONFIG)]
            parts += [(f"{FILES}/{each}", path) for each, path in (*files(config_path.parent), *named.items())]
            if config.journal.exists():
                left_out = _copy_journal(config.journal, folder / JOURNAL)
                parts.append((JOURNAL, folder / JOURNAL))
            with replacing(output, 0o600) as file, zipfile.ZipFile(file, "w") as packed:
                packed.writestr(zip_entry(ABOUT), json.dumps({"backup": VERSION}))
                for name, path in parts:
                    with path.open("rb") as source, packed.open(zip_entry(name), "w", force_zip64=True) as entry:
                        shutil.copyfileobj(source, entry)
    except (OSError, sqlite3.Error) as error:
        reason = why(error) if isinstance(error, OSError) else str(error)
        raise CardtableError(text("backup: {output} cannot be written: {why}", output=output, why=reason)) from error
    return Written(output, [name for name, _ in parts], left_out)


def files(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield the files beside the configuration in `folder` that are saved, each with its path relative to it."""
    for pattern in BESIDE:
        for path in sorted(folder.glob(pattern)):
            if path.is_file() and not path.name.startswith("."):
                yield path.relative_to(folder).as_posix(), path


def _copy_journal(path: Path, to: Path) -> list[str]:
    """Copy a consistent state of a journal, including its write-ahead log, without hidden cards; mode 0600.

    Return why games are left out.

    Raises `sqlite3.Error`, `OSError`.
    """
    os.close(os.open(to, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    with (
        closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as source,
        closing(sqlite3.connect(to, isolation_level=None)) as copy,
    ):
        source.backup(copy)
        copy.execute("PRAGMA journal_mode = DELETE")
        copy.execute("BEGIN")
        left_out = [_hide_hands(copy, path, entry.id) for entry in Games(copy, path).entries(over=False)]
        copy.execute("COMMIT")
        copy.execute("VACUUM")  # what was deleted is otherwise still in the file
        forget_identity(copy)
        return [why for why in left_out if why]


def _hide_hands(database: sqlite3.Connection, path: Path, number: int) -> str | None:
    """Hide the hands of the present deal of a game that is not over, and delete corrections of them: it can go on.

    `database`: a copy of the journal at `path`. Return what is left out, and why: a game that is damaged, so that its
    hands are not known, is deleted.
    """
    games = Games(database, path)
    try:
        if not games.read(number).names_hands:
            return None
        game, table = games.replayed(number)
        times = {id(action): time for action, time in zip(game.actions, games.times(number), strict=True)}
        header, at, rows = games.raw(number)[0], game.started, list[tuple[str, float]]()
        actions, whole = with_hidden_hands(table, table.hand_starts[-1])
        for action in actions:
            at = times.get(id(action), at)
            rows.append((dumps(action.to_json()), at))
        _delete_rows(database, number)
        insert_actions(database, number, rows, 0)
        store_checksum(database, number, header, [action for action, _ in rows], over=False)
        store_summaries(database, [games.summary(number)])
    except JournalError as error:
        _LOG.warning("left out of the backup: %s", error)
        _delete_rows(database, number)
        database.execute("DELETE FROM game WHERE id = ?", (number,))
        return str(error)
    missing = "the last actions of game {number}, which the rules allow with known hands only"
    return None if whole else text(missing, number=number)


def _delete_rows(database: sqlite3.Connection, number: int) -> None:
    """Delete everything about a game but that it was begun."""
    forget_summary(database, number)
    for table in ("action", "correction", "checksum"):
        database.execute(f"DELETE FROM {table} WHERE game = ?", (number,))


# Restoring.


def restore_backup(packed: Path, config_path: Path) -> Restored:
    """Restore the backup `packed`, with `config_path` as its configuration.

    Everything is checked first. A replaced file stays beside the new file, as `.aside-1` and so on. The table must
    not be running. Raises `UsageError` for a file that is not a backup, and `CardtableError`.
    """
    with _alone(config_path), _locked(_lock_path(config_path), RUNNING):
        _restore_waiting(config_path)
        return _restore(packed, config_path)


def _alone(config: Path) -> AbstractContextManager[None]:
    """Wait until no other program restores a backup in the folder of the configuration."""
    return _locked(config.resolve().parent, None)


@contextmanager
def _locked(path: Path, refusal: Text | None) -> Iterator[None]:
    """Lock a file or a folder for this program, if it exists and the file system has locks.

    If another one has locked it, wait, or raise `CardtableError` with the `refusal`.
    """
    with ExitStack() as stack:
        try:
            file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
            stack.callback(os.close, file)
            fcntl.flock(file, fcntl.LOCK_EX | (fcntl.LOCK_NB if refusal else 0))
        except BlockingIOError as error:
            raise CardtableError(refusal or "") from error
        except OSError as error:
            _LOG.info("%s cannot be locked: %s", path, error)
        yield


def _lock_path(config: Path) -> Path:
    """Return the path of the file that is locked while a table runs with this configuration; it is never replaced."""
    config = config.resolve()
    return config.with_name(f"{config.name}-lock")


@contextmanager
def in_use(config: Path) -> Iterator[Text | None]:
    """Restore the waiting backup as `restore_waiting` does, and yield its message; then let no other program do it.

    Raises `CardtableError`, also if another table runs with this configuration.
    """
    with ExitStack() as stack:
        with _alone(config):
            with suppress(OSError):
                _lock_path(config).touch()
            stack.enter_context(_locked(_lock_path(config), TWICE))
            outcome = _restore_waiting(config)
        yield outcome


def _restore(packed: Path, config_path: Path) -> Restored:
    try:
        with _unpacked(packed, config_path) as (fresh, names, new):
            _refuse_while_open(new.config.journal)
            parts = [(fresh / JOURNAL, new.config.journal)] if JOURNAL in names else []
            parts += [(fresh / CONFIG, config_path)]
            for name in names:
                if name.startswith(f"{FILES}/"):
                    parts.append((fresh / name, config_path.parent / PurePosixPath(name).relative_to(FILES)))
            _write_plan(config_path, parts, new.own)
        return _carry_out(config_path)
    except OSError as error:
        halfway = _plan_path(config_path).exists()
        raise (_half_restored(error) if halfway else _not_restored(packed, error)) from error


def check_backup(packed: Path, config_path: Path) -> None:
    """Check whether `packed` can be restored, with `config_path` as its configuration, without changing anything.

    Raises `UsageError` for a file that is not a backup, and `CardtableError`.
    """
    with _unpacked(packed, config_path):
        pass


@contextmanager
def _unpacked(packed: Path, config_path: Path) -> Iterator[tuple[Path, list[str], Adopted]]:
    """Unpack and check a backup; yield the folder, the names of the files in it, and the configuration.

    The folder is deleted at the end. Errors within the `with` block are raised as `CardtableError`.
    """
    try:
        with tempfile.TemporaryDirectory(dir=config_path.parent, prefix=UNFINISHED[0]) as folder:
            fresh = Path(folder)
            yield fresh, _unpack(packed, fresh), _checked(fresh, config_path)
    except (OSError, sqlite3.Error) as error:
        raise _not_restored(packed, error) from error


def _not_restored(packed: Path, error: OSError | sqlite3.Error) -> CardtableError:
    reason = why(error) if isinstance(error, OSError) else str(error)
    return CardtableError(text("backup: {packed} cannot be restored: {why}", packed=packed, why=reason))


def _unpack(packed: Path, folder: Path) -> list[str]:
    """Unpack a backup into `folder`; return the names in it. Raises `UsageError`, `OSError`."""
    from vision.image_files import is_regular  # loads OpenCV, which safe mode must not need

    wrong = text("{packed} is not a backup of a table: name a file written by cardtable backup", packed=packed)
    try:
        if not is_regular(packed):
            raise UsageError(wrong)
        if _list_bytes(packed) > _MAX_LIST_BYTES:
            raise UsageError(wrong)
        with zipfile.ZipFile(packed) as archive:
            entries = archive.infolist()
            if archive.getinfo(ABOUT).file_size > _MAX_ABOUT_BYTES:
                raise UsageError(wrong)
            about = json.loads(archive.read(ABOUT))
            names = [entry.filename for entry in entries if entry.filename != ABOUT]
            size = sum(entry.file_size for entry in entries)
            if not isinstance(about, dict) or CONFIG not in names:
                raise UsageError(wrong)
            if about.get("backup") != VERSION:
                raise UsageError(
                    text("{packed} was written by a newer version: update this table first", packed=packed)
                )
            large = any(entry.file_size > MAX_BYTES and entry.filename != JOURNAL for entry in entries)
            if not all(map(_is_expected, names)) or len(set(names)) < len(names) or large or size > _MAX_BYTES:
                raise UsageError(wrong)
            if size * _COPIES > shutil.disk_usage(folder).free:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            for name in names:
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                # Names that differ in case only are one file on some disks.
                with archive.open(name) as source, (folder / name).open("xb") as file:
                    shutil.copyfileobj(source, file)
    except _DAMAGED as error:
        raise UsageError(wrong) from error
    except OSError as error:
        if error.errno in (None, errno.EINVAL):  # a negative offset, or data that cannot be decompressed
            raise UsageError(wrong) from error
        raise
    return names


def _list_bytes(packed: Path) -> int:
    """Return the length of the list of files in an archive, in bytes, which is read whole when it is opened."""
    with packed.open("rb") as file:
        file.seek(max(0, packed.stat().st_size - _MAX_END_BYTES))
        end = file.read()
    at = end.rfind(_END)
    return int.from_bytes(end[at + 12 : at + 16], "little") if at >= 0 else 0


def _is_expected(name: str) -> bool:
    """Return whether a backup may contain a file of this name. No path that leads elsewhere is allowed."""
    known = (CONFIG, JOURNAL, *(f"{FILES}/{pattern}" for pattern in BESIDE))
    return any(name.count("/") == pattern.count("/") and fnmatchcase(name, pattern) for pattern in known)


def _checked(fresh: Path, config_path: Path) -> Adopted:
    """Check the unpacked files, and return the configuration as this machine takes it over."""
    add_games(fresh / FILES)
    read_config(fresh / CONFIG)
    if (fresh / JOURNAL).exists():
        _refuse_programs(fresh / JOURNAL)
        with closing(Journal(fresh / JOURNAL, thorough=True)) as journal:
            journal.check()
    new = adopted((fresh / CONFIG).read_text("utf-8-sig"), config_path)
    (fresh / CONFIG).write_text(new.text, "utf-8")
    return new


def _refuse_programs(journal: Path) -> None:
    """Raise `JournalError` if a journal has triggers or views, which SQLite would run when it is written or read."""
    query = "SELECT count(*) FROM sqlite_schema WHERE type IN ('trigger', 'view')"
    uri = f"{journal.resolve().as_uri()}?mode=ro"
    with as_journal_errors(journal), closing(sqlite3.connect(uri, uri=True)) as database:
        if database.execute(query).fetchone()[0]:
            raise JournalError(at(journal, ADVICE["SQLITE_NOTADB"]))


def _refuse_while_open(journal: Path) -> None:
    """Raise `_InUse` if another program has the journal open, for longer than it takes to read something."""
    try:
        index = os.open(beside(journal)[1], os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        for left in reversed(range(_LOCK_TRIES)):
            try:
                fcntl.lockf(index, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _SHM_LOCK)
                return
            except (BlockingIOError, PermissionError) as error:
                if not left:
                    raise _InUse(RUNNING) from error
                time.sleep(_LOCK_PAUSE_S)
    finally:
        os.close(index)


def _plan_path(config: Path) -> Path:
    return config.with_name(_PLAN)


def _write_plan(config: Path, parts: list[tuple[Path, Path]], own: tuple[str, ...]) -> None:
    """Write each new file beside the one that it replaces, and last the plan. `parts`: new files and their places."""
    plan: list[tuple[str, str, str]] = []
    try:
        for new, place in parts:
            target = place.resolve()  # a symbolic link stays
            if new.name != JOURNAL and target.exists() and filecmp.cmp(new, target, shallow=False):
                continue
            if not target.parent.exists():
                target.parent.mkdir(parents=True)
                sync_folder(target.parent.parent)
            part = target.with_name(f"{UNFINISHED[0]}{len(plan)}")
            plan.append((str(part), str(target), str(free_name(target))))
            _copy(new, part, target)
            sync_folder(target.parent)
        store(_plan_path(config), json.dumps({"files": plan, "own": own}).encode(), 0o600)
    except BaseException:
        for unused, _, _ in plan:
            Path(unused).unlink(missing_ok=True)
        raise


def _copy(new: Path, part: Path, target: Path) -> None:
    """Copy a file, with the owner and the mode of the one that it will replace: 0600 if there is none."""
    state = (target if target.exists() else target.parent).stat()
    with new.open("rb") as source, open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        shutil.copyfileobj(source, file)
        os.fchmod(file.fileno(), state.st_mode & 0o777 if target.exists() else 0o600)
        if os.geteuid() == 0:
            os.fchown(file.fileno(), state.st_uid, state.st_gid)
        file.flush()
        os.fsync(file.fileno())


def _carry_out(config: Path) -> Restored:
    """Do what is left of the plan, and delete it. Raises `OSError`; the plan then says what is left to do."""
    try:
        plan = json.loads(_plan_path(config).read_text("utf-8"))
        parts = [tuple(map(Path, each)) for each in plan["files"]]
    except ValueError as error:  # the disk has damaged it
        _plan_path(config).unlink()
        raise OSError(errno.EIO, os.strerror(errno.EIO), str(_plan_path(config))) from error
    for part, target, kept in parts:
        if part.exists():
            rename_with_log(target, free_name(target) if target.exists() and kept.exists() else kept)
            part.rename(target)
            sync_folder(target.parent)
    # The backup first: without a plan, it would be restored again.
    config.with_name(_TAKEN).unlink(missing_ok=True)
    sync_folder(config.resolve().parent)
    _plan_path(config).unlink()
    sync_folder(config.resolve().parent)
    return Restored(tuple(kept for _, _, kept in parts if kept.exists()), tuple(plan["own"]))


def _half_restored(error: OSError) -> CardtableError:
    message = "a backup is only half restored ({why}): this goes on at the next start, if the disk allows it"
    return CardtableError(text(message, why=why(error)))


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

    A restore that was interrupted goes on. A backup that cannot be restored is discarded, and the table starts as it
    was; it goes on waiting while another program has the journal open. What was left unfinished by other programs is
    deleted. Raises `CardtableError` if a backup is only half restored: journal and configuration may not belong
    together, so the table must not start.
    """
    with in_use(config) as outcome:
        return outcome


def _restore_waiting(config: Path) -> Text | None:
    plan, taken, waiting, outcome = _plan_path(config), config.with_name(_TAKEN), waiting_path(config), None
    try:
        while plan.exists() or taken.exists() or waiting.exists():
            if not plan.exists() and not taken.exists():
                waiting.rename(taken)
            outcome = (_carry_out(config) if plan.exists() else _restore(taken, config)).message()
    except (CardtableError, OSError) as error:
        if plan.exists():
            raise (_half_restored(error) if isinstance(error, OSError) else error) from error
        _LOG.error("the backup was not restored: %s", error)
        reason = why(error) if isinstance(error, OSError) else str(error)
        outcome = text("the backup was not restored: {why}", why=reason)
        if not isinstance(error, _InUse):
            taken.unlink(missing_ok=True)
    _delete_unfinished(config)
    return outcome


def _delete_unfinished(config: Path) -> None:
    """Delete what a power cut has left of files and folders that were being received, unpacked or restored."""
    folders = {config.parent, config.parent / FOLDER, config.parent / "games"}
    with suppress(tomllib.TOMLDecodeError, TypeError):
        folders.add((config.parent / tomllib.loads(own_text(config)).get("journal", "")).parent)
    found = [path for folder in folders for start in UNFINISHED for path in folder.glob(f"{start}*")]
    for path in (*found, *(path for kind in (config.name, *BESIDE) for path in config.parent.glob(f"{kind}.new"))):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            with suppress(OSError):
                path.unlink()


# USB sticks.


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
        """Return the latest backups on the stick, newest first; none if it was pulled out."""
        with suppress(OSError):
            return sorted(self.place.glob(_BACKUPS), key=lambda path: path.name, reverse=True)[:_MAX_LISTED]
        return []


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


def save_on(stick: Stick, config: Path) -> Written:
    """Write a backup of the table with this configuration to the stick, and wait until it can be unplugged safely.

    Raises `CardtableError`.
    """
    if not stick.writable:
        raise CardtableError(text("The stick {label} is not writable: try another one.", label=stick.label))
    output, number = stick.place / time.strftime(_NAME), 1
    with suppress(OSError):  # pulled out: this is found while it is written
        for unfinished in stick.place.glob(f"{UNFINISHED[2]}*"):  # it was unplugged too early
            shutil.rmtree(unfinished, ignore_errors=True)
        for unfinished in stick.place.glob(f"{_BACKUPS}.new"):
            unfinished.unlink()
        while os.path.lexists(output):  # a clock without a battery may show the same second again
            number += 1
            output = output.with_name(f"{time.strftime(_NAME).removesuffix('.zip')}-{number}.zip")
    written = write_backup(config, output)
    os.sync()
    return written


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
