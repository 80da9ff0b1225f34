"""What is reported about the light, and where; on a drawn table with cards."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import cv2
import numpy as np
import pytest

from engine.observations import Back, Hampered
from tests.vision.drawn_table import SIZE, DrawnTable, Watched
from vision.frames import Frame, Image
from vision.light.watch import IN_A_ROW, LightWatch
from vision.mat.homography import Homography

Change = Callable[[Image], Image]
OUTLINE = np.array([[-31.5, -44], [31.5, -44], [31.5, 44], [-31.5, 44]])


@cache
def scene() -> tuple[DrawnTable, Homography, tuple[np.ndarray, ...]]:
    """Return a table with four cards, its view, and the outlines of the cards in mm."""
    table = DrawnTable(noise=2.5)
    cards = [
        table.lay("QH", ("play", 0)), table.lay("AS", ("play", 1)),
        table.lay("10C", ("show", 0), dx=-60), table.lay("4D", ("turn-up", None)),
    ]  # fmt: skip
    view = Homography(np.linalg.inv(table.view), SIZE)
    return table, view, tuple(OUTLINE + np.array((card.x, card.y)) for card in cards)


def picture() -> Image:
    """Return a well exposed picture."""
    frame = scene()[0].read()
    assert frame is not None
    return np.asarray(frame.image * 0.85, np.uint8)


def reported(change: Change, cards: slice = slice(None), seconds: int = IN_A_ROW) -> str | None:
    """Return what is reported after some looks at the changed picture, one a second."""
    table, view, outlines = scene()
    watch, changed = LightWatch(table.mat), change(picture())
    for second in range(seconds):
        watch.update(Frame(changed, float(second), second), view, outlines[cards], still=True)
    return watch.trouble


def shining(x: float, y: float, radius: float) -> Change:
    """Return a lamp's reflection at a place on the mat: centre and radius in mm."""

    def change(image: Image) -> Image:
        centre = scene()[1].to_px([(x, y)])[0]
        gleam = np.zeros(image.shape[:2], np.float32)
        cv2.circle(gleam, (round(centre[0]), round(centre[1])), round(radius * 1.65), 400.0, -1)
        gleam = cv2.GaussianBlur(gleam, (0, 0), 4)
        return np.clip(image + gleam[..., None], 0, 255).astype(np.uint8)

    return change


def shaded(x: float, y: float, radius: float, dark: float = 0.65) -> Change:
    def change(image: Image) -> Image:
        centre = scene()[1].to_px([(x, y)])[0]
        mask = np.zeros(image.shape[:2], np.float32)
        cv2.circle(mask, (round(centre[0]), round(centre[1])), round(radius * 1.65), dark, -1)
        return np.asarray(image * (1 - cv2.GaussianBlur(mask, (0, 0), 12))[..., None], np.uint8)

    return change


@pytest.mark.sampled(1)
@pytest.mark.parametrize("gain", [0.35, 0.7, 1.05])
def test_even_light_is_no_trouble(gain: float) -> None:
    assert reported(lambda image: np.asarray(image * gain, np.uint8)) is None
    assert reported(lambda image: np.asarray(image * gain, np.uint8), cards=slice(0)) is None


def test_light_from_one_side_is_no_trouble() -> None:
    slope = np.linspace(0.5, 0.95, SIZE[0])[None, :, None]
    assert reported(lambda image: np.asarray(image * slope, np.uint8)) is None


def test_overexposed_cards_are_reported() -> None:
    overexposed = reported(lambda image: np.clip(image * 1.6, 0, 255).astype(np.uint8))
    assert overexposed and overexposed.startswith("The cards are overexposed: less light")


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("x", "y", "place"), [(440, 60, "at the top"), (120, 250, "on the left"), (760, 430, "at the bottom right")]
)
def test_glare_is_reported_with_its_place(x: float, y: float, place: str) -> None:
    found = reported(shining(x, y, 22))
    assert found == f"Something shines {place} of the mat: turn the lamp, or move what reflects it."
    assert reported(shining(x, y, 4)) is None


def test_glare_on_a_card_is_reported() -> None:
    x, y = scene()[2][0].mean(axis=0)
    found = reported(shining(x, y, 30))
    assert found and found.startswith("Something shines in the middle of the mat")


def test_a_shadow_on_a_card_is_reported_with_its_place() -> None:
    x, y = scene()[2][2].mean(axis=0)
    found = reported(shaded(x, y, 70))
    assert found == "A shadow lies at the bottom of the mat: move what casts it, or add a second lamp."
    assert reported(shaded(x, y, 12)) is None
    assert reported(shaded(x, y, 70, dark=0.3)) is None


def test_blur_is_reported() -> None:
    found = reported(lambda image: np.asarray(cv2.GaussianBlur(image, (0, 0), 2.6), np.uint8))
    assert found and found.startswith("The camera is out of focus")


def test_nothing_is_measured_while_something_moves() -> None:
    table, view, outlines = scene()
    watch = LightWatch(table.mat)
    burnt = np.full_like(picture(), 255)
    for second in range(6):
        assert watch.update(Frame(burnt, float(second), second), view, outlines, still=False) == 1.0
    assert watch.trouble is None


def test_a_picture_that_is_white_or_black_all_over_changes_the_exposure() -> None:
    """A lamp was switched on or off, so that the mat is not found."""

    def factor(level: int) -> float:
        picture = np.full((90, 160, 3), level, np.uint8)
        return LightWatch(scene()[0].mat).update_unlocated(Frame(picture, 0.0, 0))

    assert factor(255) < 1.0 < factor(2)


def test_one_bad_picture_is_not_reported_and_good_ones_end_the_report() -> None:
    table, view, outlines = scene()
    watch = LightWatch(table.mat)
    good, burnt = picture(), np.clip(picture() * 1.4, 0, 255).astype(np.uint8)
    seen = []
    for second, image in enumerate([good, burnt, good, *[burnt] * IN_A_ROW, *[good] * IN_A_ROW]):
        watch.update(Frame(image, float(second), second), view, outlines, still=True)
        seen.append(watch.trouble is not None)
    assert seen == [False] * 5 + [True] * IN_A_ROW + [False]


def test_the_board_says_it_for_a_while_and_the_cards_are_still_read() -> None:
    class Live(DrawnTable):
        live = True

    table = Live()
    table.fps, table.gain = 5.0, 0.85
    table.lay("QH", ("play", 0))
    watched = Watched(table)
    watched.run(6)
    assert watched.seen == {("QH", "play 0")}
    table.gain = 1.4
    (report,) = [found for found in watched.run(22) if isinstance(found, Hampered)]
    assert report.reason.startswith("The cards are overexposed") and watched.pipeline.light_trouble == report.reason
    table.fps = 1.0
    table.lay("AS", ("play", 1))
    assert any(isinstance(found, Back) for found in watched.run(22))
    assert watched.seen == {("QH", "play 0"), ("AS", "play 1")}
