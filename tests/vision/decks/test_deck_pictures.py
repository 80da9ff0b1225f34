"""Picture files of a deck's cards: cut out, scanned or photographed, of any shape; and pictures without a card."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

import cv2
import numpy as np
import pytest

from engine.cards import Card, parse_card
from tests.drawing.decks import drawn_deck, learned, photograph
from tests.drawing.faces import cloth, lay, photographed
from vision.decks.deck import FACE_SIZE
from vision.decks.matching import DeckReader, Matcher
from vision.decks.pictures import analyze_picture, extract_faces
from vision.frames import Image


def resized(face: Image, size: tuple[int, int]) -> Image:
    return np.asarray(cv2.resize(face, size, interpolation=cv2.INTER_AREA), np.uint8)


def some(style: str) -> Mapping[Card, Image]:
    deck = drawn_deck(style)
    return {card: deck[card] for card in list(deck)[:: len(deck) // 3]}


@cache
def matcher_of(style: str) -> Matcher:
    return Matcher({card: resized(face, FACE_SIZE) for card, face in drawn_deck(style).items()})


def read(cards: Sequence[Card], pictures: Sequence[Image], style: str) -> list[str]:
    """The cards in these pictures, by comparison with the drawings themselves."""
    matcher = matcher_of(style)
    found = extract_faces([analyze_picture(picture) for picture in pictures])
    return [face if isinstance(face, str) else str(matcher.match(face).card) for face in found]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("style", ["packaged", "numbers", "paintings", "framed"])
@pytest.mark.parametrize("size", [(252, 352), (200, 300), (285, 440), (540, 1000), (440, 285), (300, 300)])
def test_pictures_cropped_to_cards_of_any_shape(style: str, size: tuple[int, int]) -> None:
    """Scans of a tarot, of bridge cards, of a children's game: a printed box is not taken for the card."""
    deck = some(style)
    pictures = [resized(face if size[0] <= size[1] else np.rot90(face), size) for face in deck.values()]
    assert read(list(deck), pictures, style) == [str(card) for card in deck]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("style", ["packaged", "numbers", "framed"])
def test_cards_scanned_on_an_a4_sheet(style: str) -> None:
    """A4 has nearly the shape of a poker card."""
    deck = some(style)
    pictures = []
    for face in deck.values():
        sheet = np.full((1169, 827, 3), 40, np.uint8)
        lay(sheet, face, (340, 420), 3, 3.94)
        pictures.append(sheet)
    assert read(list(deck), pictures, style) == [str(card) for card in deck]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("slant", [0, 70])
def test_photographs_with_a_card_s_shape(slant: int) -> None:
    """A picture of 3 : 4 might be a card itself."""
    deck = some("numbers")
    rng = np.random.default_rng(4)
    seen = np.array([[slant, 0], [800 - slant, 0], [800, 600], [0, 600]], np.float32)
    straight = np.array([[0, 0], [800, 0], [800, 600], [0, 600]], np.float32)
    pictures = []
    for face in deck.values():
        table = cloth(800, 600, rng)
        lay(table, face, (float(rng.uniform(350, 450)), 300), float(rng.uniform(0, 360)), 3.5)
        moved = cv2.warpPerspective(
            photographed(table, rng), cv2.getPerspectiveTransform(straight, seen), (800, 600), borderMode=1
        )
        pictures.append(np.asarray(moved, np.uint8))
    assert read(list(deck), pictures, "numbers") == [str(card) for card in deck]


def test_a_card_drawn_in_the_middle_of_a_background() -> None:
    deck = some("numbers")
    pictures = []
    for face in deck.values():
        ground = np.full((480, 640, 3), (40, 110, 20), np.uint8)
        ground[72:408, 200:440] = resized(face, (240, 336))
        pictures.append(ground)
    assert read(list(deck), pictures, "numbers") == [str(card) for card in deck]


def test_cropped_and_photographed_pictures_in_one_folder() -> None:
    deck = some("numbers")
    rng = np.random.default_rng(2)
    pictures = [photograph(face, rng, 2.4)[0] if k % 2 else face for k, face in enumerate(deck.values())]
    assert read(list(deck), pictures, "numbers") == [str(card) for card in deck]


@pytest.mark.long
def test_a_picture_that_is_the_card_itself_is_read_with_the_deck() -> None:
    reader = DeckReader(learned("numbers"))
    face = drawn_deck("numbers")[parse_card("brown-7")]
    for picture, corner in (
        (face, (0, 0)),
        (resized(face, (200, 300)), (0, 0)),
        (np.ascontiguousarray(np.rot90(face)), (0, 377)),
        (np.ascontiguousarray(face[::-1, ::-1]), (377, 527)),
    ):
        (reading,) = reader.read(picture)
        assert str(reading.face) == "brown-7"
        assert np.abs(reading.outline[0] - corner).max() < 1
    assert reader.read(drawn_deck("paintings")[parse_card("trump-5")]) == []
    assert reader.read(face, 0.2) == []


def test_a_single_picture() -> None:
    card = drawn_deck("numbers")[parse_card("green-5")]
    matcher = Matcher(learned("numbers").faces)
    rng = np.random.default_rng(2)
    for picture in (
        card,
        np.ascontiguousarray(np.rot90(card)),
        photograph(card, rng, 2.4)[0],
        photograph(card, rng, 5.0, light="warm lamp")[0],
    ):
        (face,) = extract_faces([analyze_picture(picture)])
        assert not isinstance(face, str) and face.shape == (FACE_SIZE[1], FACE_SIZE[0], 3)
        assert matcher.match(face).card is parse_card("green-5")


def test_pictures_without_a_card_or_with_several_give_no_face() -> None:
    rng = np.random.default_rng(2)
    deck = drawn_deck("numbers")
    two = cloth(900, 600, rng)
    lay(two, deck[parse_card("red-1")], (250, 300), 5, 3.0)
    lay(two, deck[parse_card("red-2")], (650, 300), -5, 3.0)
    good = photograph(deck[parse_card("green-5")], rng, 3.0)[0]
    found = extract_faces(
        [analyze_picture(picture) for picture in (cloth(800, 600, rng), photographed(two, rng), good)]
    )
    assert found[:2] == ["no card", "several"] and not isinstance(found[2], str)
    assert extract_faces([]) == []
