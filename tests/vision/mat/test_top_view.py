"""A part of the frame as a camera straight above it would see it."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from cardtable.simulation.sprites import HEIGHT, WIDTH, Camera
from vision.frames import Image
from vision.mat.homography import Homography, is_distorted, top_view

MAT = (880.0, 500.0)
SQUARE = np.array([[60.0, 400.0], [140.0, 400.0], [140.0, 480.0], [60.0, 480.0]])
"""On the far side of the mat, millimetres."""


def seen(tilt: float) -> tuple[Image, Homography]:
    """Return the picture of a table with one white square, and where the mat lies in it."""
    camera = Camera.above(MAT, np.random.default_rng(4), tilt)
    picture = np.full((HEIGHT, WIDTH, 3), 60, np.uint8)
    corners = np.rint(16 * camera.pixels(SQUARE)).astype(np.int32)
    cv2.fillConvexPoly(picture, corners, (255, 255, 255), cv2.LINE_AA, shift=4)
    return picture, Homography(np.asarray(np.linalg.inv(camera.to_px), np.float64), (WIDTH, HEIGHT))


def around(table: Homography) -> tuple[slice, slice]:
    """Return the part of the picture with the square and some of the table around it."""
    corners = table.to_px(SQUARE)
    (left, top), (right, foot) = (corners.min(axis=0) - 40).astype(int), (corners.max(axis=0) + 40).astype(int)
    width, height = table.image_size
    return slice(max(top, 0), min(foot, height)), slice(max(left, 0), min(right, width))


@pytest.mark.parametrize(("tilt", "distorted"), [(0.0, False), (20.0, True), (40.0, True)])
def test_a_part_is_distorted_if_a_scale_in_it_is_another(tilt: float, distorted: bool) -> None:
    _, table = seen(tilt)
    assert is_distorted(around(table), table, table.mm_per_px, 0.1) is distorted
    assert is_distorted(around(table), table, table.mm_per_px, 1.0) is False


def turned(picture: Image, table: Homography, quarters: int) -> tuple[Image, Homography]:
    """Return the picture of a camera that is mounted turned by so many quarters, and where the mat lies in it."""
    matrix, (width, height) = table.matrix, table.image_size
    for _ in range(quarters):
        picture = np.rot90(picture)
        matrix, width, height = matrix @ np.array([[0, -1, width - 1], [1, 0, 0], [0, 0, 1.0]]), height, width
    return np.ascontiguousarray(picture), Homography(matrix, (width, height))


@pytest.mark.parametrize(("tilt", "quarters"), [(20.0, 0), (40.0, 0), (50.0, 0), (40.0, 1), (40.0, 2), (40.0, 3)])
def test_a_square_is_square_and_where_it_lies(tilt: float, quarters: int) -> None:
    picture, table = turned(*seen(tilt), quarters)
    view = top_view(picture, around(table), table)
    assert view is not None
    grey = cv2.cvtColor(view.image, cv2.COLOR_BGR2GRAY)
    (contour,), _ = cv2.findContours((grey > 150).astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    middle, sides, _ = cv2.minAreaRect(contour)
    assert [side * view.table.mm_per_px for side in sides] == pytest.approx([80, 80], abs=2.5)
    assert sides[0] == pytest.approx(sides[1], rel=0.015)
    assert view.table.to_mm([middle])[0] == pytest.approx(SQUARE.mean(axis=0), abs=1.0)
    x, y = table.to_px([SQUARE.mean(axis=0)])[0].tolist()
    ahead, same = table.slope((x, y))[:, 0], view.table.slope((middle[0], middle[1]))[:, 0]
    assert np.dot(ahead, same) > 0.9 * np.linalg.norm(ahead) * np.linalg.norm(same)  # not turned
    assert not is_distorted((slice(0, grey.shape[0]), slice(0, grey.shape[1])), view.table, view.table.mm_per_px, 1e-6)


def test_the_finest_scale_in_the_middle_is_kept() -> None:
    """In the middle of the far side cards are seen shorter, but not narrower."""
    picture, table = seen(40.0)
    view = top_view(picture, (slice(900, 1000), slice(900, 1020)), table)
    across, along = (float(np.linalg.norm(step)) for step in table.slope((960, 950)).T)
    assert along > 1.2 * across
    assert view is not None and view.table.mm_per_px == pytest.approx(across, rel=0.02)


@pytest.mark.parametrize("steepness", [0.00124, 0.00125, 0.002, 0.0024, 0.004])
def test_what_reaches_to_the_horizon_is_left_as_it_is(steepness: float) -> None:
    """The horizon is at row 800 with the second, and higher with the others."""
    table = Homography(np.array([[0.5, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0, -steepness, 1.0]]), (1000, 800))
    picture, whole, near = np.zeros((800, 1000, 3), np.uint8), (slice(0, 800), slice(0, 1000)), slice(0, 60)
    assert is_distorted(whole, table, table.mm_per_px, 0.1)
    assert top_view(picture, whole, table) is None
    assert top_view(picture, (near, slice(0, 100)), table) is not None
