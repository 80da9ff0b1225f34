"""Which reading belongs to which drawn card, and how exact its outline is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from vision.faces.crops import on_card
from vision.faces.geometry import iou
from vision.readings import Reading

Outline = npt.NDArray[np.floating]
INDEX_MM: Final = (6.0, 11.0)
"""Where on its card an index stands, millimetres from the corner."""


def is_on(reading: Reading, truth: Outline) -> bool:
    """Return whether the reading may be of the card with the outline `truth`: its index, or its middle, lies there."""
    card = truth.astype(np.float32)
    for corner in (0, 2):
        quad = np.roll(reading.outline, -corner, axis=0)
        x, y = on_card(quad, np.array(INDEX_MM)).tolist()
        if cv2.pointPolygonTest(card, (x, y), False) >= 0:
            return True
    middle = truth.mean(axis=0)
    return cv2.pointPolygonTest(reading.outline, (float(middle[0]), float(middle[1])), False) >= 0


def compare(readings: Sequence[Reading], truths: Sequence[Outline]) -> list[tuple[float, Reading] | None]:
    """Return for each true outline the reading of that card and its IoU, None if the card was not read.

    Each reading counts once, for the card that it fits best.
    """
    pairs = [
        (iou(reading.outline, truth.astype(np.float32)), k, n)
        for k, truth in enumerate(truths)
        for n, reading in enumerate(readings)
        if is_on(reading, truth)
    ]
    found: list[tuple[float, Reading] | None] = [None] * len(truths)
    used: set[int] = set()
    for value, k, n in sorted(pairs, reverse=True):
        if found[k] is None and n not in used:
            found[k] = (value, readings[n])
            used.add(n)
    return found
