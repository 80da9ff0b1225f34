"""A part of the frame as a camera straight above it would see it.

To a camera at one side of the table the cards on the far side are smaller, and all of them foreshortened. Readers that
know how large cards are expect one scale, the same in all directions.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from vision.frames import Image
from vision.table.homography import Homography, Points

_MOST_GROWTH: Final = 4.0
"""A part that would become more times as large than this is left as it is."""
_LEAST_DEPTH: Final = 0.05
"""Least depth of a part's corner, of that of its farthest one: beyond, it reaches to the horizon."""


@dataclass(frozen=True, slots=True, eq=False)
class TopView:
    """A part of a picture seen from above: (h, w, 3) uint8 BGR. `table`: where the mat lies in it."""

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
