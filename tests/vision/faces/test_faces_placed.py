"""Decks whose indices stand in unusual places, or whose cards have another size, read at a table's scale."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from engine.cards import RANKS, STANDARD_DECK, Card, parse_card
from tests.drawing.faces import cloth, lay, photographed
from tests.drawing.placed import BRIDGE_MM, MINIATURE_MM, TABLE_PX_PER_MM, Layout, placed_face, table_of
from vision.faces import FaceReader
from vision.faces.geometry import Floats
from vision.faces.index_classifier import IndexClassifier
from vision.faces.settings import DEFAULTS
from vision.frames import Image

INSET = Layout(top_mm=12.0, court_mm=(2.2, 3.5))
APART = [(170.0 + 340 * (k % 3), 130.0 + 255 * (k // 3)) for k in range(6)]

LAYOUTS = {
    "courts usual": INSET,
    "2 x 20 mm": Layout(2.0, 20.0),
    "20 x 2 mm": Layout(20.0, 2.0),
    "20 x 20 mm": Layout(20.0, 20.0),
    "one index": Layout(8.0, 12.0, corners=1),
    "four indices": Layout(2.2, 12.0, corners=4),
    "jumbo": Layout(top_mm=12.0, letter_mm=12.5),
    "frame": Layout(4.5, 13.5, frame_mm=3.0),
    "bridge": Layout(top_mm=10.0, card_mm=BRIDGE_MM),
    "miniature": Layout(top_mm=10.0, letter_mm=7.0, card_mm=MINIATURE_MM),
}


def six(layout: Layout, seed: int) -> tuple[Image, set[Card]]:
    """Return a picture of six cards that lie apart, and the cards."""
    rng = np.random.default_rng((seed, 7))
    cards = [STANDARD_DECK.cards[k] for k in rng.choice(52, 6, replace=False)]
    turns = rng.uniform(-20, 20, 6) + 180 * rng.integers(2, size=6)
    return table_of(layout, list(zip(cards, APART, turns.tolist(), strict=True)), seed), set(cards)


def faces(reader: FaceReader, picture: Image) -> list[str]:
    return sorted(str(reading.face) for reading in reader.read(picture, 1 / TABLE_PX_PER_MM))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", LAYOUTS)
def test_every_card_that_lies_apart_is_read_and_none_wrongly(name: str) -> None:
    layout, reader = LAYOUTS[name], FaceReader()
    picture, cards = six(layout, 4)
    assert faces(reader, picture) == sorted(map(str, cards))
    assert reader.card_mm == layout.card_mm


def test_a_size_that_is_set_is_used_from_the_first_card() -> None:
    reader = FaceReader(replace(DEFAULTS, card_mm=MINIATURE_MM))
    middle = APART[1]
    table = table_of(LAYOUTS["miniature"], [(parse_card("9H"), middle, 10.0)])
    assert faces(reader, table) == ["9H"]
    assert reader.card_mm == MINIATURE_MM
    poker = table_of(Layout(), [(parse_card("9H"), middle, 10.0)])
    assert faces(reader, poker) == []


def test_the_first_cards_of_another_size_are_read_in_a_printed_zone() -> None:
    """A line drawn around them on the mat, as around a zone, is not the card that they are printed on."""
    layout, reader = LAYOUTS["miniature"], FaceReader()
    for name, middle in (("6C", (210.0, 180.0)), ("5H", (760.0, 300.0))):
        rng = np.random.default_rng(3)
        table = cloth(1100, 520, rng)
        left, top = round(middle[0]) - 105, round(middle[1]) - 140
        cv2.rectangle(table, (left, top), (left + 210, top + 280), (150, 175, 150), 3, cv2.LINE_AA)
        lay(table, placed_face(parse_card(name), layout), middle, 5.0, TABLE_PX_PER_MM)
        assert faces(reader, photographed(table, rng)) == [name]


def test_one_index_is_enough_once_the_deck_is_known() -> None:
    """Of the lower card the upper one covers an index; the other stands 12 mm from the edge."""
    lower, upper = parse_card("7S"), parse_card("4H")
    covered = table_of(INSET, [(lower, (300.0, 250.0), 8.0), (upper, (360.0, 300.0), 12.0)])
    reader = FaceReader()
    assert faces(reader, covered) == ["4H"]
    picture, _ = six(INSET, 3)
    faces(reader, picture)
    assert faces(reader, covered) == ["4H", "7S"]


def test_two_certain_indices_outvote_the_corners_of_their_outline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of these eights, a little farther in than usual and in a frame, a net of corners that takes them for jacks.

    Where the deck prints its indices is known after two pictures.
    """
    read = IndexClassifier.__call__

    def mistaken(net: IndexClassifier, crops: list[Image]) -> tuple[Floats, Floats]:
        ranks, suits = read(net, crops)
        if net is reader._read_outlines._classify:
            eight, jack = RANKS.index("8"), RANKS.index("J")
            ranks[:, [eight, jack]] = 0.9 * ranks[:, [jack, eight]]
        return ranks, suits

    monkeypatch.setattr(IndexClassifier, "__call__", mistaken)
    layout = Layout(5.4, 7.8, 6.4, card_mm=BRIDGE_MM, frame_mm=3.0)
    eights = table_of(layout, [(parse_card(f"8{suit}"), APART[k], 10.0 * k) for k, suit in enumerate("DCH")], 0)
    reader = FaceReader()
    assert len(faces(reader, eights)) < 3
    for seed in (4, 5):
        faces(reader, six(layout, seed)[0])
    assert faces(reader, eights) == ["8C", "8D", "8H"]


@pytest.mark.parametrize(
    ("apart_mm", "degrees", "read"),
    [(66, 90.0, ["4S"]), (80, 90.0, ["4S", "8S"]), (88, 90.0, ["4S", "8S"]), (63, 0.0, ["4S", "8S"])],
    ids=["an index is covered", "end to end, overlapping", "touching", "side by side"],
)
def test_cards_laid_in_line_are_read(apart_mm: float, degrees: float, read: list[str]) -> None:
    """Two sides make one edge, up to twice as long; those of the upper card end on it."""
    middles = (300.0, 250.0), (300.0 + apart_mm * TABLE_PX_PER_MM, 250.0)
    in_line = [(parse_card(name), middle, degrees) for name, middle in zip(("8S", "4S"), middles, strict=True)]
    assert faces(FaceReader(), table_of(Layout(), in_line)) == read


def test_a_deck_with_one_index_or_with_deep_ones_is_said_to_suit_badly() -> None:
    drawbacks = {}
    for name in ("one index", "20 x 20 mm", "courts usual"):
        reader = FaceReader()
        assert reader.drawback == ""
        faces(reader, six(LAYOUTS[name], 4)[0])
        drawbacks[name] = reader.drawback
    assert "only one index" in drawbacks["one index"]
    assert "far from the edges" in drawbacks["20 x 20 mm"]
    assert drawbacks["courts usual"] == ""
