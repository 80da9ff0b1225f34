"""What is computed only where something differs is equal to what is computed everywhere."""

from __future__ import annotations

from itertools import pairwise

import cv2
import numpy as np
import pytest

from vision.frames import Image
from vision.percentiles import percentiles
from vision.tracking.appearance import Differences, difference, same_appearance
from vision.tracking.boxes import covering_boxes
from vision.tracking.change_detection import connected_areas
from vision.tracking.picture_checks import DEFAULTS, spread
from vision.tracking.settings import AppearanceSettings

SETTINGS = AppearanceSettings()


def _picture(seed: int) -> Image:
    rng = np.random.default_rng(seed)
    coarse = rng.integers(60, 200, (6, 8, 3), dtype=np.uint8)
    return np.asarray(cv2.resize(coarse, (64, 48), interpolation=cv2.INTER_LINEAR), np.uint8)


def _same_everywhere(now: Image, before: Image) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    change = now.astype(np.int16) - before
    low, high = change.min(axis=2), change.max(axis=2)
    smooth = cv2.blur(high, (SETTINGS.shadow_window_px,) * 2)
    shadow = (high - low <= SETTINGS.shadow_tint) & (np.abs(high - smooth) <= SETTINGS.shadow_slope)
    shadow &= (low >= SETTINGS.shadow[0]) & (high <= SETTINGS.shadow[1])
    return np.asarray((np.abs(change).max(axis=2) < SETTINGS.same) | shadow, bool)


@pytest.mark.parametrize("place", [(0, 0), (20, 30), (40, 56), (0, 30), (44, 0)])
@pytest.mark.parametrize("seed", range(4))
def test_shadows_are_found_beside_the_border_and_inside(place: tuple[int, int], seed: int) -> None:
    """A darker spot with a soft edge, and one with a hard edge, wherever they lie."""
    before = _picture(seed)
    now = before.astype(np.int16)
    top, left = place
    now[top : top + 8, left : left + 8] -= np.random.default_rng(seed).integers(14, 60)
    now[top + 2 : top + 4, left + 2 : left + 4] += 70
    seen = np.asarray(cv2.blur(np.clip(now, 0, 255).astype(np.uint8), (3, 3)) if seed % 2 else np.clip(now, 0, 255))
    seen = seen.astype(np.uint8)
    assert (same_appearance(seen, before, SETTINGS) == _same_everywhere(seen, before)).all()


def test_equal_pictures_are_the_same_everywhere() -> None:
    """Nothing differs, so that nothing is looked at more closely."""
    picture = _picture(9)
    assert same_appearance(picture, picture, SETTINGS).all()
    assert not difference(picture, picture).any()


def _changes(seed: int, width: int) -> Image:
    """Return a mask, 40 pixels high, with up to five rectangles."""
    rng = np.random.default_rng(seed)
    mask = np.zeros((40, width), np.uint8)
    for _ in range(rng.integers(0, 6)):
        top, left = rng.integers(0, 38), rng.integers(0, width - 2)
        mask[top : top + rng.integers(1, 9), left : left + rng.integers(1, 9)] = 255
    return mask


@pytest.mark.parametrize("seed", range(12))
def test_areas_are_those_of_the_whole_picture(seed: int) -> None:
    """With gaps of a pixel closed, also at the border."""
    mask = _changes(seed, 50)
    joined = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
    count, labels = cv2.connectedComponents(joined, connectivity=8)
    expected = {frozenset(map(tuple, np.argwhere(labels == label).tolist())) for label in range(1, count)}
    found = set()
    for change, area in connected_areas(mask):
        places = np.argwhere(change.mask(mask.shape) > 0)
        assert len(places) == area
        found.add(frozenset(map(tuple, places.tolist())))
    assert found == expected


@pytest.mark.parametrize("size", [1, 2, 51, 4080])
def test_the_spread_of_grey_levels_is_that_of_the_percentiles(size: int) -> None:
    """Interpolated between ranks, as numpy does."""
    sample = np.random.default_rng(size).integers(0, 256, (1, size), dtype=np.uint8)
    low, high = np.percentile(sample, DEFAULTS.blank_percentiles)
    assert spread(sample, DEFAULTS) == pytest.approx(high - low)


@pytest.mark.parametrize("size", [1, 5, 200])
def test_percentiles_are_those_of_numpy(size: int) -> None:
    sample = np.random.default_rng(size).integers(0, 256, size, dtype=np.uint8)
    assert percentiles(sample, 2, 50, 60, 99.5) == pytest.approx(np.percentile(sample, (2, 50, 60, 99.5)).tolist())


def test_differences_are_the_same_in_memory_that_is_used_again() -> None:
    pictures = [_picture(seed) for seed in range(4)]
    differences = Differences(pictures[0].shape[:2])
    for before, after in pairwise(pictures):
        assert (differences.of(before, after) == difference(before, after)).all()


@pytest.mark.parametrize("seed", range(12))
def test_boxes_contain_every_change_and_lie_apart(seed: int) -> None:
    mask = _changes(seed, 80)
    boxes = covering_boxes(mask, 5)
    rest = mask.copy()
    for box in boxes:
        assert mask[box].any()
        rest[box] = 0
    assert not rest.any()
    for (_, left), (_, right) in pairwise(boxes):
        assert right.start - left.stop >= 5
