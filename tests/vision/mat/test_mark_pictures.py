"""Whether a corner mark looks as before: noise and dim light do not count, a small movement does."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.drawing.marks import camera, seen_mat, worn
from vision.frames import Image
from vision.mat.corner_finder import MOVED_PX, MarkPictures, TableFinder
from vision.mat.layout import lay_out

MAT = lay_out(3, ("play", "say", "show", "turn-up"))
VIEW = camera(1.85, turn=2, tilt=1.0)
CLEAN = seen_mat(MAT, VIEW)


def around(id_: int) -> tuple[slice, slice]:
    """Return rows and columns around a corner mark."""
    corners = cv2.perspectiveTransform(np.array([MAT.marks[id_]], np.float64), VIEW)[0]
    (left, top), (right, bottom) = corners.min(axis=0).astype(int) - 20, corners.max(axis=0).astype(int) + 20
    return slice(max(top, 0), bottom), slice(max(left, 0), right)


def moved(image: Image, pixels: float, blur: float = 0.0) -> Image:
    """Return the picture moved to the right, and out of focus."""
    shift = np.array([[1, 0, pixels], [0, 1, 0]], np.float64)
    there = cv2.warpAffine(image, shift, (image.shape[1], image.shape[0]), borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(cv2.GaussianBlur(there, (0, 0), blur) if blur else there, np.uint8)


@pytest.mark.parametrize("id_", [0, 1, 2, 3])
def test_noise_is_no_change(id_: int) -> None:
    pictures = MarkPictures()
    pictures.remember(id_, worn(CLEAN, 1), around(id_))
    assert all(pictures.unchanged(id_, worn(CLEAN, seed)) for seed in range(2, 8))


@pytest.mark.parametrize("dark", [1.0, 0.4])
@pytest.mark.parametrize("blur", [0.0, 2.0])
@pytest.mark.parametrize("id_", [0, 1, 2, 3])
def test_a_movement_that_counts_is_a_change(id_: int, blur: float, dark: float) -> None:
    pictures = MarkPictures()
    pictures.remember(id_, worn((moved(CLEAN, 0, blur) * dark).astype(np.uint8), 1), around(id_))
    now = (moved(CLEAN, MOVED_PX, blur) * dark).astype(np.uint8)
    assert not pictures.unchanged(id_, worn(now, 2))


def test_a_mark_that_was_never_seen_or_is_forgotten_has_changed() -> None:
    pictures = MarkPictures()
    assert not pictures.unchanged(0, CLEAN)
    pictures.remember(0, CLEAN, around(0))
    assert pictures.unchanged(0, CLEAN)
    pictures.forget()
    assert not pictures.unchanged(0, CLEAN)


@pytest.mark.parametrize("pixels", [1.5, 3.0])
def test_a_small_movement_is_noticed_in_the_next_picture(pixels: float) -> None:
    finder = TableFinder(MAT)
    for seed in range(8):
        first = finder.update(worn(CLEAN, seed))
    assert first is not None
    assert finder.update(worn(moved(CLEAN, pixels), 9)) is None
    assert finder.moving
