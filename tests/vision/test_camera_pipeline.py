"""The camera pipeline: lost sources, hidden corner marks, and the end of a recording."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from engine.observations import Back, Lost, Scene
from tests.vision.drawn_table import SIZE, DrawnTable, Watched
from vision.camera_pipeline import CameraPipeline
from vision.cameras.sources import open_source
from vision.frames import Frame, SourceLost
from vision.marks.aruco import ArucoReader
from vision.mat.homography import Homography
from vision.tracking.settings import DEFAULTS


class Flaky(DrawnTable):
    """A live camera above the drawn table that can be unplugged."""

    live = True

    def __init__(self) -> None:
        super().__init__()
        self.plugged = True
        self.tries = 0

    def read(self) -> Frame | None:
        if not self.plugged:
            self.tries += 1
            raise SourceLost("The camera is unplugged: plug it in again.")
        return super().read()


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_camera_is_lost_and_comes_back() -> None:
    clock = Clock()
    table = Flaky()
    watched = Watched(table, lambda source: CameraPipeline(source, source.mat, [ArucoReader()], "left", clock=clock))
    watched.run(6)
    table.lay("KD", ("play", 0))
    watched.until_scene()
    at = watched.pipeline.frame.time if watched.pipeline.frame else -1.0
    table.plugged = False
    assert watched.run(5) == [Lost(at, "left", "The camera is unplugged: plug it in again.")]
    assert table.tries == 1
    assert watched.pipeline.retry_in == pytest.approx(DEFAULTS.source.retry_s)
    clock.now += DEFAULTS.source.retry_s
    assert watched.run(5) == []
    assert table.tries == 2
    table.plugged = True
    assert watched.run(5) == []
    clock.now += DEFAULTS.source.retry_s
    back = watched.run(1)
    assert [type(observation) for observation in back] == [Back]
    assert back[0].source == "left"
    assert watched.pipeline.retry_in == 0
    assert watched.run(20) == []
    assert watched.seen == {("KD", "play 0")}


def test_a_card_taken_while_the_camera_was_lost() -> None:
    clock = Clock()
    table = Flaky()
    watched = Watched(table, lambda source: CameraPipeline(source, source.mat, [ArucoReader()], clock=clock))
    watched.run(6)
    table.lay("KD", ("play", 0))
    watched.until_scene()
    table.plugged = False
    watched.run(1)
    table.cards.clear()
    table.lay("2C", ("play", 1))
    table.plugged = True
    clock.now += 10
    watched.run(20)
    assert watched.seen == {("2C", "play 1")}


def cover(table: DrawnTable, corners: tuple[int, ...]) -> None:
    """Lay something dark over corner marks."""
    height, width = table.cloth.shape[:2]
    places = {0: (0, 0), 1: (0, 1), 2: (1, 1), 3: (1, 0)}
    cloth = table.cloth.copy()
    for corner in corners:
        row, column = places[corner]
        top, left = (height - 220) * row, (width - 220) * column
        cloth[top : top + 220, left : left + 220] = (40, 50, 60)
    table.cloth = cloth


def test_missing_corner_marks_are_reported_once_until_they_appear() -> None:
    table = DrawnTable()
    whole = table.cloth
    cover(table, (0, 1, 2, 3))
    watched = Watched(table)
    observations = watched.run(25)
    assert len(observations) == 1
    assert isinstance(observations[0], Lost)
    assert "No corner marks in sight" in observations[0].reason
    assert watched.pipeline.homography is None
    assert watched.pipeline.frame is not None
    assert watched.pipeline.missing_marks == (0, 1, 2, 3)
    table.cloth = whole
    kinds = [type(observation) for observation in watched.run(20)]
    assert kinds == [Back, Scene]
    assert watched.pipeline.missing_marks == ()


def test_the_missing_marks_are_named() -> None:
    table = DrawnTable()
    cover(table, (0, 2, 3))
    watched = Watched(table)
    observations = watched.run(25)
    assert len(observations) == 1
    assert isinstance(observations[0], Lost)
    reason = observations[0].reason
    assert "mark 0 (top left)" in reason
    assert "mark 2 (bottom right)" in reason
    assert "mark 1" not in reason


def test_the_stored_calibration_is_used_without_marks() -> None:
    table = DrawnTable()
    cover(table, (0, 1, 2, 3))
    stored = Homography(np.linalg.inv(table.view), SIZE)
    watched = Watched(table, lambda source: CameraPipeline(source, source.mat, [ArucoReader()], stored=stored))
    watched.run(6)
    table.lay("QS", ("show", 1))
    watched.until_scene()
    assert watched.seen == {("QS", "show 1")}


def test_marks_covered_later_make_no_difference() -> None:
    watched = Watched(DrawnTable())
    watched.run(6)
    cover(watched.table, (0, 1, 2, 3))
    watched.run(12)
    watched.table.lay("QS", ("show", 1))
    watched.until_scene()
    assert watched.seen == {("QS", "show 1")}
    assert not any(isinstance(observation, Lost) for observation in watched.observations)


def recorded(folder: Path, script: Callable[[DrawnTable, int], None], frames: int) -> Path:
    """Record the drawn table as an MJPEG video; return its path."""
    table = DrawnTable()
    path = folder / "game.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 30, SIZE)
    for number in range(frames):
        script(table, number)
        frame = table.read()
        assert frame is not None
        writer.write(frame.image)
    writer.release()
    return path


def test_a_recording_is_read_to_its_end(tmp_path: Path) -> None:
    def script(table: DrawnTable, number: int) -> None:
        if number == 8:
            table.lay("QH", ("play", 0), angle=20)
        if number == 14:
            table.cards.clear()

    path = recorded(tmp_path, script, 34)
    pipeline = CameraPipeline(open_source(str(path)), DrawnTable().mat, [ArucoReader()])
    observations = [observation for _ in range(60) for observation in pipeline.step()]
    assert pipeline.ended
    assert pipeline.step() == []
    scenes = [[str(s.face) for s in o.sightings] for o in observations if isinstance(o, Scene)]
    assert scenes == [[], ["QH"], []]
    assert len(observations) == 3
    pipeline.close()


def test_a_truncated_recording_is_reported_and_ends(tmp_path: Path) -> None:
    path = recorded(tmp_path, lambda table, number: None, 24)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) * 2 // 3])
    pipeline = CameraPipeline(open_source(str(path)), DrawnTable().mat, [ArucoReader()])
    observations = [observation for _ in range(60) for observation in pipeline.step()]
    assert [type(observation) for observation in observations] == [Scene, Lost]
    assert "is cut off" in observations[-1].reason if isinstance(observations[-1], Lost) else False
    assert pipeline.ended


def test_same_frames_give_the_same_observations() -> None:
    def play() -> list[object]:
        watched = Watched(DrawnTable(seed=5))
        watched.run(6)
        card = watched.table.lay("KD", ("play", 0), angle=31)
        watched.run(12)
        watched.table.cards.remove(card)
        watched.run(20)
        return list(watched.observations)

    assert play() == play()


def test_cards_too_small_to_be_read_are_reported_once() -> None:
    source = DrawnTable()

    class Demanding(ArucoReader):
        min_px_per_mm = 1.7

    pipeline = CameraPipeline(source, source.mat, [Demanding()])
    lost = [observation for _ in range(8) for observation in pipeline.step() if isinstance(observation, Lost)]
    assert len(lost) == 1
    assert lost[0].reason.startswith("The cards are too small in the picture (1.6")
    assert "1.70 needed" in lost[0].reason
