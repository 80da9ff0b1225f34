"""A limit for the memory that FFmpeg, with which OpenCV reads videos and network cameras, may take for one frame.

A few kilobytes can declare a frame of gigabytes, and a stream can send a frame that never ends. OpenCV has no setting
for it, so FFmpeg's own is set: the greatest block that it allocates.
"""

from __future__ import annotations

import ctypes
import logging
from pathlib import Path
from typing import Final

import cv2

from vision.image_files import MAX_PIXELS

_LOG: Final = logging.getLogger(__name__)

MAX_BLOCK_BYTES: Final = 3 * MAX_PIXELS
"""Bytes of the greatest block: the largest frame as BGR. A larger frame cannot be decoded, and reading it fails."""


def limit_memory(most: int = MAX_BLOCK_BYTES) -> bool:
    """Let FFmpeg allocate at most `most` bytes at once, in this process. Return whether there is an FFmpeg to limit."""
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
        set_most(most)
    return bool(libraries)


def _mapped() -> str:
    """Return the table of what is mapped into this process, proc(5)."""
    try:
        return Path("/proc/self/maps").read_text("utf-8", "replace")
    except OSError:
        return ""
