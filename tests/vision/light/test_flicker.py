"""Flicker in the pictures of a camera with a rolling shutter, and what is not flicker."""

from __future__ import annotations

import numpy as np
import pytest

from tests.vision.grain import Grain
from vision.frames import Frame, Image
from vision.light.measures import FLICKER_PICTURES, FLICKER_S, FLICKER_SHARE, FlickerMeter

HEIGHT, WIDTH = 216, 384


class Room:
    """A still table under a lamp on the mains, seen by a camera that reads its rows one after another.

    `depth`: how much the light changes, as a share. `hz`: of the mains. `readout_s`: from the first row to the last.
    """

    def __init__(self, depth: float, hz: float = 50.0, fps: float = 30.0, readout_s: float = 0.02) -> None:
        self.depth, self.hz, self.fps, self.readout_s = depth, hz, fps, readout_s
        self.rng = np.random.default_rng(3)
        self.grain = Grain(HEIGHT, WIDTH, 4.0, self.rng)
        self.table = self.rng.uniform(40, 200, (HEIGHT, WIDTH, 3))

    def frame(self, number: int) -> Frame:
        rows = number / self.fps + np.arange(HEIGHT) / HEIGHT * self.readout_s
        light = 1 + self.depth * np.cos(2 * np.pi * 2 * self.hz * rows)
        lit = self.exposed(self.table * light[:, None, None])
        return Frame(self.grain.added_to(lit), number / self.fps, number)

    @staticmethod
    def exposed(levels: np.ndarray) -> Image:
        return np.clip(levels, 0, 255).astype(np.uint8)


def flickers(room: Room, frames: int = 40) -> bool:
    meter = FlickerMeter()
    for number in range(frames):
        meter.update(room.frame(number))
    return meter.flickers


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("hz", "fps"), [(50, 30.0), (50, 24.0), (60, 25.0), (60, 27.0)])
def test_a_flickering_lamp_is_noticed(hz: float, fps: float) -> None:
    assert flickers(Room(0.08, hz, fps))


@pytest.mark.parametrize("depth", [0.0, 0.01])
def test_a_steady_lamp_is_not(depth: float) -> None:
    assert not flickers(Room(depth))


def test_a_hand_that_moves_is_no_flicker() -> None:
    room = Room(0.0)
    meter = FlickerMeter()
    for number in range(40):
        frame = room.frame(number)
        frame.image[60 + number : 140 + number, 100:300] = 90
        meter.update(frame)
    assert meter.measured is not None and meter.measured < FLICKER_SHARE and not meter.flickers


def test_light_that_changes_slowly_is_no_flicker() -> None:
    room = Room(0.0)
    meter = FlickerMeter()
    for number in range(40):
        room.table *= 0.99
        meter.update(room.frame(number))
    assert not meter.flickers


def test_it_ends_when_the_lamp_is_changed() -> None:
    room = Room(0.08)
    meter = FlickerMeter()
    for number in range(40):
        meter.update(room.frame(number))
    assert meter.flickers
    room.depth = 0.0
    next_s = 40 / room.fps + FLICKER_S
    for number in range(round(next_s * room.fps), round(next_s * room.fps) + FLICKER_PICTURES):
        meter.update(room.frame(number))
    assert not meter.flickers


def test_pictures_may_change_their_size() -> None:
    meter = FlickerMeter()
    for number in range(2 * FLICKER_PICTURES):
        size = (90, 160, 3) if number < FLICKER_PICTURES // 2 else (120, 160, 3)
        meter.update(Frame(np.full(size, 90, np.uint8), number / 30, number))
    assert meter.flickers is False
