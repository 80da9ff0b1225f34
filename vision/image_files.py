"""Decoding of picture files of any format to (height, width, 3) uint8 BGR."""

from __future__ import annotations

import os
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from vision.frames import Image

# OpenCV and FFmpeg must not print to standard error; errors are reported by this program. FFmpeg reads its variable
# once, when the first video is opened.
os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)


def decode(data: npt.NDArray[np.uint8], *, upright: bool) -> Image | None:
    """Decode the bytes of a picture file, (n,) uint8; return None if that is not possible.

    `upright`: rotate the picture as its EXIF data says; otherwise leave it as it is stored.
    """
    if not data.size:
        return None
    try:
        picture = cv2.imdecode(data, cv2.IMREAD_COLOR | (0 if upright else cv2.IMREAD_IGNORE_ORIENTATION))
    except cv2.error:  # larger than OpenCV accepts
        return None
    return None if picture is None else as_picture(np.asarray(picture))


def as_picture(image: npt.NDArray[np.integer[Any] | np.floating[Any]]) -> Image:
    """Convert a picture, (h, w) or (h, w, 1, 3 or 4), 8 or 16 bits, to (h, w, 3) uint8 BGR; drop transparency."""
    if image.dtype != np.uint8:
        image = np.clip(image.astype(np.float64) / (257 if image.dtype == np.uint16 else 1), 0, 255).astype(np.uint8)
    if image.ndim == 2 or image.shape[2] == 1:
        return np.asarray(cv2.cvtColor(image, cv2.COLOR_GRAY2BGR), dtype=np.uint8)
    if image.shape[2] == 4:
        return np.asarray(cv2.cvtColor(image, cv2.COLOR_BGRA2BGR), dtype=np.uint8)
    return np.asarray(image, dtype=np.uint8)
