"""The pictures of `lab.benchmarks.half_indices`: one index of the lower card is divided, and the other one is free."""

from __future__ import annotations

import numpy as np
import pytest

from lab.benchmarks.half_indices import COVERED, main, over_index, picture
from tests.drawing.tables import drawn_decks, points
from vision.faces import FaceReader
from vision.faces.geometry import containment
from vision.readings import CARD_MM

WIDTH, HEIGHT = CARD_MM


def test_a_card_covers_a_part_of_one_index() -> None:
    """In all directions from which it leaves the opposite index free."""
    corners = np.array([[0, 0], [WIDTH, 0], [WIDTH, HEIGHT], [0, HEIGHT]], np.float64)
    for deck in drawn_decks().values():
        left, top, right, bottom = deck.index
        box = np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float32)
        opposite = (np.array(CARD_MM) - box).astype(np.float32)
        for seed in range(20):
            upper = points(over_index(deck, np.random.default_rng(seed)), corners).astype(np.float32)
            assert 0.02 < containment(box, upper) < 0.98, (seed, containment(box, upper))
            assert containment(opposite, upper) == 0
    assert 0 < COVERED[0] < COVERED[1] < 1


@pytest.mark.parametrize(("name", "seed"), [("drawn", 26), ("drawn, French", 1028), ("drawn, jumbo", 4046)])
def test_half_an_index_is_not_reported(name: str, seed: int) -> None:
    """A three, a five and a five were reported besides: what the upper cards left of an eight, a six and an eight."""
    drawn, _ = picture(drawn_decks()[name], seed)
    assert {reading.face for reading in FaceReader().read(drawn.image)} == {card for card, _ in drawn.cards}


def test_the_last_line_is_about_all_decks(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--rounds", "1", "--first", "26"]) == 0
    name, *numbers = capsys.readouterr().out.splitlines()[-1].split()
    assert (name, *numbers[:3]) == ("all", "10", "10", "0") and numbers[4] == "0"
