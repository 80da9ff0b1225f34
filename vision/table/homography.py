"""The table's frame of reference: from pixels of the picture to millimetres on the mat, and how it is stored."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from vision.atomic_files import store

Points = npt.NDArray[np.float64]

_AGAIN: Final = "delete it, and let the camera see all four corner marks"


class CalibrationError(ValueError):
    """A stored calibration cannot be used; the message says what to do."""


@dataclass(frozen=True, slots=True, eq=False)
class TableFrame:
    """`homography`: (3, 3) float64, pixels to millimetres on the mat. `image_size`: width, height in pixels."""

    homography: npt.NDArray[np.float64]
    image_size: tuple[int, int]

    def to_mm(self, points: npt.ArrayLike) -> Points:
        """(N, 2) pixels to (N, 2) millimetres."""
        return _through(self.homography, points)

    def to_px(self, points: npt.ArrayLike) -> Points:
        """(N, 2) millimetres to (N, 2) pixels."""
        return _through(np.asarray(np.linalg.inv(self.homography), dtype=np.float64), points)

    @property
    def mm_per_px(self) -> float:
        """The scale in the middle of the picture: the side in mm of the square that a pixel covers."""
        x, y = self.image_size[0] / 2, self.image_size[1] / 2
        here, right, down = self.to_mm([(x, y), (x + 1, y), (x, y + 1)])
        (a, b), (c, d) = right - here, down - here
        return float(abs(a * d - b * c) ** 0.5)

    def resized(self, image_size: tuple[int, int]) -> TableFrame:
        """The same view in pictures of another size."""
        factor = np.diag([self.image_size[0] / image_size[0], self.image_size[1] / image_size[1], 1.0])
        return TableFrame(self.homography @ factor, image_size)


def save_frame(path: Path, frame: TableFrame) -> None:
    """Stores a calibration as JSON. After a power cut the old file or the new one is there, whole."""
    data = {"homography": frame.homography.tolist(), "image_size": list(frame.image_size)}
    store(path, json.dumps(data).encode())


def load_frame(path: Path) -> TableFrame:
    """The calibration stored by `save_frame`. Raises `CalibrationError`; `FileNotFoundError` where there is none."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        homography = np.array(data["homography"], dtype=np.float64)
        width, height = (int(value) for value in data["image_size"])
    except (KeyError, TypeError, ValueError) as error:
        raise CalibrationError(
            f"{path} is no calibration ({error}); delete it, and let the camera see all four corner marks"
        ) from None
    usable = homography.shape == (3, 3) and bool(np.isfinite(homography).all()) and width > 0 and height > 0
    if not usable or abs(float(np.linalg.det(homography))) < 1e-12:
        raise CalibrationError(
            f"{path} holds no usable calibration; delete it, and let the camera see all four corner marks"
        )
    return TableFrame(homography, (width, height))


def _through(homography: npt.NDArray[np.float64], points: npt.ArrayLike) -> Points:
    flat = np.asarray(points, dtype=np.float64).reshape(-1, 2)
    mapped = np.column_stack([flat, np.ones(len(flat))]) @ homography.T
    return np.asarray(mapped[:, :2] / mapped[:, 2:], dtype=np.float64)
