"""The suit of a card by its pips, in pictures in which the index alone does not show it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import cv2
import numpy as np
import pytest

from benchmarks.degrading import Photo, degraded
from benchmarks.tables import at, drawn_decks, laid
from engine.cards import RANKS, SUITS, Card
from vision.faces.geometry import Floats, Quad
from vision.faces.pyramid import image_pyramid
from vision.faces.score_fusion import NO_PIPS, checked, confirmed, fuse, with_pips
from vision.faces.suit_finder import SuitFinder
from vision.frames import Image
from vision.readings import CARD_MM

PX_PER_MM = 2.0


@cache
def finder() -> SuitFinder:
    return SuitFinder()


def pictured(face: Image) -> tuple[Image, Quad]:
    """Return a picture with the card in its middle, blurred by two pixels, and its outline."""
    shape = (240, 190)
    corner = (shape[1] - CARD_MM[0] * PX_PER_MM) / 2, (shape[0] - CARD_MM[1] * PX_PER_MM) / 2
    matrix = at(*corner) @ np.diag([PX_PER_MM, PX_PER_MM, 1.0])
    card = laid(face, matrix, shape, PX_PER_MM)
    mask = laid(np.full_like(face[..., 0], 255), matrix, shape, PX_PER_MM)[..., None] / 255
    table = np.full((*shape, 3), (60, 110, 40), np.float32) * (1 - mask) + card * mask
    sharp = np.clip(table, 0, 255).astype(np.uint8)
    wide, long = CARD_MM[0] * PX_PER_MM, CARD_MM[1] * PX_PER_MM
    quad = np.array([[0, 0], [wide, 0], [wide, long], [0, long]], np.float32) + np.float32(corner)
    photo = Photo(sharp, [], np.zeros((0, 2)), 30.0)
    return degraded(photo, "blur", 2.0, 1).image, quad.astype(np.float32)


def number_cards() -> Iterator[tuple[Card, Image]]:
    for name in ("drawn", "drawn, French", "drawn, German"):
        for card, face in drawn_decks()[name].cards.items():
            if card.rank not in ("J", "Q", "K"):
                yield card, face


def test_blurred_pips_show_their_suit() -> None:
    right = []
    for card, face in number_cards():
        image, quad = pictured(face)
        said = finder()(image_pyramid(image), quad, card.rank)
        right.append(SUITS[int(said[:52].argmax()) % 4] == card.suit)
    assert len(right) == 120 and sum(right) >= 114


def test_blurred_pips_are_counted() -> None:
    """Whatever rank the index seems to show."""
    right = []
    for card, face in number_cards():
        image, quad = pictured(face)
        said = finder()(image_pyramid(image), quad, "K")
        right.append(RANKS[int(said[:52].argmax()) // 4] == card.rank)
    assert len(right) == 120 and sum(right) >= 117


def test_pips_that_are_too_few_do_not_show_a_suit() -> None:
    two = drawn_decks()["drawn"].cards[Card("2", "C")]
    image, quad = pictured(two)
    assert np.ptp(finder()(image_pyramid(image), quad, "2")[:4]) > 1
    assert np.ptp(finder()(image_pyramid(image), quad, "9")[:4]) == 0
    blank = np.full_like(image, 235)
    said = finder()(image_pyramid(blank), quad, "2")
    assert said[4] < said[51]  # no pip: rather a court card than a number card
    cv2.circle(blank, (30, 60), 12, (20, 20, 20), -1)  # an ornament is not an ace's pip
    assert np.ptp(finder()(image_pyramid(blank), quad, "A")[:4]) == 0


CLUBS = np.append(np.tile(np.array([-4, -9, -9, 0], np.float32), 13), 0)


@pytest.mark.parametrize("pips", [NO_PIPS, CLUBS])
def test_pips_decide_between_suits(pips: Floats) -> None:
    rank, suit = np.full((2, 14), 1e-3, np.float32), np.full((2, 5), 1e-3, np.float32)
    rank[:, RANKS.index("7")], suit[:, SUITS.index("S")], suit[:, SUITS.index("C")] = 0.98, 0.6, 0.38
    verdict = with_pips(fuse(rank, suit), pips)
    assert verdict.card.rank == "7"
    assert verdict.card.suit == ("S" if pips is NO_PIPS else "C")
    assert np.allclose(verdict.probabilities, fuse(rank, suit).probabilities)
    other = np.full(52, 1e-4, np.float32)
    other[RANKS.index("7") * 4 + SUITS.index("S")] = 0.95  # the other net still reads a spade
    assert confirmed(verdict, [other], pips).confidence < 0.85 or pips is NO_PIPS


def test_counted_pips_decide_between_ranks() -> None:
    """Of a card that the index alone does not show: a blurred five looks like a six. Court cards are not confirmed."""
    pips = np.full(53, np.log(0.05), np.float32)
    pips[RANKS.index("5") * 4 : RANKS.index("6") * 4] = 0
    shown = np.full(52, 1e-4, np.float32)
    shown[[RANKS.index("6") * 4, RANKS.index("5") * 4]] = 0.7, 0.25
    assert checked(Card("6", SUITS[0]), 0.7, shown, pips) < 0.2
    assert checked(Card("5", SUITS[0]), 0.7, shown, pips) > 0.95
    pips[RANKS.index("J") * 4 :] = 0
    assert checked(Card("J", SUITS[0]), 0.7, shown, pips) == pytest.approx(0.7)
