"""The stages between a frame and its tracks: changes, what to read, and what a place shows."""

from __future__ import annotations

import numpy as np
import pytest

from engine.cards import parse_card
from tests.vision.drawn_table import DrawnTable, Watched
from vision.camera_pipeline import CameraPipeline
from vision.frames import Frame, Image
from vision.marks.aruco import ArucoReader
from vision.mat.homography import Homography
from vision.readings import CARD_MM, Reading
from vision.tracking.appearance import Shown, classify
from vision.tracking.card_reading import CardReading, ReadRequest, read_cards
from vision.tracking.change_detection import Changes, detect_changes
from vision.tracking.read_scheduler import BareTable, Judged, ReadScheduler, Step, UnreadCard
from vision.tracking.reading_settings import ReadSettings
from vision.tracking.settings import DEFAULTS, AppearanceSettings, PresenceSettings, TrackingSettings
from vision.tracking.tracks import Tracks
from vision.tracking.working_frame import WorkingFrame

SIZE = (1000, 800)
SCALE = 0.5
"""Millimetres per pixel of the frame."""


class Stages:
    """A dark table without cards, seen from above, and the stages up to the scheduler; nothing reads the cards."""

    def __init__(self) -> None:
        table = Homography(np.diag([SCALE, SCALE, 1.0]), SIZE)
        self.image: Image = np.full((SIZE[1], SIZE[0], 3), 70, np.uint8)
        self.number = 0
        self.working = WorkingFrame(self._frame(), table)
        self.tracks = Tracks(self.working, "test", lambda x, y: None, DEFAULTS)
        self.scheduler = ReadScheduler(self.working, self.tracks, DEFAULTS)
        while self.scheduler.initial:
            self.next_frame()

    def _frame(self) -> Frame:
        self.number += 1
        return Frame(self.image.copy(), self.number / 30, self.number)

    def paint(self, left: int, top: int, width: int, height: int, grey: int) -> None:
        """Paint a rectangle, in mm."""
        rows, columns = slice(top * 2, (top + height) * 2), slice(left * 2, (left + width) * 2)
        self.image[rows, columns] = grey

    def next_frame(self) -> tuple[Changes, list[Step]]:
        """Return the changes and the steps of the next frame; only `Judged` is carried out."""
        self.working.update(self._frame())
        changes = detect_changes(self.working, self.tracks, DEFAULTS.changes, DEFAULTS.appearance)
        self.working.hands = changes.hands
        steps = list(self.scheduler.steps(changes.still, self.number))
        for step in steps:
            if isinstance(step, Judged):
                self.working.motion.settle(step.where)
        return changes, steps


def test_a_new_thing_is_a_hand_while_it_moves_and_then_a_change() -> None:
    stages = Stages()
    stages.paint(200, 150, 63, 88, 250)
    first, _ = stages.next_frame()
    assert (len(first.still), first.hands.any()) == (0, True)
    second, _ = stages.next_frame()
    assert (len(second.still), second.hands.any()) == (1, False)
    area = int(second.still[0].shape.sum()) * stages.working.mm_per_px**2
    assert area == pytest.approx(63 * 88, rel=0.1)


def test_a_thing_at_the_border_is_a_hand_although_it_is_still() -> None:
    stages = Stages()
    stages.paint(0, 150, 120, 60, 200)
    for _ in range(30):
        changes, steps = stages.next_frame()
        assert (len(changes.still), changes.hands.any(), steps) == (0, True, [])


def test_specks_are_ignored_once_they_are_still() -> None:
    stages = Stages()
    stages.paint(200, 150, 3, 3, 250)
    for _ in range(5):
        changes, steps = stages.next_frame()
        assert (list(changes.still), steps) == ([], [])
    assert not changes.unexplained.any()


def test_an_unreadable_card_becomes_unread_after_six_readings() -> None:
    stages = Stages()
    stages.paint(200, 150, 63, 88, 250)
    steps = [stages.next_frame()[1] for _ in range(9)]
    kinds = [[type(step) for step in each] for each in steps]
    assert kinds == [[], *[[ReadRequest, ReadRequest]] * 5, [ReadRequest, ReadRequest, UnreadCard, Judged], [], []]
    whole, cut_out = steps[1]
    assert isinstance(whole, ReadRequest) and isinstance(cut_out, ReadRequest)
    assert whole.near is None and cut_out.near is not None
    assert np.allclose(cut_out.near.mean(axis=0), (231.5, 194), atol=2)
    assert (cut_out.image[0, 0] == 44).all() and (whole.image[0, 0] == 70).all(), "cut out, on a dark surface"


def test_a_place_where_something_was_taken_away_is_bare_table() -> None:
    stages = Stages()
    stages.paint(200, 150, 40, 40, 250)
    for _ in range(9):
        stages.next_frame()
    stages.paint(200, 150, 40, 40, 95)  # not the background that is stored
    stages.working.background.bare[:] = 0
    steps = [step for _ in range(9) for step in stages.next_frame()[1]]
    assert [type(step) for step in steps if not isinstance(step, ReadRequest)] == [BareTable, Judged]


def test_the_scheduler_changes_no_track() -> None:
    stages = Stages()
    stages.paint(200, 150, 63, 88, 250)
    for _ in range(9):
        stages.next_frame()
    assert list(stages.tracks) == []


class Fixed:
    """A reader that finds the same card at one place of the frame, in pixels of the picture that it is given."""

    min_px_per_mm = 0.0

    def __init__(self, by: str, width_mm: float = CARD_MM[0], place: tuple[float, float] = (20, 20)) -> None:
        size = np.array([width_mm, CARD_MM[1]]) / SCALE
        outline = np.array([(0, 0), (1, 0), (1, 1), (0, 1)]) * size + place
        self._reading = Reading(parse_card("QS"), 0.9, by, outline.astype(np.float32))  # type: ignore[arg-type]

    def read(self, image: Image, mm_per_px: float | None = None) -> list[Reading]:
        return [self._reading]


def read(*readers: Fixed, box: tuple[slice, slice] = (slice(100, 400), slice(300, 600))) -> list[CardReading]:
    stages = Stages()
    return read_cards(ReadRequest(stages.image[box], box), readers, stages.working, ReadSettings())


def test_outlines_are_in_millimetres_on_the_mat() -> None:
    (found,) = read(Fixed("face"))
    assert np.allclose(found.outline[0], ((300 + 20) * SCALE, (100 + 20) * SCALE), atol=0.01)


@pytest.mark.parametrize(("by", "width_mm", "count"), [("face", 50.0, 1), ("aruco", 50.0, 0), ("face", 40.0, 0)])
def test_only_outlines_of_the_size_of_a_card_count(by: str, width_mm: float, count: int) -> None:
    assert len(read(Fixed(by, width_mm))) == count


@pytest.mark.parametrize(
    ("by", "place", "count"),
    [
        ("face", (20, -40), 0),
        ("face", (20, 160), 0),
        ("face", (-30, 20), 0),
        ("face", (200, 20), 0),
        ("face", (-5, -5), 1),  # nearly all of it lies in the part
        ("aruco", (20, -40), 1),  # the mark says exactly where the card lies
    ],
)
def test_a_card_that_the_part_which_is_read_cuts_off_is_not_read(by: str, place: tuple[int, int], count: int) -> None:
    assert len(read(Fixed(by, place=place))) == count


@pytest.mark.parametrize(
    ("box", "place"),
    [
        ((slice(0, 300), slice(300, 600)), (20, -40)),
        ((slice(500, SIZE[1]), slice(300, 600)), (20, 160)),
        ((slice(100, 400), slice(0, 300)), (-30, 20)),
        ((slice(100, 400), slice(700, SIZE[0])), (200, 20)),
        ((slice(0, 300), slice(300, 600)), (20, -88)),
        ((slice(100, 400), slice(700, SIZE[0])), (237, 20)),
    ],
)
def test_a_card_that_the_frame_cuts_off_is_read(box: tuple[slice, slice], place: tuple[int, int]) -> None:
    """How much of it must be seen is judged later."""
    assert len(read(Fixed("face", place=place), box=box)) == 1


def test_a_card_that_the_frame_does_not_show_at_all_is_not_read() -> None:
    assert read(Fixed("face", place=(20, -300)), box=(slice(0, 300), slice(300, 600))) == []


@pytest.mark.parametrize(("left", "count"), [(-5, 1), (-40, 0)])
def test_the_visible_part_of_a_cut_off_card_must_be_in_the_crop(left: int, count: int) -> None:
    """Half of it is above the frame; the part cuts off a little or a third of the rest."""
    assert len(read(Fixed("face", place=(left, -88)), box=(slice(0, 300), slice(300, 600)))) == count


def test_a_card_that_was_cut_out_is_read_wherever_it_lies() -> None:
    stages, reader = Stages(), Fixed("face", place=(20, -40))
    box = (slice(100, 400), slice(300, 600))
    (reading,) = reader.read(stages.image)
    near = np.asarray((reading.outline + np.array([300, 100])) * SCALE, np.float32)
    request = ReadRequest(stages.image[box], box, near=near)
    assert len(read_cards(request, [reader], stages.working, ReadSettings())) == 1


def test_a_face_reading_on_a_marked_card_is_dropped() -> None:
    assert [found.reading.by for found in read(Fixed("face"), Fixed("aruco"))] == ["aruco"]


def place(value: int) -> Image:
    return np.full((20, 20, 3), value, np.uint8)


EVERYWHERE = np.ones((20, 20), np.bool_)
EXACT = np.zeros((20, 20), np.uint8)


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        (place(200), Shown.CARD),
        (place(203), Shown.CARD),
        (place(100), Shown.TABLE),
        (place(100) + np.array([50, 100, 130], np.uint8), Shown.OTHER),
        (place(255), Shown.OTHER),
    ],
)
def test_a_place_is_judged_as_the_card_the_table_or_something_else(now: Image, expected: Shown) -> None:
    shown = classify(now, place(200), EVERYWHERE, [(place(100), EXACT)], 6, AppearanceSettings())
    assert shown is expected


def test_a_place_is_not_judged_if_card_and_table_look_alike() -> None:
    assert classify(place(200), place(200), EVERYWHERE, [(place(190), EXACT)], 6, AppearanceSettings()) is Shown.OTHER


def test_a_card_in_a_shadow_is_still_the_card() -> None:
    card, table = place(200), place(100)
    card[::2] = 120
    table[::3] = 60
    assert classify(card - 30, card, EVERYWHERE, [(table, EXACT)], 6, AppearanceSettings()) is Shown.CARD
    assert classify(table - 30, card, EVERYWHERE, [(table, EXACT)], 6, AppearanceSettings()) is Shown.TABLE


def test_settings_are_passed_to_the_stages() -> None:
    patient = TrackingSettings(presence=PresenceSettings(empty_s=1.0))
    watched = Watched(
        DrawnTable(), lambda source: CameraPipeline(source, source.mat, [ArucoReader()], settings=patient)
    )
    watched.run(6)
    watched.table.lay("7C", ("turn-up", None))
    watched.until_scene()
    watched.table.cards.clear()
    assert 30 <= watched.until_scene(60) <= 35
