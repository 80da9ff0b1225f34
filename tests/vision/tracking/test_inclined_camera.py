"""Cards and their areas are the same everywhere on the table, also to a camera at one side."""

from __future__ import annotations

from typing import ClassVar

import cv2
import numpy as np
import pytest

from cardtable.simulation.sprites import HEIGHT, WIDTH, Camera
from engine.cards import parse_card
from vision.frames import Frame, Image
from vision.mat.homography import Homography
from vision.readings import CARD_MM, Reading
from vision.tracking.card_fitting import cut_out
from vision.tracking.card_reading import ReadRequest, read_cards
from vision.tracking.change_detection import Change, area_mm2
from vision.tracking.footprint import Outline
from vision.tracking.settings import DEFAULTS
from vision.tracking.tracks import Tracks
from vision.tracking.working_frame import WorkingFrame

MAT = (880.0, 500.0)
NEAR, FAR, FARTHEST = (440.0, 110.0), (440.0, 400.0), (440.0, 450.0)


@pytest.fixture(scope="module")
def working() -> WorkingFrame:
    camera = Camera.above(MAT, np.random.default_rng(2), tilt=40.0)
    table = Homography(np.asarray(np.linalg.inv(camera.to_px), np.float64), (WIDTH, HEIGHT))
    return WorkingFrame(Frame(np.full((HEIGHT, WIDTH, 3), 70, np.uint8), 0.0, 0), table)


def outline_at(place: tuple[float, float]) -> Outline:
    """Return the outline of a card with its middle there, millimetres."""
    half = np.array(CARD_MM) / 2
    return np.asarray(np.array(place) + half * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]), np.float32)


def card_at(working: WorkingFrame, place: tuple[float, float]) -> Change:
    """Return the pixels that such a card covers."""
    whole = np.zeros(working.motion.shape, np.uint8)
    at = np.rint(16 * working.mm_to_working(outline_at(place))).astype(np.int32)
    cv2.fillConvexPoly(whole, at, (1,), shift=4)
    rows, columns = np.nonzero(whole)
    box = (slice(rows.min(), rows.max() + 1), slice(columns.min(), columns.max() + 1))
    return Change(box, whole[box] > 0)


@pytest.mark.parametrize("place", [NEAR, FAR])
def test_a_card_has_the_same_area_everywhere(working: WorkingFrame, place: tuple[float, float]) -> None:
    area = area_mm2([card_at(working, place)], working)
    assert area == pytest.approx(CARD_MM[0] * CARD_MM[1], rel=0.08)


@pytest.mark.parametrize("place", [NEAR, FAR])
@pytest.mark.parametrize(("card_mm", "larger"), [(CARD_MM, 1.0), ((70.0, 110.0), 1.25), ((45.0, 68.0), 1.0)])
def test_what_is_read_around_a_corner_contains_its_card(
    working: WorkingFrame,
    place: tuple[float, float],
    card_mm: tuple[float, float],
    larger: float,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(working, "card_mm", card_mm)
    x, y = working.mm_to_working(np.array([place], np.float32))[0].astype(int).tolist()
    rows, columns = working.reach((slice(y, y + 2), slice(x, x + 2)))
    reach = larger * DEFAULTS.scale.reach_mm - 5  # without the corner itself
    ends = working.table.to_px(np.array(place) + reach * np.array([[-1, 0], [1, 0], [0, -1], [0, 1]]))
    assert columns.start <= ends[:, 0].min() and ends[:, 0].max() < columns.stop
    assert rows.start <= ends[:, 1].min() and ends[:, 1].max() < rows.stop
    (wide, tall), most = np.ptp(ends, axis=0), 1.4
    assert columns.stop - columns.start < most * wide and rows.stop - rows.start < most * tall


class FarCard:
    """A reader that reports one card with the outline that it has in the picture, seen straight from above."""

    min_px_per_mm: ClassVar[float] = 0.0

    def __init__(self) -> None:
        self.sides_mm: list[float] = []

    def read(self, image: Image, mm_per_px: float | None = None) -> list[Reading]:
        """Return the bright card in the picture."""
        bright = (image.max(axis=2) > 150).astype(np.uint8)
        (contour,), _ = cv2.findContours(bright, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
        assert mm_per_px is not None
        middle, sides, angle = cv2.minAreaRect(contour)
        self.sides_mm = sorted(side * mm_per_px for side in sides)
        outline = np.asarray(cv2.boxPoints((middle, sides, angle)), np.float32)
        return [Reading(parse_card("7D"), 0.99, "face", outline)]


def paint(working: WorkingFrame, outline: Outline) -> None:
    """Paint a white card in the frame, which is dark otherwise."""
    corners = np.rint(16 * working.table.to_px(outline)).astype(np.int32)
    working.frame.image[:] = 70
    cv2.fillConvexPoly(working.frame.image, corners, (240, 240, 240), cv2.LINE_AA, shift=4)


@pytest.mark.parametrize("alone", [False, True])
def test_a_far_card_is_read_as_from_above_and_counts(working: WorkingFrame, alone: bool) -> None:
    outline = outline_at(FARTHEST)
    paint(working, outline)
    reader = FarCard()
    if alone:
        request = ReadRequest(*cut_out(working, outline, DEFAULTS.fitting), near=outline)
    else:
        part = working.reach(card_at(working, FARTHEST).box)
        request = ReadRequest(working.frame.image[part], part)
    (found,) = read_cards(request, [reader], working, DEFAULTS.reading)
    assert found.outline.mean(axis=0) == pytest.approx(FARTHEST, abs=1.0)
    assert reader.sides_mm == pytest.approx(list(CARD_MM), abs=2.5)
    tracks = Tracks(working, "test", lambda x, y: None, DEFAULTS)
    working.motion.age[:] = 100
    tracks.count_vote(found, 1)
    assert len(list(tracks)) == 1


def test_a_card_counts_if_what_is_read_as_from_above_shows_it(working: WorkingFrame) -> None:
    """It shows more than the part of the frame that is to be read."""
    outline = outline_at((160.0, 400.0))
    paint(working, outline)
    part = working.reach(card_at(working, (200.0, 400.0)).box)
    corners = np.asarray(working.table.to_px(outline), np.float32)
    assert corners[:, 0].min() < part[1].start - 15, "a corner lies outside the part"
    request = ReadRequest(working.frame.image[part], part)
    assert len(read_cards(request, [FarCard()], working, DEFAULTS.reading)) == 1
