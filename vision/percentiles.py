"""Percentiles of bytes, without the checks of `numpy.percentile`, which take longer than the work."""

from __future__ import annotations

import math

import cv2
import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]


def percentiles(sample: Bytes, *percents: float) -> list[float]:
    """Return the percentiles of a small `sample`, which must not be empty, interpolated as numpy does.

    >>> percentiles(np.array([7, 1, 3, 5], np.uint8), 0, 50, 90)
    [1.0, 4.0, 6.4]
    """
    places = [percent / 100 * (sample.size - 1) for percent in percents]
    ranks = [rank for place in places for rank in (math.floor(place), math.ceil(place))]
    values = np.partition(sample, ranks, axis=None)[ranks].tolist()
    pairs = zip(places, values[::2], values[1::2], strict=True)
    return [float(low + (place - math.floor(place)) * (high - low)) for place, low, high in pairs]


def plane_percentile(plane: Bytes, percent: float, mask: Bytes | None = None) -> float:
    """Return the percentile of the levels of a plane, (H, W) uint8, interpolated as numpy does; 255 if there are none.

    `mask`: (H, W) uint8; only where it is not 0.

    >>> plane_percentile(np.array([[7, 1, 3, 5]], np.uint8), 90)
    6.4
    """
    counts = np.cumsum(cv2.calcHist([plane], [0], mask, [256], [0, 256]).astype(np.int64))
    if not counts[-1]:
        return 255.0
    rank, part = divmod((int(counts[-1]) - 1) * percent / 100, 1)
    low, high = (int(np.searchsorted(counts, at, side="right")) for at in (rank, min(rank + 1, counts[-1] - 1)))
    return low + part * (high - low)
