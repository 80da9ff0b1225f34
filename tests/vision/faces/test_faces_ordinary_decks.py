"""Decks and tables differ: colours, letters, sizes, covered cards, and things on the table that are not cards."""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np
import pytest

from engine.cards import Card, parse_card
from tests.drawing.faces import FOUR_INKS, FRENCH, GERMAN, Style, back, cloth, face_of, lay, photographed, suit_mask
from vision.faces import FaceReader
from vision.frames import Image
from vision.readings import CARD_MM

INDEX_MM = 16.9
"""Height of a whole index of `Style()`: the rank's top to the suit's foot."""
STYLES = {
    "four-colour": Style(inks=FOUR_INKS),
    "french": Style(letters=FRENCH),
    "german": Style(letters=GERMAN),
    "french-small": Style(7.0, 400, letters=FRENCH),
    "german-small": Style(7.0, 600, letters=GERMAN),
}
COURT = ("AS", "KH", "QD", "JC", "AD", "KC", "QS", "JH", "8S", "10C", "3D", "7H")


@cache
def reader() -> FaceReader:
    return FaceReader()


def apart(cards: list[Card], style: Style, px_per_mm: float, seed: int) -> Image:
    """Separate cards, four in a row, at any angle."""
    rng = np.random.default_rng(seed)
    cell = 125 * px_per_mm
    rows = -(-len(cards) // 4)
    table = cloth(round(cell * min(4, len(cards))), round(cell * rows), rng)
    for k, card in enumerate(cards):
        middle = ((k % 4 + 0.5) * cell, (k // 4 + 0.5) * cell)
        lay(table, face_of(card, style), middle, rng.uniform(0, 360), px_per_mm)
    return photographed(table, rng)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", STYLES)
def test_letters_and_colours_of_other_decks(name: str) -> None:
    cards = [parse_card(text) for text in COURT]
    found = [reading.face for reading in reader().read(apart(cards, STYLES[name], 2.6, 3))]
    assert set(found) <= set(cards) and len(found) == len(set(found))
    assert len(found) >= 11


@pytest.mark.sampled(1)
@pytest.mark.parametrize("weight", [750, 800])
def test_bold_jacks_with_a_bar_are_no_threes(weight: int) -> None:
    """Nets that had seen few heavy letters missed some of the small ones, and read one as a three."""
    cards = [parse_card(name) for name in ("JS", "JH", "JD", "JC", "3S", "3D")]
    for seed, height in enumerate((6.0, 9.0)):
        picture = apart(cards, Style(height, weight), 2.0, seed)
        for found in (reader().read(picture), FaceReader().read(picture, 0.5)):
            assert sorted(str(reading.face) for reading in found) == sorted(map(str, cards))


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("name", "least"), [("four-colour", 6), ("french", 6), ("german", 4)])
def test_letters_and_colours_if_only_the_index_is_visible(name: str, least: int) -> None:
    """A German jack's B is nearly an 8: if only one index is visible it may stay unknown, but is never read as 8."""
    cards = [parse_card(text) for text in ("KH", "QS", "JD", "AC", "9H", "JS")]
    rng = np.random.default_rng(6)
    table = cloth(700, 420, rng)
    for k, card in enumerate(cards):
        lay(table, face_of(card, STYLES[name]), (150.0 + 55 * k, 210), float(rng.normal(0, 1.5)), 2.8)
    found = [reading.face for reading in reader().read(photographed(table, rng))]
    assert set(found) <= set(cards) and len(found) == len(set(found))
    assert len(found) >= least


@pytest.mark.sampled(3)
@pytest.mark.parametrize("height", [14, 20, 33, 50, 90, 140, 200])
def test_indices_of_any_size(height: int) -> None:
    """No scale is given: 14 to 200 pixels from the rank's top to the suit's foot."""
    cards = [parse_card(text) for text in ("5H", "KS")]
    scale = height / INDEX_MM
    found = {reading.face for reading in reader().read(apart(cards, Style(), scale, 2))}
    assert found == set(cards)


def test_chips_backs_and_printed_cloth_are_not_read() -> None:
    """A cloth with printed suits and letters, as betting layouts have, chips, and cards face down."""
    rng = np.random.default_rng(12)
    table = cloth(1200, 800, rng)
    for k, suit in enumerate("SHDC"):
        mask = suit_mask(suit, 60)
        part = table[40:100, 150 + 250 * k : 210 + 250 * k]
        part[mask > 127] = (200, 215, 215)
    face = cv2.FontFace("sans")
    for k, word in enumerate(("PASS", "21", "BLACKJACK PAYS 3 TO 2", "K", "10")):
        cv2.putText(table, word, (60 + 210 * k, 180), (200, 215, 215), face, 50, weight=600)
    for x, y, colour in ((150, 420, (40, 30, 170)), (240, 450, (150, 60, 30)), (200, 330, (40, 40, 40))):
        cv2.circle(table, (x, y), 50, colour, -1, cv2.LINE_AA)
        cv2.circle(table, (x, y), 50, (235, 235, 235), 6, cv2.LINE_AA)
        cv2.circle(table, (x, y), 30, (235, 235, 235), -1, cv2.LINE_AA)
        cv2.putText(table, "5", (x - 12, y + 15), (30, 30, 30), face, 40, weight=700)
    for k in range(4):
        lay(table, back(), (480.0 + 60 * k, 520.0), 12.0 * k - 20, 2.4)
    assert reader().read(photographed(table, rng)) == []
    assert reader().read(photographed(table, rng), 1 / 2.4) == []


def test_hands_are_not_read_and_visible_indices_beside_them_are() -> None:
    rng = np.random.default_rng(9)
    table = cloth(900, 600, rng)
    for text, x in (("9D", 250.0), ("QC", 600.0)):
        lay(table, face_of(parse_card(text)), (x, 280), 8, 3.0)
    skin = (120, 160, 215)
    for k in range(4):  # a hand flat on the lower half of the first card
        cv2.line(table, (190 + 38 * k, 600), (180 + 40 * k, 360), skin, 34, cv2.LINE_AA)
    cv2.ellipse(table, (250, 560), (110, 130), 0, 0, 360, skin, -1, cv2.LINE_AA)
    assert {str(reading.face) for reading in reader().read(photographed(table, rng))} == {"9D", "QC"}
    cv2.rectangle(table, (0, 0), (899, 599), (60, 60, 60), -1)
    for k in range(5):
        cv2.line(table, (300 + 60 * k, 600), (250 + 80 * k, 200), skin, 40, cv2.LINE_AA)
    assert reader().read(photographed(table, rng)) == []


def test_outlines_of_covered_cards_mostly_overlap_the_cards() -> None:
    """The outline of a card of which only an index is visible is extrapolated from it, and rough."""
    rng = np.random.default_rng(2)
    table = cloth(800, 480, rng)
    lying = {}
    for k, text in enumerate(("7C", "KD", "2S", "10H", "5C")):
        lying[text] = lay(table, face_of(parse_card(text)), (170.0 + 60 * k, 240), float(rng.normal(0, 1)), 3.0)
    readings = {str(reading.face): reading for reading in reader().read(photographed(table, rng))}
    assert readings.keys() <= lying.keys() and len(readings) >= 4
    for text, reading in readings.items():
        area = cv2.contourArea(reading.outline)
        shared, _ = cv2.intersectConvexConvex(reading.outline, lying[text])
        assert 0.5 < area / (CARD_MM[0] * CARD_MM[1] * 9) < 2
        assert shared > 0.5 * min(area, CARD_MM[0] * CARD_MM[1] * 9)
        own_top = reading.outline[:2].mean(axis=0) - reading.outline[2:].mean(axis=0)
        top = lying[text][:2].mean(axis=0) - lying[text][2:].mean(axis=0)
        assert abs(float(own_top @ top)) > 0.9 * float(np.linalg.norm(own_top) * np.linalg.norm(top))
