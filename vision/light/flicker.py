"""Flicker: lamps on the mains change their brightness 100 or 120 times a second.

A camera reads its picture row by row, so the rows of one picture have seen different moments of that change, and bright
and dark bands move over the pictures. They look like movement all over the table. A band is as wide as the picture:
what changes only a part of a row, such as a hand, is left out.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from vision.frames import Frame, Image
from vision.light.settings import DEFAULTS, LightSettings


class FlickerMeter:
    """Measures, from time to time, how much the rows of consecutive pictures differ."""

    def __init__(self, settings: LightSettings = DEFAULTS) -> None:
        self._settings = settings
        self._rows: list[npt.NDArray[np.float64]] = []
        self._begin_at = 0.0
        self._found = 0
        """How many measurements in a row have found flicker."""
        self.measured = 0.0
        """The last measurement (`flicker_of`)."""

    @property
    def flickers(self) -> bool:
        """Whether the last measurements in a row have found flicker."""
        return self._found >= self._settings.flicker_in_a_row

    def update(self, frame: Frame) -> None:
        """Measure the next frame, if it is due."""
        settings = self._settings
        if frame.time < self._begin_at:
            return
        self._rows.append(row_levels(frame.image, settings))
        if len(self._rows) < settings.flicker_pictures:
            return
        self.measured = flicker_of(np.array(self._rows))
        self._rows.clear()
        self._found = self._found + 1 if self.measured > settings.flicker else 0
        if not 0 < self._found < settings.flicker_in_a_row:  # otherwise at once once more, to be sure
            self._begin_at = frame.time + settings.flicker_s


def row_levels(image: Image, settings: LightSettings = DEFAULTS) -> npt.NDArray[np.float64]:
    """Return the mean grey level of each row in each of some strips side by side, (H, strips) float64.

    `image`: (H, W, 3) uint8. Of `settings.flicker_columns` columns, one is measured.
    """
    columns = image[:, :: settings.flicker_columns]
    strips = max(min(settings.flicker_strips, columns.shape[1]), 1)
    wide = columns.shape[1] // strips
    parts = columns[:, : strips * wide].reshape(len(columns), strips, wide * 3)
    return np.asarray(parts.mean(axis=2), np.float64)


def flicker_of(rows: npt.NDArray[np.float64]) -> float:
    """Return the typical change of brightness between pictures, as a share of the brightness.

    `rows`: (N, H, strips), the `row_levels` of N consecutive pictures, N of 3 or more. Second differences over time
    leave out light that changes slowly; their median over the strips leaves out what moves in a part of a row, the one
    over the pictures what happens once, and the one over the rows what moves in a part of the picture.

    >>> bands = 150 + 15 * np.sin(np.arange(10)[:, None] * 2 + np.arange(300) / 50)
    >>> strips = np.repeat(bands[:, :, None], 8, axis=2)
    >>> round(flicker_of(strips), 2), flicker_of(np.full((10, 300, 8), 150.0))
    (0.08, 0.0)
    """
    relative = rows / np.maximum(rows.mean(axis=0), 1.0)
    second = np.median(relative[2:] - 2 * relative[1:-1] + relative[:-2], axis=2)
    # Noise of standard deviation s has second differences of s √6. Half of a sine is above 1 / √2, its own deviation.
    return float(np.median(np.median(np.abs(second), axis=0)) / np.sqrt(6))
