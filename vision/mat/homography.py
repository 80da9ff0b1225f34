"""The homography between pixels of a picture and millimetres on the mat, and its file."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from vision.atomic_files import store
from vision.frames import Image
from vision.image_files import is_regular

Points = npt.NDArray[np.float64]
"""(N, 2) float64: x and y."""

_MAX_BYTES: Final = 100_000
"""Bytes of the largest file with a calibration; one has a few hundred."""
_ADVICE: Final = "delete it, and let the camera see all four corner marks"


class CalibrationError(ValueError):
    """A stored calibration cannot be used. The message is for people and says what to do."""


@dataclass(frozen=True, eq=False)
class Homography:
    """The map between the pixels of a picture and millimetres on the mat: where the mat lies in the picture.

    `matrix`: (3, 3) float64, maps pixels to millimetres on the mat. `image_size`: width, height of the picture in
    pixels.

    >>> half_mm = Homography(np.diag([0.5, 0.5, 1.0]), (1920, 1080))
    >>> half_mm.to_mm([(100, 40)]).tolist()
    [[50.0, 20.0]]
    >>> half_mm.mm_per_px
    0.5
    """

    matrix: npt.NDArray[np.float64]
    image_size: tuple[int, int]

    def to_mm(self, points: npt.ArrayLike) -> Points:
        """Convert (N, 2) pixels to (N, 2) millimetres on the mat."""
        return _apply(self.matrix, points)

    def to_px(self, points: npt.ArrayLike) -> Points:
        """Convert (N, 2) millimetres on the mat to (N, 2) pixels."""
        return _apply(self._to_px, points)

    @cached_property
    def mm_per_px(self) -> float:
        """The scale at the centre of the picture: the square root of the area of a pixel, in mm."""
        return self.mm_per_px_at((self.image_size[0] / 2, self.image_size[1] / 2))

    def mm_per_px_at(self, place: tuple[float, float]) -> float:
        """Return the scale at a place of the picture, pixels: the square root of the area of a pixel, in mm."""
        (a, c), (b, d) = self.slope(place)
        return float(abs(a * d - b * c) ** 0.5)

    def slope(self, place: tuple[float, float]) -> npt.NDArray[np.float64]:
        """Return how mm on the mat change with pixels at a place of the picture: (2, 2), a column for x and for y."""
        x, y = place
        here, right, down = self.to_mm([(x, y), (x + 1, y), (x, y + 1)])
        return np.column_stack([right - here, down - here])

    @cached_property
    def _to_px(self) -> npt.NDArray[np.float64]:
        """The matrix from millimetres to pixels."""
        return np.asarray(np.linalg.inv(self.matrix), dtype=np.float64)

    def resized(self, image_size: tuple[int, int]) -> Homography:
        """Return the same view for pictures of another size, (width, height) in pixels."""
        factor = np.diag([self.image_size[0] / image_size[0], self.image_size[1] / image_size[1], 1.0])
        return Homography(self.matrix @ factor, image_size)


def save_homography(path: Path, homography: Homography) -> None:
    """Write a calibration as JSON. After a power cut the file is complete, old or new. Raises `OSError`."""
    data = {"homography": homography.matrix.tolist(), "image_size": list(homography.image_size)}
    store(path, json.dumps(data).encode())


def load_homography(path: Path) -> Homography:
    """Read a calibration written by `save_homography`.

    Raises `CalibrationError` if the file cannot be used, and `FileNotFoundError` if it does not exist.
    """
    try:
        if not is_regular(path) or path.stat().st_size > _MAX_BYTES:
            raise ValueError("a pipe, a device, or too large")
        data = json.loads(path.read_text(encoding="utf-8"))
        matrix = np.array(data["homography"], dtype=np.float64)
        width, height = (int(value) for value in data["image_size"])
    except (KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
        raise CalibrationError(f"{path} is not a calibration ({error}); {_ADVICE}") from None
    usable = matrix.shape == (3, 3) and bool(np.isfinite(matrix).all()) and width > 0 and height > 0
    if not usable or abs(float(np.linalg.det(matrix))) < 1e-12:
        raise CalibrationError(f"{path} holds no usable calibration; {_ADVICE}")
    return Homography(matrix, (width, height))


def _apply(matrix: npt.NDArray[np.float64], points: npt.ArrayLike) -> Points:
    flat = np.asarray(points, dtype=np.float64).reshape(-1, 2)
    mapped = np.column_stack([flat, np.ones(len(flat))]) @ matrix.T
    return np.asarray(mapped[:, :2] / mapped[:, 2:], dtype=np.float64)


_MOST_GROWTH: Final = 4.0
"""A part that would become more times as large than this is left as it is."""
_LEAST_DEPTH: Final = 0.05
"""Least depth of a part's corner, of that of its farthest one: beyond, it reaches to the horizon."""


@dataclass(frozen=True, slots=True, eq=False)
class TopView:
    """A part of a picture seen from above: (h, w, 3) uint8 BGR. `table`: where the mat lies in it.

    To a camera at one side of the table, all cards are foreshortened, and those on the far side are smaller. Readers
    that know the size of a card expect one scale in all directions.
    """

    image: Image
    table: Homography


def is_distorted(part: tuple[slice, slice], table: Homography, mm_per_px: float, limit: float) -> bool:
    """Return whether some scale in the part differs from `mm_per_px` by more than the relative difference `limit`.

    `part`: rows and columns of the picture. Its scales are those of all directions in its middle and at its corners; if
    it reaches to the horizon, it is distorted. `table`: where the mat lies in the picture.
    """
    corners = corners_of(part)
    if _reaches_to_horizon(corners, table):
        return True
    places = [*corners.tolist(), corners.mean(axis=0).tolist()]
    scales = np.array([np.linalg.svd(table.slope((x, y)), compute_uv=False) for x, y in places])
    return bool(np.abs(scales / mm_per_px - 1).max() > limit)


def top_view(picture: Image, part: tuple[slice, slice], table: Homography) -> TopView | None:
    """Return the part of a picture, rows and columns, as seen from above; None if it reaches too far to the horizon.

    It has the finest scale in the middle of the part and is turned as the picture is there. Around the part it shows
    what the picture shows; pixels beyond that repeat its border. `table`: where the mat lies in the picture.
    """
    corners = corners_of(part)
    if _reaches_to_horizon(corners, table):
        return None
    x, y = corners.mean(axis=0).tolist()
    slope = table.slope((x, y))
    angle, mm_per_px = math.atan2(slope[1, 0], slope[0, 0]), float(np.linalg.svd(slope, compute_uv=False)[1])
    cosine, sine = math.cos(angle), math.sin(angle)
    turned = np.array([[cosine, sine, 0], [-sine, cosine, 0], [0, 0, mm_per_px]]) @ table.matrix
    seen = Homography(turned, table.image_size).to_mm(corners)  # pixels of the result, but for its origin
    left, top = np.floor(seen.min(axis=0)).tolist()
    width, height = (int(end) for end in np.ceil(seen.max(axis=0) - (left, top)))
    rows, columns = part
    if width * height > _MOST_GROWTH * (rows.stop - rows.start) * (columns.stop - columns.start):
        return None
    matrix = np.array([[1, 0, -left], [0, 1, -top], [0, 0, 1]]) @ turned
    border = cv2.BORDER_REPLICATE
    image = cv2.warpPerspective(picture, matrix, (width, height), flags=cv2.INTER_LINEAR, borderMode=border)
    whole = Homography(table.matrix @ np.linalg.inv(matrix), (width, height))
    return TopView(np.asarray(image, np.uint8), whole)


def corners_of(part: tuple[slice, slice]) -> Points:
    """Return the corners of a part of a picture, rows and columns: (4, 2) pixels, clockwise from the upper left."""
    rows, columns = part
    left, top, right, foot = columns.start, rows.start, columns.stop, rows.stop
    return np.array([[left, top], [right, top], [right, foot], [left, foot]], np.float64) - 0.5


def _reaches_to_horizon(corners: Points, table: Homography) -> bool:
    """Return whether a corner of the part lies near the horizon of the table, or beyond it."""
    depth = corners @ table.matrix[2, :2] + table.matrix[2, 2]
    depth = depth * np.sign(depth[np.abs(depth).argmax()])
    return bool(depth.min() < _LEAST_DEPTH * depth.max())
