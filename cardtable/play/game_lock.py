"""Who plays a game: one program at a time.

Two that go on with one game would show two different tables, and store what one of them sees. So whoever begins or
resumes a game locks the byte of its number in a file beside the journal. The lock ends with the program, however that
ends; the file stays, empty, and means nothing.
"""

from __future__ import annotations

import errno
import fcntl
import os
from pathlib import Path

_TAKEN = (errno.EACCES, errno.EAGAIN)


class Taken(Exception):
    """Another program plays the game."""


class GameLock:
    """The games of the journal at `path` that this program plays. `take` raises `Taken`, or `OSError`."""

    def __init__(self, path: Path) -> None:
        self._path = path.with_name(f"{path.name}-lock")
        self._file: int | None = None

    def take(self, game: int) -> None:
        """From now on nobody else plays this game."""
        if self._file is None:
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, game)
        except OSError as error:
            if error.errno in _TAKEN:
                raise Taken from error
            if error.errno != errno.ENOLCK:  # a disk without locks keeps nobody from playing
                raise

    def release(self) -> None:
        """Others may play what was played here."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
