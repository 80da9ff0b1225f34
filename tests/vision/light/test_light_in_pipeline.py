"""The light as the camera pipeline sees it: moving pictures, cards that were not read, the bare mat, lamps switched."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.vision.drawn_table import Watched
from tests.vision.light.live_table import LiveTable
from vision.light.watch import EXPOSURE_WHITE, WHITE_TOLERANCE
from vision.mat.layout import Mat

FLICKERS = "The light flickers in the pictures"
SHADOW = "A shadow lies {place} of the mat: move what casts it, or add a second lamp."


def trouble_of(table: LiveTable, seconds: float = 5.0) -> str:
    """Return what is said about the light after some seconds."""
    watched = Watched(table)
    watched.run(round(seconds * table.fps))
    return watched.pipeline.light_trouble


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("depth", "hz", "fps"), [(0.2, 50, 30.0), (0.4, 50, 30.0), (0.3, 60, 25.0), (0.08, 50, 30.0), (0.3, 50, 15.5)]
)
def test_a_lamp_that_flickers_is_named_also_if_all_seems_to_move(depth: float, hz: float, fps: float) -> None:
    table = LiveTable(lamp=0.7, depth=depth, hz=hz)
    table.fps = fps
    table.lay("QH", ("play", 0))
    watched = Watched(table)
    stills = 0
    for _ in range(round(2.5 * fps)):
        watched.run(1)
        stills += watched.pipeline.tracker.still
    assert depth < 0.2 or stills < 10  # it looks like movement
    assert watched.pipeline.light_trouble.startswith(FLICKERS)


def test_arms_that_move_all_the_time_are_no_flicker() -> None:
    """Three arms sweep over the mat and back, once or twice a second."""
    table = LiveTable()
    table.fps = 15.0
    table.lay("QH", ("play", 0))
    watched = Watched(table)
    for number in range(24):
        swing = [math.sin(2 * math.pi * rate * number / table.fps) for rate in (0.8, 1.3, 2.1)]
        table.hands = [
            ((200, 620), (200 + 160 * swing[0], 120 + 60 * swing[1])),
            ((700, -120), (640 + 200 * swing[1], 380)),
            ((1000, 250), (560 + 300 * swing[2], 250)),
        ]
        watched.run(1)
        assert watched.pipeline.light_trouble == ""


@pytest.mark.sampled(1)
@pytest.mark.parametrize("cards", [(), ("QH",)])
def test_a_shadow_as_large_as_a_hand_on_the_bare_mat(cards: tuple[str, ...]) -> None:
    table = LiveTable()
    for card in cards:
        table.lay(card, ("play", 0))
    table.fps = 4.0
    table.shadows = [(130, 250, 55, 0.65)]
    assert trouble_of(table) == SHADOW.format(place="on the left")


@pytest.mark.parametrize("print_", ["read", "unread"])
def test_a_shadow_on_the_only_card(print_: str) -> None:
    table = LiveTable()
    table.fps = 4.0
    watched = Watched(table)
    watched.run(4)
    card = table.lay("QH", ("show", 0)) if print_ == "read" else table.lay_paper(("show", 0))
    watched.run(8)
    (track,) = watched.pipeline.tracker.tracks
    assert (track.face is None) == (print_ == "unread") and watched.pipeline.light_trouble == ""
    table.shadows = [(card.x, card.y, 60, 0.65)]
    watched.run(20)
    assert watched.pipeline.light_trouble.startswith("A shadow lies at the bottom")


def test_backs_and_dark_things_are_no_shadow() -> None:
    table = LiveTable()
    table.fps = 4.0
    watched = Watched(table)
    watched.run(4)
    for seat in (0, 1):
        table.lay("back", ("play", seat))
        table.lay_dark(("show", seat))
    watched.run(24)
    assert len(watched.pipeline.tracker.tracks) == 4
    assert watched.pipeline.light_trouble == ""


def test_cards_that_are_too_bright_to_be_read_are_overexposed() -> None:
    table = LiveTable(lamp=1.2)
    table.fps = 4.0
    watched = Watched(table)
    watched.run(4)
    for seat in (0, 1):
        table.lay_paper(("play", seat))
    watched.run(24)
    assert [track.face for track in watched.pipeline.tracker.tracks] == [None, None]
    assert watched.pipeline.light_trouble.startswith("The cards are overexposed")


def test_cards_that_lay_there_at_the_start_are_overexposed_too() -> None:
    table = LiveTable(lamp=1.2)
    table.fps = 4.0
    for seat in (0, 1):
        table.lay_paper(("play", seat))
    watched = Watched(table)
    watched.run(24)
    assert watched.pipeline.tracker.tracks == ()
    assert watched.pipeline.light_trouble.startswith("The cards are overexposed")


def marks_white(watched: Watched, mat: Mat) -> float:
    frame, table = watched.pipeline.frame, watched.pipeline.homography
    assert frame is not None and table is not None
    left, top = mat.marks[1][0]
    x, y = table.to_px(np.array([(left + 4, top - 4)]))[0]
    return float(frame.image[round(y) - 2 : round(y) + 3, round(x) - 2 : round(x) + 3].mean())


@pytest.mark.parametrize("exposure", [9.0, 0.04])
def test_a_camera_that_does_not_see_the_mat_is_exposed_again(exposure: float) -> None:
    """The picture is white, or black: a lamp was switched on, or off, after the exposure had been found."""
    table = LiveTable()
    table.fps = 1.0
    table.follows, table.exposure = True, exposure
    Watched(table).run(10)
    assert abs(np.log(table.exposure)) < abs(np.log(exposure))


@pytest.mark.long
@pytest.mark.parametrize(("lamp", "exposure"), [(0.85, 9.0), (0.85, 0.04), (8.0, 1.0)])
def test_an_exposure_that_follows_the_cards_finds_the_mat_again(lamp: float, exposure: float) -> None:
    """A lamp was switched on, or off, after the exposure had been found: the picture is white, or black."""
    table = LiveTable(lamp=lamp)
    table.fps = 5.0
    table.follows, table.exposure = True, exposure
    table.lay("QH", ("play", 0))
    watched = Watched(table)
    watched.run(150)
    assert watched.seen == {("QH", "play 0")}
    white = marks_white(watched, table.mat)
    assert abs(white - EXPOSURE_WHITE) <= WHITE_TOLERANCE + 5
    assert watched.pipeline.light_trouble == ""
