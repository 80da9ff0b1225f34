"""Whole cards, in pictures in which the index alone does not show which card it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import islice

import numpy as np
import pytest

from engine.cards import COURT_RANKS, RANKS, SUITS, Card, parse_card
from tests.drawing.degrading import Photo, degraded
from tests.drawing.tables import at, drawn_decks, laid
from vision.faces.card_classifier import CardClassifier
from vision.faces.geometry import Floats, Quad
from vision.faces.pyramid import image_pyramid
from vision.faces.score_fusion import NO_EVIDENCE, confirmed, fuse, number_of, weighed, with_confidence, with_whole
from vision.faces.settings import DEFAULTS
from vision.frames import Image
from vision.readings import CARD_MM

PX_PER_MM = 2.0


@cache
def classifier() -> CardClassifier:
    return CardClassifier()


def pictured(face: Image, blur: float = 2.0, px_per_mm: float = PX_PER_MM) -> tuple[Image, Quad]:
    """Return a picture with the card in its middle, blurred (sigma in pixels), and its outline."""
    shape = (240, 190)
    corner = (shape[1] - CARD_MM[0] * px_per_mm) / 2, (shape[0] - CARD_MM[1] * px_per_mm) / 2
    matrix = at(*corner) @ np.diag([px_per_mm, px_per_mm, 1.0])
    card = laid(face, matrix, shape, px_per_mm)
    mask = laid(sheet(face.shape[:2]), matrix, shape, px_per_mm)[..., None] / 255
    table = np.full((*shape, 3), (60, 110, 40), np.float32) * (1 - mask) + card * mask
    sharp = np.clip(table, 0, 255).astype(np.uint8)
    wide, long = CARD_MM[0] * px_per_mm, CARD_MM[1] * px_per_mm
    quad = np.array([[0, 0], [wide, 0], [wide, long], [0, long]], np.float32) + np.float32(corner)
    photo = Photo(sharp, [], np.zeros((0, 2)), 30.0)
    return degraded(photo, "blur", blur, 1).image, quad.astype(np.float32)


@cache
def sheet(shape: tuple[int, int]) -> Image:
    """Return where a card is: everywhere."""
    return np.full(shape, 255, np.uint8)


def cards_of(*names: str) -> Iterator[tuple[Card, Image]]:
    """Yield every third card of the decks."""
    decks = (drawn_decks()[name].cards for name in names)
    for deck, card in islice(((each, card) for each in decks for card in each), 0, None, 3):
        yield card, deck[card]


def evidence_of(image: Image, quad: Quad) -> Floats:
    """What the net says of the card in `quad`."""
    return classifier()(image_pyramid(image), quad)


def test_the_suit_of_blurred_cards_is_read() -> None:
    """Whatever letters their deck prints, either way up; court cards, which have no pips, are more difficult."""
    right: dict[bool, list[bool]] = {False: [], True: []}
    shows_card = 0
    for number, (card, face) in enumerate(cards_of("drawn", "drawn, French", "drawn, German")):
        image, quad = pictured(face)
        evidence = evidence_of(image, np.roll(quad, 2 * (number % 2), axis=0))
        right[card.rank in COURT_RANKS].append(SUITS[int(evidence[:52].argmax()) % 4] == card.suit)
        shows_card += evidence.argmax() != 52
    assert len(right[False]) == 40 and all(right[False])
    assert len(right[True]) == 12 and sum(right[True]) >= 9
    assert shows_card >= 48


def test_the_suit_of_a_court_card_counts_less_than_that_of_pips() -> None:
    weights = replace(DEFAULTS.fusion, whole_suit=1.0, court_suit=0.0)
    image, quad = pictured(drawn_decks()["drawn"].cards[Card("7", "H")])
    evidence = CardClassifier(settings=weights)(image_pyramid(image), quad)[:52].reshape(13, 4)
    for rank, of_suits in zip(RANKS, evidence, strict=True):
        assert (np.ptp(of_suits) == 0) == (rank in COURT_RANKS)


def test_cloth_and_blank_paper_confirm_no_card() -> None:
    rng = np.random.default_rng(5)
    _, quad = pictured(drawn_decks()["drawn"].cards[Card("2", "C")])
    cloth = rng.normal(120, 20, (240, 190, 3)).clip(0, 255).astype(np.uint8)
    paper = np.full((240, 190, 3), 235, np.uint8)
    for image in (cloth, paper):
        evidence = evidence_of(image, quad)
        for k in range(52):
            shown = np.zeros(52, np.float32)
            shown[k] = 0.6
            assert weighed(shown, evidence)[k] < DEFAULTS.min_confidence


CLUBS = np.append(np.tile(np.array([-4, -9, -9, 0], np.float32), 13), 0)


@pytest.mark.parametrize("whole", [NO_EVIDENCE, CLUBS])
def test_the_whole_card_decides_between_suits(whole: Floats) -> None:
    rank, suit = np.full((2, 14), 1e-3, np.float32), np.full((2, 5), 1e-3, np.float32)
    rank[:, RANKS.index("7")], suit[:, SUITS.index("S")], suit[:, SUITS.index("C")] = 0.98, 0.6, 0.38
    verdict = with_whole(fuse(rank, suit), whole)
    assert verdict.card.rank == "7"
    assert verdict.card.suit == ("S" if whole is NO_EVIDENCE else "C")
    assert np.allclose(verdict.probabilities, fuse(rank, suit).probabilities)
    other = np.full(52, 1e-4, np.float32)
    other[number_of(parse_card("7S"))] = 0.95  # the other net still reads a spade
    assert confirmed(verdict, [other], whole).confidence < 0.85 or whole is NO_EVIDENCE


def test_the_whole_card_decides_between_ranks() -> None:
    """Of a card that the index alone does not show: a blurred five looks like a six."""
    whole = np.full(53, np.log(0.05), np.float32)
    whole[RANKS.index("5") * 4 : RANKS.index("6") * 4] = 0
    shown = np.full(52, 1e-4, np.float32)
    shown[[RANKS.index("6") * 4, RANKS.index("5") * 4]] = 0.7, 0.25
    six, five = Card("6", SUITS[0]), Card("5", SUITS[0])
    assert weighed(shown, whole)[number_of(six)] < 0.2
    assert weighed(with_confidence(five, 0.7, shown), whole)[number_of(five)] > 0.95
