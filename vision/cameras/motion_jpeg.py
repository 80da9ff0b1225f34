"""Motion JPEG over HTTP, the usual kind of network camera: one JPEG file after another in an endless response.

It is read here and not by FFmpeg, which takes a frame of any length into memory.
"""

from __future__ import annotations

import http.client
import os
import re
import socket
import ssl
import urllib.request
from contextlib import suppress
from typing import Final
from urllib.parse import unquote, urlsplit, urlunsplit

from engine.texts import Text, text
from vision.cameras.live import DEFAULTS
from vision.frames import Image, SourceLost
from vision.image_files import NotAPicture, PictureTooLarge, decode, megabytes

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
    response = opener.open(urllib.request.Request(url, headers={"User-Agent": "cardtable"}), timeout=DEFAULTS.silence_s)
    assert isinstance(response, http.client.HTTPResponse)
    return response
