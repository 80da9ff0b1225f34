"""The suit of a card by its pips, in pictures in which the index alone does not show it."""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np

from engine.cards import RANKS, SUITS, Card
from tests.drawing.tables import drawn_decks
from tests.vision.faces.test_card_classifier import pictured
from vision.faces.geometry import Quad
from vision.faces.pyramid import image_pyramid
from vision.faces.suit_finder import SuitFinder
from vision.faces.whole_card import WholeCardReader
from vision.frames import Image


@cache
def finder() -> SuitFinder:
    return SuitFinder()


@cache
def number_cards() -> list[tuple[Card, Image]]:
    """Every sixth number card of three decks: all ranks and suits."""
    decks = (drawn_decks()[name].cards for name in ("drawn", "drawn, French", "drawn, German"))
    chosen = [(deck, card) for deck in decks for card in deck if card.rank not in ("J", "Q", "K")][::6]
    return [(card, deck[card]) for deck, card in chosen]


@cache
def blurred_number_cards() -> list[tuple[Card, Image, Quad]]:
    return [(card, *pictured(face)) for card, face in number_cards()]


def test_blurred_pips_show_their_suit() -> None:
    right = []
    for card, image, quad in blurred_number_cards():
        evidence = finder()(image_pyramid(image), quad, card.rank)
        right.append(SUITS[int(evidence[:52].argmax()) % 4] == card.suit)
    assert len(right) == 20 and sum(right) >= 19


def test_blurred_pips_are_counted() -> None:
    """Whatever rank the index seems to show."""
    right = []
    for card, image, quad in blurred_number_cards():
        evidence = finder()(image_pyramid(image), quad, "K")
        right.append(RANKS[int(evidence[:52].argmax()) // 4] == card.rank)
    assert len(right) == 20 and sum(right) >= 19


def test_pips_do_not_show_the_suit_of_a_court_card() -> None:
    """Its rank may have been misread: a blurred jack of clubs as an ace of spades."""
    image, quad = pictured(drawn_decks()["drawn"].cards[Card("7", "C")])
    evidence = finder()(image_pyramid(image), quad, "7")[:52].reshape(13, 4)
    assert {rank for rank, of_suits in zip(RANKS, evidence, strict=True) if np.ptp(of_suits) == 0} == {"J", "Q", "K"}


def test_pips_that_are_too_few_do_not_show_a_suit() -> None:
    two = drawn_decks()["drawn"].cards[Card("2", "C")]
    image, quad = pictured(two)
    assert np.ptp(finder()(image_pyramid(image), quad, "2")[:4]) > 1
    assert np.ptp(finder()(image_pyramid(image), quad, "9")[:4]) == 0
    blank = np.full_like(image, 235)
    evidence = finder()(image_pyramid(blank), quad, "2")
    assert evidence[4] < evidence[51]  # no pip: rather a court card than a number card
    cv2.circle(blank, (30, 60), 12, (20, 20, 20), -1)  # an ornament is not an ace's pip
    assert np.ptp(finder()(image_pyramid(blank), quad, "A")[:4]) == 0


def test_at_a_table_only_the_pips_of_a_whole_card_count() -> None:
    """The net for whole cards is not asked there."""
    image, quad = pictured(drawn_decks()["drawn"].cards[Card("7", "C")])
    levels, whole = image_pyramid(image), WholeCardReader()
    pips = finder()(levels, quad, "7")
    assert np.allclose(whole(levels, quad, "7", at_table=True), pips)
    assert not np.allclose(whole(levels, quad, "7"), pips)
