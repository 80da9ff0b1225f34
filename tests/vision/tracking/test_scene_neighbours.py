"""The scene tracker with cards beside and over each other, and with readings that are not cards."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from engine.cards import parse_card
from engine.observations import Zone
from tests.vision.drawn_table import DrawnTable, Watched
from vision.camera_pipeline import CameraPipeline
from vision.frames import Image
from vision.marks.aruco import ArucoReader
from vision.readings import Reading


def started() -> Watched:
    watched = Watched(DrawnTable())
    watched.run(6)
    return watched


def faces(watched: Watched) -> Counter[str]:
    assert watched.scene is not None
    return Counter(str(sighting.face) for sighting in watched.scene.sightings)


def test_equal_cards_that_cover_each_other_are_counted_separately() -> None:
    watched = started()
    for number in range(4):
        watched.table.lay("blue-1", ("play", 0), dx=30.0 * number - 45, dy=(-1) ** number * 8.0, angle=20.0 * number)
        watched.run(15)
    assert faces(watched) == {"blue-1": 4}
    watched.table.cards[0].x -= 70  # one that is pushed away from under the others stays the same card
    watched.run(25)
    assert faces(watched) == {"blue-1": 4}


def test_a_card_pulled_from_under_others_does_not_come_back() -> None:
    watched = started()
    before = watched.table.lay("7S", ("show", 0), dx=-20)
    watched.run(15)
    watched.table.lay("9S", ("show", 0), dx=5)
    watched.run(15)
    carried = watched.table.lay("7S", ("play", 0))  # it is read here while its old place still shows a part of it
    watched.run(15)
    watched.table.cards.remove(before)
    watched.table.lay("QH", ("show", 0), dx=-25)
    watched.run(25)
    assert faces(watched) == {"7S": 1, "9S": 1, "QH": 1}
    watched.table.cards.remove(carried)
    watched.run(20)
    assert faces(watched) == {"9S": 1, "QH": 1}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("frames", range(3, 9))  # one of them is the last reading of the first card
def test_a_card_laid_beside_one_that_is_still_being_read(frames: int) -> None:
    watched = started()
    watched.table.lay("back", ("turn-up", None))
    watched.run(frames)
    watched.table.lay("QH", ("turn-up", None), dx=75, dy=10, angle=8)
    watched.run(20)
    assert faces(watched) == {"None": 1, "QH": 1}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("frames", range(6, 12))  # after some of them it is found but not yet reported
def test_a_hand_over_a_new_face_down_card(frames: int) -> None:
    watched = started()
    x, y = watched.table.mat.centre(Zone("turn-up"))
    watched.table.lay("back", ("turn-up", None))
    watched.run(frames)
    for step in (300.0, 150.0, 10.0, 10.0, 10.0, 150.0, 300.0):
        watched.table.hands = [((x, 620.0), (x, y + step))]
        watched.run(1)
    watched.table.hands = []
    watched.run(20)
    assert faces(watched) == {"None": 1}


class ReadsTwice:
    """Reads marks, and mistakes the print beside the mark of the eight of hearts for the index of another card."""

    min_px_per_mm = 0.0

    def __init__(self, by: str) -> None:
        self._reader = ArucoReader()
        self._by = by

    def read(self, image: Image, mm_per_px: float | None = None) -> list[Reading]:
        readings = self._reader.read(image, mm_per_px)
        return readings + [self._phantom(reading) for reading in readings if reading.face == parse_card("8H")]

    def _phantom(self, reading: Reading) -> Reading:
        across = (reading.outline[1] - reading.outline[0]) * 0.35
        return Reading(parse_card("9C"), 0.95, self._by, np.asarray(reading.outline + across, dtype=np.float32))


def test_print_beside_a_mark_is_not_an_index() -> None:
    watched = Watched(DrawnTable(), lambda source: CameraPipeline(source, source.mat, [ReadsTwice("face")]))
    watched.run(6)
    watched.table.lay("8H", ("play", 0))
    watched.run(20)
    assert faces(watched) == {"8H": 1}


def test_a_phantom_disappears_with_the_card_that_it_was_read_on() -> None:
    watched = Watched(DrawnTable(), lambda source: CameraPipeline(source, source.mat, [ReadsTwice("aruco")]))
    watched.run(6)
    watched.table.lay("8H", ("play", 0))
    watched.run(20)
    assert faces(watched) == {"8H": 1, "9C": 1}, "the phantom is there"
    watched.table.cards.clear()
    watched.run(20)
    assert watched.seen == set()
