"""Votes for a face: readings of a card that lies still are nearly the same, so that many show hardly more than one."""

from __future__ import annotations

import pytest

from engine.cards import Card, parse_card
from tests.vision.drawn_table import DrawnTable, Watched
from vision.camera_pipeline import CameraPipeline
from vision.frames import Image
from vision.marks.aruco import ArucoReader
from vision.readings import Reading
from vision.tracking.reading_settings import ReadSettings
from vision.tracking.votes import Votes

CLUB, SPADE = parse_card("QC"), parse_card("QS")


def votes(*readings: tuple[Card, float, Card | None, float]) -> Votes:
    """Votes of readings: face and its confidence, another face and its confidence."""
    counted = Votes()
    for face, confidence, other, share in readings:
        counted.add(face, confidence, [(other, share)] if other else [])
    return counted


@pytest.mark.parametrize("confidence", [0.85, 0.93, 0.97])
def test_equal_readings_do_not_become_certainty(confidence: float) -> None:
    single, many = (votes(*[(CLUB, confidence, None, 0.0)] * count) for count in (1, 12))
    assert single.confidence == pytest.approx(confidence, abs=0.001)
    assert single.confidence < many.confidence < 1 - 0.7 * (1 - confidence)


def test_a_similar_face_stays_possible_however_often_it_was_named() -> None:
    counted = votes(*[(SPADE, 0.93, CLUB, 0.05)] * 12)
    assert counted.early and not counted.undecided and not counted.enough
    assert votes(*[(SPADE, 0.93, None, 0.0)] * 3).enough, "what else it may be is print, which no further reading shows"


def test_readings_that_contradict_each_other_decide_nothing() -> None:
    """The readings of a queen of clubs with thin lobes, as a reader once gave them."""
    clubs = [(CLUB, 0.891, SPADE, 0.038), (CLUB, 0.874, SPADE, 0.020)]
    spades = [(SPADE, confidence, CLUB, 0.039) for confidence in (0.935, 0.934, 0.933, 0.933)]
    for order in ([clubs[0], *spades[:2], clubs[1], *spades[2:]], [*clubs, *spades], [*spades, *clubs]):
        counted = votes(*order)
        assert counted.undecided and not counted.enough and counted.confidence < 0.5
        assert counted.total == 6
    assert not votes(*clubs).undecided


def test_a_changed_picture_counts_more_than_many_of_the_old_one() -> None:
    counted = votes(*[(CLUB, 0.99, None, 0.0)] * 20)
    counted.renew()
    for _ in range(3):
        counted.add(SPADE, 0.99)
    assert counted.best()[0] == SPADE and counted.leads_clearly()
    still = votes(*[(CLUB, 0.99, None, 0.0)] * 20, *[(SPADE, 0.99, None, 0.0)] * 3)
    assert not still.leads_clearly()


def test_nothing_has_been_read_before_a_vote() -> None:
    empty = Votes()
    empty.renew()
    assert (empty.best(), empty.confidence, empty.undecided, empty.total) == ((None, 0.0), 0.0, False, 0)


class Wavers:
    """The ArUco reader, which reads the queen of clubs as that of spades in every second picture, `times` times."""

    min_px_per_mm = 0.0

    def __init__(self, times: int) -> None:
        self._reader = ArucoReader()
        self._times = times
        self._count = 0

    def read(self, image: Image, mm_per_px: float | None = None) -> list[Reading]:
        return [self._wavering(r) if r.face == CLUB else r for r in self._reader.read(image, mm_per_px)]

    def _wavering(self, reading: Reading) -> Reading:
        self._count += 1
        if self._count > self._times:
            return Reading(CLUB, 0.99, "aruco", reading.outline)
        face, other = (CLUB, SPADE) if self._count % 2 else (SPADE, CLUB)
        return Reading(face, 0.93, "aruco", reading.outline, ((other, 0.04),))


def test_a_card_with_contradictory_readings_is_reported_without_a_face() -> None:
    """It is never taken for the wrong card; once the readings agree, it gets its face and keeps its id."""
    watched = Watched(DrawnTable(), lambda source: CameraPipeline(source, source.mat, [Wavers(6)]))
    watched.run(6)
    watched.table.lay("QC", ("play", 0))
    assert watched.until_scene() <= ReadSettings().max_reads
    assert watched.seen == {("None", "play 0")}
    card_id = watched.card_id("None")
    for _ in range(80):
        watched.run(1)
        assert watched.seen <= {("None", "play 0"), ("QC", "play 0")}
    assert watched.seen == {("QC", "play 0")} and watched.card_id("QC") == card_id
