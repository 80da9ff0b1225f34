"""The journal's file: locks, errors and advice, its place on the disk, and damage that SQLite overlooks."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import sqlite3
import struct
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, Literal, NamedTuple
from zlib import crc32

from cardtable.errors import CardtableError
from cardtable.journal.schema import NewerVersion, OlderVersion
from engine.texts import Text, text
from vision.atomic_files import sync_folder

# A lock for each game: only one program at a time plays it.
#
# Two programs that continue the same game would show different tables, and the journal would match only one of them. So
# a program that begins or resumes a game locks one byte, at the offset of the game's number, in a file beside the
# journal. The operating system releases the lock when the program ends, for whatever reason. The file stays empty.

BUSY_SECONDS: Final = 2.0
"""Longest wait for another program that has locked the file, seconds."""

CHECKED_WHOLE: Final = 16_000_000
"""Size of the largest file, in bytes, of which every page is checked at the start: this takes 0.2 s or less."""

_LOCKED: Final = (errno.EACCES, errno.EAGAIN)


class GameLocked(Exception):
    """Another program plays the game."""


class GameLock:
    """The locks that this program holds on games of the journal at `path`."""

    def __init__(self, path: Path) -> None:
        self._journal = path
        self._file: int | None = None

    def take(self, game: int) -> None:
        """Lock the game with this number in the journal. Raises `GameLocked`, or `OSError` for the lock file.

        On a file system without locks (`ENOLCK`) the game is played without one.
        """
        if self._file is None:
            path = self._journal.with_name(f"{self._journal.name}-lock")
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, game)
        except OSError as error:
            if error.errno in _LOCKED:
                raise GameLocked from error
            if error.errno != errno.ENOLCK:
                raise

    def release(self) -> None:
        """Release all locks."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


# Errors of the journal, each with what to do about it.

ADVICE: Final = {
    "SQLITE_FULL": text("the disk is full: make room, the game goes on by itself"),
    "SQLITE_IOERR": text("the disk cannot be written: check whether it is full or was removed"),
    "SQLITE_READONLY": text("the file or its folder is read-only: allow writing, or name another with --journal"),
    "SQLITE_PERM": text("you have no permission to open the file: change that, or name another with --journal"),
    "SQLITE_CANTOPEN": text("the file cannot be opened: check that its folder exists and can be written"),
    "SQLITE_BUSY": text("another program holds the file: close it"),
    "SQLITE_LOCKED": text("another program holds the file: close it"),
    "SQLITE_CONSTRAINT": text("another program writes the same game: close it, then start this one again"),
    "SQLITE_CORRUPT": text(
        "the file is damaged: move it away to begin a new one, but keep it, because its games may be recoverable"
    ),
    "SQLITE_NOTADB": text("the file is not a journal: move it away, or name another with --journal"),
}
"""What to do, by the beginning of SQLite's name of the error."""

_DAMAGED: Final = ("SQLITE_ERROR", "SQLITE_MISMATCH", "SQLITE_TOOBIG", "SQLITE_NOMEM")
"""Errors that our statements cause only in a damaged file: a table is missing, or exists already."""


class JournalError(CardtableError):
    """The journal cannot be read or written; the message says what to do."""


class JournalMoved(JournalError):
    """The file at the journal's path is no longer the one that is open."""


class UnreadableGame(JournalError):
    """One game of the journal cannot be read or replayed; the others can. `reason`: why, as part of a sentence."""

    def __init__(self, path: Path, number: int, reason: str) -> None:
        super().__init__(
            text("{path}: game {number} cannot be read ({why}); it stays stored", path=path, number=number, why=reason)
        )
        self.reason: Final = reason


@contextmanager
def as_journal_errors(path: Path) -> Iterator[None]:
    """Turn errors of SQLite, of the lock and of the file system into `JournalError`s that say what to do."""
    try:
        yield
    except sqlite3.Error as error:
        name = getattr(error, "sqlite_errorname", "")
        if name in _DAMAGED:
            raise JournalError(damaged(path, str(error))) from error
        advice = next((advice for start, advice in ADVICE.items() if name.startswith(start)), str(error))
        raise JournalError(at(path, advice)) from error
    except UnicodeDecodeError as error:  # in a message of SQLite about damaged tables
        raise JournalError(damaged(path, str(error))) from error
    except MemoryError as error:  # SQLite asks for the memory of a row of absurd length
        raise JournalError(damaged(path, text("a row is too long"))) from error
    except NewerVersion as error:
        raise JournalError(text("{path} was written by a newer cardtable: update this one", path=path)) from error
    except OlderVersion as error:
        message = (
            "{path} was written by a cardtable older than 0.2: open it once with cardtable 0.2, then with this one"
        )
        raise JournalError(text(message, path=path)) from error
    except GameLocked as error:
        raise JournalError(at(path, ADVICE["SQLITE_CONSTRAINT"])) from error
    except OSError as error:
        name = {errno.ENOSPC: "SQLITE_FULL", errno.ENOENT: "SQLITE_CANTOPEN", errno.ENOTDIR: "SQLITE_CANTOPEN"}.get(
            error.errno or 0, "SQLITE_READONLY"
        )
        raise JournalError(at(path, ADVICE[name])) from error


def at(path: Path, advice: str) -> Text:
    """Return `advice` with the file it concerns."""
    return text("{place}: {what}", place=path, what=advice)


def damaged(path: Path, why: str) -> Text:
    """Return what to do about a damaged file; `why`: what is wrong with it."""
    return text("{what} ({why})", what=at(path, ADVICE["SQLITE_CORRUPT"]), why=why)


# The journal's file on the disk: private, synced, and still where and as long as it was.
#
# SQLite keeps a write-ahead log beside the file (`-wal`), which holds the last transactions. If either is moved or
# deleted while it is open, SQLite goes on writing to files that no path leads to.

PRIVATE: Final = 0o600
"""Mode of the journal and its log: they hold the cards of hands that RFID readers know."""

_BESIDE: Final = ("-wal", "-shm", "-journal")


class _File(NamedTuple):
    """The state of a file. `changed`: when it was last written, in nanoseconds since 1970."""

    device: int
    inode: int
    size: int
    changed: int


class JournalFiles:
    """Where the journal at `path` and its write-ahead log are on the disk, and how long they are."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._log = beside(path)[0]
        self._files = self._found()

    def is_lost(self) -> bool:
        """Return whether either file was moved, deleted, replaced or truncated.

        While the journal is open, SQLite does not make it shorter, except by a `VACUUM`. The log becomes shorter if
        another program has copied all of it into the journal, which is then written.
        """
        return self._differs(self._found())

    def is_cut_off(self) -> bool:
        """Return whether the journal itself, at its place, was truncated."""
        now, noted = _found(self._path), self._files[0]
        return now is not None and noted is not None and not _is_another(now, noted) and now.size < noted.size

    def written(self) -> None:
        """Note the length of both files after a transaction, unless they are lost."""
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
    """Create the file with mode 0600 if it does not exist; otherwise remove all permissions of group and others.

    Raises `OSError` if it cannot be created, and `JournalError` if it is a folder. The permissions of another user's
    file stay as they are.
    """
    if path.is_dir():
        raise JournalError(at(path, text("this is a folder: name a file, for example journal.sqlite")))
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, PRIVATE))
        sync_folder(path.parent)
    for each in (path, *beside(path)[:2]):
        with suppress(OSError):
            mode = each.stat().st_mode
            if each.is_file() and mode & 0o077:
                each.chmod(mode & 0o7700)


def close_moved(database: sqlite3.Connection) -> None:
    """Close `database`, whose file or log was moved, deleted or truncated; a moved file is complete without its log.

    On its own, SQLite would not copy the log into such a file. Nor does it delete the log at the path, which may belong
    to another file by then.
    """
    with suppress(sqlite3.Error):
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with suppress(sqlite3.Error):
        database.close()


def beside(path: Path) -> tuple[Path, ...]:
    """Return the paths of the write-ahead log, its index, and the log of a database that has none of these.

    SQLite looks for them beside the target of a link.
    """
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


# Checksums.
#
# SQLite checks the structure of its file, not its content: a changed byte in a row can turn one card into another. Each
# game therefore has a checksum of its header and its actions. The frames of the write-ahead log have checksums, but
# SQLite takes the first wrong one for the end of the log, and silently ignores the transactions after it.

_Order = Literal["little", "big"]
_Sums = tuple[int, int]

_LOG_HEADER: Final = 32
_FRAME_HEADER: Final = 24
_PAGE_SIZES: Final = frozenset(1 << power for power in range(9, 17))
_MAGIC: Final[dict[int, _Order]] = {
    0x377F0682: "little",
    0x377F0683: "big",
}
"""The first four bytes of a log, and the byte order of its checksums (https://sqlite.org/fileformat2.html#walformat)."""


def store_checksum(database: sqlite3.Connection, game: int, header: str, actions: Sequence[str], over: bool) -> None:
    """Store the checksum of a game."""
    row = (game, len(actions), _checksum(header, actions, over))
    database.execute("INSERT OR REPLACE INTO checksum (game, actions, value) VALUES (?, ?, ?)", row)


def is_damaged(database: sqlite3.Connection, game: int, header: str, actions: Sequence[str], over: bool) -> bool:
    """Return whether the rows of a game do not match its checksum. Games of the oldest versions have no checksum."""
    row = database.execute("SELECT actions, value FROM checksum WHERE game = ?", (game,)).fetchone()
    return row is not None and row != (len(actions), _checksum(header, actions, over))


def has_stray_checksum(database: sqlite3.Connection) -> bool:
    """Return whether there is a checksum of a game that does not exist."""
    query = "SELECT game FROM checksum EXCEPT SELECT id FROM game"
    return database.execute(query).fetchone() is not None


def _checksum(header: str, actions: Iterable[str], over: bool) -> int:
    """Return the CRC-32 of a game as it is stored."""
    return crc32("\n".join([header, *actions, "over" if over else ""]).encode())


def keep_damaged_log(path: Path) -> Text | None:
    """Return what to report if the log of the journal at `path` has lost transactions, and keep a copy of the log.

    Call it before SQLite opens the journal and overwrites them.
    """
    log = beside(path)[0]
    # Twice, because another program may have been writing.
    if not (transactions_lost(log) and transactions_lost(log)):
        return None
    copy, number = log.with_name(f"{log.name}-damaged"), 1
    while copy.exists():
        number += 1
        copy = log.with_name(f"{log.name}-damaged-{number}")
    with suppress(OSError):
        shutil.copy(log, copy)
    message = (
        "{path}: its log is damaged, and the last actions are lost: compare the board with the cards on the table. "
        "The log is kept as {copy}."
    )
    return text(message, path=path, copy=copy)


def transactions_lost(log: Path) -> bool:
    """Return whether a frame of the write-ahead log is damaged, and a transaction ends at that frame or later.

    An unfinished transaction of a killed program, and frames left over from an earlier use of the log, do not count as
    damage. Takes about 0.1 s for 4 MB, the usual maximum of a log.
    """
    try:
        content = log.read_bytes() if log.is_file() else b""
    except OSError:
        return False
    sums, order, page = _read_header(content[:_LOG_HEADER])
    if sums is None:
        return len(content) > _LOG_HEADER + _FRAME_HEADER
    salts = content[16:24]
    frames = list(_frames(content, page))
    for number, (frame, data) in enumerate(frames):
        sums = _sums(data, order, _sums(frame[:8], order, sums))
        if frame[8:16] != salts or sums != _stored_sums(frame[16:]):
            return any(frame[8:16] == salts and any(frame[4:8]) for frame, _ in frames[number:])
    return False


def committed_pages(log: Path) -> list[tuple[int, bytes]]:
    """Return the pages in a write-ahead log, each with its number, up to its last commit. Raises `OSError`."""
    content = log.read_bytes()
    sums, _, page = _read_header(content[:_LOG_HEADER])
    frames = [each for each in _frames(content, page) if each[0][8:16] == content[16:24]] if sums is not None else []
    while frames and not any(frames[-1][0][4:8]):
        frames.pop()
    return [(int.from_bytes(frame[:4], "big"), data) for frame, data in frames]


def _frames(content: bytes, page: int) -> Iterator[tuple[bytes, bytes]]:
    """Yield the header and the page of each frame in the content of a log. `page`: the size of a page, in bytes."""
    for at in range(_LOG_HEADER, len(content) - page - _FRAME_HEADER + 1, _FRAME_HEADER + page):
        yield content[at : at + _FRAME_HEADER], content[at + _FRAME_HEADER : at + _FRAME_HEADER + page]


def _read_header(header: bytes) -> tuple[_Sums | None, _Order, int]:
    """Return the checksum of a log's header, the byte order of its checksums and its page size.

    None instead of the checksum if that is wrong, or no page of SQLite has this size.
    """
    order = _MAGIC.get(int.from_bytes(header[:4], "big"))
    if order is None or len(header) < _LOG_HEADER:
        return None, "big", 0
    sums, page = _sums(header[:24], order, (0, 0)), int.from_bytes(header[8:12], "big")
    right = sums == _stored_sums(header[24:]) and page in _PAGE_SIZES
    return sums if right else None, order, page


def _sums(data: bytes, order: _Order, sums: _Sums) -> _Sums:
    """Return the checksum of a log after `data`, a multiple of eight bytes."""
    sum_1, sum_2 = sums
    for first, second in struct.iter_unpack("<II" if order == "little" else ">II", data):
        sum_1 = (sum_1 + first + sum_2) & 0xFFFFFFFF
        sum_2 = (sum_2 + second + sum_1) & 0xFFFFFFFF
    return sum_1, sum_2


def _stored_sums(data: bytes) -> _Sums:
    return int.from_bytes(data[:4], "big"), int.from_bytes(data[4:8], "big")
