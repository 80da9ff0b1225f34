"""Pictures that show nothing, that repeat, or that are few."""

from __future__ import annotations

import numpy as np
import pytest

from engine.observations import Back, Hampered, Lost, Scene
from tests.vision.drawn_table import SIZE, DrawnTable, Watched
from vision.frames import Frame, Image
from vision.tracking.picture_checks import PictureChecks

RNG = np.random.default_rng(1)


def noise(level: float = 90.0, spread: float = 40.0) -> Image:
    return np.asarray(np.clip(RNG.normal(level, spread, (108, 192, 3)), 0, 255), np.uint8)


def frames(images: list[Image], fps: float = 30.0) -> list[Frame]:
    return [Frame(image, number / fps, number) for number, image in enumerate(images)]


def reported_after(checks: PictureChecks, pictures: list[Frame]) -> float | None:
    return next((frame.time for frame in pictures if checks.unusable(frame)[1]), None)


@pytest.mark.parametrize("level", [2.0, 120.0, 250.0])
def test_blank_pictures_are_reported_after_a_second(level: float) -> None:
    checks = PictureChecks(live=False)
    blank = frames([noise(level, 2.0) for _ in range(45)])
    assert all(checks.unusable(frame)[0] for frame in blank)
    assert reported_after(PictureChecks(live=False), blank) == pytest.approx(1.0)


def test_one_picture_again_and_again_is_reported_after_two_seconds() -> None:
    same = noise()
    pictures = frames([same] * 90)
    assert reported_after(PictureChecks(live=True), pictures) == pytest.approx(2.0)
    assert reported_after(PictureChecks(live=False), pictures) is None  # a photograph is shown as long as one likes


@pytest.mark.parametrize("fill", [0, 128])
def test_pictures_that_are_cut_off_are_reported_after_a_second(fill: int) -> None:
    checks = PictureChecks(live=True)
    pictures = [noise() for _ in range(60)]
    for picture in pictures[15:]:
        picture[54:] = fill
    found = [checks.unusable(frame) for frame in frames(pictures)]
    assert [unusable for unusable, _ in found] == [False] * 15 + [True] * 45
    assert [bool(reason) for _, reason in found] == [False] * 45 + [True] * 15
    assert "sends only parts of its pictures" in found[-1][1]


def test_a_bar_below_all_pictures_of_a_camera_is_no_fault() -> None:
    checks = PictureChecks(live=True)
    pictures = [noise() for _ in range(60)]
    for picture in pictures:
        picture[54:] = 0
    assert not any(checks.unusable(frame)[0] for frame in frames(pictures))


def test_pictures_with_noise_are_not_frozen() -> None:
    checks = PictureChecks(live=True)
    assert not any(checks.unusable(frame)[0] for frame in frames([noise() for _ in range(90)]))


@pytest.mark.parametrize(("fps", "reported"), [(2.0, True), (6.0, False), (30.0, False)])
def test_too_few_pictures_are_reported(fps: float, reported: bool) -> None:
    checks = PictureChecks(live=True)
    texts = []
    for frame in frames([noise() for _ in range(round(4 * fps))], fps):
        checks.unusable(frame)
        texts.append(checks.hampered())
    assert bool(texts[-1]) is reported
    assert texts[0] == ""
    checks.unusable(Frame(noise(), 9.0, 99))  # it was unplugged in between
    assert checks.hampered() == ""


class LiveTable(DrawnTable):
    """A live camera that can be covered."""

    live = True
    covered = False
    _dark = tuple(RNG.integers(0, 8, (2, SIZE[1], SIZE[0], 3), np.uint8))

    def read(self) -> Frame | None:
        frame = super().read()
        if frame is None or not self.covered:
            return frame
        return Frame(self._dark[frame.number % 2], frame.time, frame.number)


def test_a_covered_lens_is_reported_and_the_cards_are_known_afterwards() -> None:
    table = LiveTable()
    watched = Watched(table)
    watched.run(6)
    table.lay("KD", ("play", 0))
    watched.until_scene()
    table.covered = True
    dark = watched.run(75)
    assert [type(observation) for observation in dark] == [Lost]
    table.covered = False
    table.lay("QS", ("play", 1))
    light = watched.run(20)
    assert [type(observation) for observation in light] == [Back, Scene]
    assert watched.seen == {("KD", "play 0"), ("QS", "play 1")}


class SlowTable(LiveTable):
    """A live camera that gives two pictures a second."""

    def read(self) -> Frame | None:
        frame = super().read()
        return None if frame is None else Frame(frame.image, frame.number / 2, frame.number)


def test_a_slow_camera_is_reported_and_still_read() -> None:
    table = SlowTable()
    watched = Watched(table)
    slow = watched.run(8)
    assert [type(observation) for observation in slow if not isinstance(observation, Scene)] == [Hampered]
    assert slow[-1].time <= 3.0
    table.lay("KD", ("play", 0))
    watched.run(8)
    assert watched.seen == {("KD", "play 0")}
