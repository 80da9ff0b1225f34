"""Outlines at a table of which a side lies on the edge of another card."""

from __future__ import annotations

import numpy as np

from engine.cards import parse_card
from tests.vision.faces.test_faces_placed import INSET, PX_PER_MM, table_of
from vision.faces.examined_picture import ExaminedPicture
from vision.faces.geometry import Quad, iou
from vision.faces.resized_outlines import resized_outlines
from vision.faces.settings import DEFAULTS

SIZE = (63.0 * PX_PER_MM, 88.0 * PX_PER_MM)
LEFT, TOP = 300.0, 150.0


def outline(tall: float, top: float = TOP) -> Quad:
    """Return an upright outline that is `tall` pixels high."""
    width = SIZE[0]
    return np.array([[LEFT, top], [LEFT + width, top], [LEFT + width, top + tall], [LEFT, top + tall]], np.float32)


def half_covered() -> ExaminedPicture:
    """Return a picture of a card at `LEFT` and `TOP`, whose lower quarter another card covers."""
    middle = (LEFT + SIZE[0] / 2, TOP + SIZE[1] / 2)
    cards = [(parse_card("7S"), middle, 0.0), (parse_card("QH"), (middle[0], middle[1] + 0.75 * SIZE[1]), 0.0)]
    return ExaminedPicture(table_of(INSET, cards), 1 / PX_PER_MM, DEFAULTS, 60.0)


def test_the_true_outline_is_found_from_one_that_ends_at_the_upper_card() -> None:
    picture = half_covered()
    picture.add([outline(0.75 * SIZE[1])])
    found = resized_outlines(picture, SIZE, [], DEFAULTS)
    assert max(iou(quad, outline(SIZE[1])) for quad in found) > 0.97
    assert all(np.abs(np.sort(np.ptp(quad, axis=0)) - SIZE).max() < 1 for quad in found)


def test_outlines_of_the_right_size_and_of_read_cards_stay_alone() -> None:
    picture = half_covered()
    short, right = outline(0.75 * SIZE[1]), outline(0.97 * SIZE[1])
    picture.add([short, right])
    assert resized_outlines(picture, SIZE, [short], DEFAULTS) == []


def test_no_outline_is_made_where_there_are_no_edges() -> None:
    picture = ExaminedPicture(table_of(INSET, []), 1 / PX_PER_MM, DEFAULTS, 60.0)
    picture.add([outline(0.75 * SIZE[1])])
    assert resized_outlines(picture, SIZE, [], DEFAULTS) == []
