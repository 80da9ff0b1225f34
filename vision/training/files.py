"""Pictures from and to files, and which photographs are for measuring only."""

from __future__ import annotations

import zlib
from pathlib import Path

import cv2
import numpy as np

from vision.frames import Image


def imread(path: Path) -> Image:
    """The picture as stored, alpha included. Raises `SystemExit` that names the file if it cannot be read."""
    picture = cv2.imdecode(np.fromfile(path, np.uint8), cv2.IMREAD_UNCHANGED)
    if picture is None:
        raise SystemExit(f"{path}: not a picture")
    return np.asarray(picture, np.uint8)


def imwrite(path: Path, picture: Image) -> None:
    """Writes `picture` in the format that the name says."""
    if not cv2.imwrite(str(path), picture):
        raise SystemExit(f"{path}: could not be written")


def held_out(folder: str, picture: str) -> bool:
    """Whether nothing is learnt from that picture of that photo set: one in four, by its name."""
    return zlib.crc32(f"{folder}/{picture}".encode()) % 4 == 0
