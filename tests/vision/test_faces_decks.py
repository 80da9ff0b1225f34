"""Decks that differ from one another: small and large indices, printed borders, tinted paper, copies of a card."""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from engine.cards import STANDARD_DECK, Card, parse_card
from tests.vision.drawn_faces import Style, back, cloth, face_of, lay, photographed
from vision.faces import FaceReader
from vision.frames import Image
from vision.readings import Reading

FOUND_WITHIN = 3.0
"""Pixels by which a corner of an outline may be off, at 3 px/mm."""


@cache
def reader() -> FaceReader:
    return FaceReader()


def spread(cards: list[Card], style: Style, rng: np.random.Generator) -> tuple[Image, list[npt.NDArray[np.float32]]]:
    """Up to six cards apart from one another, at any angle, 3 px/mm; the picture, and where they lie."""
    table = cloth(1240, 830, rng)
    outlines = []
    for k, card in enumerate(cards):
        middle = ((k % 3 + 0.5) * 413 + rng.uniform(-20, 20), (k // 3 + 0.5) * 415 + rng.uniform(-20, 20))
        degrees, askew = rng.uniform(0, 360), rng.uniform(-0.1, 0.1)
        outlines.append(lay(table, face_of(card, style), middle, degrees, 3.0, askew))
    return photographed(table, rng), outlines


def off_by(reading: Reading, outline: npt.NDArray[np.float32]) -> float:
    """How far the worst corner is off; a face is printed at both ends, so that either may be its top."""
    return min(float(np.linalg.norm(reading.outline - np.roll(outline, k, axis=0), axis=1).max()) for k in (0, 2))


@pytest.mark.parametrize(
    "style",
    [Style(), Style(8.0, 600, paper=(225, 240, 245)), Style(8.0, 500, border=True)],
    ids=("plain", "cream", "border"),
)
def test_a_whole_deck_of_each_style(style: Style) -> None:
    deck = list(STANDARD_DECK)
    read = 0
    for start in range(0, 52, 6):
        cards = deck[start : start + 6]
        picture, outlines = spread(cards, style, np.random.default_rng(start))
        readings = reader().read(picture)
        assert {r.face for r in readings} <= set(cards)
        assert len(readings) == len({r.face for r in readings})
        for card, outline in zip(cards, outlines, strict=True):
            for reading in (r for r in readings if r.face is card):
                assert off_by(reading, outline) < FOUND_WITHIN
                read += 1
    assert read >= 50


@pytest.mark.parametrize(("covered", "top"), [("KH", "4S"), ("9C", "10D"), ("2S", "AC")])
def test_a_bordered_card_on_another(covered: str, top: str) -> None:
    rng = np.random.default_rng(11)
    table = cloth(560, 500, rng)
    lay(table, face_of(parse_card(covered), Style(border=True)), (230, 250), 20, 2.0)
    outline = lay(table, face_of(parse_card(top), Style(border=True)), (300, 240), -14, 2.0)
    found = {str(r.face): r for r in reader().read(photographed(table, rng), 1 / 2.0)}
    assert found.keys() <= {covered, top}
    assert off_by(found[top], outline) < 4.0  # the printed border or the card's edge, 0.6 mm from each other


def test_two_copies_of_a_card_are_two_readings() -> None:
    rng = np.random.default_rng(2)
    table = cloth(900, 500, rng)
    first = lay(table, face_of(parse_card("QD")), (200, 240), 30, 3.0)
    second = lay(table, face_of(parse_card("QD")), (650, 250), 100, 3.0)
    readings = reader().read(photographed(table, rng))
    assert [str(r.face) for r in readings] == ["QD", "QD"]
    for outline in (first, second):
        assert min(off_by(r, outline) for r in readings) < FOUND_WITHIN


def test_notes_and_things_are_no_cards() -> None:
    rng = np.random.default_rng(8)
    table = cloth(1300, 900, rng)
    note = np.full_like(back(), 250)
    for k, word in enumerate(("milk", "eggs")):
        cv2.putText(note, word, (60, 120 + 140 * k), cv2.FONT_HERSHEY_SIMPLEX, 2.5, (20, 20, 20), 6)
    lay(table, back(), (200, 230), 12, 3.0)
    lay(table, note, (980, 240), -20, 3.0)
    cv2.circle(table, (300, 650), 120, (200, 210, 215), -1)
    cv2.rectangle(table, (600, 560), (1000, 800), (30, 20, 25), -1)
    assert reader().read(photographed(table, rng)) == []


def test_noise_and_dim_light() -> None:
    rng = np.random.default_rng(5)
    table = cloth(700, 500, rng)
    lay(table, face_of(parse_card("KC")), (190, 240), 15, 3.0)
    lay(table, face_of(parse_card("7H")), (510, 250), 200, 3.0)
    dim = (photographed(table, rng, noise=14.0, blur=1.2) * 0.45).astype(np.uint8)
    assert {str(r.face) for r in reader().read(dim)} == {"KC", "7H"}
