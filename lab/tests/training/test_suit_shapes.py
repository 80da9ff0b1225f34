"""Drawn suits: as varied as decks print them."""

from __future__ import annotations

import cv2
import numpy as np

from lab.training.suit_shapes import drawn_suit
from vision.frames import Image


def filled(mask: Image) -> float:
    """Return the fraction of its convex hull that a shape fills: low if its lobes are far apart."""
    contours, _ = cv2.findContours((mask > 127).astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    largest = max(contours, key=cv2.contourArea)
    return cv2.contourArea(largest) / cv2.contourArea(cv2.convexHull(largest))


def test_clubs_are_thin_and_full() -> None:
    """Full shapes, one in ten here, look like spades when small and blurred."""
    rng = np.random.default_rng(1)
    shares = np.array([filled(drawn_suit("C", rng)) for _ in range(300)])
    assert (shares < 0.6).mean() > 0.05
    assert (shares > 0.85).mean() > 0.08
