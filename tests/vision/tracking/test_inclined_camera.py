"""Lengths and areas on the table are those of the place where they are measured, also to a camera at one side."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from cardtable.simulation.camera import HEIGHT, WIDTH, Camera
from vision.frames import Frame
from vision.readings import CARD_MM
from vision.table.homography import Homography
from vision.tracking.change_detection import Change, area_mm2
from vision.tracking.settings import DEFAULTS
from vision.tracking.working_frame import WorkingFrame

MAT = (880.0, 500.0)
NEAR, FAR = (440.0, 110.0), (440.0, 400.0)


@pytest.fixture(scope="module")
def working() -> WorkingFrame:
    camera = Camera.above(MAT, np.random.default_rng(2), tilt=40.0)
    table = Homography(np.asarray(np.linalg.inv(camera.to_px), np.float64), (WIDTH, HEIGHT))
    return WorkingFrame(Frame(np.full((HEIGHT, WIDTH, 3), 70, np.uint8), 0.0, 0), table)


def card_at(working: WorkingFrame, place: tuple[float, float]) -> Change:
    """Return the pixels that a card with its middle there covers."""
    half = np.array(CARD_MM) / 2
    corners = np.array(place) + half * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    whole = np.zeros(working.motion.shape, np.uint8)
    at = np.rint(16 * working.mm_to_working(corners.astype(np.float32))).astype(np.int32)
    cv2.fillConvexPoly(whole, at, (1,), shift=4)
    rows, columns = np.nonzero(whole)
    box = (slice(rows.min(), rows.max() + 1), slice(columns.min(), columns.max() + 1))
    return Change(box, whole[box] > 0)


@pytest.mark.parametrize("place", [NEAR, FAR])
def test_a_card_has_the_same_area_everywhere(working: WorkingFrame, place: tuple[float, float]) -> None:
    area = area_mm2([card_at(working, place)], working)
    assert area == pytest.approx(CARD_MM[0] * CARD_MM[1], rel=0.08)


@pytest.mark.parametrize("place", [NEAR, FAR])
def test_what_is_read_around_a_corner_contains_its_card(working: WorkingFrame, place: tuple[float, float]) -> None:
    x, y = working.mm_to_working(np.array([place], np.float32))[0].astype(int).tolist()
    rows, columns = working.reach((slice(y, y + 2), slice(x, x + 2)))
    reach = DEFAULTS.scale.reach_mm - 5  # without the corner itself
    ends = working.table.to_px(np.array(place) + reach * np.array([[-1, 0], [1, 0], [0, -1], [0, 1]]))
    assert columns.start <= ends[:, 0].min() and ends[:, 0].max() < columns.stop
    assert rows.start <= ends[:, 1].min() and ends[:, 1].max() < rows.stop
