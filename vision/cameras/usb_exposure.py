"""The exposure of a USB camera that follows the cards: its time and, where the mains are known, its gain.

The gain has a unit of the camera's own, which is taken to grow with the light; the loop that asks for changes
(`vision.light.exposure`) looks at the next pictures and corrects the rest.
"""

from __future__ import annotations

import math
from typing import Final, Protocol

import cv2

from vision.cameras.settings import Flicker

UNITS_PER_MS: Final = 10.0
"""V4L2 counts exposure in tenths of a millisecond."""
_SAME: Final = 0.02
"""Relative difference of times that does not count: cameras round them."""


class Capture(Protocol):
    """The part of `cv2.VideoCapture` that is used."""

    def isOpened(self) -> bool:
        """Return whether the camera is open."""

    def read(self) -> tuple[bool, object]:
        """Return whether there is a picture, and the picture."""

    def set(self, prop: int, value: float, /) -> bool:
        """Set a property; return False if the camera does not have it."""

    def get(self, prop: int, /) -> float:
        """Return the value of a property; 0 or less if the camera does not have it."""

    def release(self) -> None:
        """Close the camera."""


class UsbExposure:
    """Changes the exposure of `capture`. Times are in V4L2's unit. `fps`: no exposure is longer than one picture.

    If the mains are known (`flicker`), the time is a multiple of their period, in which each row gets the same light,
    and the gain does the rest. In light for which one period is too long, at the least gain, it is shorter.
    """

    def __init__(self, capture: Capture, fps: float, flicker: Flicker) -> None:
        self._capture = capture
        self._longest = 1000 * UNITS_PER_MS / fps
        period = 0.0 if isinstance(flicker, str) else 1000 * UNITS_PER_MS / (2 * flicker)
        self._period = period if period <= self._longest else 0.0
        self._gain_tried = False
        self._gainless = False
        """Whether the gain of the camera cannot be changed, as far as that was tried."""

    def multiply(self, factor: float) -> bool:
        """Multiply the exposure by `factor`; return False if the camera does not take a time."""
        before = self._capture.get(cv2.CAP_PROP_EXPOSURE)
        if before <= 0:
            return False
        wanted = before * factor
        if self._gainless or not self._period or max(before, wanted) < (1 - _SAME) * self._period:
            return self._set(wanted) > 0
        periods = max(math.floor(min(before, self._longest) / self._period + _SAME), 1)
        exact = periods * self._period
        time = before if abs(before - exact) <= 1.0 else self._set(exact)  # cameras count in whole units
        if time <= 0:
            return False
        rest = wanted / time
        if abs(rest - 1) <= _SAME or self._change_gain(rest):
            return True
        if self._gainless:
            return self._set(wanted) > 0
        # The gain is at its end: one period more or less, or less than one.
        longer = (periods + 1) * self._period
        if rest > 1:
            return longer > self._longest * (1 + _SAME) or self._set(longer) > 0
        return self._set((periods - 1) * self._period if periods > 1 else wanted) > 0

    def _set(self, time: float) -> float:
        """Set the time; return the one that the camera then has, -1 if it takes none."""
        if not self._capture.set(cv2.CAP_PROP_EXPOSURE, min(max(time, 1.0), self._longest)):
            return -1.0
        return self._capture.get(cv2.CAP_PROP_EXPOSURE)

    def _change_gain(self, factor: float) -> bool:
        """Multiply the gain, or change it by one unit if that is more; return whether it has changed."""
        has = self._capture.get(cv2.CAP_PROP_GAIN)
        asked = max(math.ceil(has * factor), has + 1) if factor > 1 else min(math.floor(has * factor), has - 1)
        taken = self._capture.set(cv2.CAP_PROP_GAIN, max(asked, 0.0))
        changed = taken and self._capture.get(cv2.CAP_PROP_GAIN) != has
        if changed or (factor > 1 and not self._gain_tried):
            self._gain_tried, self._gainless = True, not changed and has <= 0
        return changed
