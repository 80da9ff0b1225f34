"""The motion gate: which differences count as a change."""

from __future__ import annotations

import numpy as np
import pytest

from tests.vision.grain import Grain
from vision.frames import Image
from vision.tracking.motion import Motion, drift, halvings

RNG = np.random.default_rng(3)
TABLE: Image = np.asarray(RNG.integers(60, 160, (30, 40, 3)).repeat(12, 0).repeat(12, 1), dtype=np.uint8)


GRAINS = {noise: Grain(*TABLE.shape[:2], noise, RNG) for noise in (0.0, 4.0, 12.0)}


def grainy(image: Image, noise: float = 4.0) -> Image:
    return GRAINS[noise].added_to(image)


def settled_motion(noise: float = 4.0) -> Motion:
    motion = Motion(2)
    for number in range(12):
        motion.update(grainy(TABLE, noise), number / 30)
    return motion


@pytest.mark.sampled(1)
@pytest.mark.parametrize("noise", [0.0, 4.0, 12.0])
def test_noise_does_not_count_as_a_change(noise: float) -> None:
    motion = settled_motion(noise)
    for number in range(40):
        motion.update(grainy(TABLE, noise), (12 + number) / 30)
        assert motion.quiet


def test_a_thing_that_stops_stays_changed_and_ages() -> None:
    motion = settled_motion()
    image = TABLE.copy()
    image[100:160, 200:260] = 250
    ages = []
    for number in range(5):
        motion.update(grainy(image), (12 + number) / 30)
        assert not motion.quiet
        assert motion.changed[32, 57] == 255
        ages.append(int(motion.age[32, 57]))
    assert ages == [0, 1, 2, 3, 4]
    assert motion.changed[5, 5] == 0
    assert motion.still_since(4) == pytest.approx(12 / 30)
    motion.settle()
    motion.update(grainy(image), 17 / 30)
    assert motion.quiet


def test_settle_one_part_of_the_picture() -> None:
    motion = settled_motion()
    image = TABLE.copy()
    image[100:160, 200:260] = 250
    image[240:300, 20:60] = 250
    motion.update(image, 0.4)
    motion.update(image, 0.43)
    where = np.zeros_like(motion.age)
    where[:50] = 255
    motion.settle(where)
    motion.update(image, 0.46)
    assert motion.changed[32, 57] == 0
    assert motion.changed[66, 9] == 255


@pytest.mark.parametrize("gain", [0.6, 0.8, 1.25, 1.5])
def test_light_that_changes_everywhere_does_not_count_as_a_change(gain: float) -> None:
    motion = settled_motion()
    brighter = np.clip(TABLE * gain, 0, 255).astype(np.uint8)
    motion.update(grainy(brighter), 0.4)
    assert np.count_nonzero(motion.changed) < 0.02 * motion.changed.size


def test_slow_changes_of_light_are_followed() -> None:
    motion = settled_motion()
    slope = np.linspace(1.0, 0.75, TABLE.shape[1])[None, :, None]
    for number in range(300):
        part = number / 299
        motion.update(np.asarray(TABLE * (1 - part + part * slope), dtype=np.uint8), number / 30)
        assert motion.quiet


def test_drift_moves_each_pixel_by_one_level() -> None:
    old = np.array([[[10, 20, 30]]], np.uint8)
    new = np.array([[[12, 20, 0]]], np.uint8)
    assert drift(old, new).tolist() == [[[11, 20, 29]]]


@pytest.mark.parametrize(("mm_per_px", "count"), [(0.5, 2), (0.58, 2), (1.1, 1), (2.0, 0), (4.0, 0), (0.1, 3)])
def test_the_working_scale_is_similar_for_every_camera(mm_per_px: float, count: int) -> None:
    assert halvings(mm_per_px) == count
