"""The motion gate: which pixels move, and which differ from the picture that was judged last.

It works on a small picture in levels of logarithmic brightness, in which a change of light is a sum and not a product.
A change of light over the whole picture (a lamp, the camera's own exposure) is subtracted: it is the median difference
of each channel.
"""

from __future__ import annotations

from collections import deque
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from vision.frames import Image
from vision.percentiles import percentiles
from vision.tracking.appearance import Differences
from vision.tracking.settings import DEFAULTS, MotionSettings

Mask = npt.NDArray[np.uint8]
"""(h, w) uint8, 0 or 255."""

_MAX_AGE: Final = 255
"""Frames. The largest age that a uint8 can hold."""
_ONE: Final = np.array([1.0, 0.0, 0.0, 0.0])
"""What is added to the age of each pixel, as OpenCV takes it."""


def halvings(mm_per_px: float, settings: MotionSettings = DEFAULTS.motion) -> int:
    """Return how often a frame is halved so that a pixel at working scale is 1.5 to 3 mm.

    >>> halvings(0.58)
    2
    """
    count = 0
    while count < settings.max_halvings and mm_per_px * 2 <= settings.max_mm_per_px:
        mm_per_px *= 2
        count += 1
    return count


class Motion:
    """Compares each frame with the frame before it and with the reference picture.

    `current`: the frame at working scale, (h, w, 3) levels, global changes of light subtracted; the next frame is
    written into the same array. `reference`: a copy of each pixel as it was when last judged. `age`: (h, w), for how
    many frames each pixel has not moved. `changed`: where `current` differs from `reference`. `moving`: where it
    differs from the frame before. `quiet`: nothing moves or has changed. `noise`: estimate of the camera's noise, in
    levels.
    """

    def __init__(self, halved: int, settings: MotionSettings = DEFAULTS.motion) -> None:
        """`halved`: how often each frame is halved to get to the working scale (`halvings`)."""
        self._halved: Final = halved
        self._settings: Final = settings
        self._levels: Final = _level_table(settings)
        self.current: Image = np.zeros((0, 0, 3), np.uint8)
        self.reference: Image = self.current
        self.age: npt.NDArray[np.uint8] = np.zeros((0, 0), np.uint8)
        self.changed: Mask = self.age
        self.moving: Mask = self.age
        self.quiet = False
        self.noise = 0.0
        self._last_motion: Image = self.current
        """Each pixel as it was when it last moved; the same array as `reference` while nothing moves."""
        self._differences = Differences((0, 0))
        self._wide: Image | None = None
        """A picture of half the width that `_shrink` uses again."""
        self._frames = 0
        self._times: deque[float] = deque(maxlen=_MAX_AGE + 1)

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width at working scale, pixels."""
        return self.current.shape[0], self.current.shape[1]

    @property
    def limit(self) -> float:
        """The difference, in levels, above which a pixel has changed: above the camera's noise."""
        settings = self._settings
        return max(settings.min_difference, settings.noise_offset + settings.noise_factor * self.noise)

    def update(self, image: Image, time: float) -> None:
        """Compare the next frame. `image`: (H, W, 3) uint8 BGR, always of one size. `time`: seconds."""
        again = self.current if self._frames else None
        current = np.asarray(cv2.LUT(self._shrink(image), self._levels, again), dtype=np.uint8)
        self._times.append(time)
        self._frames += 1
        if self._frames == 1:
            self.current, self.reference, self._last_motion = current, current.copy(), current.copy()
            self.age = np.zeros(current.shape[:2], np.uint8)
            self._differences = Differences(self.shape)
            self.changed, self.moving = np.zeros_like(self.age), np.zeros_like(self.age)
            self.quiet = False
            return
        current = self._subtract_light(current)
        self.current = current
        window = (self._settings.window_px, self._settings.window_px)
        step = np.asarray(cv2.blur(self._differences.of(current, self._last_motion), window), dtype=np.uint8)
        if self._frames % self._settings.noise_frames == 0:
            self._measure_noise(step)
        limit = self.limit
        self.moving = np.asarray(cv2.threshold(step, limit, 255, cv2.THRESH_BINARY)[1], dtype=np.uint8)
        moves = cv2.countNonZero(self.moving) > 0
        cv2.add(self.age, _ONE, self.age)
        if self._last_motion is self.reference:
            self.changed = self.moving.copy()
        else:
            change = cv2.blur(self._differences.of(current, self.reference), window)
            self.changed = np.asarray(cv2.threshold(change, limit, 255, cv2.THRESH_BINARY)[1], dtype=np.uint8)
        if moves:
            self.moving = np.asarray(cv2.dilate(self.moving, np.ones((3, 3), np.uint8)), dtype=np.uint8)
            cv2.subtract(self.age, self.moving, self.age)
            self._unshare()
            cv2.copyTo(current, self.moving, self._last_motion)
        self.quiet = not moves and cv2.countNonZero(self.changed) == 0
        if self.quiet:
            if self._frames % self._settings.drift_frames == 0:
                self.reference = drift(self.reference, current)
            # While nothing happens, one comparison serves for both.
            self._last_motion = self.reference

    def settle(self, where: Mask | None = None) -> None:
        """Make the current picture the reference, in `where` or everywhere: it has been judged."""
        self._unshare()
        if where is None:
            self.reference = self.current.copy()
            self.changed[:] = 0
        else:
            cv2.copyTo(self.current, where, self.reference)
            cv2.subtract(self.changed, where, self.changed)

    def still_since(self, age: int) -> float:
        """Return the time, in seconds, of the frame since which a pixel of this `age` has not moved."""
        return self._times[max(len(self._times) - 1 - age, 0)]

    def warp(self, matrix: npt.NDArray[np.float64]) -> None:
        """Follow a camera that has moved. `matrix`: (3, 3), maps old to new pixels at working scale."""
        height, width = self.shape
        self._unshare()
        self.reference = np.asarray(
            cv2.warpPerspective(self.reference, matrix, (width, height), borderMode=cv2.BORDER_REPLICATE),
            dtype=np.uint8,
        )

    def _unshare(self) -> None:
        if self._last_motion is self.reference:
            self._last_motion = self.reference.copy()

    def _shrink(self, image: Image) -> Image:
        """Return the frame at working scale. If it is halved twice or more, every second row is left out first."""
        height, width = image.shape[:2]
        small, done = image, 0
        if self._halved >= 2 and self._settings.skip_rows:
            self._wide = _resized(image[::2], (width // 2, height // 4), cv2.INTER_AREA, self._wide)
            small, done = _resized(self._wide, (width // 4, height // 4), cv2.INTER_LINEAR), 2
        for _ in range(done, self._halved):
            small = _resized(small, (small.shape[1] // 2, small.shape[0] // 2), cv2.INTER_AREA)
        return small

    def _subtract_light(self, current: Image) -> Image:
        step = 16 if current.shape[0] >= 200 else 8 if current.shape[0] >= 100 else 2
        places = (slice(None, None, step), slice(None, None, step))
        apart = np.subtract(current[places], self.reference[places], dtype=np.int16)
        change = np.ascontiguousarray(apart.reshape(-1, 3).T)
        middle = ((change.shape[1] - 1) // 2, change.shape[1] // 2)
        gain = np.round(np.partition(change, middle, axis=1)[:, middle].mean(axis=1))
        if gain.any():
            cv2.subtract(current, np.append(gain, 0.0), current)
        return current

    def _measure_noise(self, step: npt.NDArray[np.uint8]) -> None:
        """Follow the noise: a high percentile of the differences, averaged over time. Motion is clipped."""
        settings = self._settings
        (now,) = percentiles(step[::8, ::8], settings.noise_percentile)
        self.noise += settings.noise_rate * (min(now, settings.max_noise) - self.noise)


def _resized(image: Image, size: tuple[int, int], interpolation: int, into: Image | None = None) -> Image:
    return np.asarray(cv2.resize(image, size, into, interpolation=interpolation), dtype=np.uint8)


def drift(old: Image, new: Image) -> Image:
    """Return `old`, one level nearer to `new` in every pixel: it follows slow changes of light, and no noise."""
    one = np.ones_like(old)
    up = cv2.min(cv2.subtract(new, old), one)
    down = cv2.min(cv2.subtract(old, new), one)
    return np.asarray(cv2.subtract(cv2.add(old, up), down), dtype=np.uint8)


def _level_table(settings: MotionSettings) -> npt.NDArray[np.uint8]:
    """Return the level of each grey level, (256,) uint8."""
    ratio = (np.arange(256) + settings.dark_offset) / settings.dark_offset
    levels = np.round(settings.levels_per_e * np.log(ratio)) + settings.black_level
    return np.asarray(np.clip(levels, 0, 255), dtype=np.float64).astype(np.uint8)
