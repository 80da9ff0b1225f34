"""A recording that continues where it broke off.

A video that was copied only in part, or is still being written, ends early. The table treats it like an unplugged
camera: once the file has changed, it is opened again and read on from the first frame not yet seen.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from vision.cameras.sources import VideoFile
from vision.frames import Frame, FrameSource, SourceLost

_LOG: Final = logging.getLogger(__name__)


class Recording:
    """A `FrameSource`: the video at `path`. If it ends early, `read` raises `SourceLost`; the next `read` tries again.

    `open_file` opens the video. Raises `SourceLost` if it cannot be opened.
    """

    def __init__(self, path: str, open_file: Callable[[str], FrameSource] = VideoFile) -> None:
        self._path = path
        self._open = open_file
        self._version = self._file_version()
        self._file: FrameSource | None = open_file(path)
        self.name = self._file.name
        self.live = False
        """True while the table waits for the rest of the file; it is then polled like a camera."""
        self._frames_read = 0
        self._reason = ""

    def read(self) -> Frame | None:
        """Return the next frame; None at the end of the complete recording. Raises `SourceLost`."""
        if self._file is None:
            self._open_again()
        assert self._file is not None
        try:
            frame = self._file.read()
        except SourceLost as lost:
            _LOG.warning("%s ends early after %d frames: %s", self._path, self._frames_read, lost)
            self._file.close()
            self._file, self.live, self._reason = None, True, str(lost)
            raise
        if frame is None:
            return None
        self._frames_read = frame.number + 1
        return frame

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()

    def _open_again(self) -> None:
        """Open the file and skip the frames seen before. Raises `SourceLost` if there is nothing new."""
        version = self._file_version()
        if version == self._version or version is None:
            raise SourceLost(self._reason)
        self._version = version
        file = self._open(self._path)
        try:
            if any(file.read() is None for _ in range(self._frames_read)):
                raise SourceLost(self._reason)
        except SourceLost:
            file.close()
            raise
        _LOG.info("%s has changed: reading on from frame %d", self._path, self._frames_read)
        self._file, self.live = file, False

    def _file_version(self) -> tuple[int, int] | None:
        """Return size (bytes) and modification time (ns) of the file; None if it does not exist."""
        try:
            state = os.stat(Path(self._path))
        except OSError:
            return None
        return state.st_size, state.st_mtime_ns
