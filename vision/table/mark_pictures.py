"""What the corner marks looked like when they were last found: a mark that looks the same has not moved.

Comparing two small pictures takes a tenth of the time of finding the mark again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from vision.frames import Image

_Grey = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class ComparisonSettings:
    """The thresholds of `MarkPictures`."""

    changed_contrast: float = 0.1
    """A pixel has changed if it differs by more than this share of the difference between black and white. A movement
    by `FinderSettings.moved_px` changes the edges of a mark three times as much. Higher: a blurred mark that moves a
    little looks the same; lower: noise looks like a change, and the mark is searched."""
    changed_share: float = 0.01
    """Share of the pixels that must have changed. Higher: a small movement is noticed later; lower: noise looks like a
    change."""


DEFAULTS: Final = ComparisonSettings()


class MarkPictures:
    """Pictures of the corner marks, by their ids, each with a margin around the mark.

    >>> pictures, picture, place = MarkPictures(), np.zeros((80, 80, 3), np.uint8), (slice(20, 60), slice(10, 50))
    >>> picture[30:50, 20:40] = 200
    >>> pictures.remember(0, picture, place)
    >>> pictures.unchanged(0, picture + np.uint8(5)), pictures.unchanged(0, np.roll(picture, 1, axis=1))
    (True, False)
    """

    def __init__(self, settings: ComparisonSettings = DEFAULTS) -> None:
        self._settings = settings
        self._seen: dict[int, tuple[tuple[slice, slice], _Grey, float]] = {}
        """The place of each, what it showed, and the difference between its brightest and its darkest pixel."""

    def remember(self, id_: int, image: Image, place: tuple[slice, slice]) -> None:
        """Note that the mark is seen at `place`, rows and columns, in a camera's picture, (H, W, 3) BGR."""
        small = _small(image[place])
        darkest, brightest, _, _ = cv2.minMaxLoc(small)
        self._seen[id_] = place, small, brightest - darkest

    def forget(self) -> None:
        """Forget all marks: the camera or the mat has moved."""
        self._seen.clear()

    def unchanged(self, id_: int, image: Image) -> bool:
        """Return whether a picture of the same size shows what was remembered of this mark in its place."""
        if id_ not in self._seen:
            return False
        place, before, contrast = self._seen[id_]
        change = cv2.absdiff(_small(image[place]), before)
        changed = cv2.threshold(change, self._settings.changed_contrast * contrast, 255, cv2.THRESH_BINARY)[1]
        return cv2.countNonZero(changed) <= self._settings.changed_share * before.size


def _small(part: Image) -> _Grey:
    """Return the grey levels of a picture of half the size, in which noise counts less."""
    size = (max(part.shape[1] // 2, 1), max(part.shape[0] // 2, 1))
    half = cv2.resize(part, size, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.cvtColor(half, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
