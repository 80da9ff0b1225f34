"""The colour of a card's pips: what it says about the suit, and where it says nothing."""

from __future__ import annotations

import numpy as np
import pytest

from engine.cards import SUITS, Card
from tests.drawing.tables import drawn_decks
from tests.vision.faces.test_card_classifier import pictured
from tests.vision.faces.test_suit_finder import finder, number_cards
from vision.faces.pip_colours import CELL, suits_by_colour
from vision.faces.pyramid import image_pyramid
from vision.frames import Image

PIPS = np.array([2, 5, 8]), np.array([3, 3, 7])
"""Rows and columns of the cells of three pips."""


def card(*colours: tuple[float, float, float], paper: tuple[float, float, float] = (235, 238, 242)) -> Image:
    """Return nearly white paper with pips of these colours (BGR, relative to the paper)."""
    picture = np.tile(np.array(paper, np.float32), (220, 160, 1))
    for row, column, colour in zip(*PIPS, colours, strict=True):
        picture[row * CELL : (row + 1) * CELL, column * CELL : (column + 1) * CELL] *= colour
    picture[150:] *= (0.97, 1.0, 0.99)  # a little colour, as every photograph has
    return np.round(picture).astype(np.uint8)


def allowed(*colours: tuple[float, float, float]) -> str:
    """Return the suits that have at least half the likelihood of the likeliest one."""
    evidence = suits_by_colour(card(*colours), *PIPS)
    return "".join(suit for suit, value in zip(SUITS, evidence - evidence.max(), strict=True) if value > np.log(0.5))


@pytest.mark.parametrize(
    ("colour", "suits"),
    [
        ((0.2, 0.15, 0.8), "HD"),
        ((0.7, 0.65, 0.95), "HD"),  # pale, out of focus
        ((0.1, 0.1, 0.1), "SC"),
        ((0.6, 0.62, 0.61), "SC"),
        ((0.9, 0.4, 0.1), "D"),
        ((0.1, 0.5, 0.15), "C"),
        ((0.1, 0.93, 1.0), "SHDC"),  # yellow
        ((0.9, 0.1, 0.9), "SHDC"),  # violet
        ((0.98, 0.98, 0.98), "SHDC"),  # hardly any ink
        ((0.3, 0.3, 0.41), "SHDC"),  # neither black nor red
        ((0.98, 0.99, 1.0), "SHDC"),  # nothing printed
    ],
)
def test_colour_allows_suits(colour: tuple[float, float, float], suits: str) -> None:
    assert allowed(colour, colour, colour) == suits


def test_one_pip_of_another_card_does_not_count() -> None:
    red, black = (0.2, 0.15, 0.8), (0.1, 0.1, 0.1)
    assert allowed(red, black, red) == "HD"
    assert allowed(black, black, red) == "SC"


def test_a_picture_without_colours_shows_no_suit() -> None:
    """There red pips are as grey as black ones."""
    grey = card((0.4, 0.4, 0.4), (0.4, 0.4, 0.4), (0.4, 0.4, 0.4))[..., :1].repeat(3, axis=2)
    assert not suits_by_colour(grey, *PIPS).any()


def test_light_of_one_colour_shows_no_suit() -> None:
    """In haze black pips are as blue as the dim blue of the paper."""
    black = (0.52, 0.25, 0.14)
    assert suits_by_colour(card(black, black, black), *PIPS).any()
    assert not suits_by_colour(card(black, black, black, paper=(58, 140, 218)), *PIPS).any()


def in_grey(image: Image) -> Image:
    """Return the picture with every colour replaced by grey."""
    return np.repeat(image.mean(axis=2, keepdims=True), 3, axis=2).astype(np.uint8)


def test_small_blurred_cards_keep_their_colour() -> None:
    """By their shape alone many clubs would be diamonds."""
    wrong, wrong_in_grey = 0, 0
    for number_card, face in number_cards():
        image, quad = pictured(face, blur=1.5, px_per_mm=1.0)
        for picture, grey in ((image, False), (in_grey(image), True)):
            evidence = finder()(image_pyramid(picture), quad, number_card.rank)
            is_wrong = (SUITS[int(evidence[:52].argmax()) % 4] in "HD") != (number_card.suit in "HD")
            wrong, wrong_in_grey = wrong + (is_wrong and not grey), wrong_in_grey + (is_wrong and grey)
    assert wrong == 0
    assert wrong_in_grey > 1


def test_four_coloured_pips_show_their_suit() -> None:
    """Blue diamonds and green clubs; spades and hearts have the usual colours."""
    cards = drawn_decks()["drawn, four-coloured"].cards
    coloured = [
        number_card for number_card in cards if number_card.suit in "DC" and number_card.rank not in ("J", "Q", "K")
    ]
    assert len(coloured) == 20
    for number_card in coloured:
        image, quad = pictured(cards[number_card], blur=1.5, px_per_mm=1.0)
        evidence = finder()(image_pyramid(image), quad, number_card.rank)
        assert SUITS[int(evidence[:52].argmax()) % 4] == number_card.suit


def test_pips_of_large_cards_count_by_their_shape_alone() -> None:
    """Colours would make suits of the signs of a fifth one."""
    image, quad = pictured(drawn_decks()["drawn"].cards[Card("7", "C")])
    grey = finder()(image_pyramid(in_grey(image)), quad, "7")
    assert np.abs(finder()(image_pyramid(image), quad, "7") - grey).max() < 1.0
