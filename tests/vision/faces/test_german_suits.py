"""Acorns, leaves, hearts and bells, with U and O: cards that the reader for French suits does not know."""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np
import pytest

from engine.cards import STANDARD_DECK, Card, parse_card
from tests.drawing.faces import Style, cloth, face_of, lay, photographed
from tests.drawing.german import german_style
from vision.faces import FaceReader
from vision.faces.card_assembly import AssembledCard, IndexReading, assemble_cards, estimate_outline, outline_from_both
from vision.faces.index_detector import IndexPose
from vision.faces.reader_nets import settings_for
from vision.faces.settings import DEFAULTS
from vision.frames import Image

SKAT = [card for card in STANDARD_DECK if card.rank not in "23456"]


@cache
def reader() -> FaceReader:
    return FaceReader(suits="german")


def apart(cards: list[Card], style: Style, px_per_mm: float, seed: int) -> Image:
    """Separate cards, four in a row, at any angle."""
    rng = np.random.default_rng(seed)
    cell = 125 * px_per_mm
    table = cloth(round(4 * cell), round(-(-len(cards) // 4) * cell), rng)
    for k, card in enumerate(cards):
        middle = ((k % 4 + 0.5) * cell, (k // 4 + 0.5) * cell)
        lay(table, face_of(card, style), middle, rng.uniform(0, 360), px_per_mm)
    return photographed(table, rng)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("style", "px_per_mm"), [(german_style(), 2.4), (german_style(7.5, 650), 3.0)])
def test_cards_that_lie_apart(style: Style, px_per_mm: float) -> None:
    found = []
    for first in range(0, 32, 8):
        cards = SKAT[first : first + 8]
        here = [reading.face for reading in reader().read(apart(cards, style, px_per_mm, first))]
        assert set(here) <= set(cards) and len(here) == len(set(here))
        found += here
    assert len(found) >= 30


def test_cards_of_which_only_the_index_is_visible() -> None:
    cards = [parse_card(text) for text in ("KH", "QS", "JD", "AC", "9D", "JS")]
    rng = np.random.default_rng(6)
    table = cloth(700, 420, rng)
    for k, card in enumerate(cards):
        lay(table, face_of(card, german_style()), (150.0 + 55 * k, 210), float(rng.normal(0, 1.5)), 2.8)
    found = [reading.face for reading in reader().read(photographed(table, rng))]
    assert set(found) <= set(cards) and len(found) == len(set(found)) >= 5


def test_at_a_table_of_known_scale() -> None:
    cards = [parse_card(text) for text in ("QC", "7S", "JH", "AD")]
    table = FaceReader(suits="german")
    found = [reading.face for reading in table.read(apart(cards, german_style(), 2.5, 4), 0.4)]
    assert sorted(map(str, found)) == sorted(map(str, cards))


def test_the_reader_for_french_suits_takes_no_acorn_for_a_card() -> None:
    cards = [parse_card(text) for text in ("KC", "9C", "7C", "AC")]
    assert FaceReader().read(apart(cards, german_style(), 2.6, 3)) == []


def test_small_indices_in_all_corners_are_those_of_one_card() -> None:
    """They stand farther apart, in their own heights, than those of other decks: such a card was reported twice."""
    rank, suit = np.eye(14, dtype=np.float32)[9], np.eye(5, dtype=np.float32)[2]
    indices = [IndexReading(IndexPose(x, y, 0, -11 if y else 11, 1), rank, suit) for x in (0, 53) for y in (0, 72)]
    german = settings_for("german", DEFAULTS).assembly
    (card,) = assemble_cards(indices, german)
    assert len(card.indices) == 4 and str(card.card) == "10D"
    assert len(assemble_cards(indices, DEFAULTS.assembly)) > 1


def test_the_outline_lies_around_all_four_indices_whichever_is_surest() -> None:
    """The upper right index, read as an upper left one, gave an outline beside the card."""
    rank, suit = np.eye(14, dtype=np.float32)[9], np.eye(5, dtype=np.float32)[2]
    places = [(53.0, 0.0, 11.0, 1.0), (0.0, 0.0, 11.0, 0.99), (53.0, 72.0, -11.0, 0.98), (0.0, 72.0, -11.0, 0.97)]
    indices = tuple(
        IndexReading(IndexPose(x, y, 0, down, 1), confidence * rank, suit) for x, y, down, confidence in places
    )
    outline = estimate_outline(AssembledCard(parse_card("10D"), 1.0, indices))
    assert all(cv2.pointPolygonTest(outline, place[:2], False) > 0 for place in places)
    assert outline_from_both(AssembledCard(parse_card("10D"), 1.0, indices[:1])) is None
