"""Read picture files as (height, width, 3) uint8 BGR, and refuse those that could fill the memory.

A file of a few hundred kilobytes can decode to gigabytes, so its size is read from the header before it is decoded. The
formats are PNG, JPEG, BMP, GIF, WebP, TIFF, PBM to PAM, JPEG 2000 and AVIF.
"""

from __future__ import annotations

import io
import logging
import os
import re
import stat
import struct
import warnings
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image as Pillow

from engine.texts import Text, text, why
from vision.frames import Image

Size = tuple[int, int]
"""Width and height, pixels."""

FORMATS: Final = ("PNG", "JPEG", "BMP", "GIF", "WEBP", "TIFF", "PPM", "JPEG2000", "AVIF")
"""The formats whose header is read by Pillow, by its names; the header of PAM is read here."""
_TILE: Final = (322, 323)
"""The tags of the width and the height of a TIFF picture's tiles: a tile is decoded whole."""
Pillow.MAX_IMAGE_PIXELS = None  # its own limit, which would hide the size; `check_size` has another
# What it says of damaged files is no help to people.
logging.getLogger("PIL").setLevel(logging.CRITICAL)
warnings.filterwarnings("ignore", module="PIL")


def picture_size(data: bytes) -> Size | None:
    """Return the width and height that the header in `data`, a whole file, gives; None if it gives none.

    >>> picture_size(b"P6 640 480 255 ...")
    (640, 480)
    >>> picture_size(b"Dear Ann") is None
    True
    """
    if data.startswith(b"P7\n"):
        header = data[:4096].partition(b"ENDHDR")[0]
        widths, heights = (re.findall(name + rb"\s+(\d{1,10})\s", header) for name in (b"WIDTH", b"HEIGHT"))
        return (max(map(int, widths)), max(map(int, heights))) if widths and heights else None
    if data.startswith(b"\x89PNG") and not _has_whole_chunks(data):
        return None
    try:
        with Pillow.open(io.BytesIO(data), formats=FORMATS) as picture:
            tile = [int(getattr(picture, "tag_v2", {}).get(tag, 0)) for tag in _TILE]
            return max(picture.width, tile[0]), max(picture.height, tile[1])
    except Exception:  # whatever a damaged header makes of Pillow's readers
        return None


def _has_whole_chunks(data: bytes) -> bool:
    """Return whether no chunk of a PNG file is longer than the file: OpenCV would reserve that much memory for it."""
    at = 8
    while at + 8 <= len(data):
        length, kind = struct.unpack_from(">I4s", data, at)
        if length > len(data):
            return False
        if kind == b"IEND":
            break
        at += 12 + length
    return True


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
