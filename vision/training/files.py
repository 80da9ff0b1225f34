"""Pictures from and to files."""

from __future__ import annotations

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
