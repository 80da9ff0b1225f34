"""A lock for each game: only one program at a time plays it.

Two programs that continue the same game would show different tables, and the journal would hold what one of them sees.
A program that begins or resumes a game locks one byte, at the offset of the game's number, in a file beside the
journal. The operating system releases the lock when the program ends, for whatever reason; the file stays and is empty.
"""

from __future__ import annotations

import errno
import fcntl
import os
from pathlib import Path
from typing import Final

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
