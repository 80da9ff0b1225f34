"""Cameras on the network, read by FFmpeg: motion JPEG over HTTP, RTSP and more."""

from __future__ import annotations

import ctypes
import logging
import re
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

import cv2

from engine.texts import text
from vision.cameras.live import CaptureDevice, LiveCamera, frame_size
from vision.cameras.settings import CameraSettings
from vision.frames import SourceLost
from vision.image_files import MAX_PIXELS, PictureTooLarge, check_size

_LOG: Final = logging.getLogger(__name__)

MAX_BLOCK_BYTES: Final = 3 * MAX_PIXELS
"""Bytes of the greatest block: the largest frame as BGR. A larger frame cannot be decoded, and reading it fails."""
_TIMEOUTS: Final = [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, 6000, cv2.CAP_PROP_READ_TIMEOUT_MSEC, 4000]
"""Milliseconds for which FFmpeg waits for a camera. Longer: slower to reconnect; shorter: a slow network breaks the
connection again and again."""


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

    def connect() -> CaptureDevice:
        limit_memory()
        capture = cv2.VideoCapture(address, cv2.CAP_FFMPEG, _TIMEOUTS)
        try:
            check_size(*frame_size(capture))
        except PictureTooLarge as error:
            capture.release()
            message = "The pictures of {name} are too large, {size}: set smaller ones on its own page."
            raise SourceLost(text(message, name=shown, size=error.size)) from None
        device = CaptureDevice(capture)
        device.notes = notes
        return device

    def explain() -> str:
        return text("No picture from {address}: switch the camera on, and try the address in a browser.", address=shown)

    return LiveCamera(f"url:{shown}", connect, explain, clock, may_repeat=True)


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
