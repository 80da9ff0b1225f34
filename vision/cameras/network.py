"""Cameras on the network: motion JPEG over HTTP, and everything that FFmpeg reads, such as RTSP.

Motion JPEG over HTTP, one JPEG file after another in an endless response, is what most network cameras send. It is read
here and not by FFmpeg, which takes a frame of any length into memory.
"""

from __future__ import annotations

import ctypes
import http.client
import logging
import os
import re
import socket
import ssl
import time
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit, urlunsplit

import cv2

from engine.texts import Text, text
from vision.cameras.live import CaptureDevice, Device, LiveCamera, frame_size
from vision.cameras.settings import CameraSettings
from vision.frames import Image, SourceLost
from vision.image_files import MAX_PIXELS, NotAPicture, PictureTooLarge, check_size, decode, megabytes

_LOG: Final = logging.getLogger(__name__)

MAX_BLOCK_BYTES: Final = 3 * MAX_PIXELS
"""Bytes of the greatest block: the largest frame as BGR. A larger frame cannot be decoded, and reading it fails."""


def limit_memory() -> bool:
    """Let FFmpeg allocate at most `MAX_BLOCK_BYTES` at once in this process; return whether OpenCV has FFmpeg.

    A few kilobytes can declare a frame of gigabytes, and a stream can send a frame that never ends. OpenCV has no
    setting for it.
    """
    if not hasattr(cv2, "VideoCapture"):  # also loads the libraries
        return False
    libraries = {line.split(maxsplit=5)[5] for line in _mapped().splitlines() if "/libavutil" in line}
    for library in libraries:
        try:
            set_most = ctypes.CDLL(library).av_max_alloc
        except (OSError, AttributeError) as error:
            _LOG.warning("the memory of %s cannot be limited: %s", library, error)
            return False
        set_most.argtypes, set_most.restype = [ctypes.c_size_t], None
        set_most(MAX_BLOCK_BYTES)
    return bool(libraries)


def _mapped() -> str:
    """Return the table of what is mapped into this process, proc(5)."""
    try:
        return Path("/proc/self/maps").read_text("utf-8", "replace")
    except OSError:
        return ""


SILENCE_S: Final = 4.0
"""Seconds for which a camera in the network may be silent. Longer: slower to reconnect; shorter: a slow network breaks
the connection again and again."""
MAX_FRAME_BYTES: Final = 16 << 20
"""Bytes of the largest frame: about 40 megapixels as JPEG."""
_MAX_HEADER_BYTES: Final = 8192
"""Bytes of the header lines of one frame."""
_CHUNK_BYTES: Final = 1 << 16
"""Bytes that are read at a time."""
_BLANK_LINE: Final = re.compile(rb"\n\r?\n")
_LENGTH: Final = re.compile(rb"^content-length:[ \t]*(\d{1,15})[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)


class MotionJpeg:
    """A `Device` for a response of the type multipart/x-mixed-replace. `name`: the camera's, for messages."""

    def __init__(self, response: http.client.HTTPResponse, name: str) -> None:
        self.notes: tuple[str, ...] = ()
        self._response = response
        self._name = name
        self._data = bytearray()
        """What was received and is not used yet; never more than one frame, its header and a chunk."""
        self._connection = socket.socket(fileno=os.dup(response.fileno()))  # `stop` must not wait for the response

    def read(self) -> Image | None:
        """Return the next picture, (H, W, 3) uint8 BGR; None if it is broken.

        Raises `SourceLost` at the end, and if a frame is too large.
        """
        try:
            return decode(self._frame(), upright=False)
        except PictureTooLarge as error:
            raise SourceLost(too_large(self._name, error)) from None
        except NotAPicture:
            return None
        except (OSError, http.client.HTTPException):
            raise SourceLost("") from None

    def stop(self) -> None:
        """End a `read` that blocks."""
        with suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)

    def release(self) -> None:
        """Close the connection."""
        self._connection.close()
        self._response.close()

    def _frame(self) -> bytes:
        """Return the body of the next part. A part begins with a line `--BOUNDARY` and header lines."""
        while (start := self._data.find(b"--")) < 0:
            del self._data[:-1]
            self._receive()
        del self._data[:start]
        while (blank := _BLANK_LINE.search(self._data)) is None:
            if len(self._data) > _MAX_HEADER_BYTES:
                raise http.client.LineTooLong("the header of a frame")
            self._receive()
        header = self._take(blank.end())
        if length := _LENGTH.search(header):
            end = int(length[1])
            self._check(end)
            while len(self._data) < end:
                self._receive()
        else:
            boundary = b"\n" + header.partition(b"\n")[0].rstrip()
            searched = 0
            while (end := self._data.find(boundary, searched)) < 0:
                searched = max(len(self._data) - len(boundary), 0)
                self._check(searched)
                self._receive()
        return self._take(end)

    def _check(self, length: int) -> None:
        """Raise `PictureTooLarge` if a frame has at least `length` bytes and may not."""
        if length > MAX_FRAME_BYTES:
            raise PictureTooLarge(megabytes(length), megabytes(MAX_FRAME_BYTES))

    def _take(self, length: int) -> bytes:
        taken = bytes(memoryview(self._data)[:length])
        del self._data[:length]
        return taken

    def _receive(self) -> None:
        """Wait for more data. Raises `ConnectionError` at the end of the response."""
        chunk = self._response.read1(_CHUNK_BYTES)
        if not chunk:
            raise ConnectionError
        self._data += chunk


def too_large(name: str, error: PictureTooLarge) -> Text:
    """Return a text for people: the pictures of the camera are too large."""
    message = "The pictures of {name} are too large, {size}: set smaller ones on its own page."
    return text(message, name=name, size=error.size)


def open_motion_jpeg(address: str, name: str) -> MotionJpeg | None:
    """Ask for `address`; return None if it gives something else. Raises `SourceLost` if it does not answer."""
    try:
        response = _request(address)
    except OSError:
        raise SourceLost("") from None
    except (ValueError, http.client.HTTPException):  # not HTTP as Python knows it: FFmpeg accepts more
        return None
    if response.headers.get_content_maintype() == "multipart":
        return MotionJpeg(response, name)
    response.close()
    return None


def _request(address: str) -> http.client.HTTPResponse:
    """Return the response of `address`, whose body is not read. A name and a password may stand before the host."""
    parts = urlsplit(address)
    url = urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], fragment=""))
    passwords = urllib.request.HTTPPasswordMgrWithDefaultRealm()
    if parts.username is not None:
        passwords.add_password(None, url, unquote(parts.username), unquote(parts.password or ""))
    # A camera's certificate is its own; FFmpeg does not check it either.
    trusting = ssl.create_default_context()
    trusting.check_hostname = False
    trusting.verify_mode = ssl.CERT_NONE
    opener = urllib.request.build_opener(
        urllib.request.HTTPSHandler(context=trusting),
        urllib.request.HTTPDigestAuthHandler(passwords),
        urllib.request.HTTPBasicAuthHandler(passwords),
    )
    response = opener.open(urllib.request.Request(url, headers={"User-Agent": "cardtable"}), timeout=SILENCE_S)
    assert isinstance(response, http.client.HTTPResponse)
    return response


def network_camera(
    address: str,
    settings: CameraSettings | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> LiveCamera:
    """Return a camera on the network. `address`: a URL of motion JPEG over HTTP, or one that FFmpeg can read (RTSP).

    Such a camera is set on its own page; `settings` that differ from the defaults become `notes`.
    """
    # The board must not show names, passwords or the query.
    shown = re.sub(r"\?.*", "?…", re.sub(r"//[^?]*@", "//", address))
    notes = _not_accepted(settings or CameraSettings())

    def connect() -> Device:
        device = open_motion_jpeg(address, shown) if re.match(r"https?://", address) else None
        if device is None:
            return _open_with_ffmpeg(address, shown, notes)
        device.notes = notes
        return device

    def explain() -> str:
        return text("No picture from {address}: switch the camera on, and try the address in a browser.", address=shown)

    return LiveCamera(f"url:{shown}", connect, explain, clock, may_repeat=True)


def _open_with_ffmpeg(address: str, shown: str, notes: tuple[str, ...]) -> CaptureDevice:
    """Open `address`. Raises `SourceLost` if its pictures are too large."""
    limits = [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, 6000, cv2.CAP_PROP_READ_TIMEOUT_MSEC, 4000]
    limit_memory()
    capture = cv2.VideoCapture(address, cv2.CAP_FFMPEG, limits)
    try:
        check_size(*frame_size(capture))
    except PictureTooLarge as error:
        capture.release()
        raise SourceLost(too_large(shown, error)) from None
    device = CaptureDevice(capture)
    device.notes = notes
    return device


def _not_accepted(settings: CameraSettings) -> tuple[str, ...]:
    """Return a note if any setting differs from its default: a camera on the network accepts none.

    `exposure = "cards"` is what a table has without the key.
    """
    if settings.exposure == "cards":
        settings = replace(settings, exposure="auto")
    default = CameraSettings()
    changed = [
        name
        for name in ("width", "height", "fps", "exposure", "white_balance", "focus", "flicker")
        if getattr(settings, name) != getattr(default, name)
    ]
    if not changed:
        return ()
    return (text("{names}: a camera on the network is set on its own page, or in its app", names=", ".join(changed)),)
