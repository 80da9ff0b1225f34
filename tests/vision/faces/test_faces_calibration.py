"""Confidence is calibrated: of the cards read with 0.9, nine in ten are right."""

from __future__ import annotations

import numpy as np

from tests.drawing.faces import hard_picture, verdicts
from vision.faces import FaceReader
from vision.faces.settings import DEFAULTS


def test_confidence_is_the_fraction_of_right_readings() -> None:
    scored = verdicts(FaceReader(), range(8))
    assert len(scored) > 20
    assert all(
        min(DEFAULTS.min_confidence, DEFAULTS.min_confidence_alone) <= confidence <= 1 for confidence, _ in scored
    )
    confidence, right = (np.array(column, float) for column in zip(*scored, strict=True))
    assert right.mean() >= confidence.mean() - 0.02
    unsure = confidence < 0.97
    assert right[unsure].mean() >= confidence[unsure].mean() - 0.1


def test_unreadable_cards_are_not_read() -> None:
    """The same cards behind frosted glass give no readings."""
    import cv2

    reader = FaceReader()
    for seed in range(3):
        picture, _ = hard_picture(seed)
        assert reader.read(np.asarray(cv2.GaussianBlur(picture, (0, 0), 7.0), np.uint8)) == []
