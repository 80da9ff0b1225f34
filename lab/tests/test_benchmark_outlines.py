"""The benchmark of outlines: its fits follow cards that lie apart, and readings are compared with them."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from engine.cards import Card, parse_card
from lab.benchmarks.outline_fits import true_outlines
from lab.benchmarks.outlines import GOAL_IOU, Tally
from tests.drawing.cards import DrawnTable, face_picture
from tests.drawing.outline_scenes import decks, picture
from tests.drawing.outlines import compare
from vision.faces import FaceReader
from vision.frames import Image
from vision.readings import Reading

CARDS = (parse_card("AS"), parse_card("7D"))
CARD = np.array([[140, 90], [240, 90], [240, 230], [140, 230]], np.float64)


@pytest.fixture(scope="module")
def all_decks() -> dict[str, dict[Card, Image]]:
    return decks()


def drawn(*cards: np.ndarray, ground: int = 70, frame: int = 0) -> Image:
    big = np.full((1280, 1600, 3), ground, np.uint8)
    for quad in cards:
        cv2.fillConvexPoly(big, np.rint((quad + 0.5) * 4 - 0.5).astype(np.int32), (235, 240, 240))
        if frame:
            (left, top), (right, foot) = (quad[0] + frame) * 4, (quad[2] - frame) * 4
            cv2.rectangle(big, (int(left), int(top)), (int(right), int(foot)), (40, 40, 40), 6)
    return np.asarray(cv2.resize(big, (400, 320), interpolation=cv2.INTER_AREA), np.uint8)


def turned(degrees: float) -> np.ndarray:
    angle = np.radians(degrees)
    matrix = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    return np.asarray((CARD - CARD.mean(axis=0)) @ matrix + CARD.mean(axis=0))


@pytest.mark.parametrize(("degrees", "frame"), [(17, 0), (0, 5)])
def test_the_fit_is_the_card_s_edge_and_no_frame(degrees: float, frame: int) -> None:
    card = turned(degrees)
    (fit,) = true_outlines(drawn(card, frame=frame))
    away = min(np.abs(np.roll(fit, -k, axis=0) - card).max() for k in range(4))
    assert away < 0.8


def test_cards_that_touch_and_cards_that_are_cut_are_left_out() -> None:
    assert true_outlines(drawn(CARD, CARD + np.array([101, 20]))) == []
    assert true_outlines(drawn(CARD - (150, 0))) == []
    assert true_outlines(drawn(CARD, ground=232)) == []


def test_the_fits_are_the_known_outlines_of_a_drawn_table() -> None:
    table = DrawnTable((480, 360), px_per_mm=1.6)
    places = (((130, 180), 12.0), ((330, 180), 71.0))
    known = [(card, table.lay(face_picture(card), at, turn)) for card, (at, turn) in zip(CARDS, places, strict=True)]
    fits = true_outlines(table.photo(1))
    found = compare([Reading(card, 1.0, "face", outline) for card, outline in known], fits)
    assert len(fits) == 2
    assert min(pair[0] for pair in found if pair is not None) > 0.95


def test_a_wrong_outline_of_the_same_card_counts() -> None:
    ace = parse_card("AS")
    small = (CARD[0] + (CARD - CARD[0]) / 2).astype(np.float32)
    (pair,) = compare([Reading(ace, 0.9, "face", small)], [CARD])
    assert pair is not None and pair[0] == pytest.approx(0.25, abs=0.01)
    assert compare([], [CARD]) == [None]
    assert compare([Reading(ace, 0.9, "face", small + np.float32([500, 0]))], [CARD]) == [None]


def test_the_goal_is_missed_by_wrong_outlines_and_by_wrong_ones_on_edges() -> None:
    assert Tally(2, [(0.99, "a"), (0.25, "b")], [0.99]).missed(lie_apart=True)
    assert not Tally(2, [(0.99, "a"), (0.25, "b")], [0.99]).missed(lie_apart=False)
    assert Tally(2, [(0.99, "a"), (0.25, "b")], [0.99, 0.25]).missed(lie_apart=False)
    assert not Tally(2, [(0.99, "a"), (0.97, "b")], [0.99, 0.97]).missed(lie_apart=True)
    assert not Tally(2).missed(lie_apart=True)


@pytest.mark.parametrize(
    ("deck", "lie", "seed"),
    [
        ("drawn, jumbo", "row", 421),  # side by side, the whole row has the shape of a card
        ("drawn, German", "row", 221),  # two cards were read in one outline
        ("drawn, four-coloured", "thrown", 312),  # sides on the edges of other cards
        ("framed", "fan", 530),
        ("framed", "thrown", 511),
    ],
)
def test_outlines_on_edges_are_exact_and_others_marked_extrapolated(
    all_decks: dict[str, dict[Card, Image]], deck: str, lie: str, seed: int
) -> None:
    drawn = picture(all_decks[deck], lie, seed)
    found = [pair for pair in compare(FaceReader().read(drawn.image), [outline for _, outline in drawn.cards]) if pair]
    assert len(found) >= 2
    assert all(value > GOAL_IOU for value, reading in found if reading.outline_from == "edges")
