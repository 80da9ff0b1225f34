"""Quadrilaterals: corner order and proportions, moved onto edges, found among edges."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.drawing.degrading import degraded, six_cards
from tests.drawing.tables import drawn_decks
from vision.faces import FaceReader
from vision.faces.crops import CROP, PX_PER_MM, corner_crop, normalized
from vision.faces.edges import darkest_channel, derivatives, gradient, snap_to_edges
from vision.faces.geometry import (
    Quad,
    clockwise,
    containment,
    iou,
    is_plausible_card,
    portrait,
    side_lengths,
    starting_at,
)
from vision.faces.outline_finder import OutlineFinder
from vision.faces.pyramid import image_pyramid
from vision.faces.rectangles import find_rectangles
from vision.faces.settings import DEFAULTS
from vision.frames import Image

CARD = np.array([[100, 60], [226, 60], [226, 236], [100, 236]], np.float32)


def spun(quad: Quad, degrees: float) -> Quad:
    """The quadrilateral rotated about its middle."""
    angle = np.radians(degrees)
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    middle = quad.mean(axis=0)
    return np.asarray((quad - middle) @ turn + middle, np.float32)


def drawn(
    *quads: Quad, paper: int = 240, ground: int = 90, rim: int | None = None, rows: int = 320, columns: int = 340
) -> Image:
    """Blank cards on a table, the last on top, slightly blurred; `rim`: the grey of their edges."""
    picture = np.full((rows, columns, 3), ground, np.uint8)
    for quad in quads:
        points = np.rint(quad * 16).astype(np.int32)
        cv2.fillConvexPoly(picture, points, (paper,) * 3, cv2.LINE_AA, 4)
        if rim is not None:
            cv2.polylines(picture, [points], True, (rim,) * 3, 1, cv2.LINE_AA, 4)
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), 0.7), np.uint8)


def test_clockwise_reverses_only_counterclockwise_corners() -> None:
    for start in range(4):
        assert np.array_equal(clockwise(starting_at(CARD, start)), starting_at(CARD, start))
    back = clockwise(CARD[::-1])
    assert any(np.array_equal(back, starting_at(CARD, k)) for k in range(4))


def test_portrait_begins_with_a_short_side() -> None:
    for start in range(4):
        length = side_lengths(portrait(starting_at(CARD, start)))
        assert length[0] < length[1]


@given(st.floats(0, 360), st.floats(0.5, 3))
def test_a_card_is_plausible_at_any_angle_and_size(angle: float, scale: float) -> None:
    assert is_plausible_card(spun(CARD * scale, angle), 34, DEFAULTS.outlines)


@pytest.mark.parametrize(
    "corners",
    [
        [[0, 0], [20, 0], [20, 28], [0, 28]],
        [[0, 0], [300, 0], [300, 60], [0, 60]],
        [[0, 0], [126, 0], [90, 176], [60, 176]],
        [[0, 0], [126, 0], [456, 176], [330, 176]],
    ],
    ids=["small", "long", "tapered", "skewed"],
)
def test_implausible_quadrilaterals(corners: list[list[float]]) -> None:
    assert not is_plausible_card(np.array(corners, np.float32), 34, DEFAULTS.outlines)


def test_iou_and_containment() -> None:
    half = CARD + np.float32([63, 0])
    assert iou(CARD, CARD) == pytest.approx(1)
    assert iou(CARD, half) == pytest.approx(1 / 3, abs=0.01)
    assert iou(CARD, CARD + np.float32([500, 0])) == 0
    assert containment(CARD, half) == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize("angle", [0, 7, 33, 45])
def test_sides_snap_to_edges(angle: float) -> None:
    card = spun(CARD, angle)
    off = card + np.random.default_rng(angle).uniform(-2, 2, (4, 2)).astype(np.float32)
    assert (
        np.abs(snap_to_edges(drawn(card), off, 4.5) - card).max() < 1.3
    )  # OpenCV draws an outline half a pixel too large


def test_a_side_without_an_edge_stays() -> None:
    flat = np.full((320, 340, 3), 128, np.uint8)
    assert np.abs(snap_to_edges(flat, CARD, 4.5) - CARD).max() < 0.01


@pytest.mark.parametrize("angle", [0, 12, 30, 77])
def test_a_blank_card_is_found_as_a_contour(angle: float) -> None:
    card = spun(CARD, angle)
    found = OutlineFinder(image_pyramid(drawn(card))).contours()
    assert max(iou(proposal.quad, card) for proposal in found) > 0.93


@pytest.mark.parametrize("angle", [5, 28, 61])
def test_a_white_card_on_white_cards_is_found_by_its_size(angle: float) -> None:
    below, top = spun(CARD + np.float32([45, 30]), -20), spun(CARD, angle)
    picture = drawn(below, top, rim=205)
    grey = np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.uint8)
    slope = gradient(derivatives([darkest_channel(picture)]))
    found = find_rectangles(grey, slope, DEFAULTS.outlines.weak_edge, (126.0, 176.0))
    assert max(iou(quad, top) for quad, _ in found) > 0.93


def test_the_edge_of_another_card_is_not_the_end_of_one_in_line() -> None:
    """Two cards end to end, the upper one 24 pixels over the lower: what is visible of the lower one is too short."""
    upper = np.array([[100, 100], [226, 100], [226, 276], [100, 276]], np.float32)
    picture = drawn(upper + np.float32([0, 152]), upper, rows=520, rim=190)
    grey = np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.uint8)
    slope = gradient(derivatives([darkest_channel(picture)]))
    found = [quad for quad, _ in find_rectangles(grey, slope, DEFAULTS.outlines.weak_edge, (126.0, 176.0))]
    assert max(iou(quad, upper) for quad in found) > 0.95
    assert all(max(side_lengths(quad)) > 0.95 * 176 for quad in found)


def test_contours_smaller_than_any_card_are_left_out() -> None:
    small = CARD.mean(axis=0) + 0.5 * (CARD - CARD.mean(axis=0))
    levels = image_pyramid(drawn(np.asarray(small, np.float32)))
    assert OutlineFinder(levels, smallest=80.0).contours()
    assert not OutlineFinder(levels, smallest=95.0).contours()


def test_rectangles_are_found_near_a_point_alone() -> None:
    """In the same place as in the whole picture, also where that is halved first."""
    left = np.array([[60, 80], [186, 80], [186, 256], [60, 256]], np.float32)
    right = left + np.float32([700, 40])
    for factor in (1, 2):
        picture = cv2.resize(drawn(left, right, rows=400, columns=1000), None, fx=factor, fy=factor)
        finder, size = OutlineFinder(image_pyramid(np.asarray(picture, np.uint8))), (126.0 * factor, 176.0 * factor)
        everywhere = [outline.quad for outline in finder.rectangles(size)]
        near = [outline.quad for outline in finder.rectangles(size, factor * np.float32([[780, 140]]))]
        for card, is_found in ((left, False), (right, True)):
            assert max(iou(quad, factor * card) for quad in everywhere) > 0.93
            assert (max(iou(quad, factor * card) for quad in near) > 0.93) is is_found


def test_rectangles_have_edges_on_the_paper_that_is_given() -> None:
    left = np.array([[60, 80], [186, 80], [186, 256], [60, 256]], np.float32)
    right = left + np.float32([200, 240])
    for factor in (1, 2):
        picture = cv2.resize(drawn(left, right, rows=600, columns=500), None, fx=factor, fy=factor)
        finder, size = OutlineFinder(image_pyramid(np.asarray(picture, np.uint8))), (126.0 * factor, 176.0 * factor)
        paper = finder.unread_paper([factor * left], size[0] * size[1], 0.5)
        for near in (None, factor * right[:1]):
            found = [outline.quad for outline in finder.rectangles(size, near, paper)]
            assert max(iou(quad, factor * right) for quad in found) > 0.93
            assert max(iou(quad, factor * left) for quad in found) < 0.5
        assert finder.rectangles(size, paper=(490, 590, 500, 600)) == []
        assert finder.rectangles(size, near=factor * left[:1], paper=(490, 590, 500, 600)) == []


def test_an_empty_table_has_no_rectangles() -> None:
    flat = np.full((200, 200), 128, np.uint8)
    assert find_rectangles(flat, np.zeros_like(flat), DEFAULTS.outlines.weak_edge, (126.0, 176.0)) == []


def test_the_crop_is_the_card_s_corner_at_any_resolution() -> None:
    card = np.full((880, 630, 3), 255, np.uint8)
    cv2.rectangle(card, (40, 50), (90, 150), (0, 0, 200), -1)  # at 4 to 9 mm and 5 to 15 mm
    big = np.array([[0, 0], [630, 0], [630, 880], [0, 880]], np.float32) - 0.5
    crop = corner_crop(image_pyramid(card), big)
    assert crop.shape == (CROP[1], CROP[0], 3)
    red = crop[round(10 * PX_PER_MM), round(6.5 * PX_PER_MM)]
    assert red[2] > 150 and red[0] < 60
    assert crop[round(10 * PX_PER_MM), round(12 * PX_PER_MM)].min() > 240


@given(st.floats(0.3, 1.0), st.floats(0.6, 1.0))
def test_the_colour_of_the_light_has_no_effect(dim: float, warm: float) -> None:
    crop = np.full((80, 48, 3), 230, np.uint8)
    crop[20:40, 10:20] = (30, 30, 160)
    lit = (crop * np.array([dim * warm, dim, dim])).astype(np.uint8)
    assert np.abs(normalized(crop) - normalized(lit)).max() < 0.12


def test_cards_are_read_at_a_tilt_of_70_degrees() -> None:
    """Seen so, a card that lies across is four times as long as wide, and one that is turned has acute corners."""
    deck, reader = drawn_decks()["drawn"], FaceReader()
    photos = [degraded(six_cards(deck, 60.0, seed), "tilt", 70, seed) for seed in (20,)]
    read = [{str(reading.face) for reading in reader.read(photo.image)} for photo in photos]
    assert all(faces <= set(photo.cards) for faces, photo in zip(read, photos, strict=True))
    assert sum(map(len, read)) >= 5
