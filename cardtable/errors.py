"""What goes wrong in ways that a person can put right: one line that says what to do, never a traceback."""

from __future__ import annotations

import errno
from collections.abc import Mapping
from typing import Final

from engine.errors import guess_or_all as guess_or_all
from engine.errors import suggestion as suggestion
from engine.texts import Text, text


class CardtableError(Exception):
    """Something that the program cannot do now; the message says why, and what to do. Exit status 1."""

    status = 1


class UsageError(CardtableError):
    """A wrong argument, configuration or input file; the message says what would be right. Exit status 2."""

    status = 2


def why(error: OSError) -> str:
    """Why the system would not: its own words, of which those that come up at a table are in the catalogues."""
    return _REASONS.get(error.errno or 0) or error.strerror or str(error)


_REASONS: Final[Mapping[int, Text]] = {
    errno.ENOENT: text("No such file or directory"),
    errno.EACCES: text("Permission denied"),
    errno.EPERM: text("Operation not permitted"),
    errno.EEXIST: text("File exists"),
    errno.ENOTDIR: text("Not a directory"),
    errno.EISDIR: text("Is a directory"),
    errno.ENOSPC: text("No space left on device"),
    errno.EROFS: text("Read-only file system"),
    errno.EIO: text("Input/output error"),
    errno.ENODEV: text("No such device"),
    errno.EBUSY: text("Device or resource busy"),
    errno.ENAMETOOLONG: text("File name too long"),
    errno.ELOOP: text("Too many levels of symbolic links"),
    errno.EADDRNOTAVAIL: text("Cannot assign requested address"),
}
