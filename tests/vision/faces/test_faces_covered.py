"""Cards of which only an index is visible: read by it, assembled to one card each, with an extrapolated outline."""

from __future__ import annotations

from collections import Counter
from functools import cache

import cv2
import numpy as np
import pytest

from engine.cards import RANKS, SUITS, Card, parse_card
from tests.drawing.cards import row
from tests.drawing.faces import Style, cloth, face_of, lay, photographed
from vision.faces import FaceReader
from vision.faces.card_assembly import AssembledCard, IndexReading, are_adjacent, are_opposite, assemble_cards
from vision.faces.index_detector import IndexDetector, IndexPose
from vision.faces.index_reader import IndexReader, index_heights, is_index_of, outline_of
from vision.faces.outlined_cards import OutlinedCard, suppressed_by, without_suppressed
from vision.faces.pyramid import image_pyramid
from vision.faces.score_fusion import Verdict
from vision.faces.settings import DEFAULTS
from vision.frames import Image
from vision.readings import Reading


@cache
def reader() -> FaceReader:
    return FaceReader()


def index(text: str, x: float, y: float, down: tuple[float, float] = (0, 40), confidence: float = 0.97) -> IndexReading:
    """A reading of an index with its middle at (x, y)."""
    card = parse_card(text)
    rank, suit = np.full(14, (1 - confidence) / 13, np.float32), np.full(5, 0.002, np.float32)
    rank[RANKS.index(card.rank)], suit[SUITS.index(card.suit)] = confidence, 0.99
    return IndexReading(IndexPose(x, y, *down, 0.9), rank, suit)


def fan(cards: list[Card], step: float, px_per_mm: float, rng: np.random.Generator) -> Image:
    """Cards in a row from left to right, each covering the one before except for a strip `step` mm wide."""
    table = cloth(round((step * len(cards) + 100) * px_per_mm), round(150 * px_per_mm), rng)
    for k, card in enumerate(cards):
        middle = ((45 + k * step) * px_per_mm, 75 * px_per_mm)
        lay(table, face_of(card, Style()), middle, float(rng.normal(0, 1.5)), px_per_mm)
    return photographed(table, rng)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("step", "px_per_mm"), [(16.0, 2.5), (14.0, 4.0), (22.0, 1.8)])
def test_a_row_of_which_only_indices_are_visible(step: float, px_per_mm: float) -> None:
    names = ("AS", "10H", "7D", "QC", "2H", "KS", "4D", "9C", "JH", "8S")
    cards = [parse_card(name) for name in names]
    found = reader().read(fan(cards, step, px_per_mm, np.random.default_rng(2)))
    read = [reading.face for reading in found]
    assert set(read) <= set(cards) and len(read) == len(set(read))
    assert len(read) >= 9
    assert all(0.8 <= reading.confidence <= 1 for reading in found)


def test_a_row_rotated_by_quarter_turns() -> None:
    cards = [parse_card(name) for name in ("3C", "KD", "6H", "JS", "5D")]
    picture = fan(cards, 18, 3.0, np.random.default_rng(5))
    for quarters in range(4):
        turned = np.ascontiguousarray(np.rot90(picture, quarters))
        assert {reading.face for reading in reader().read(turned)} == set(cards)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", [20, 32, 40])
def test_an_index_is_not_assigned_to_the_previous_card_of_a_row(seed: int) -> None:
    """It is where a card with four indices has its second one."""
    picture, cards = row(3.0, seed)
    assert {reading.face for reading in reader().read(picture)} == set(cards)


@pytest.mark.parametrize(("outer", "inner"), [("JS", "QS"), ("KD", "9D")])
def test_a_card_printed_on_a_card_is_not_read(outer: str, inner: str) -> None:
    """A picture in a frame, on a card whose own edge is invisible: white on white."""
    rng = np.random.default_rng(1)
    table = cloth(600, 600, rng, (250, 252, 252))
    card, framed = (face_of(parse_card(name), Style(8)).copy() for name in (outer, inner))
    tall, wide = card.shape[:2]
    card[round(0.13 * tall) : round(0.87 * tall), round(0.19 * wide) : round(0.81 * wide)] = (90, 150, 90)
    small = cv2.resize(framed, None, fx=0.6, fy=0.6, interpolation=cv2.INTER_AREA)
    top, left = (tall - small.shape[0]) // 2, (wide - small.shape[1]) // 2
    card[top : top + small.shape[0], left : left + small.shape[1]] = small
    lay(table, card, (300, 300), 20, 4.0)
    assert [str(reading.face) for reading in reader().read(photographed(table, rng))] == [outer]


def test_a_card_between_two_equal_indices_is_not_taken_for_print() -> None:
    """Two packs: a queen in a row at either end of the table, and a card with a visible outline between them."""
    rng = np.random.default_rng(0)
    table = cloth(900, 640, rng)
    for turn, y in ((0, 190), (180, 450)):
        for k, name in enumerate(("QH", "AS", "10H", "KS", "4D")):
            offset = (k - 2) * (54 if turn == 0 else -54)
            lay(table, face_of(parse_card(name), Style()), (450 + offset, y), turn, 3.0)
    lay(table, face_of(parse_card("7C"), Style(border=True)), (450, 320), 0, 3.0)
    assert "7C" in [str(reading.face) for reading in reader().read(photographed(table, rng))]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("factor", "down"), [(0.75, 0.0), (1.35, 0.0), (1.0, 0.2), (1.0, -0.2), (0.8, -0.15)])
def test_an_index_is_read_although_its_pose_is_inaccurate(factor: float, down: float) -> None:
    """Poses of unusual indices are: `factor` times too high, and `down` heights too low."""
    names = ("7H", "KS", "10D", "4C")
    rng = np.random.default_rng(3)
    read = []
    for name in names:
        table = cloth(400, 400, rng)
        lay(table, face_of(parse_card(name), Style(11, 600)), (200, 200), 0, 3.0)
        picture = photographed(table, rng)
        first = IndexDetector()([picture])[0]
        pose = IndexPose(
            first.x + down * first.down_x, first.y + down * first.down_y,
            factor * first.down_x, factor * first.down_y, first.score,
        )  # fmt: skip
        read += [str(found.card) for found in IndexReader().read([picture], [pose]) if found.confidence > 0.9]
    assert read == list(names)


@pytest.mark.parametrize(
    ("shift", "corners", "confidence", "suppressed"),
    [(9, (2,), 0.9, True), (9, (0, 2), 0.9, False), (9, (2,), 0.9999, False), (40, (2,), 0.9, False)],
)
def test_a_wrong_outline_is_suppressed_by_the_card_at_its_place(
    shift: float, corners: tuple[int, ...], confidence: float, suppressed: bool
) -> None:
    """Unless both its corners were read, or one with more confidence, or it is elsewhere."""
    place = np.array([[0, 0], [126, 0], [126, 176], [0, 176]], np.float32)
    ten, queen = parse_card("10H"), parse_card("QH")
    reading = Reading(ten, confidence, "face", place + np.float32(shift))
    card = OutlinedCard(reading, Verdict(ten, confidence, corners, ()), 0.7)
    surer = Reading(queen, 0.999, "face", place)
    assert suppressed_by(card, surer) is suppressed
    outlined = OutlinedCard(surer, Verdict(queen, 0.999, (0,), ()), 0.7)
    assert without_suppressed([card], [surer]) == ([] if suppressed else [card])
    left = without_suppressed([card, outlined], [])
    assert (outlined in left, card in left) == (confidence < 0.999 or shift > 9, not suppressed)


def test_detections_are_where_the_indices_are() -> None:
    """One card alone: two detections, at its corners, rotated by half a turn against each other."""
    rng = np.random.default_rng(4)
    table = cloth(400, 500, rng)
    outline = lay(table, face_of(parse_card("7H"), Style()), (200, 250), 0, 3.0)
    poses = IndexDetector()([photographed(table, rng)])
    clear = [pose for pose in poses if pose.score > 0.5]
    assert len(clear) == 2
    upper, lower = sorted(clear, key=lambda pose: pose.y)
    assert upper.down_y > 0 > lower.down_y and are_opposite(upper, lower)
    assert is_index_of(upper, outline) and is_index_of(lower, np.roll(outline, 2, axis=0))
    assert not is_index_of(lower, outline)


def test_no_detection_in_an_empty_picture() -> None:
    assert IndexDetector()([np.full((3, 5, 3), 90, np.uint8)]) == []
    assert IndexDetector()([np.full((600, 800, 3), 90, np.uint8)]) == []


def test_only_indices_of_the_given_heights_are_detected() -> None:
    rng = np.random.default_rng(4)
    table = cloth(400, 500, rng)
    lay(table, face_of(parse_card("7H"), Style()), (200, 250), 0, 3.0)
    picture = photographed(table, rng)
    assert not [p for p in IndexDetector()([picture], (300, 900)) if p.score > 0.5]
    assert [p for p in IndexDetector()([picture], (24, 72)) if p.score > 0.5]


def test_the_two_indices_of_a_card_are_one_card() -> None:
    """63 x 88 mm at 2.5 pixels per millimetre, an index 16 mm high and 6 mm from the side."""
    upper, lower = index("QH", 100, 100), index("QH", 228, 263, (0, -40), 0.9)
    (card,) = assemble_cards([upper, lower])
    assert card.card is parse_card("QH") and card.indices == (upper, lower)
    assert card.confidence > upper.confidence
    quad, score = outline_of(card, [], [], None)
    assert score == 0
    assert quad[:, 0].min() == pytest.approx(85, abs=6) and quad[:, 0].max() == pytest.approx(243, abs=6)
    assert quad[:, 1].min() == pytest.approx(72, abs=8) and quad[:, 1].max() == pytest.approx(291, abs=8)


def test_equal_cards_of_two_packs_are_two_cards() -> None:
    here, there = index("QH", 100, 100), index("QH", 700, 100)
    assert len(assemble_cards([here, there])) == 2
    assert len(assemble_cards([index("QH", 100, 100), index("KH", 228, 263, (0, -40))])) == 2


def test_the_indices_of_a_card_with_four_are_one_card() -> None:
    four = [
        index("9C", 100, 100), index("9C", 228, 102), index("9C", 100, 263, (0, -40)), index("9C", 228, 263, (0, -40)),
    ]  # fmt: skip
    (card,) = assemble_cards(four)
    assert len(card.indices) == 4
    upper = [index("JC", 100, 100), index("JC", 162, 100)]  # 10 mm in from the sides of a card of 45 x 68 mm
    (card,) = assemble_cards(upper)
    assert len(card.indices) == 2


def test_an_index_detected_twice_is_one() -> None:
    (card,) = assemble_cards(
        [index("5S", 100, 100), index("5S", 104, 98, confidence=0.7), index("6S", 103, 101, confidence=0.5)]
    )
    assert card.card is parse_card("5S")
    assert len(card.indices) == 1


@pytest.mark.parametrize(
    ("second", "opposite", "adjacent"),
    [
        (IndexPose(228, 263, 0, -40, 1), True, False),
        (IndexPose(228, 263, 0, 40, 1), False, False),
        (IndexPose(-28, 263, 0, -40, 1), False, False),
        (IndexPose(228, 263, 0, -90, 1), False, False),
        (IndexPose(228, 104, 0, 40, 1), False, True),
        (IndexPose(108, 263, 0, -40, 1), False, True),
        (IndexPose(160, 100, 0, 40, 1), False, True),
        (IndexPose(140, 100, 0, 40, 1), False, False),
    ],
)
def test_which_indices_may_belong_to_one_card(second: IndexPose, opposite: bool, adjacent: bool) -> None:
    first = IndexPose(100, 100, 0, 40, 1)
    assert are_opposite(first, second) is opposite and are_opposite(second, first) is opposite
    assert are_adjacent(first, second) is adjacent


def test_an_outline_on_edges_is_preferred_to_an_extrapolated_one() -> None:
    found = AssembledCard(parse_card("QH"), 0.9, (index("QH", 100, 100),))
    card = np.array([[85, 72], [242, 72], [242, 292], [85, 292]], np.float32)
    elsewhere = card + np.float32(60)
    outline, score = outline_of(found, [elsewhere, card], [0.9, 0.7], None)
    assert score == 0.7 and np.array_equal(outline, card)
    extrapolated, score = outline_of(found, [elsewhere], [0.9], 0.4)
    assert score == 0 and float(np.abs(extrapolated - card).max()) < 8


def test_the_scale_gives_the_height_of_an_index() -> None:
    card = np.array([[0, 0], [126, 0], [126, 176], [0, 176]], np.float32)
    assert index_heights(0.5, []) == (20, 56)
    low, high = index_heights(None, [card])
    assert low < 20 and high > 48
    assert index_heights(None, [])[0] < DEFAULTS.detector.min_height / 2


def test_the_outline_of_a_whole_row_is_not_assigned_to_a_covered_card() -> None:
    found = AssembledCard(parse_card("QH"), 0.9, (index("QH", 100, 100),))
    row = np.array([[85, 72], [485, 72], [485, 292], [85, 292]], np.float32)
    outline, score = outline_of(found, [row], [1.0], None)
    assert score == 0 and float(np.ptp(outline[:, 0])) < 250


def test_small_indices_are_found_beside_large_ones() -> None:
    """The large one limits how small others may be; a card half as large, far behind, is still searched."""
    rng = np.random.default_rng(8)
    table = cloth(1500, 800, rng)
    lay(table, face_of(parse_card("4C"), Style()), (350, 400), 10, 3.6)
    lay(table, face_of(parse_card("AH"), Style()), (1100, 300), -25, 1.9)
    levels = image_pyramid(photographed(table, rng))
    found = IndexReader().find(levels, index_heights(None, []))
    assert {str(reading.card) for reading in found if reading.confidence > 0.9} == {"4C", "AH"}


def test_the_pips_of_the_cards_on_it_do_not_count_for_a_covered_card() -> None:
    """The first ten of this row is sure by its index; its outline is seen, and other cards cover its pips."""
    image, cards = row(4.0, 0)
    assert Counter(reading.face for reading in FaceReader().read(image)) == Counter(cards)
