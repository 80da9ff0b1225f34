"""A card whose indices are read, and that neither a contour nor a rectangle shows."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from engine.cards import RANKS, SUITS, Card, parse_card
from tests.drawing.placed import TABLE_PX_PER_MM, table_of
from tests.vision.faces.test_faces_placed import INSET, faces
from vision.faces import FaceReader
from vision.faces.card_assembly import IndexReading
from vision.faces.examined_picture import ExaminedPicture
from vision.faces.geometry import Quad, iou
from vision.faces.index_detector import IndexPose
from vision.faces.index_outlines import outline_around, paired_outlines
from vision.faces.index_places import IndexPlace
from vision.faces.outline_finder import OutlineFinder
from vision.faces.settings import DEFAULTS
from vision.frames import Image

MIDDLE, DEGREES = (500.0, 260.0), 20.0
SIZE = (63.0 * TABLE_PX_PER_MM, 88.0 * TABLE_PX_PER_MM)


def on_card(right: float, down: float) -> tuple[float, float]:
    """Return the pixel of a point of the card, millimetres from its middle."""
    cosine, sine = np.cos(np.radians(DEGREES)), np.sin(np.radians(DEGREES))
    x, y = TABLE_PX_PER_MM * (right * cosine - down * sine), TABLE_PX_PER_MM * (right * sine + down * cosine)
    return MIDDLE[0] + x, MIDDLE[1] + y


def index(
    card: Card, right: float, down: float, askew: float, confidence: float = 1.0, height: float = 24.0
) -> IndexReading:
    """Return an index read at a point of the card, millimetres from its middle, upright or, below it, upside down.

    `height`: pixels.
    """
    turn = np.radians(DEGREES + askew + (180 if down > 0 else 0))
    x, y = on_card(right, down)
    pose = IndexPose(x, y, -height * float(np.sin(turn)), height * float(np.cos(turn)), confidence)
    rank, suit = np.eye(14)[RANKS.index(card.rank)], confidence * np.eye(5)[SUITS.index(card.suit)]
    return IndexReading(pose, rank.astype(np.float32), suit.astype(np.float32))


@cache
def seven_of_spades() -> Image:
    return table_of(INSET, [(parse_card("7S"), MIDDLE, DEGREES)])


def examined() -> ExaminedPicture:
    return ExaminedPicture(seven_of_spades(), 1 / TABLE_PX_PER_MM, DEFAULTS, 60.0)


def truth() -> Quad:
    """Return the card's outline, from its own top left."""
    corners = ((-31.5, -44), (31.5, -44), (31.5, 44), (-31.5, 44))
    return np.array([on_card(x, y) for x, y in corners], np.float32)


@pytest.mark.parametrize(("right", "down"), [(25.5, 33.0), (23.0, 25.0), (14.0, 30.0)])
@pytest.mark.parametrize("askew", [-8.0, 0.0, 8.0])
def test_the_outline_is_found_wherever_the_indices_stand(right: float, down: float, askew: float) -> None:
    """They are located a little inaccurately, 1.5 mm and up to 8 degrees."""
    card = parse_card("7S")
    pair = [index(card, -right, -down + 1.5, askew), index(card, right + 1.5, down, askew)]
    (outline,) = paired_outlines(pair, examined(), SIZE, DEFAULTS)
    assert iou(outline, truth()) > 0.97


def test_jumbo_indices_near_each_other_are_a_pair() -> None:
    card = parse_card("7S")
    pair = [index(card, -22, -22, 0, height=66), index(card, 22, 22, 6, height=75)]
    assert len(paired_outlines(pair, examined(), SIZE, DEFAULTS)) == 1


def covered_side() -> ExaminedPicture:
    """Return the picture with another card on the right third of the card."""
    over = on_card(63 * 2 / 3, 0)
    cards = [(parse_card("7S"), MIDDLE, DEGREES), (parse_card("QH"), over, DEGREES)]
    return ExaminedPicture(table_of(INSET, cards), 1 / TABLE_PX_PER_MM, DEFAULTS, 60.0)


@pytest.mark.parametrize("askew", [-8.0, 0.0, 8.0])
def test_one_index_in_a_known_place_shows_the_outline(askew: float) -> None:
    pose = index(parse_card("7S"), -25.5, -23.0, askew, height=36).pose
    found = outline_around(pose, covered_side(), SIZE, [IndexPlace(6.0, 21.0, 18.0)], DEFAULTS)
    assert found is not None
    outline, score = found
    assert score >= DEFAULTS.min_edge_score_alone
    assert iou(outline, truth()) > 0.9  # nearly parallel edges of the card above attract it a little
    assert np.hypot(*(truth() - outline[0]).T).argmin() == 0  # from the corner in which the index stands


def test_one_index_shows_no_outline_without_a_place_or_edges() -> None:
    pose = index(parse_card("7S"), -25.5, -23.0, 0.0, height=36).pose
    places = [IndexPlace(6.0, 21.0, 18.0)]
    assert outline_around(pose, covered_side(), SIZE, [], DEFAULTS) is None
    empty = ExaminedPicture(table_of(INSET, []), 1 / TABLE_PX_PER_MM, DEFAULTS, 60.0)
    assert outline_around(pose, empty, SIZE, places, DEFAULTS) is None


def test_one_index_of_another_height_shows_no_outline() -> None:
    pose = index(parse_card("7S"), -25.5, -23.0, 0.0, height=20).pose
    assert outline_around(pose, covered_side(), SIZE, [IndexPlace(6.0, 21.0, 18.0)], DEFAULTS) is None


def test_an_outline_that_reaches_beyond_the_picture_does_not_count() -> None:
    """Where the part that is read ends, no card ends."""
    picture = table_of(INSET, [(parse_card("7S"), MIDDLE, DEGREES)])[:, : int(MIDDLE[0])]
    examined_part = ExaminedPicture(np.ascontiguousarray(picture), 1 / TABLE_PX_PER_MM, DEFAULTS, 60.0)
    pose = index(parse_card("7S"), -25.5, -23.0, 0.0, height=36).pose
    assert outline_around(pose, examined_part, SIZE, [IndexPlace(6.0, 21.0, 18.0)], DEFAULTS) is None


LEFT, RIGHT = IndexPlace(6.0, 21.0, 18.0), IndexPlace(57.0, 21.0, 18.0)


def rectangle_beside_a_card(right: int, down: int, cut: tuple[int, int]) -> ExaminedPicture:
    """Return a white card, and beside it, pixels to the right and down, the broken lines of a rectangle as large.

    `cut`: columns that the picture lacks on the left, and rows that it lacks above.
    """
    picture = np.full((520, 700, 3), 60, np.uint8)
    picture[150:326, 300:426] = 240
    columns, rows = slice(300 + right, 426 + right), slice(150 + down, 326 + down)
    broken = np.arange(700) % 20 < 10
    for row in (rows.start, rows.stop):
        picture[row : row + 3, columns][:, broken[columns]] = 140
    for column in (columns.start, columns.stop):
        picture[rows, column : column + 3][broken[rows]] = 140
    return ExaminedPicture(np.ascontiguousarray(picture[cut[1] :, cut[0] :]), 1 / TABLE_PX_PER_MM, DEFAULTS, 60.0)


@pytest.mark.parametrize(
    ("right", "down", "cut"),
    [(102, 0, (350, 0)), (0, 78, (0, 200)), (102, 78, (350, 0)), (102, 78, (0, 200)), (0, 30, (0, 165))],
)
def test_an_index_of_a_card_that_the_picture_cuts_off_shows_no_outline(
    right: int, down: int, cut: tuple[int, int]
) -> None:
    """The rectangle lies in the picture, and would be one if the deck printed indices only at the upper left."""
    pose = IndexPose(312.0 + right, 192.0 + down, 0.0, 36.0, 1.0)
    other = IndexPlace(LEFT.right + right / TABLE_PX_PER_MM, LEFT.down + down / TABLE_PX_PER_MM, LEFT.height)
    card = np.array([[300, 150], [426, 150], [426, 326], [300, 326]], np.float32)
    whole, part = (rectangle_beside_a_card(right, down, missing) for missing in ((0, 0), cut))
    pose_in_part = replace(pose, x=pose.x - cut[0], y=pose.y - cut[1])
    wrong = outline_around(pose_in_part, part, SIZE, [LEFT], DEFAULTS)
    assert wrong is not None and iou(wrong[0], card + np.float32([right, down]) - np.float32(cut)) > 0.9
    assert outline_around(pose_in_part, part, SIZE, [LEFT, other], DEFAULTS) is None
    found = outline_around(pose, whole, SIZE, [LEFT, other], DEFAULTS)
    assert found is not None and iou(found[0], card) > 0.9


def test_an_outline_beyond_the_picture_with_fewer_edges_is_ignored() -> None:
    """It would have the index on its right; nothing lies there."""
    picture = np.full((520, 700, 3), 60, np.uint8)
    picture[150:326, 78:204] = 240
    examined_part = ExaminedPicture(picture, 1 / TABLE_PX_PER_MM, DEFAULTS, 60.0)
    found = outline_around(IndexPose(90.0, 192.0, 0.0, 36.0, 1.0), examined_part, SIZE, [LEFT, RIGHT], DEFAULTS)
    assert found is not None and iou(found[0], np.array([[78, 150], [204, 150], [204, 326], [78, 326]])) > 0.9


@pytest.mark.parametrize(
    ("left", "painted", "places"),
    [
        (2, [((286, 430), (0, 162), 240)], [LEFT]),
        (10, [((150, 326), (30, 33), 60), ((130, 350), (116, 196), 240)], [LEFT, RIGHT]),
    ],
    ids=["nearly the same", "a strip"],
)
def test_a_card_beside_the_border_is_found(
    left: int, painted: list[tuple[tuple[int, int], tuple[int, int], int]], places: list[IndexPlace]
) -> None:
    """Part of it is covered, and what is seen of an outline that reaches beyond the picture lies better on edges.

    That is nearly the same one, or its right side alone is in the picture, on a printed line.
    """
    picture = np.full((520, 700, 3), 60, np.uint8)
    picture[150:326, left : left + 126] = 240
    for rows, columns, grey in painted:
        picture[slice(*rows), slice(*columns)] = grey
    examined_part = ExaminedPicture(picture, 1 / TABLE_PX_PER_MM, DEFAULTS, 60.0)
    found = outline_around(IndexPose(left + 12.0, 192.0, 0.0, 36.0, 1.0), examined_part, SIZE, places, DEFAULTS)
    card = np.array([[left, 150], [left + 126, 150], [left + 126, 326], [left, 326]], np.float32)
    assert found is not None and iou(found[0], card) > 0.9


def test_one_visible_index_suffices_once_the_deck_is_known() -> None:
    """The card above hides its whole right side, so that no rectangle has edges all round."""
    reader = FaceReader()
    known = [(parse_card(name), (170.0 + 340 * k, 260.0), 0.0) for k, name in enumerate(("2H", "9C", "4D"))]
    covered = [(parse_card("7S"), MIDDLE, DEGREES), (parse_card("QH"), on_card(38, 30), DEGREES - 35)]
    assert "7S" not in faces(FaceReader(), table_of(INSET, covered))
    assert faces(reader, table_of(INSET, known)) == ["2H", "4D", "9C"]
    assert faces(reader, table_of(INSET, covered)) == ["7S", "QH"]


def test_two_cards_or_an_unsure_index_give_none() -> None:
    seven, eight = parse_card("7S"), parse_card("8S")
    picture = examined()
    assert paired_outlines([index(seven, -25, -33, 0), index(eight, 25, 33, 0)], picture, SIZE, DEFAULTS) == []
    assert paired_outlines([index(seven, -25, -33, 0), index(seven, 25, 33, 0, 0.3)], picture, SIZE, DEFAULTS) == []
    assert paired_outlines([index(seven, -25, -33, 0), index(seven, 25, -33, 0)], picture, SIZE, DEFAULTS) == []
    assert paired_outlines([index(seven, -35, -48, 0), index(seven, 35, 48, 0)], picture, SIZE, DEFAULTS) == []


def test_a_card_without_contour_and_rectangle_is_read_by_its_two_indices(monkeypatch: pytest.MonkeyPatch) -> None:
    table = table_of(INSET, [(parse_card("7S"), MIDDLE, DEGREES)])
    monkeypatch.setattr(OutlineFinder, "contours", lambda finder: [])
    monkeypatch.setattr(OutlineFinder, "rectangles", lambda finder, size: [])
    assert faces(FaceReader(), table) == ["7S"]
