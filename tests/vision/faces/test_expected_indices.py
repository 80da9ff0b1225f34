"""Indices that are read where the deck prints them, whether or not the detector has found them."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np
import pytest

from engine.cards import parse_card
from tests.drawing.placed import TABLE_PX_PER_MM, Layout, table_of
from tests.vision.faces.test_faces_placed import INSET, faces
from vision.faces import FaceReader
from vision.faces.card_assembly import IndexReading, surest
from vision.faces.expected_indices import expected_indices
from vision.faces.geometry import Quad
from vision.faces.index_detector import IndexDetector, IndexPose
from vision.faces.index_places import IndexPlace
from vision.faces.index_reader import IndexReader
from vision.faces.outlined_cards import OutlinedCard
from vision.faces.pyramid import image_pyramid
from vision.faces.settings import DEFAULTS
from vision.frames import Image

MIDDLE = (500.0, 260.0)
INSET_PLACE = IndexPlace(right=5.2, down=21.5, height=18.0)


@cache
def three_cards(layout: Layout) -> Image:
    """Return a picture of number cards, from which a reader learns where the deck prints their indices."""
    cards = [(parse_card(name), (170.0 + 340 * k, 260.0), 0.0) for k, name in enumerate(("2H", "9C", "4D"))]
    return table_of(layout, cards)


@cache
def one_card(layout: Layout) -> Image:
    return table_of(layout, [(parse_card("7S"), MIDDLE, 0.0)])


def seven_of_spades(shift: float = 0.0) -> tuple[Image, Quad]:
    """Return a picture with a card, and its outline, moved to the right by `shift` millimetres."""
    wide, tall = 63.0 * TABLE_PX_PER_MM / 2, 88.0 * TABLE_PX_PER_MM / 2
    corners = np.array([[-wide, -tall], [wide, -tall], [wide, tall], [-wide, tall]]) + MIDDLE
    return one_card(INSET).copy(), (corners + np.array([shift * TABLE_PX_PER_MM, 0.0])).astype(np.float32)


def expected(picture: Image, outline: Quad) -> list[str]:
    levels = image_pyramid(picture, DEFAULTS.pyramid)
    read = partial(IndexReader().read, levels)
    return [str(reading.card) for reading in expected_indices(read, [outline], [INSET_PLACE])]


def test_both_indices_are_read_at_the_places_of_the_outline() -> None:
    assert expected(*seven_of_spades()) == ["7S", "7S"]


def test_an_outline_beside_the_card_shows_nothing() -> None:
    assert expected(*seven_of_spades(shift=25.0)) == []


def test_one_index_alone_does_not_count() -> None:
    picture, outline = seven_of_spades()
    picture[: int(MIDDLE[1])] = 90
    assert expected(picture, outline) == []


def reading(x: float, confidence: float, card: int = 0) -> IndexReading:
    """Return an index 20 pixels high."""
    suit = (confidence * np.eye(5)[card]).astype(np.float32)
    return IndexReading(IndexPose(x, 50.0, 0.0, 20.0, 1.0), np.eye(14)[0].astype(np.float32), suit)


def test_of_several_readings_of_one_index_the_surest_counts() -> None:
    low, high, elsewhere = reading(50, 0.8), reading(54, 0.9, 1), reading(61, 0.7)
    assert surest([low, elsewhere, high]) == [high, elsewhere]
    assert surest([low, elsewhere]) == [low, elsewhere]
    assert surest([]) == []
    upside_down = replace(low, pose=replace(low.pose, down_y=-20.0))
    assert surest([upside_down, high]) == [high, upside_down]


def test_an_expected_index_that_a_surer_one_overlaps_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two indices a quarter of their height apart cannot both be printed."""
    seen: list[IndexReading] = []
    confirm = FaceReader._confirmed

    def confirmed(reader: FaceReader, picture: Any, outlined: Any, indices: list[IndexReading]) -> Any:
        seen[:] = indices
        return confirm(reader, picture, outlined, indices)

    monkeypatch.setattr(FaceReader, "_confirmed", confirmed)
    picture, reader = seven_of_spades()[0], FaceReader()
    faces(reader, picture)
    located = [reading.pose for reading in seen]
    ace = np.eye(14)[0].astype(np.float32), (0.5 * np.eye(5)[0]).astype(np.float32)
    beside = [
        IndexReading(replace(pose, x=pose.x + share * pose.height), *ace) for pose in located for share in (0.25, 1.2)
    ]
    monkeypatch.setattr(FaceReader, "_expected", lambda *_: beside)
    faces(reader, picture)
    assert [str(reading.card) for reading in seen] == ["7S"] * len(located) + ["AS"] * len(located)


@pytest.mark.parametrize(("confidence", "corners", "looked_at"), [(0.9, (0, 2), 0), (0.8, (0, 2), 1), (0.9, (0,), 1)])
def test_where_both_corners_show_a_card_no_index_is_looked_for(
    monkeypatch: pytest.MonkeyPatch, confidence: float, corners: tuple[int, ...], looked_at: int
) -> None:
    reader, asked = FaceReader(), []
    expect = FaceReader._expected

    def expected_of(reader: FaceReader, picture: Any, outlined: list[OutlinedCard], size: tuple[float, float]) -> Any:
        verdicts = [replace(card.verdict, confidence=confidence, corners=corners) for card in outlined]
        changed = [replace(card, verdict=verdict) for card, verdict in zip(outlined, verdicts, strict=True)]
        return expect(reader, picture, changed, size)

    faces(reader, three_cards(Layout()))
    monkeypatch.setattr(FaceReader, "_expected", expected_of)
    monkeypatch.setattr("vision.faces.reader.expected_indices", lambda read, quads, places: asked.extend(quads) or [])
    assert faces(reader, one_card(Layout())) == ["7S"]
    assert len(asked) == looked_at


def test_what_was_expected_teaches_no_place(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = FaceReader()
    reader.read(three_cards(INSET), 1 / TABLE_PX_PER_MM)
    before = deepcopy(reader._deck.places._clusters)
    monkeypatch.setattr(IndexDetector, "__call__", lambda *_: [])
    for _ in range(2):
        assert faces(reader, seven_of_spades()[0]) == ["7S"]
    assert reader._deck.places._clusters == before


def test_a_card_without_detected_indices_is_read_in_a_known_deck(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reader = FaceReader()
    assert faces(reader, three_cards(INSET)) == ["2H", "4D", "9C"]
    monkeypatch.setattr(IndexDetector, "__call__", lambda *_: [])
    assert faces(reader, seven_of_spades()[0]) == ["7S"]
    assert faces(FaceReader(), seven_of_spades()[0]) == []


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ["3D", "5H", "QS"])
def test_pips_near_corners_are_no_index_of_a_deck_without_them(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = FaceReader()
    reader.read(three_cards(INSET), 1 / TABLE_PX_PER_MM)  # it has not seen where courts have their indices
    monkeypatch.setattr(IndexDetector, "__call__", lambda *_: [])
    assert faces(reader, table_of(INSET, [(parse_card(name), MIDDLE, 1.2)])) == [name]
