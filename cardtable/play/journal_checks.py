"""Finding damage that SQLite does not find: in the rows of a game, and in the write-ahead log.

SQLite checks the structure of its file, not what is in it: a changed byte in a row makes another card of a card. Each
game therefore has a checksum of its header and its actions. The frames of the write-ahead log have checksums, but
SQLite takes the first wrong one for the end of the log, and ignores the transactions after it without an error.
"""

from __future__ import annotations

import shutil
import sqlite3
import struct
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal
from zlib import crc32

from cardtable.play.journal_file import beside
from engine.texts import Text, text

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
    """Return whether a game has a checksum that its rows do not have. Games of older versions have none."""
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
    """Return what to report if transactions of the journal at `path` are lost in its log, which is copied.

    Call it before SQLite opens the journal, and writes over them.
    """
    log = beside(path)[0]
    # Twice, because another program may have been writing.
    if not (transactions_lost(log) and transactions_lost(log)):
        return None
    copy = log.with_name(f"{log.name}-damaged")
    with suppress(OSError):
        shutil.copy(log, copy)
    message = (
        "{path}: its log is damaged, and the last actions are lost: compare the board with the cards on the table. "
        "The log is kept as {copy}."
    )
    return text(message, path=path, copy=copy)


def transactions_lost(log: Path) -> bool:
    """Return whether a frame of the write-ahead log is damaged, and a transaction ends at it or after it.

    A log that a killed program has not finished, or frames of an earlier use of the log, are not damaged. Takes about
    0.1 s for the 4 MB that a log usually has at most.
    """
    try:
        content = log.read_bytes() if log.is_file() else b""
    except OSError:
        return False
    sums, order, page = _read_header(content[:_LOG_HEADER])
    if sums is None:
        return len(content) > _LOG_HEADER + _FRAME_HEADER
    salts = content[16:24]
    starts = range(_LOG_HEADER, len(content) - page - _FRAME_HEADER + 1, _FRAME_HEADER + page)
    for number, at in enumerate(starts):
        frame, data = content[at : at + _FRAME_HEADER], content[at + _FRAME_HEADER : at + _FRAME_HEADER + page]
        sums = _sums(data, order, _sums(frame[:8], order, sums))
        if frame[8:16] != salts or sums != _stored_sums(frame[16:]):
            later = (content[at : at + 16] for at in starts[number:])
            return any(frame[8:] == salts and any(frame[4:8]) for frame in later)
    return False


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
    first, second = sums
    for one, other in struct.iter_unpack("<II" if order == "little" else ">II", data):
        first = (first + one + second) & 0xFFFFFFFF
        second = (second + other + first) & 0xFFFFFFFF
    return first, second


def _stored_sums(data: bytes) -> _Sums:
    return int.from_bytes(data[:4], "big"), int.from_bytes(data[4:8], "big")
