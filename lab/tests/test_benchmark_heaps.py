"""Uncovered cards on a heap of all the others are found, however large they are."""

from __future__ import annotations

import pytest

from engine.cards import STANDARD_DECK
from lab.benchmarks.heaps import BESIDE_MM, heap
from tests.drawing.outline_scenes import decks
from tests.drawing.outlines import compare
from vision.faces import FaceReader


@pytest.mark.parametrize("times", BESIDE_MM)
def test_two_cards_on_a_heap_of_fifty_are_found_where_they_lie(times: float) -> None:
    drawn = heap(decks()["drawn"], 30.0, times, 4)
    assert len(drawn.cards) == len(set(STANDARD_DECK.cards)) == 52
    readings = [reading for reading in FaceReader().read(drawn.image) if reading.face in dict(drawn.cards[-2:])]
    found = compare(readings, [outline for _, outline in drawn.cards[-2:]])
    assert all(pair is not None and pair[0] > 0.9 for pair in found)
