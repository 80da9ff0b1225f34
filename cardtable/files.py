"""Read files and pipes named by the user, with a limit on time and size, and open private files.

A pipe without a writer does not block the program, and a device that never ends does not fill the memory.
"""

from __future__ import annotations

import errno
import os
import select
import stat
from pathlib import Path
from typing import Any, Final

MAX_BYTES: Final = 64 << 20
"""Default size limit, ten times the size of a record of 100,000 actions."""
MAX_TOML_BYTES: Final = 1 << 16
"""Nine times a commented table.toml."""
_MAX_DOTS: Final = 200
"""Dots in a line of TOML. tomllib takes the square of the time for a key of so many parts: 40 s for one of 64 kB."""
_PIPE_TIMEOUT_S: Final = 5.0
_CHUNK_BYTES: Final = 1 << 20


def read_file(path: Path, limit: int = MAX_BYTES) -> bytes:
    """Return the content of the file `path`, or everything that is written to the pipe `path`.

    Raises `OSError`, also if there are more than `limit` bytes or if a pipe delivers nothing for five seconds.
    """
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb", buffering=0) as file:
        status = os.fstat(file.fileno())
        is_pipe = not stat.S_ISREG(status.st_mode)
        if not is_pipe and status.st_size > limit:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(path))
        content = bytearray()
        while len(content) <= limit:
            if is_pipe and not _wait_for_data(file.fileno()):
                raise OSError(errno.ETIMEDOUT, os.strerror(errno.ETIMEDOUT), str(path))
            chunk = file.read(_CHUNK_BYTES)
            if chunk is None:
                continue  # another process was faster
            if not chunk:
                return bytes(content)
            content += chunk
    raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(path))


def read_text(path: Path, limit: int = MAX_BYTES, errors: str = "strict") -> str:
    """Return the text of a UTF-8 file or pipe, without a byte order mark and with lines ending in `\\n`.

    Raises `OSError` as `read_file` does, and `UnicodeDecodeError`.
    """
    decoded = read_file(path, limit).decode("utf-8-sig", errors)
    return decoded.replace("\r\n", "\n").replace("\r", "\n")


def toml_values(written: str) -> dict[str, Any]:
    """Return the values in a TOML text. Raises `ValueError` and, if it is nested too deeply, `RecursionError`."""
    import tomllib  # most commands read no configuration

    if any(line.count(".") > _MAX_DOTS for line in written.split("\n")):
        raise ValueError("a key has too many parts")
    return tomllib.loads(written)


def private_opener(name: str, flags: int) -> int:
    """Open a file that only its owner may read: an `opener` for `open`."""
    return os.open(name, flags, 0o600)


def _wait_for_data(descriptor: int) -> bool:
    """Wait until the pipe or device is readable or at its end; return False on a timeout."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(_PIPE_TIMEOUT_S * 1000))
