"""The scene tracker and readers that err: what is corrected, what is told beside the face, what is no card."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.cards import Card, parse_card
from tests.vision.drawn_table import DrawnTable, Watched
from vision.camera_pipeline import CameraPipeline
from vision.frames import Image
from vision.marks.aruco import ArucoReader
from vision.readings import Reading


class Misreads:
    """The ArUco reader, which at first takes one card for another, and is none too sure of it."""

    least_px_per_mm = 0.0

    def __init__(self, wrong: dict[Card, Card], looks: int) -> None:
        self._reader = ArucoReader()
        self._wrong = wrong
        self._looks = looks

    def read(self, image: Image, mm_per_px: float | None = None) -> list[Reading]:
        found = self._reader.read(image, mm_per_px)
        hit = any(r.face in self._wrong for r in found)
        self._looks -= hit
        if not hit or self._looks < 0:
            return [Reading(r.face, 0.97, r.by, r.outline) for r in found]
        return [Reading(self._wrong[c] if isinstance(c := r.face, Card) else c, 0.9, r.by, r.outline) for r in found]


def test_misread_card_is_corrected_under_its_own_name() -> None:
    table = DrawnTable()
    reader = Misreads({parse_card("8H"): parse_card("8D")}, looks=2)
    watched = Watched(table, lambda source: CameraPipeline(source, source.mat, [reader]))
    watched.run(6)
    table.lay("8H", ("play", 0))
    watched.until_told()
    assert watched.seen == {("8D", "play 0")}
    piece = watched.piece("8D")
    watched.run(40)
    assert watched.seen == {("8H", "play 0")}
    assert watched.piece("8H") == piece
    assert watched.run(40) == []


def test_a_card_misread_as_one_that_lies_elsewhere_is_never_told_as_it() -> None:
    """There is one eight of diamonds, and it lies at the other seat: what looks like it here is looked at again."""
    table = DrawnTable()
    wrong: dict[Card, Card] = {}
    watched = Watched(table, lambda source: CameraPipeline(source, source.mat, [Misreads(wrong, looks=3)]))
    watched.run(6)
    table.lay("8D", ("play", 1))
    watched.until_told()
    wrong[parse_card("8H")] = parse_card("8D")
    table.lay("8H", ("play", 0))
    scenes = [watched.scene]
    for _ in range(50):
        watched.run(1)
        scenes.append(watched.scene)
    assert watched.seen == {("8D", "play 1"), ("8H", "play 0")}
    for scene in scenes:
        assert scene is not None
        assert [str(sighting.face) for sighting in scene.sightings].count("8D") == 1


class MisreadsHalfCovered:
    """Besides each card, what a mark of it covered by one module in six may look like: another card, too slim."""

    least_px_per_mm = 0.0

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


def test_half_covered_mark_that_looks_like_another_is_no_card() -> None:
    watched = Watched(DrawnTable(), lambda source: CameraPipeline(source, source.mat, [MisreadsHalfCovered()]))
    watched.run(6)
    watched.table.lay("QS", ("play", 0))
    watched.run(40)
    assert watched.seen == {("QS", "play 0")}
    assert len(watched.told) == 2


class Doubts(Misreads):
    """The ArUco reader, which says of one card that it may as well be others."""

    def __init__(self, face: Card, alternatives: tuple[tuple[Card, float], ...]) -> None:
        super().__init__({}, 0)
        self._face, self._alternatives = face, alternatives

    def read(self, image: Image, mm_per_px: float | None = None) -> list[Reading]:
        found = super().read(image, mm_per_px)
        return [replace(r, alternatives=self._alternatives) if r.face == self._face else r for r in found]


def test_what_a_card_may_be_is_told_beside_its_face() -> None:
    queen, four, ace = parse_card("QD"), parse_card("4D"), parse_card("AD")
    reader = Doubts(queen, ((four, 0.15), (ace, 0.01)))
    watched = Watched(DrawnTable(), lambda source: CameraPipeline(source, source.mat, [reader]))
    watched.run(6)
    watched.table.lay("QD", ("play", 0))
    watched.table.lay("KS", ("play", 1))
    watched.until_told()
    assert watched.scene is not None
    assert {sighting.face: sighting.alternatives for sighting in watched.scene.sightings} == {
        queen: (four,),
        parse_card("KS"): (),
    }


def test_what_a_card_was_read_as_before_it_may_be() -> None:
    wrong, right = parse_card("8D"), parse_card("8H")
    watched = Watched(
        DrawnTable(), lambda source: CameraPipeline(source, source.mat, [Misreads({right: wrong}, looks=2)])
    )
    watched.run(6)
    watched.table.lay("8H", ("play", 0))
    watched.run(40)
    assert watched.scene is not None
    (sighting,) = watched.scene.sightings
    assert (sighting.face, sighting.alternatives) == (right, (wrong,))
