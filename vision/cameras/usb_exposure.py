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
_TRY_AGAIN: Final = 15
"""Requests after which a gain that was too bright is tried again: a minute, if the light asks for it all the time."""


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

    If the mains are known (`flicker`), the time is a multiple of that from one flash of lamps to the next, half a
    period of the mains, in which each row gets the same light, and the gain does the rest. In light for which one flash
    is too much, at the least gain, it is shorter.
    """

    def __init__(self, capture: Capture, fps: float, flicker: Flicker) -> None:
        self._capture = capture
        self._longest = 1000 * UNITS_PER_MS / fps
        flash = 0.0 if isinstance(flicker, str) else 1000 * UNITS_PER_MS / (2 * flicker)
        self._flash = flash if flash <= self._longest else 0.0
        self._gain_tried = False
        self._gainless = False
        """Whether the gain of the camera cannot be changed, as far as that was tried."""
        self._raised_to = -1.0
        """The gain to which the last change has raised it; -1 if that was another change."""
        self._too_bright = -1.0
        """A gain that was lowered again as soon as it was set."""
        self._refused = 0
        """How often that gain was asked for since."""

    def multiply(self, factor: float) -> bool:
        """Multiply the exposure by `factor`; return False if the camera does not take a time."""
        before = self._capture.get(cv2.CAP_PROP_EXPOSURE)
        if before <= 0:
            return False
        wanted = before * factor
        if self._gainless or not self._flash or max(before, wanted) < (1 - _SAME) * self._flash:
            return self._set(wanted) > 0
        flashes = max(math.floor(min(before, self._longest) / self._flash + _SAME), 1)
        exact = flashes * self._flash
        time = before if abs(before - exact) <= 1.0 else self._set(exact)  # cameras count in whole units
        if time <= 0:
            return False
        rest = wanted / time
        if abs(rest - 1) <= _SAME or self._change_gain(rest):
            return True
        if self._gainless:
            return self._set(wanted) > 0
        # The gain is at its end: one flash more or less, or less than one.
        longer = (flashes + 1) * self._flash
        if rest > 1:
            return longer > self._longest * (1 + _SAME) or self._set(longer) > 0
        return self._set((flashes - 1) * self._flash if flashes > 1 else wanted) > 0

    def _set(self, time: float) -> float:
        """Set the time; return the one that the camera then has, -1 if it takes none."""
        if not self._capture.set(cv2.CAP_PROP_EXPOSURE, min(max(time, 1.0), self._longest)):
            return -1.0
        return self._capture.get(cv2.CAP_PROP_EXPOSURE)

    def _change_gain(self, factor: float) -> bool:
        """Multiply the gain, or change it by one unit if that is more; return whether it has changed."""
        has = self._capture.get(cv2.CAP_PROP_GAIN)
        asked = max(math.ceil(has * factor), has + 1) if factor > 1 else min(math.floor(has * factor), has - 1)
        if factor > 1 and asked == self._too_bright and self._refused < _TRY_AGAIN:
            self._refused += 1  # its next step is too coarse: it would only be taken back
            return True
        taken = self._capture.set(cv2.CAP_PROP_GAIN, max(asked, 0.0))
        changed = taken and self._capture.get(cv2.CAP_PROP_GAIN) != has
        if factor < 1 and has == self._raised_to:
            self._too_bright, self._refused = has, 0
        self._raised_to = asked if factor > 1 else -1.0
        if changed or (factor > 1 and not self._gain_tried):
            self._gain_tried, self._gainless = True, not changed and has <= 0
        return changed
