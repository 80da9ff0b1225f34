"""The scene tracker with readers that make mistakes: corrections, alternatives, and readings that are not cards."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.cards import Card, parse_card
from tests.vision.drawn_table import DrawnTable, Watched
from vision.camera_pipeline import CameraPipeline
from vision.frames import Image
from vision.marks.aruco import ArucoReader
from vision.readings import Reading


class Misreads:
    """The ArUco reader, but its first `times` readings of some cards are wrong and less confident."""

    min_px_per_mm = 0.0

    def __init__(self, wrong: dict[Card, Card], times: int) -> None:
        self._reader = ArucoReader()
        self._wrong = wrong
        self._times = times

    def read(self, image: Image, mm_per_px: float | None = None) -> list[Reading]:
        found = self._reader.read(image, mm_per_px)
        hit = any(r.face in self._wrong for r in found)
        self._times -= hit
        if not hit or self._times < 0:
            return [Reading(r.face, 0.97, r.by, r.outline) for r in found]
        return [Reading(self._wrong[c] if isinstance(c := r.face, Card) else c, 0.9, r.by, r.outline) for r in found]


def test_a_misread_card_is_corrected_and_keeps_its_id() -> None:
    table = DrawnTable()
    reader = Misreads({parse_card("8H"): parse_card("8D")}, times=2)
    watched = Watched(table, lambda source: CameraPipeline(source, source.mat, [reader]))
    watched.run(6)
    table.lay("8H", ("play", 0))
    watched.until_scene()
    assert watched.seen == {("8D", "play 0")}
    card_id = watched.card_id("8D")
    watched.run(25)
    assert watched.seen == {("8H", "play 0")}
    assert watched.card_id("8H") == card_id
    assert watched.run(25) == []


def test_a_card_misread_as_one_lying_elsewhere_is_not_reported_so() -> None:
    """The only eight of diamonds lies at the other seat, so a card that times like it is read again."""
    table = DrawnTable()
    wrong: dict[Card, Card] = {}
    watched = Watched(table, lambda source: CameraPipeline(source, source.mat, [Misreads(wrong, times=3)]))
    watched.run(6)
    table.lay("8D", ("play", 1))
    watched.until_scene()
    wrong[parse_card("8H")] = parse_card("8D")
    table.lay("8H", ("play", 0))
    scenes = [watched.scene]
    for _ in range(30):
        watched.run(1)
        scenes.append(watched.scene)
    assert watched.seen == {("8D", "play 1"), ("8H", "play 0")}
    for scene in scenes:
        assert scene is not None
        assert [str(sighting.face) for sighting in scene.sightings].count("8D") == 1


class ReadsBeside(Misreads):
    """The ArUco reader, whose first readings lie `beside` the card, millimetres to the right."""

    def __init__(self, *beside: float) -> None:
        super().__init__({}, 0)
        self._beside = list(beside)

    def read(self, image: Image, mm_per_px: float | None = None) -> list[Reading]:
        found = super().read(image, mm_per_px)
        if not found or mm_per_px is None or not self._beside:
            return found
        shift = np.array([self._beside.pop(0) / mm_per_px, 0], np.float32)
        return [replace(reading, outline=reading.outline + shift) for reading in found]


@pytest.mark.parametrize("beside", [(28, 0, -28, 28, 14), (0, -28, 0, -14, 28, 14), (0, 28, 14, -14)])
def test_a_card_that_is_read_beside_its_place_leaves_nothing_there(beside: tuple[float, ...]) -> None:
    """What is seen beside it is the table, and stays when the card is taken up."""
    table = DrawnTable()
    watched = Watched(table, lambda source: CameraPipeline(source, source.mat, [ReadsBeside(*beside)]))
    watched.run(6)
    table.lay("8H", ("play", 0))
    watched.run(25)
    assert watched.seen == {("8H", "play 0")}
    table.cards.clear()
    watched.run(25)
    assert watched.seen == set()


class MisreadsHalfCovered:
    """Adds to each queen of spades what a half covered mark may look like: another card, too narrow."""

    min_px_per_mm = 0.0

    def __init__(self) -> None:
        self._reader = ArucoReader()

    def read(self, image: Image, mm_per_px: float | None = None) -> list[Reading]:
        readings = self._reader.read(image, mm_per_px)
        return readings + [self._slim(reading) for reading in readings if reading.face == parse_card("QS")]

    @staticmethod
    def _slim(reading: Reading) -> Reading:
        start, side, down = reading.outline[0], reading.outline[1] - reading.outline[0], reading.outline[3]
        slim = np.array([start, start + side * 5 / 6, down + side * 5 / 6, down]) + side * 0.5
        return Reading(parse_card("5D"), 0.99, "aruco", slim.astype(np.float32))


def test_a_half_covered_mark_that_times_like_another_card_is_ignored() -> None:
    watched = Watched(DrawnTable(), lambda source: CameraPipeline(source, source.mat, [MisreadsHalfCovered()]))
    watched.run(6)
    watched.table.lay("QS", ("play", 0))
    watched.run(25)
    assert watched.seen == {("QS", "play 0")}
    assert len(watched.observations) == 2


class Doubts(Misreads):
    """The ArUco reader, which gives alternatives for one card."""

    def __init__(self, face: Card, alternatives: tuple[tuple[Card, float], ...]) -> None:
        super().__init__({}, 0)
        self._face, self._alternatives = face, alternatives

    def read(self, image: Image, mm_per_px: float | None = None) -> list[Reading]:
        found = super().read(image, mm_per_px)
        return [replace(r, alternatives=self._alternatives) if r.face == self._face else r for r in found]


def test_alternatives_are_reported_with_the_face() -> None:
    queen, four, ace = parse_card("QD"), parse_card("4D"), parse_card("AD")
    reader = Doubts(queen, ((four, 0.15), (ace, 0.01)))
    watched = Watched(DrawnTable(), lambda source: CameraPipeline(source, source.mat, [reader]))
    watched.run(6)
    watched.table.lay("QD", ("play", 0))
    watched.table.lay("KS", ("play", 1))
    watched.until_scene()
    assert watched.scene is not None
    assert {sighting.face: sighting.alternatives for sighting in watched.scene.sightings} == {
        queen: (four,),
        parse_card("KS"): (),
    }


def test_an_earlier_wrong_face_becomes_an_alternative() -> None:
    wrong, right = parse_card("8D"), parse_card("8H")
    watched = Watched(
        DrawnTable(), lambda source: CameraPipeline(source, source.mat, [Misreads({right: wrong}, times=2)])
    )
    watched.run(6)
    watched.table.lay("8H", ("play", 0))
    watched.run(25)
    assert watched.scene is not None
    (sighting,) = watched.scene.sightings
    assert (sighting.face, sighting.alternatives) == (right, (wrong,))


class ReadsAgain:
    """The ArUco reader, which finds every card twice in one picture, each time with a confidence of 0.95."""

    min_px_per_mm = 0.0

    def __init__(self) -> None:
        self._reader = ArucoReader()

    def read(self, image: Image, mm_per_px: float | None = None) -> list[Reading]:
        return [Reading(r.face, 0.95, r.by, r.outline) for r in self._reader.read(image, mm_per_px) for _ in range(2)]


def test_two_readings_of_one_frame_are_one_vote() -> None:
    """A card must be read in two still frames, so it is reported in the third frame, not in the second."""
    watched = Watched(DrawnTable(), lambda source: CameraPipeline(source, source.mat, [ReadsAgain()]))
    watched.run(6)
    watched.table.lay("QH", ("play", 0), angle=17)
    assert watched.until_scene() == 3
    assert watched.scene is not None
    assert 0.95 < watched.scene.sightings[0].confidence < 0.96, "the second picture shows hardly more than the first"
