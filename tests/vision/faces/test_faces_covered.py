"""Cards of which only an index shows: read by it, joined to one card each, outlined where they must lie."""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np
import pytest

from engine.cards import Card, parse_card
from tests.vision.drawn_cards import row
from tests.vision.faces.drawn_faces import Style, cloth, face_of, lay, photographed
from vision.faces import FaceReader
from vision.faces.card_assembly import Found, Sight, across, beside, cards_of
from vision.faces.covered import Indices, heights, outline_of, stands_in
from vision.faces.index_classifier import RANKS, SUITS
from vision.faces.index_detector import LEAST, Place, PlaceModel
from vision.faces.reader import _outdone, _Seen, pyramid
from vision.faces.score_fusion import Verdict
from vision.frames import Image
from vision.readings import Reading


@cache
def reader() -> FaceReader:
    return FaceReader()


def sight(text: str, x: float, y: float, down: tuple[float, float] = (0, 40), sure: float = 0.97) -> Sight:
    """What an index seen there would be."""
    card = parse_card(text)
    rank, suit = np.full(14, (1 - sure) / 13, np.float32), np.full(5, 0.002, np.float32)
    rank[RANKS.index(card.rank)], suit[SUITS.index(card.suit)] = sure, 0.99
    return Sight(Place(x, y, *down, 0.9), rank, suit)


def fan(cards: list[Card], step: float, px_per_mm: float, rng: np.random.Generator) -> Image:
    """Cards in a row from left to right, each covering the one before but for a strip `step` mm wide."""
    table = cloth(round((step * len(cards) + 100) * px_per_mm), round(150 * px_per_mm), rng)
    for k, card in enumerate(cards):
        middle = ((45 + k * step) * px_per_mm, 75 * px_per_mm)
        lay(table, face_of(card, Style()), middle, float(rng.normal(0, 1.5)), px_per_mm)
    return photographed(table, rng)


@pytest.mark.parametrize(("step", "px_per_mm"), [(16.0, 2.5), (14.0, 4.0), (22.0, 1.8)])
def test_a_row_of_which_only_indices_show(step: float, px_per_mm: float) -> None:
    names = ("AS", "10H", "7D", "QC", "2H", "KS", "4D", "9C", "JH", "8S")
    cards = [parse_card(name) for name in names]
    found = reader().read(fan(cards, step, px_per_mm, np.random.default_rng(2)))
    read = [reading.face for reading in found]
    assert set(read) <= set(cards) and len(read) == len(set(read))
    assert len(read) >= 9
    assert all(0.8 <= reading.confidence <= 1 for reading in found)


def test_a_row_turned_in_every_direction() -> None:
    cards = [parse_card(name) for name in ("3C", "KD", "6H", "JS", "5D")]
    picture = fan(cards, 18, 3.0, np.random.default_rng(5))
    for quarters in range(4):
        turned = np.ascontiguousarray(np.rot90(picture, quarters))
        assert {reading.face for reading in reader().read(turned)} == set(cards)


@pytest.mark.parametrize("seed", [20, 32, 40])
def test_the_index_of_the_next_card_of_a_row_is_not_the_one_before_its(seed: int) -> None:
    """It stands where a card with four indices has its second one."""
    picture, cards = row(3.0, seed)
    assert {reading.face for reading in reader().read(picture)} == set(cards)


@pytest.mark.parametrize(("outer", "inner"), [("JS", "QS"), ("KD", "9D")])
def test_what_is_printed_on_a_card_is_no_card(outer: str, inner: str) -> None:
    """A picture in a frame, on a card whose own edge is not seen: white on white."""
    rng = np.random.default_rng(1)
    table = cloth(600, 600, rng, (250, 252, 252))
    card, framed = (face_of(parse_card(name), Style(8)) for name in (outer, inner))
    tall, wide = card.shape[:2]
    card[round(0.13 * tall) : round(0.87 * tall), round(0.19 * wide) : round(0.81 * wide)] = (90, 150, 90)
    small = cv2.resize(framed, None, fx=0.6, fy=0.6, interpolation=cv2.INTER_AREA)
    top, left = (tall - small.shape[0]) // 2, (wide - small.shape[1]) // 2
    card[top : top + small.shape[0], left : left + small.shape[1]] = small
    lay(table, card, (300, 300), 20, 4.0)
    assert [str(reading.face) for reading in reader().read(photographed(table, rng))] == [outer]


def test_a_card_between_the_indices_of_two_equal_ones_is_no_print() -> None:
    """Two packs: a queen in a row at either end of the table, and a card whose outline is seen between them."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        table = cloth(900, 640, rng)
        for turn, y in ((0, 200), (180, 440)):
            for k, name in enumerate(("QH", "AS", "10H", "KS", "4D")):
                across = (k - 2) * (54 if turn == 0 else -54)
                lay(table, face_of(parse_card(name), Style()), (450 + across, y), turn, 3.0)
        lay(table, face_of(parse_card("7C"), Style(border=True)), (450, 320), 0, 3.0)
        assert "7C" in [str(reading.face) for reading in reader().read(photographed(table, rng))]


@pytest.mark.parametrize(("larger", "down"), [(0.75, 0.0), (1.35, 0.0), (1.0, 0.2), (1.0, -0.2), (0.8, -0.15)])
def test_an_index_is_read_though_its_place_is_told_badly(larger: float, down: float) -> None:
    """As the places of unusual indices are: so much too high, so much of its height too far down."""
    names = ("7H", "KS", "10D", "4C")
    rng = np.random.default_rng(3)
    read = []
    for name in names:
        table = cloth(400, 400, rng)
        lay(table, face_of(parse_card(name), Style(11, 600)), (200, 200), 0, 3.0)
        picture = photographed(table, rng)
        first = PlaceModel()(picture)[0]
        told = Place(
            first.x + down * first.down_x, first.y + down * first.down_y,
            larger * first.down_x, larger * first.down_y, first.heat,
        )  # fmt: skip
        read += [str(sight.card) for sight in Indices().read([picture], [told]) if sight.confidence > 0.9]
    assert read == list(names)


@pytest.mark.parametrize(
    ("askew", "corners", "sure", "outdone"),
    [(9, (2,), 0.9, True), (9, (0, 2), 0.9, False), (9, (2,), 0.9999, False), (40, (2,), 0.9, False)],
)
def test_an_outline_askew_gives_way_to_the_card_that_lies_there(
    askew: float, corners: tuple[int, ...], sure: float, outdone: bool
) -> None:
    """Unless both its corners were read, or its one more surely, or it lies elsewhere."""
    lies = np.array([[0, 0], [126, 0], [126, 176], [0, 176]], np.float32)
    ten, queen = parse_card("10H"), parse_card("QH")
    seen = _Seen(Reading(ten, sure, "face", lies + askew), Verdict(ten, sure, corners, ()), 0.7)
    assert _outdone(seen, Reading(queen, 0.999, "face", lies)) is outdone


def test_places_are_where_the_indices_are() -> None:
    """One card alone: two places, at its corners, reading towards each other."""
    rng = np.random.default_rng(4)
    table = cloth(400, 500, rng)
    outline = lay(table, face_of(parse_card("7H"), Style()), (200, 250), 0, 3.0)
    places = PlaceModel()(photographed(table, rng))
    sure = [place for place in places if place.heat > 0.5]
    assert len(sure) == 2
    upper, lower = sorted(sure, key=lambda place: place.y)
    assert upper.down_y > 0 > lower.down_y and across(upper, lower)
    assert stands_in(upper, outline) and stands_in(lower, np.roll(outline, 2, axis=0))
    assert not stands_in(lower, outline)


def test_no_place_in_a_picture_of_nothing() -> None:
    assert PlaceModel()(np.full((3, 5, 3), 90, np.uint8)) == []
    assert PlaceModel()(np.full((600, 800, 3), 90, np.uint8)) == []


def test_only_asked_for_heights_are_found() -> None:
    rng = np.random.default_rng(4)
    table = cloth(400, 500, rng)
    lay(table, face_of(parse_card("7H"), Style()), (200, 250), 0, 3.0)
    picture = photographed(table, rng)
    assert not [p for p in PlaceModel()(picture, (300, 900)) if p.heat > 0.5]
    assert [p for p in PlaceModel()(picture, (24, 72)) if p.heat > 0.5]


def test_the_two_indices_of_a_card_are_one_card() -> None:
    """63 x 88 mm at 2.5 pixels to the millimetre, an index 16 mm high 6 mm from the side."""
    upper, lower = sight("QH", 100, 100), sight("QH", 228, 263, (0, -40), 0.9)
    (found,) = cards_of([upper, lower])
    assert found.card is parse_card("QH") and found.sights == (upper, lower)
    assert found.confidence > upper.confidence
    quad, support = outline_of(found, [], [], None)
    assert support == 0
    assert quad[:, 0].min() == pytest.approx(85, abs=6) and quad[:, 0].max() == pytest.approx(243, abs=6)
    assert quad[:, 1].min() == pytest.approx(72, abs=8) and quad[:, 1].max() == pytest.approx(291, abs=8)


def test_equal_cards_of_two_packs_are_two_cards() -> None:
    here, there = sight("QH", 100, 100), sight("QH", 700, 100)
    assert len(cards_of([here, there])) == 2
    assert len(cards_of([sight("QH", 100, 100), sight("KH", 228, 263, (0, -40))])) == 2


def test_the_indices_of_a_card_with_four_are_one_card() -> None:
    four = [
        sight("9C", 100, 100), sight("9C", 228, 102), sight("9C", 100, 263, (0, -40)), sight("9C", 228, 263, (0, -40)),
    ]  # fmt: skip
    (found,) = cards_of(four)
    assert len(found.sights) == 4


def test_the_same_index_seen_twice_is_one() -> None:
    (found,) = cards_of([sight("5S", 100, 100), sight("5S", 104, 98, sure=0.7), sight("6S", 103, 101, sure=0.5)])
    assert found.card is parse_card("5S")
    assert len(found.sights) == 1


@pytest.mark.parametrize(
    ("second", "is_across", "is_beside"),
    [
        (Place(228, 263, 0, -40, 1), True, False),
        (Place(228, 263, 0, 40, 1), False, False),
        (Place(-28, 263, 0, -40, 1), False, False),
        (Place(228, 263, 0, -90, 1), False, False),
        (Place(228, 104, 0, 40, 1), False, True),
        (Place(108, 263, 0, -40, 1), False, True),
        (Place(140, 100, 0, 40, 1), False, False),
    ],
)
def test_what_may_be_one_card(second: Place, is_across: bool, is_beside: bool) -> None:
    first = Place(100, 100, 0, 40, 1)
    assert across(first, second) is is_across and across(second, first) is is_across
    assert beside(first, second) is is_beside


def test_an_outline_that_lies_on_edges_is_taken_before_one_that_is_reckoned() -> None:
    found = Found(parse_card("QH"), 0.9, (sight("QH", 100, 100),))
    card = np.array([[85, 72], [242, 72], [242, 292], [85, 292]], np.float32)
    elsewhere = card + np.float32(60)
    outline, support = outline_of(found, [elsewhere, card], [0.9, 0.7], None)
    assert support == 0.7 and np.array_equal(outline, card)
    reckoned, support = outline_of(found, [elsewhere], [0.9], 0.4)
    assert support == 0 and float(np.abs(reckoned - card).max()) < 8


def test_the_height_of_an_index_is_known_where_the_scale_is() -> None:
    card = np.array([[0, 0], [126, 0], [126, 176], [0, 176]], np.float32)
    assert heights(0.5, []) == (20, 48)
    low, high = heights(None, [card])
    assert low < 20 and high > 48
    assert heights(None, [])[0] < LEAST / 2


def test_an_outline_of_a_whole_row_is_no_covered_cards() -> None:
    found = Found(parse_card("QH"), 0.9, (sight("QH", 100, 100),))
    row = np.array([[85, 72], [485, 72], [485, 292], [85, 292]], np.float32)
    outline, support = outline_of(found, [row], [1.0], None)
    assert support == 0 and float(np.ptp(outline[:, 0])) < 250


def test_small_indices_are_found_beside_large_ones() -> None:
    """The large one tells how small others may be; a card half as large, far behind, is still looked for."""
    rng = np.random.default_rng(8)
    table = cloth(1500, 800, rng)
    lay(table, face_of(parse_card("4C"), Style()), (350, 400), 10, 3.6)
    lay(table, face_of(parse_card("AH"), Style()), (1100, 300), -25, 1.9)
    levels = pyramid(photographed(table, rng))
    sights = Indices().sights(levels, heights(None, []))
    assert {str(s.card) for s in sights if s.confidence > 0.9} == {"4C", "AH"}
