"""Letters of drawn indices: of any weight, and still the same letter."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from engine.cards import RANKS
from lab.tests.training.fonts import needs_fonts
from lab.training.glyphs import any_font, barred, heavy, letter, printed
from vision.frames import Image

pytestmark = needs_fonts


def holes(mask: Image) -> int:
    """Return the number of areas that the ink encloses."""
    framed = cv2.copyMakeBorder(mask, 2, 2, 2, 2, cv2.BORDER_CONSTANT)
    return int(cv2.connectedComponents((framed < 128).astype(np.uint8), connectivity=4)[0]) - 2


@pytest.mark.parametrize("text", ["4", "6", "8", "9", "10", "A", "J", "Q", "2", "3", "5"])
def test_heavy_letters_have_more_ink_and_the_same_holes(text: str) -> None:
    rng = np.random.default_rng(5)
    thicker = 0
    for _ in range(20):
        mask = letter(any_font(rng), text)
        thick = heavy(mask, rng)
        assert holes(thick) == holes(mask)
        thicker += int((thick > 127).sum()) > int((mask > 127).sum())
    assert thicker >= 10  # letters that are as heavy as they can be stay as they are


def test_a_letter_without_room_for_more_ink_stays_as_it_is() -> None:
    ring = np.zeros((40, 40), np.uint8)
    cv2.circle(ring, (20, 20), 17, 255, -1)
    ring[19:22, 19:22] = 0
    assert np.array_equal(heavy(ring, np.random.default_rng(1)), ring)


def test_a_jack_s_bar_goes_to_the_left() -> None:
    rng = np.random.default_rng(3)
    stem = np.zeros((60, 40), np.uint8)
    stem[:, 28:36] = 255
    stem[52:, 6:36] = 255
    for _ in range(10):
        top = np.flatnonzero(barred(stem, rng)[0])
        assert top[0] < 20 and top[-1] >= 35


def test_ranks_are_printed_with_thinner_and_thicker_strokes_too() -> None:
    rng = np.random.default_rng(8)
    thinner = thicker = 0
    for _ in range(40):
        for rank in RANKS:
            font = any_font(rng)
            mask, plain = printed(font, rank, rng), letter(font, rank)
            assert mask.max() > 127
            more = float((mask > 127).mean()) / float((plain > 127).mean())
            thinner, thicker = thinner + (more < 0.8), thicker + (more > 1.25)
    assert thinner > 10 and thicker > 60
