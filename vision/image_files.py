"""Pictures in files, decoded: whatever the file holds, (height, width, 3) uint8 BGR comes out, or nothing."""

from __future__ import annotations

import os
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from vision.frames import Image

# OpenCV's and FFmpeg's own messages stay off standard error: what matters is said in ours. FFmpeg looks at its setting
# once, when the first video is opened.
os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)


def decode(data: npt.NDArray[np.uint8], *, upright: bool) -> Image | None:
    """The picture in a file's bytes; None where there is none that can be read.

    `upright`: turned as its EXIF data says that it is to be looked at; otherwise as it is stored.
    """
    if not data.size:
        return None
    try:
        picture = cv2.imdecode(data, cv2.IMREAD_COLOR | (0 if upright else cv2.IMREAD_IGNORE_ORIENTATION))
    except cv2.error:  # a size beyond what OpenCV takes
        return None
    return None if picture is None else as_picture(np.asarray(picture))


def as_picture(image: npt.NDArray[np.integer[Any] | np.floating[Any]]) -> Image:
    """Any decoded picture as (h, w, 3) uint8 BGR: grey, 16 bits or with transparency as well."""
    if image.dtype != np.uint8:
        image = np.clip(image.astype(np.float64) / (257 if image.dtype == np.uint16 else 1), 0, 255).astype(np.uint8)
    if image.ndim == 2 or image.shape[2] == 1:
        return np.asarray(cv2.cvtColor(image, cv2.COLOR_GRAY2BGR), dtype=np.uint8)
    if image.shape[2] == 4:
        return np.asarray(cv2.cvtColor(image, cv2.COLOR_BGRA2BGR), dtype=np.uint8)
    return np.asarray(image, dtype=np.uint8)
