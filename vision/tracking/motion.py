"""What moves and what has changed: the motion gate in front of the readers.

It works on a small picture in logarithmic brightness, in which a change of light is a sum and not a product. Light
that changes everywhere (a lamp, the camera's own exposure) is taken off as the median of each channel.
"""

from __future__ import annotations

from collections import deque
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from vision.frames import Image

Mask = npt.NDArray[np.uint8]
"""(h, w) uint8, 0 or 255."""

DARK: Final = 32.0
"""Grey levels added before the logarithm: below it sensor noise outweighs the ratio."""
UNIT: Final = 70.0
"""Steps of a look in a factor of e: 7 steps are a change of 10 % in a bright place."""
_LOOK_OF: Final = np.clip(np.round(UNIT * np.log((np.arange(256) + DARK) / DARK)) + 40, 0, 255).astype(np.uint8)
CALM: Final = 6.0
"""Smallest difference of two looks that counts as a change, where the camera has little noise."""
_HISTORY: Final = 255


def halvings(mm_per_px: float | None) -> int:
    """How often a picture is halved so that one pixel of the small picture is 1.5 to 3 mm."""
    scale = mm_per_px or 0.6
    count = 0
    while count < 3 and scale * 2 <= 3.0:
        scale *= 2
        count += 1
    return count


def apart(one: Image, other: Image) -> npt.NDArray[np.uint8]:
    """(h, w): how far two looks, (h, w, 3), are apart in the channel in which they are furthest apart."""
    blue, green, red = cv2.split(cv2.absdiff(one, other))
    return np.asarray(cv2.max(cv2.max(blue, green), red), dtype=np.uint8)


class Motion:
    """Compares each frame with the one before and with the picture in which everything was settled.

    `look`: the small picture now, light taken off. `settled`: the same when last judged. `age`: for how many frames
    each pixel has stood still. `changed`: where `look` differs from `settled`.
    """

    def __init__(self, halved: int) -> None:
        self.halved: Final = halved
        self.look: Image = np.zeros((0, 0, 3), np.uint8)
        self.settled: Image = self.look
        self.age: npt.NDArray[np.uint8] = np.zeros((0, 0), np.uint8)
        self.changed: Mask = self.age
        self.moving: Mask = self.age
        self.quiet = False
        self.noise = 0.0
        self._anchor: Image = self.look
        self._frames = 0
        self._times: deque[float] = deque(maxlen=_HISTORY + 1)

    @property
    def started(self) -> bool:
        return self._frames > 0

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width of the small picture."""
        return self.look.shape[0], self.look.shape[1]

    def update(self, image: Image, time: float) -> None:
        """Takes the next frame. `quiet` afterwards: nothing moves and nothing has changed."""
        look = np.asarray(cv2.LUT(self._small(image), _LOOK_OF), dtype=np.uint8)
        self._times.append(time)
        self._frames += 1
        if self._frames == 1:
            self.look, self.settled, self._anchor = look, look.copy(), look.copy()
            self.age = np.zeros(look.shape[:2], np.uint8)
            self.changed, self.moving = np.zeros_like(self.age), np.zeros_like(self.age)
            self.quiet = False
            return
        look = self._without_light(look)
        self.look = look
        step = np.asarray(cv2.blur(apart(look, self._anchor), (3, 3)), dtype=np.uint8)
        if self._frames % 4 == 0:
            self._measure_noise(step)
        limit = self.limit
        self.moving = np.asarray(cv2.threshold(step, limit, 255, cv2.THRESH_BINARY)[1], dtype=np.uint8)
        moves = cv2.countNonZero(self.moving) > 0
        self.age += self.age < _HISTORY
        if self._anchor is self.settled:
            self.changed = self.moving.copy()
        else:
            away = cv2.blur(apart(look, self.settled), (3, 3))
            self.changed = np.asarray(cv2.threshold(away, limit, 255, cv2.THRESH_BINARY)[1], dtype=np.uint8)
        if moves:
            self.moving = np.asarray(cv2.dilate(self.moving, np.ones((3, 3), np.uint8)), dtype=np.uint8)
            self.age[self.moving > 0] = 0
            self._unshare()
            cv2.copyTo(look, self.moving, self._anchor)
        self.quiet = not moves and cv2.countNonZero(self.changed) == 0
        if self.quiet:
            if self._frames % 8 == 0:
                self.settled = drift(self.settled, look)
            # One comparison is enough while nothing happens.
            self._anchor = self.settled

    def _unshare(self) -> None:
        if self._anchor is self.settled:
            self._anchor = self.settled.copy()

    @property
    def limit(self) -> float:
        """The difference of two looks from which on something has changed: above the camera's noise."""
        return max(CALM, 3.0 + 3.0 * self.noise)

    def settle(self, where: Mask | None = None) -> None:
        """What is seen now, in `where` or everywhere, is what has been judged."""
        self._unshare()
        if where is None:
            self.settled = self.look.copy()
            self.changed[:] = 0
        else:
            cv2.copyTo(self.look, where, self.settled)
            self.changed[where > 0] = 0

    def still_since(self, age: int) -> float:
        """The time of the frame in which something came to rest that has stood still for `age` frames."""
        return self._times[max(len(self._times) - 1 - age, 0)]

    def warp(self, small_to_small: npt.NDArray[np.float64]) -> None:
        """The camera was moved: the settled picture as the camera would see it from its new place."""
        height, width = self.shape
        self._unshare()
        self.settled = np.asarray(
            cv2.warpPerspective(self.settled, small_to_small, (width, height), borderMode=cv2.BORDER_REPLICATE),
            dtype=np.uint8,
        )

    def _small(self, image: Image) -> Image:
        small = image
        for _ in range(self.halved):
            size = (small.shape[1] // 2, small.shape[0] // 2)
            small = np.asarray(cv2.resize(small, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
        return small

    def _without_light(self, look: Image) -> Image:
        step = 8 if look.shape[0] >= 100 else 2
        now = look[::step, ::step].astype(np.int16)
        was = self.settled[::step, ::step].astype(np.int16)
        gain = np.round(np.asarray(np.median((now - was).reshape(-1, 3), axis=0), dtype=np.float64))
        if not gain.any():
            return look
        shifted = np.arange(256)[:, None] - gain[None, :]
        table = np.clip(shifted, 0, 255).astype(np.uint8).reshape(1, 256, 3)
        return np.asarray(cv2.LUT(look, table), dtype=np.uint8)

    def _measure_noise(self, step: npt.NDArray[np.uint8]) -> None:
        now = float(np.percentile(step[::8, ::8], 60))
        self.noise += 0.3 * (min(now, 6.0) - self.noise)


def drift(old: Image, new: Image) -> Image:
    """`old`, one step nearer to `new` in every pixel: follows slow changes of light, and no noise."""
    one = np.ones_like(old)
    up = cv2.min(cv2.subtract(new, old), one)
    down = cv2.min(cv2.subtract(old, new), one)
    return np.asarray(cv2.subtract(cv2.add(old, up), down), dtype=np.uint8)
