"""Flicker: lamps on the mains change their brightness 100 or 120 times a second.

A camera reads its picture row by row, so the rows of one picture have seen different moments of that change, and bright
and dark bands move over the pictures. They look like movement all over the table.
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
        """Whether two measurements in a row have found flicker."""
        return self._found > 1

    def update(self, frame: Frame) -> None:
        """Measure the next frame, if it is due."""
        settings = self._settings
        if frame.time < self._begin_at:
            return
        self._rows.append(row_levels(frame.image, settings.flicker_columns))
        if len(self._rows) < settings.flicker_pictures:
            return
        self.measured = flicker_of(np.array(self._rows))
        self._rows.clear()
        self._found = self._found + 1 if self.measured > settings.flicker else 0
        if self._found != 1:  # otherwise at once once more, to be sure
            self._begin_at = frame.time + settings.flicker_s


def row_levels(image: Image, columns: int = DEFAULTS.flicker_columns) -> npt.NDArray[np.float64]:
    """Return the mean grey level of each row, (H,) float64, of a (H, W, 3) uint8 picture.

    Of `columns` columns, one is measured.
    """
    return np.asarray(image[:, ::columns].mean(axis=(1, 2)), np.float64)


def flicker_of(rows: npt.NDArray[np.float64]) -> float:
    """Return the typical change of brightness between pictures, as a share of the brightness.

    `rows`: (N, H), the grey levels of the rows of N consecutive pictures, N of 3 or more. Second differences over time
    leave out light that changes slowly; the median over the rows leaves out what moves in a part of the picture.

    >>> bands = 150 + 15 * np.sin(np.arange(10)[:, None] * 2 + np.arange(300) / 50)
    >>> round(flicker_of(bands), 2), flicker_of(np.full((10, 300), 150.0))
    (0.08, 0.0)
    """
    relative = rows / np.maximum(rows.mean(axis=0), 1.0)
    second = relative[2:] - 2 * relative[1:-1] + relative[:-2]
    # White noise of standard deviation s has second differences of standard deviation s √6.
    return float(np.median(np.sqrt((second**2).mean(axis=0) / 6)))
