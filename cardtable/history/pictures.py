"""Pictures of the table, kept with the actions of a game: small JPEG files in a folder beside the journal.

Nothing is kept unless `table.toml` asks for it. Only the owner may read them (mode 0600); the oldest are deleted first.
"""

from __future__ import annotations

import logging
import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Final

import cv2

from vision.frames import Frame

WIDTH: Final = 800
"""Largest width of a picture, pixels."""
MOST_BYTES: Final = 100_000
"""Largest size of a picture; one that is larger is compressed more, or not kept."""
_QUALITIES: Final = (75, 55, 35, 20)
_WAITING: Final = 4
"""Pictures that may wait to be written; when the disk is slower, further ones are left out."""

_LOG: Final = logging.getLogger(__name__)


def folder_of(journal: Path) -> Path:
    """Return the folder of the pictures of the games in this journal."""
    return journal.with_name(f"{journal.name}-pictures")


def picture_path(folder: Path, number: int, started: float, line: int) -> Path:
    """Return the path of the picture of an action: `line` of the record of game `number`, which began at `started`.

    The beginning of the game is in the name, because another journal may have a game with this number.
    """
    return folder / f"{number}-{int(started * 1000)}-{line}.jpg"


class KeptPictures:
    """Keeps at most `most` pictures in `folder`. They are encoded and written in a thread of its own.

    Nothing is raised: a picture that cannot be written is left out, and the log says why.
    """

    def __init__(self, folder: Path, most: int) -> None:
        self._folder = folder
        self._most = most
        self._pool = ThreadPoolExecutor(1, "pictures")
        self._waiting = 0
        self._kept: list[Path] | None = None
        self._failed = False

    def keep(self, number: int, started: float, line: int, frame: Frame) -> None:
        """Keep a frame as the picture of an action (see `picture_path`). Returns at once."""
        if self._waiting < _WAITING:
            self._waiting += 1
            self._pool.submit(self._write, picture_path(self._folder, number, started, line), frame)

    def close(self) -> None:
        """Write the pictures that are waiting."""
        self._pool.shutdown()

    def _write(self, path: Path, frame: Frame) -> None:
        try:
            data = small_jpeg(frame)
            if data is not None:
                kept = self._files()
                _write_private(path, data)
                kept.append(path)
                while len(kept) > self._most:
                    kept.pop(0).unlink(missing_ok=True)
            self._failed = False
        except (OSError, cv2.error) as error:
            if not self._failed:
                _LOG.warning("%s cannot be written: %s", path, error)
            self._failed = True
        finally:
            self._waiting -= 1

    def _files(self) -> list[Path]:
        """Return the pictures in the folder, the oldest first; the folder is made if there is none."""
        if self._kept is None:
            self._folder.mkdir(mode=0o700, exist_ok=True)
            self._kept = sorted(self._folder.glob("*.jpg"), key=lambda path: path.stat().st_mtime_ns)
        return self._kept


def small_jpeg(frame: Frame, most: int = MOST_BYTES) -> bytes | None:
    """Return the frame as JPEG, at most `WIDTH` pixels wide; None if it cannot be made as small as `most` bytes."""
    height, width = frame.image.shape[:2]
    scale = min(WIDTH / width, 1.0)
    size = (max(round(width * scale), 1), max(round(height * scale), 1))
    small = cv2.resize(frame.image, size, interpolation=cv2.INTER_AREA)
    for quality in _QUALITIES:
        done, data = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, quality])
        if done and data.nbytes <= most:
            return data.tobytes()
    return None


def _write_private(path: Path, data: bytes) -> None:
    new = path.with_suffix(".new")
    with suppress(FileNotFoundError):
        new.unlink()
    with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as file:
        file.write(data)
    new.replace(path)
