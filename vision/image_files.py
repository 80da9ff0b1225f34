"""Picture files of any format as (height, width, 3) uint8 BGR; what could fill the memory is refused before."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
import numpy.typing as npt

from engine.texts import Text, text, why
from vision.frames import Image
from vision.picture_size import picture_size

# OpenCV and FFmpeg must not print to standard error; errors are reported by this program. FFmpeg reads its variable
# once, when the first video is opened.
os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)

MAX_PIXELS: Final = 52_000_000
"""Pixels of the largest picture: the 50 megapixels of a telephone. Reading takes about 20 bytes and 0.2 µs for each."""
MAX_SIDE: Final = 20_000
"""Pixels of the longest side. OpenCV cannot transform pictures of more than 32,766."""
MAX_FILE_BYTES: Final = 256 << 20
"""Bytes of the largest picture file: `MAX_PIXELS` without compression, and more."""


class NotAPicture(ValueError):
    """The file is not a picture that can be read; the message, for a person, says why."""


class PictureTooLarge(NotAPicture):
    """The picture has more pixels or bytes than this program reads. `size`: how many, for people; `limit`: at most."""

    def __init__(self, size: str, limit: str) -> None:
        super().__init__(text("too large, {size}: make it smaller, {limit} at most", size=size, limit=limit))
        self.size: Final = size


def load_picture(path: Path, *, upright: bool = False) -> Image:
    """Return the picture in a file, (H, W, 3) uint8 BGR. Raises `NotAPicture`.

    `upright`: rotate it as its EXIF data says. By default it is returned as stored: cards are read at any angle, and
    outlines then fit the file's own width and height.
    """
    return decode(_contents(path), upright=upright)


def decode(data: bytes, *, upright: bool) -> Image:
    """Decode the bytes of a picture file. Raises `NotAPicture`, before decoding if the picture is too large.

    `upright`: rotate the picture as its EXIF data says; otherwise leave it as it is stored.
    """
    size = picture_size(data)
    if size is None or 0 in size:
        raise NotAPicture(text("not a picture"))
    check_size(*size)
    try:
        picture = cv2.imdecode(
            np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR | (0 if upright else cv2.IMREAD_IGNORE_ORIENTATION)
        )
    except cv2.error:
        picture = None
    if picture is None:
        raise NotAPicture(text("not a picture"))
    return as_picture(np.asarray(picture))


def check_size(width: int, height: int) -> None:
    """Raise `PictureTooLarge` if a picture of this size, in pixels, is too large."""
    if width * height > MAX_PIXELS or max(width, height) > MAX_SIDE:
        limit = text("{megapixels} megapixels and {side} pixels a side", megapixels=MAX_PIXELS // 10**6, side=MAX_SIDE)
        raise PictureTooLarge(text("{width} × {height} pixels", width=width, height=height), limit)


def megabytes(count: int) -> Text:
    """Return a number of bytes as a text for people."""
    return text("{count} MB", count=count >> 20)


def is_regular(path: Path) -> bool:
    """Return whether the path is a regular file: a pipe or a device may block for ever, or never end.

    Raises `OSError` if it is not there.
    """
    return stat.S_ISREG(path.stat().st_mode)


def _contents(path: Path) -> bytes:
    """Return the bytes of a picture file. Raises `NotAPicture`."""
    try:
        if path.is_dir():
            raise NotAPicture(text("a folder, not a picture; name the pictures in it"))
        if not is_regular(path):
            raise NotAPicture(text("a pipe or a device, not a file: save the picture in a file first"))
        # Non-blocking: something else may have taken the file's place.
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            length = os.fstat(file.fileno()).st_size
            if length > MAX_FILE_BYTES:
                raise PictureTooLarge(megabytes(length), megabytes(MAX_FILE_BYTES))
            return file.read(MAX_FILE_BYTES) or b""
    except FileNotFoundError:
        raise NotAPicture(text("there is no such file")) from None
    except OSError as error:
        raise NotAPicture(text("cannot be read: {why}", why=why(error))) from None


def as_picture(image: npt.NDArray[np.integer[Any] | np.floating[Any]]) -> Image:
    """Convert a picture, (h, w) or (h, w, 1, 3 or 4), 8 or 16 bits, to (h, w, 3) uint8 BGR; drop transparency."""
    if image.dtype != np.uint8:
        image = np.clip(image.astype(np.float64) / (257 if image.dtype == np.uint16 else 1), 0, 255).astype(np.uint8)
    if image.ndim == 2 or image.shape[2] == 1:
        return np.asarray(cv2.cvtColor(image, cv2.COLOR_GRAY2BGR), dtype=np.uint8)
    if image.shape[2] == 4:
        return np.asarray(cv2.cvtColor(image, cv2.COLOR_BGRA2BGR), dtype=np.uint8)
    return np.asarray(image, dtype=np.uint8)
