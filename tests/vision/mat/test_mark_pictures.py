"""Whether a corner mark looks as before: noise and dim light do not count, a small movement does."""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np
import pytest

from tests.drawing.marks import camera, seen_mat, worn
from vision.frames import Image
from vision.mat.corner_finder import MOVED_PX, MarkPictures, TableFinder
from vision.mat.layout import lay_out

MAT = lay_out(3, ("play", "say", "show", "turn-up"))
VIEW = camera(1.85, turn=2, tilt=1.0)


@cache
def clean() -> Image:
    return seen_mat(MAT, VIEW)


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


def remembered(image: Image) -> MarkPictures:
    pictures = MarkPictures()
    for id_ in range(4):
        pictures.remember(id_, image, around(id_))
    return pictures


def test_noise_is_no_change() -> None:
    pictures = remembered(worn(clean(), 1))
    for seed in (2, 3):
        now = worn(clean(), seed)
        assert all(pictures.unchanged(id_, now) for id_ in range(4))


@pytest.mark.parametrize(("blur", "dark"), [(0.0, 1.0), (2.0, 0.4)])
def test_a_movement_that_counts_is_a_change(blur: float, dark: float) -> None:
    pictures = remembered(worn((moved(clean(), 0, blur) * dark).astype(np.uint8), 1))
    now = worn((moved(clean(), MOVED_PX, blur) * dark).astype(np.uint8), 2)
    assert not any(pictures.unchanged(id_, now) for id_ in range(4))


def test_a_mark_that_was_never_seen_or_is_forgotten_has_changed() -> None:
    pictures = MarkPictures()
    assert not pictures.unchanged(0, clean())
    pictures.remember(0, clean(), around(0))
    assert pictures.unchanged(0, clean())
    pictures.forget()
    assert not pictures.unchanged(0, clean())


def test_a_small_movement_is_noticed_in_the_next_picture() -> None:
    finder = TableFinder(MAT)
    still = worn(clean(), 1)
    for _ in range(8):
        first = finder.update(still)
    assert first is not None
    assert finder.update(worn(moved(clean(), 1.5), 9)) is None
    assert finder.moving
