"""Cards laid under the camera one after another: each is captured once, complete and still."""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np
import pytest

from engine.cards import parse_card
from tests.drawing.decks import drawn_deck
from tests.drawing.faces import cloth, lay
from tests.vision.grain import Grain
from vision.decks.capture import FaceCapture
from vision.decks.deck import FACE_SIZE
from vision.decks.matching import Matcher
from vision.frames import Image

CLOTH = cloth(1280, 720, np.random.default_rng(1))


@cache
def matcher() -> Matcher:
    cards = [parse_card(name) for name in ("brown-3", "green-4", "red-2")]
    return Matcher({card: cv2.resize(drawn_deck("numbers")[card], FACE_SIZE) for card in cards})


@cache
def laid(*cards: tuple[str, float, float]) -> Image:
    """Return the cloth with cards: their names, how far right they lie, and their rotations."""
    picture = CLOTH.copy()
    for name, x, degrees in cards:
        lay(picture, drawn_deck("numbers")[parse_card(name)], (x, 360), degrees, 2.4)
    return picture


class Table:
    """A cloth with cards and a hand, seen by a noisy camera. `read`: the cards that were captured."""

    def __init__(self) -> None:
        self.capture = FaceCapture()
        self.read: list[str] = []
        self.states: list[str] = []
        self.missed = 0
        self._rng = np.random.default_rng(2)
        self._grain = Grain(720, 1280, 2.0, self._rng)

    def run(self, frames: int, *cards: tuple[str, float, float], hand: bool = False) -> None:
        for _ in range(frames):
            picture = laid(*cards).copy()
            if hand:
                x = int(self._rng.integers(300, 900))
                picture[100:500, x : x + 160] = (120, 150, 205)
            self._process(self._grain.added_to(picture))

    def _process(self, image: Image) -> None:
        result = self.capture.process(image)
        self.states.append(result.state)
        self.missed += result.missed
        if result.face is not None:
            self.read.append(str(matcher().match(result.face).card))


@pytest.fixture
def table() -> Table:
    table = Table()
    table.run(5)
    assert table.states[0] == "clear the table" and table.states[-1] == "empty"
    return table


def test_each_card_is_captured_once(table: Table) -> None:
    for name in ("brown-3", "green-4"):
        table.run(2, hand=True)
        table.run(7, (name, 600, 30))
        assert table.states[-1] == "done"
        table.run(2, hand=True)
        table.run(6)
    assert table.read == ["brown-3", "green-4"]
    assert table.missed == 0


def test_the_next_card_may_be_laid_on_the_last(table: Table) -> None:
    table.run(7, ("brown-3", 600, 30))
    table.run(3, ("brown-3", 600, 30), hand=True)
    table.run(7, ("brown-3", 600, 30), ("red-2", 600, 30))
    assert table.read == ["brown-3", "red-2"]


def test_nothing_is_judged_while_something_moves(table: Table) -> None:
    for step in range(6):
        table.run(1, ("brown-3", 300 + 40 * step, 10))
    assert table.read == []
    table.run(7, ("brown-3", 500, 10))
    assert table.read == ["brown-3"]


def test_two_cards_at_once_are_not_captured(table: Table) -> None:
    table.run(7, ("brown-3", 400, 0), ("red-2", 800, 0))
    assert table.read == [] and table.states[-1] == "several"
    table.run(7, ("brown-3", 400, 0))
    assert table.read == ["brown-3"]


def test_a_card_that_could_not_be_read_is_reported_once_it_is_gone(table: Table) -> None:
    table.run(7, ("brown-3", 1270, 0))  # half of it is outside the picture
    assert table.states[-1] == "no outline" and table.read == []
    table.run(8)
    assert table.missed == 1 and table.states[-1] == "empty"


def test_the_same_card_is_captured_again_on_request(table: Table) -> None:
    table.run(7, ("brown-3", 600, 30))
    table.capture.recapture()
    table.run(7, ("brown-3", 600, 30))
    assert table.read == ["brown-3", "brown-3"]
