"""Reading files that people name: nothing blocks for ever, and nothing fills the memory."""

from __future__ import annotations

import errno
import os
import select
import stat
from pathlib import Path
from typing import Final

MAX_BYTES: Final = 64 << 20
"""The largest file that is read, without another limit: a record of a hundred thousand actions has a tenth of it."""
MAX_TOML_BYTES: Final = 1 << 20
_PIPE_S: Final = 5.0
"""Seconds without a byte after which a pipe counts as one to which nothing is written."""
_PIECE: Final = 1 << 20


def read_file(path: Path, most: int = MAX_BYTES) -> bytes:
    """Return the content of the file, or all that is written to the pipe, `path`.

    Raises `OSError`: also if there are more than `most` bytes (a device may never end), and if nothing comes out of a
    pipe for five seconds.
    """
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb", buffering=0) as file:
        found = os.fstat(file.fileno())
        waits = not stat.S_ISREG(found.st_mode)
        if not waits and found.st_size > most:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(path))
        content = bytearray()
        while len(content) <= most:
            if waits and not _has_something(file.fileno()):
                raise OSError(errno.ETIMEDOUT, os.strerror(errno.ETIMEDOUT), str(path))
            piece = file.read(_PIECE)
            if piece is None:
                continue  # another process has read it first
            if not piece:
                return bytes(content)
            content += piece
    raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(path))


def read_text(path: Path, most: int = MAX_BYTES, errors: str = "strict") -> str:
    """Return the text of a file or pipe in UTF-8, with or without a byte order mark, its lines ending in `\\n`.

    Raises `OSError` as `read_file` does, and `UnicodeDecodeError`.
    """
    written = read_file(path, most).decode("utf-8-sig", errors)
    return written.replace("\r\n", "\n").replace("\r", "\n")


def _has_something(descriptor: int) -> bool:
    """Wait until the pipe or device has something to read, or has ended; return False if nothing comes."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(_PIPE_S * 1000))
