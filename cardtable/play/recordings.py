"""A recording that goes on where it broke off.

A video that was copied only in part, or is still being written, ends early. The table waits for it as for a camera
that was unplugged: once the file has changed, it is opened again, and read on from the first frame not yet seen.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from vision.cameras.sources import VideoFile
from vision.frames import Frame, FrameSource, SourceLost


class Recording:
    """A `FrameSource`: the video at `path`. Raises `SourceLost` whenever it ends early; the next `read` looks again.

    `open_file` opens it.
    """

    def __init__(self, path: str, open_file: Callable[[str], FrameSource] = VideoFile) -> None:
        self._path = path
        self._open = open_file
        self._found = self._look()
        self._file: FrameSource | None = open_file(path)
        self.name = self._file.name
        self.live = False
        """True while the rest of the file is waited for: it is looked for now and then, as a camera is."""
        self._read = 0
        self._why = ""

    def read(self) -> Frame | None:
        """The next frame; None at the end of the whole recording."""
        if self._file is None:
            self._open_again()
        assert self._file is not None
        try:
            frame = self._file.read()
        except SourceLost as lost:
            self._file.close()
            self._file, self.live, self._why = None, True, str(lost)
            raise
        if frame is None:
            return None
        self._read = frame.number + 1
        return frame

    def close(self) -> None:
        """Let the file go."""
        if self._file is not None:
            self._file.close()

    def _open_again(self) -> None:
        """Open the file and pass over what was seen before. Raises `SourceLost` where there is nothing new."""
        found = self._look()
        if found == self._found or found is None:
            raise SourceLost(self._why)
        self._found = found
        file = self._open(self._path)
        try:
            if any(file.read() is None for _ in range(self._read)):
                raise SourceLost(self._why)
        except SourceLost:
            file.close()
            raise
        self._file, self.live = file, False

    def _look(self) -> tuple[int, int] | None:
        """What tells one state of the file from another; None while it is not there."""
        try:
            state = os.stat(Path(self._path))
        except OSError:
            return None
        return state.st_size, state.st_mtime_ns
