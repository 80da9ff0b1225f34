"""Where the trained nets are, reading and writing picture files, and which photographs are held out."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from vision.frames import Image

WEIGHTS: Final = Path(__file__).with_name("weights")
"""The reader's nets as trained, 32-bit floats, from which `lab.write_net_forms` writes what the reader runs."""


def imread(path: Path) -> Image:
    """Return the picture as stored, with its alpha channel. Raises `SystemExit` if it is unreadable."""
    picture = cv2.imdecode(np.fromfile(path, np.uint8), cv2.IMREAD_UNCHANGED)
    if picture is None:
        raise SystemExit(f"{path}: not a picture")
    return np.asarray(picture, np.uint8)


def imwrite(path: Path, picture: Image) -> None:
    """Write `picture` in the format of the file name's suffix. Raises `SystemExit`."""
    if not cv2.imwrite(str(path), picture):
        raise SystemExit(f"{path}: could not be written")


def held_out(folder: str, picture: str) -> bool:
    """Return whether a picture of a photo set is not trained on: one in four, chosen by its name."""
    return zlib.crc32(f"{folder}/{picture}".encode()) % 4 == 0
