"""Outlines of cards that were read follow the edges of their paper: not the table, and not another card."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from engine.cards import RANKS, SUITS, Card, parse_card
from tests.drawing.cards import DrawnTable, face_picture
from vision.faces import FaceReader
from vision.faces.card_assembly import AssembledCard, IndexReading
from vision.faces.edges import darkest_channel, derivatives, gradient
from vision.faces.fitted_cards import UsualIndex
from vision.faces.geometry import Floats, Quad, iou
from vision.faces.index_detector import IndexPose
from vision.faces.outline_fitting import OutlineFitter
from vision.faces.outlined_cards import OutlinedCard
from vision.faces.score_fusion import Verdict
from vision.faces.settings import DEFAULTS
from vision.frames import Image
from vision.readings import Reading

CARD = np.array([[150, 80], [276, 80], [276, 256], [150, 256]], np.float32)
INDEX = IndexPose(162, 100, 0, 24, 1.0)
"""The index at the first corner of the card."""
FRAME = CARD + np.float32([[7, 7], [-7, 7], [-7, -7], [7, -7]])
BESIDE = CARD + np.float32([134, 3])


def photo(*cards: Quad, ground: tuple[int, int, int] = (50, 90, 40), seed: int = 1) -> Image:
    """Cards with two indices each on a table, the last on top, seen by a camera with some noise."""
    picture = np.full((340, 460, 3), ground, np.uint8)
    for card in cards:
        points = np.rint(card * 16).astype(np.int32)
        cv2.polylines(picture, [points], True, (150, 150, 150), 2, cv2.LINE_AA, 4)
        cv2.fillConvexPoly(picture, points, (225, 235, 240), cv2.LINE_AA, 4)
        for corner, inward in ((0, 1), (2, -1)):
            x, y = (card[corner] + inward * np.float32([12, 20])).tolist()
            cv2.rectangle(picture, (int(x) - 5, int(y) - 12), (int(x) + 5, int(y) + 12), (30, 30, 180), 2)
    soft = cv2.GaussianBlur(picture, (0, 0), 0.8).astype(np.float32)
    return np.asarray(np.clip(soft + np.random.default_rng(seed).normal(0, 3, soft.shape), 0, 255), np.uint8)


def fitter_of(picture: Image, proposals: Floats) -> OutlineFitter:
    """A fitter in the picture, with these outlines found in it."""
    plane = np.asarray(cv2.GaussianBlur(darkest_channel(picture), (5, 5), 1.0), np.uint8)
    return OutlineFitter(picture, gradient(derivatives([plane])), proposals)


def widened(quad: Quad, *by: float) -> Quad:
    """The quadrilateral with its left, upper, right and lower side moved outward by these pixels."""
    left, top, right, foot = by
    return quad + np.float32([[-left, -top], [right, -top], [right, foot], [-left, foot]])


@pytest.mark.parametrize("ground", [(50, 90, 40), (30, 30, 30), (120, 60, 30)])
@pytest.mark.parametrize("by", [(30, 5, 8, 40), (5, 25, 25, 5), (149, 20, 10, 60), (25, 25, 25, 25)])
def test_an_outline_on_the_table_is_replaced_by_the_card_s_edges(
    ground: tuple[int, int, int], by: tuple[float, ...]
) -> None:
    wrong = widened(CARD, *by)
    fitter = fitter_of(photo(CARD, ground=ground), np.stack([wrong, CARD, FRAME]))
    assert fitter.fits(CARD, []) and not fitter.fits(wrong, [])
    found = fitter.better(wrong, INDEX, [])
    assert found is not None and iou(found, CARD) > 0.97


def test_an_outline_around_two_cards_is_replaced_by_one() -> None:
    both = np.stack([CARD[0], BESIDE[1], BESIDE[2], CARD[3]])
    fitter = fitter_of(photo(CARD, BESIDE), np.stack([both, CARD, BESIDE]))
    assert fitter.fits(CARD, [BESIDE]) and not fitter.fits(both, [BESIDE])
    found = fitter.better(both, INDEX, [BESIDE])
    assert found is not None and iou(found, CARD) > 0.97


def test_an_outline_is_not_replaced_without_a_better_one() -> None:
    fitter = fitter_of(photo(CARD), np.stack([widened(CARD, 20, 30, 10, 20), FRAME]))
    assert fitter.better(widened(CARD, 4, 4, 4, 4), INDEX, []) is None
    assert fitter_of(photo(CARD), np.zeros((0, 4, 2), np.float32)).better(CARD, INDEX, []) is None


def test_paper_right_outside_is_that_of_the_cards_that_lie_there() -> None:
    """Where no card lies, it is that of the same card, beyond a printed frame."""
    left, right = CARD - np.float32([130, 0]), CARD + np.float32([130, 0])
    fitter = fitter_of(photo(CARD, left, right), np.stack([CARD, left, right]))
    assert not fitter.fits(CARD, []) and not fitter.is_on_edges(CARD, [])
    assert fitter.fits(CARD, [left, right]) and fitter.is_on_edges(CARD, [left, right])
    away = [outline + np.float32([0, 300]) for outline in (left, right)]
    assert not fitter.fits(CARD, away) and not fitter.is_on_edges(CARD, away)


def test_an_outline_that_fits_is_on_edges() -> None:
    """So that it need not be examined again (`fitted_cards`)."""
    assert DEFAULTS.outlines.fit.enough >= DEFAULTS.outlines.fit.worst_enough
    fitter = fitter_of(photo(CARD), CARD[None])
    assert fitter.fits(CARD, [])
    for inset in range(6):
        quad = CARD + np.float32([[inset, inset], [-inset, inset], [-inset, -inset], [inset, -inset]])
        assert fitter.is_on_edges(quad, []) or not fitter.fits(quad, [])


def framed(picture: Image, *frames: Quad) -> Image:
    """The picture with a line printed along each frame."""
    for frame in frames:
        cv2.polylines(picture, [np.rint(frame * 16).astype(np.int32)], True, (40, 40, 40), 1, cv2.LINE_AA, 4)
    return picture


def test_a_frame_printed_on_the_card_is_not_its_edge() -> None:
    picture = framed(photo(CARD), FRAME)
    fitter = fitter_of(picture, FRAME[None])
    assert fitter.fits(CARD, []) and fitter.is_on_edges(CARD, [])
    assert not fitter.fits(FRAME, []) and not fitter.is_on_edges(FRAME, [])
    found = fitter.better(FRAME, INDEX, [])
    assert found is not None and iou(found, CARD) > 0.95 > iou(FRAME, CARD)


def test_two_visible_edges_are_enough_to_find_the_card_around_its_frame() -> None:
    above = CARD + np.float32([110, 0])  # covers the right side, and lies on the frame's margin
    picture = framed(photo(CARD, above - np.float32([0, 60])), FRAME)
    fitter = fitter_of(picture, np.zeros((0, 4, 2), np.float32))
    found = fitter.better(FRAME, INDEX, [])
    assert found is not None and iou(found, CARD) > 0.95
    assert not fitter.is_on_edges(FRAME, [])


@pytest.mark.parametrize(
    "outline", [widened(CARD, 0, 0, 0, 40), widened(CARD, 20, 0, 0, 0), widened(CARD, 0, -9, 0, 0)]
)
def test_an_outline_beside_the_edge_does_not_lie_on_edges(outline: Quad) -> None:
    fitter = fitter_of(photo(CARD, BESIDE), CARD[None])
    assert fitter.is_on_edges(CARD, []) and not fitter.is_on_edges(outline, [])


@pytest.mark.parametrize("by", [(6, 8, 30, 60), (30, 40, 7, 6)])
def test_a_card_on_a_larger_sheet_has_its_own_outline(by: tuple[int, int, int, int]) -> None:
    table = DrawnTable((640, 480), px_per_mm=2.5)
    sheet = (320 - 79 - by[0], 240 - 110 - by[1]), (320 + 79 + by[2], 240 + 110 + by[3])
    cv2.rectangle(table.picture, *sheet, (60, 60, 130), -1)
    card = table.lay(face_picture(parse_card("AD")), (320, 240), 0)
    (reading,) = FaceReader().read(table.photo(2))
    assert str(reading.face) == "AD" and iou(reading.outline, card) > 0.97


def test_a_covered_card_is_as_large_as_those_that_lie_in_full() -> None:
    ace, two = parse_card("AS"), parse_card("2D")
    whole = np.array([[0, 0], [126, 0], [126, 176], [0, 176]], np.float32)  # 2 pixels per millimetre
    usual = UsualIndex([_outlined(ace, whole)], [_index(ace, (10, 28), 44)])
    covered = AssembledCard(two, 0.99, (_index(two, (210, 128), 37),))  # its height is located 16 % too small
    found = usual.estimate(covered)
    assert iou(found, whole + np.float32([200, 100])) > 0.97
    assert iou(UsualIndex([], []).estimate(covered), whole + np.float32([200, 100])) < 0.85


def test_the_edge_of_a_hard_shadow_is_no_edge_of_the_card() -> None:
    picture = photo(CARD).astype(np.float32)
    picture[:, :215] *= 0.45
    fitter = fitter_of(np.asarray(picture, np.uint8), np.zeros((0, 4, 2), np.float32))
    in_shadow = np.array([CARD[0], [214, 80], [214, 256], CARD[3]], np.float32)
    assert not fitter.is_on_edges(in_shadow, [])
    assert fitter.is_on_edges(CARD, [])


def _index(card: Card, at: tuple[float, float], height: float) -> IndexReading:
    """An upright index read with certainty, `height` pixels high."""
    return IndexReading(
        IndexPose(*at, 0.0, height, 1.0),
        np.eye(14, dtype=np.float32)[RANKS.index(card.rank)],
        np.eye(5, dtype=np.float32)[SUITS.index(card.suit)],
    )


def _outlined(card: Card, quad: Quad) -> OutlinedCard:
    """A card read with certainty by both its indices."""
    return OutlinedCard(Reading(card, 1.0, "face", quad), Verdict(card, 1.0, (0, 2), ()), 1.0)
