"""Outlines of cards that were read follow the edges of their paper: not the table, and not another card."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.faces.geometry import Quad, iou
from vision.faces.index_detector import IndexPose
from vision.faces.outline_fitting import OutlineFitter
from vision.frames import Image

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
    fitter = OutlineFitter(photo(CARD, ground=ground), np.stack([wrong, CARD, FRAME]))
    assert fitter.fits(CARD, []) and not fitter.fits(wrong, [])
    found = fitter.better(wrong, INDEX, [])
    assert found is not None and iou(found, CARD) > 0.97


def test_an_outline_around_two_cards_is_replaced_by_one() -> None:
    both = np.stack([CARD[0], BESIDE[1], BESIDE[2], CARD[3]])
    fitter = OutlineFitter(photo(CARD, BESIDE), np.stack([both, CARD, BESIDE]))
    assert fitter.fits(CARD, [BESIDE]) and not fitter.fits(both, [BESIDE])
    found = fitter.better(both, INDEX, [BESIDE])
    assert found is not None and iou(found, CARD) > 0.97


def test_an_outline_is_not_replaced_without_a_better_one() -> None:
    fitter = OutlineFitter(photo(CARD), np.stack([widened(CARD, 20, 30, 10, 20), FRAME]))
    assert fitter.better(widened(CARD, 4, 4, 4, 4), INDEX, []) is None
    assert OutlineFitter(photo(CARD), np.zeros((0, 4, 2), np.float32)).better(CARD, INDEX, []) is None
