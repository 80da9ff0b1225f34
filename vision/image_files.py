"""Read picture files as (height, width, 3) uint8 BGR, and refuse those that could fill the memory.

A file of a few hundred kilobytes can decode to gigabytes, so its size is read from the header before it is decoded. The
formats are PNG, JPEG, BMP, GIF, WebP, TIFF, PBM to PAM, JPEG 2000 and AVIF.
"""

from __future__ import annotations

import os
import re
import stat
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
import numpy.typing as npt

from engine.texts import Text, text, why
from vision.frames import Image

Size = tuple[int, int]
"""Width and height, pixels."""

_PNM_GAP: Final = rb"(?:\s|#[^\n]*\n)+"
_PNM: Final = re.compile(rb"P[1-6]" + _PNM_GAP + rb"(\d{1,10})" + _PNM_GAP + rb"(\d{1,10})\s")
_JPEG_FRAMES: Final = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
"""The JPEG markers of a frame header, SOF0 to SOF15; the three others are tables and extensions."""
_JPEG_ALONE: Final = frozenset({0x01, *range(0xD0, 0xD9)})
"""The JPEG markers that no length follows."""
_TIFF_WIDTHS: Final = frozenset({256, 322})
_TIFF_HEIGHTS: Final = frozenset({257, 323})
"""The tags of the width, and of the height, of the picture and of its tiles: a tile is decoded whole."""


def picture_size(data: bytes) -> Size | None:
    """Return the width and height that the header in `data`, a whole file, gives; None if it gives none.

    >>> picture_size(b"P6 640 480 255 ...")
    (640, 480)
    >>> picture_size(b"Dear Ann") is None
    True
    """
    for start, read in _HEADERS:
        if re.match(start, data, re.DOTALL):
            try:
                return read(data)
            except (struct.error, IndexError, OverflowError):  # the header is cut off, or points past any file
                return None
    return None


def _png(data: bytes) -> Size | None:
    at = 8
    while at + 8 <= len(data):
        length, kind = struct.unpack_from(">I4s", data, at)
        if length > len(data):
            return None  # the decoder would reserve that much memory before it reads the chunk
        if kind == b"IEND":
            break
        at += 12 + length
    width, height = struct.unpack_from(">II", data, 16)
    return width, height


def _gif(data: bytes) -> Size:
    width, height = struct.unpack_from("<HH", data, 6)
    return width, height


def _bmp(data: bytes) -> Size:
    (header_length,) = struct.unpack_from("<I", data, 14)
    width, height = struct.unpack_from("<HH" if header_length == 12 else "<ii", data, 18)
    return abs(width), abs(height)  # a negative height: the rows are stored from the top


def _webp(data: bytes) -> Size | None:
    kind = data[12:16]
    if kind == b"VP8X":
        return 1 + int.from_bytes(data[24:27], "little"), 1 + int.from_bytes(data[27:30], "little")
    if kind == b"VP8L":
        (bits,) = struct.unpack_from("<I", data, 21)
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    if kind == b"VP8 ":
        width, height = struct.unpack_from("<HH", data, 26)
        return width & 0x3FFF, height & 0x3FFF
    return None


def _jpeg(data: bytes) -> Size | None:
    at = 2
    while True:
        at = data.find(b"\xff", at)
        if at < 0:
            return None
        marker = data[at + 1]
        if marker == 0xFF:  # padding
            at += 1
        elif marker in _JPEG_ALONE or marker == 0:
            at += 2
        elif marker in _JPEG_FRAMES:
            height, width = struct.unpack_from(">HH", data, at + 5)
            return width, height
        elif marker in (0xD9, 0xDA):  # the end, or the picture's data: too late for a frame header
            return None
        else:
            (length,) = struct.unpack_from(">H", data, at + 2)
            at += 2 + max(length, 2)


def _tiff(data: bytes) -> Size | None:
    order = "<" if data[:2] == b"II" else ">"
    (version,) = struct.unpack_from(order + "H", data, 2)
    big = version == 43
    at, count_format, entry_length = (8, "Q", 20) if big else (4, "H", 12)
    (at,) = struct.unpack_from(order + ("Q" if big else "I"), data, at)
    (count,) = struct.unpack_from(order + count_format, data, at)
    at += struct.calcsize(order + count_format)
    widths, heights = [0], [0]
    for number in range(min(count, 4096)):
        tag, kind = struct.unpack_from(order + "HH", data, at + number * entry_length)
        if tag not in _TIFF_WIDTHS | _TIFF_HEIGHTS:
            continue
        value_format = {1: "B", 3: "H", 4: "I", 16: "Q"}.get(kind)
        if value_format is None:
            return None
        (value,) = struct.unpack_from(order + value_format, data, at + number * entry_length + (12 if big else 8))
        (widths if tag in _TIFF_WIDTHS else heights).append(value)
    return (max(widths), max(heights)) if max(widths) and max(heights) else None


def _pnm(data: bytes) -> Size | None:
    found = _PNM.match(data)
    return (int(found[1]), int(found[2])) if found else None


def _pam(data: bytes) -> Size | None:
    header = data[:4096].partition(b"ENDHDR")[0]
    width, height = (re.findall(name + rb"\s+(\d{1,10})\s", header) for name in (b"WIDTH", b"HEIGHT"))
    return (max(map(int, width)), max(map(int, height))) if width and height else None


def _jpeg2000(data: bytes) -> Size | None:
    at = data.find(b"\xff\x4f\xff\x51")  # the picture itself, which a JP2 file wraps
    if at < 0:
        return None
    width, height = struct.unpack_from(">II", data, at + 8)
    return width, height


def _avif(data: bytes) -> Size | None:
    sizes = [struct.unpack_from(">II", data, found.end() + 4) for found in re.finditer(b"ispe", data[:65536])]
    return (max(width for width, _ in sizes), max(height for _, height in sizes)) if sizes else None


_HEADERS: Final[tuple[tuple[bytes, Callable[[bytes], Size | None]], ...]] = (
    (rb"\x89PNG\r\n\x1a\n", _png),
    (rb"\xff\xd8\xff", _jpeg),
    (rb"BM", _bmp),
    (rb"GIF8", _gif),
    (rb"RIFF....WEBP", _webp),
    (rb"II[\x2a\x2b]\x00|MM\x00[\x2a\x2b]", _tiff),
    (rb"P[1-6]", _pnm),
    (rb"P7\n", _pam),
    (rb"\xff\x4f\xff\x51|\x00\x00\x00\x0cjP  ", _jpeg2000),
    (rb"....ftypavi[fs]", _avif),
)
"""How a file of each format begins, and what reads its size."""


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
