"""Training data of German-suited cards: signs of several colours beside the letters that such decks print."""

from __future__ import annotations

import numpy as np
import pytest

from engine.cards import RANKS, SUITS
from lab.tests.training.fonts import needs_fonts
from lab.training.german_signs import Sign, german_letters, german_sign, letter_ink
from lab.training.glyphs import stamp
from lab.training.number_cards import number_card

pytestmark = needs_fonts


@pytest.mark.parametrize("suit", SUITS)
def test_a_sign_has_ink_up_to_its_border_and_a_colour_for_each_pixel(suit: str) -> None:
    for seed in range(60):
        mask, ink = german_sign(suit, np.random.default_rng(seed))
        assert min(mask.shape) > 15
        assert all(side.max() > 40 for side in (mask[0], mask[-1], mask[:, 0], mask[:, -1]))
        assert ink.shape in ((3,), (*mask.shape, 3)) and ink.min() >= 0 and ink.max() <= 255


def test_leaves_are_green_and_hearts_red() -> None:
    """All but a few leaves, one half of which is yellow."""
    for suit, channel in (("S", 1), ("H", 2)):
        strongest = []
        for seed in range(60):
            mask, ink = german_sign(suit, np.random.default_rng(seed))
            mean = ink if ink.ndim == 1 else ink[mask > 128].mean(axis=0)
            strongest.append(mean.argmax())
        assert strongest.count(channel) >= 54


def test_acorns_and_bells_have_several_colours() -> None:
    for suit in "CD":
        for seed in range(30):
            mask, ink = german_sign(suit, np.random.default_rng(seed))
            assert len(np.unique(ink[mask > 200].round(-1), axis=0)) > 3


def test_letters_of_german_ranks() -> None:
    rng = np.random.default_rng(1)
    printed = {rank: {german_letters(rank, rng) for _ in range(40)} for rank in ("A", "Q", "J", "9")}
    assert printed == {"A": {"A", "D"}, "Q": {"O"}, "J": {"U"}, "9": {"9"}}


def test_letters_are_dark_or_of_the_signs_colour() -> None:
    red = Sign(np.full((9, 9), 255, np.uint8), np.tile(np.array([10.0, 20.0, 200.0]), (9, 9, 1)))
    inks = [letter_ink(red, np.random.default_rng(seed)) for seed in range(60)]
    reds = [ink for ink in inks if ink[2] == 200]
    assert 5 < len(reds) < 30 and all(max(ink) < 90 for ink in inks if ink[2] != 200)


def test_a_sign_is_printed_in_its_colours() -> None:
    card = np.full((40, 40, 3), 255, np.uint8)
    ink = np.zeros((10, 10, 3), np.float32)
    ink[:, 5:] = (0, 0, 240)
    stamp(card, np.full((10, 10), 255, np.uint8), 10, 10, 20, 20, ink)
    assert card[20, 13].tolist() == [0, 0, 0] and card[20, 27].tolist() == [0, 0, 240]
    assert card[5, 20].tolist() == [255, 255, 255]
    stamp(card, np.full((10, 10), 255, np.uint8), 30, 30, 20, 20, ink)  # cut by the edge
    assert card[39, 33].tolist() == [0, 0, 0]


def test_a_german_number_card_has_as_many_signs_as_its_rank_says() -> None:
    names = set()
    for seed in range(80):
        _, pips, name = number_card(np.random.default_rng(seed), german=True)
        rank = RANKS.index(name[:-1]) + 1
        assert len(pips) == rank or (rank == 1 and len(pips) in (1, 2, 6))
        names.add(name[-1])
    assert names == set(SUITS)
