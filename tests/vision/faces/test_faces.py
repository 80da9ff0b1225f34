"""Faces of drawn decks that no model was trained on are read, never wrongly; other things are not read as cards."""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from engine.cards import STANDARD_DECK, Card, parse_card
from tests.drawing.cards import on_top
from tests.drawing.faces import Style, back, cloth, face_of, lay, photographed
from vision.faces import FaceReader
from vision.frames import Image
from vision.readings import Reading

FOUND_WITHIN = 3.0
"""Error allowed for a corner of an outline, pixels at 3 px/mm."""


@cache
def reader() -> FaceReader:
    return FaceReader()


def spread(
    cards: list[Card], style: Style, rng: np.random.Generator, px_per_mm: float = 3.0, tilt: float = 0.1
) -> tuple[Image, list[npt.NDArray[np.float32]]]:
    """Up to six separate cards at any angle; the picture, and their outlines."""
    cell = round(138 * px_per_mm)
    table = cloth(3 * cell, 2 * cell, rng)
    outlines = []
    for k, card in enumerate(cards):
        middle = ((k % 3 + 0.5) * cell + rng.uniform(-20, 20), (k // 3 + 0.5) * cell + rng.uniform(-20, 20))
        degrees, askew = rng.uniform(0, 360), rng.uniform(-tilt, tilt)
        outlines.append(lay(table, face_of(card, style), middle, degrees, px_per_mm, askew))
    return photographed(table, rng), outlines


def off_by(reading: Reading, outline: npt.NDArray[np.float32]) -> float:
    """Error of the worst corner, pixels; a face is printed at both ends, so that either may be its top."""
    return min(float(np.linalg.norm(reading.outline - np.roll(outline, k, axis=0), axis=1).max()) for k in (0, 2))


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "style",
    [Style(), Style(8.0, 600, paper=(225, 240, 245)), Style(8.0, 500, border=True)],
    ids=("plain", "cream", "border"),
)
def test_a_whole_deck_spread_out(style: Style) -> None:
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
                assert reading.by == "face"
                assert 0.8 <= reading.confidence <= 1
                assert off_by(reading, outline) < FOUND_WITHIN
                read += 1
    assert read >= 50


@pytest.mark.sampled(1)
@pytest.mark.parametrize("px_per_mm", [1.7, 2.4, 5.0])
def test_cards_at_several_scales(px_per_mm: float) -> None:
    cards = [parse_card(text) for text in ("AS", "10H", "7D", "QC", "2H", "KS")]
    picture, _ = spread(cards, Style(), np.random.default_rng(4), px_per_mm)
    assert {r.face for r in reader().read(picture)} == set(cards)


def test_a_known_scale_gives_the_same_cards() -> None:
    cards = [parse_card(text) for text in ("9S", "4H", "KD", "5C", "QH", "AD")]
    picture, outlines = spread(cards, Style(), np.random.default_rng(7), tilt=0.03)
    readings = reader().read(picture, 1 / 3.0)
    assert {r.face for r in readings} == set(cards)
    for reading in readings:
        assert min(off_by(reading, outline) for outline in outlines) < FOUND_WITHIN


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("covered", "top"), [("KH", "4S"), ("9C", "10D"), ("2S", "AC")])
def test_a_card_on_other_cards(covered: str, top: str) -> None:
    """White on white: only the known size determines where the upper card ends."""
    rng = np.random.default_rng(11)
    table = cloth(560, 500, rng)
    lay(table, face_of(parse_card(covered), Style(border=True)), (230, 250), 20, 2.0)
    outline = lay(table, face_of(parse_card(top), Style(border=True)), (300, 240), -14, 2.0)
    readings = reader().read(photographed(table, rng), 1 / 2.0)
    found = {str(r.face): r for r in readings}
    assert found.keys() <= {covered, top}
    assert off_by(found[top], outline) < 4.0  # the printed border or the card's edge, 0.6 mm from each other


def test_the_orientation_of_a_card_has_no_effect() -> None:
    card = parse_card("6D")
    for degrees in (0, 90, 180, 270, 45):
        rng = np.random.default_rng(degrees)
        table = cloth(500, 500, rng)
        outline = lay(table, face_of(card), (250, 250), degrees, 3.0)
        (reading,) = reader().read(photographed(table, rng))
        assert reading.face is card
        assert off_by(reading, outline) < FOUND_WITHIN
        top, right = reading.outline[1] - reading.outline[0], reading.outline[2] - reading.outline[1]
        assert top[0] * right[1] - top[1] * right[0] > 0  # clockwise as seen
        assert np.linalg.norm(top) < np.linalg.norm(right)  # from the card's own top left along its short side


@pytest.mark.sampled(2)
@pytest.mark.parametrize("background", [(40, 60, 110), (120, 60, 40), (30, 30, 30), (40, 30, 130)])
def test_on_other_tables(background: tuple[int, int, int]) -> None:
    rng = np.random.default_rng(3)
    table = cloth(700, 500, rng, background)
    lay(table, face_of(parse_card("8S")), (190, 240), 15, 3.0)
    lay(table, face_of(parse_card("3H")), (510, 250), -40, 3.0)
    assert {str(r.face) for r in reader().read(photographed(table, rng))} == {"8S", "3H"}


def test_noise_and_dim_light() -> None:
    rng = np.random.default_rng(5)
    table = cloth(700, 500, rng)
    lay(table, face_of(parse_card("KC")), (190, 240), 15, 3.0)
    lay(table, face_of(parse_card("7H")), (510, 250), 200, 3.0)
    dim = (photographed(table, rng, noise=14.0, blur=1.2) * 0.45).astype(np.uint8)
    assert {str(r.face) for r in reader().read(dim)} == {"KC", "7H"}


def test_backs_blank_cards_and_other_things_are_not_read() -> None:
    rng = np.random.default_rng(8)
    table = cloth(1300, 900, rng)
    blank = np.full_like(back(), 250)
    lay(table, back(), (200, 230), 12, 3.0)
    lay(table, blank, (560, 240), 80, 3.0)
    note = blank.copy()
    cv2.putText(note, "milk", (60, 120), cv2.FONT_HERSHEY_SIMPLEX, 2.5, (20, 20, 20), 6)
    cv2.putText(note, "eggs", (60, 260), cv2.FONT_HERSHEY_SIMPLEX, 2.5, (20, 20, 20), 6)
    lay(table, note, (980, 240), -20, 3.0)
    cv2.circle(table, (300, 650), 120, (200, 210, 215), -1)
    cv2.rectangle(table, (600, 560), (1000, 800), (30, 20, 25), -1)
    assert reader().read(photographed(table, rng)) == []


@pytest.mark.parametrize("shape", [(1, 1), (3, 900), (40, 40), (400, 400), (1080, 1920)])
def test_empty_pictures_of_any_size(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(1)
    plain = np.full((*shape, 3), 128, np.uint8)
    noise = rng.integers(0, 256, (*shape, 3), np.uint8)
    for picture in (plain, noise):
        assert reader().read(picture) == []
        assert reader().read(picture, 0.5) == []


def test_two_copies_of_a_card_are_two_readings() -> None:
    rng = np.random.default_rng(2)
    table = cloth(900, 500, rng)
    first = lay(table, face_of(parse_card("QD")), (200, 240), 30, 3.0)
    second = lay(table, face_of(parse_card("QD")), (650, 250), 100, 3.0)
    readings = reader().read(photographed(table, rng))
    assert [str(r.face) for r in readings] == ["QD", "QD"]
    for outline in (first, second):
        assert min(off_by(r, outline) for r in readings) < FOUND_WITHIN


def test_the_same_picture_gives_the_same_readings() -> None:
    picture, _ = spread([parse_card("5S"), parse_card("JH")], Style(), np.random.default_rng(9))
    first, again = ([(str(r.face), r.confidence, r.outline.tolist()) for r in reader().read(picture)] for _ in range(2))
    assert first == again


@pytest.mark.parametrize(("px_per_mm", "read"), [(1.1, []), (2.0, ["7D"])])
def test_cards_below_the_minimum_resolution_are_not_read(px_per_mm: float, read: list[str]) -> None:
    rng = np.random.default_rng(5)
    table = cloth(400, 300, rng)
    lay(table, face_of(parse_card("7D")), (200, 150), 12, px_per_mm)
    found = FaceReader().read(photographed(table, rng), 1 / px_per_mm)
    assert [str(reading.face) for reading in found] == read


def test_part_of_an_index_beside_its_card_is_not_a_second_card() -> None:
    """A wrong outline half beside a queen of diamonds showed the lower half of its Q, which looked like a ten."""
    picture, top, cards = on_top(46)
    found = {reading.face for reading in reader().read(picture, 0.5)}
    assert top in found and found <= set(cards)
