"""The journal's file on the disk: private, synced, and still where and as long as it was.

SQLite keeps a write-ahead log beside the file (`-wal`), which holds the last transactions. Both belong together: if
either is moved or deleted while it is open, SQLite writes on into files that no path leads to.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from cardtable.play.journal_errors import JournalError, at
from engine.texts import text

PRIVATE: Final = 0o600
"""Mode of the journal and its log: they hold the cards of hands that RFID readers know."""

_BESIDE: Final = ("-wal", "-shm")


class _File(NamedTuple):
    """`changed`: when it was written last, in nanoseconds since 1970."""

    device: int
    inode: int
    size: int
    changed: int


class Place:
    """Where the journal and its write-ahead log are on the disk, and how long they are. `path`: that of the journal."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._log = beside(path)[0]
        self._files = self._found()

    def is_lost(self) -> bool:
        """Return whether another file or none is at the path of either, or one was cut off.

        While the journal is open, SQLite does not make it shorter, except by a `VACUUM`. The log becomes shorter if
        another program has copied all of it into the journal, which is then written.
        """
        return self._differs(self._found())

    def written(self) -> None:
        """Note how long both are after a transaction, unless they are lost."""
        now = self._found()
        if not self._differs(now):
            self._files = now

    def _differs(self, now: tuple[_File | None, _File | None]) -> bool:
        noted = self._files
        if any(map(_is_another, now, noted)):
            return True
        cut_off = [
            new is not None and old is not None and new.size < old.size for new, old in zip(now, noted, strict=True)
        ]
        copied = now[0] is not None and noted[0] is not None and now[0].changed != noted[0].changed
        return cut_off[0] or (cut_off[1] and not copied)

    def _found(self) -> tuple[_File | None, _File | None]:
        return _found(self._path), _found(self._log)


def make_private(path: Path) -> None:
    """Create the file with mode 0600 if there is none; take from an older one all rights of group and others.

    Raises `OSError` if it cannot be created, and `JournalError` if it is a folder. The rights of another user's file
    stay as they are.
    """
    if path.is_dir():
        raise JournalError(at(path, text("this is a folder: name a file, for example journal.sqlite")))
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, PRIVATE))
        _sync_folder(path.parent)
    for each in (path, *beside(path)):
        with suppress(OSError):
            mode = each.stat().st_mode
            if each.is_file() and mode & 0o077:
                each.chmod(mode & 0o7700)


def close_moved(database: sqlite3.Connection) -> None:
    """Close `database`, whose file or log was moved, deleted or cut off; a moved file is then complete without its log.

    SQLite itself neither writes the log into such a file when it is closed, nor deletes the log at the path, which may
    be that of another file by then.
    """
    with suppress(sqlite3.Error):
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with suppress(sqlite3.Error):
        database.close()


def beside(path: Path) -> tuple[Path, ...]:
    """Return the paths of the write-ahead log and its index; SQLite puts them beside the file that a link leads to."""
    real = Path(os.path.realpath(path))
    return tuple(real.with_name(real.name + ending) for ending in _BESIDE)


def _is_another(now: _File | None, before: _File | None) -> bool:
    """Return whether a file is not the same as before; None stands for no file."""
    if now is None or before is None:
        return now is not before
    return (now.device, now.inode) != (before.device, before.inode)


def _found(path: Path) -> _File | None:
    try:
        state = os.stat(path)
    except OSError:
        return None
    return _File(state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns)


def _sync_folder(folder: Path) -> None:
    """Write the folder to disk: a new file survives a power cut only if its directory entry does."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
