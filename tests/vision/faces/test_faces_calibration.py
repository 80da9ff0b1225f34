"""Confidence is what it says: of the cards given with 0.9, nine in ten are right."""

from __future__ import annotations

import numpy as np

from benchmarks.calibration import verdicts
from tests.vision.faces.drawn_faces import hard_picture
from vision.faces import FaceReader
from vision.faces.reader import LEAST_CONFIDENCE


def test_as_many_are_right_as_the_confidence_says() -> None:
    told = verdicts(FaceReader(), range(30))
    assert len(told) > 60
    assert all(LEAST_CONFIDENCE <= sure <= 1 for sure, _ in told)
    sure, right = (np.array(column, float) for column in zip(*told, strict=True))
    assert right.mean() >= sure.mean() - 0.02
    doubtful = sure < 0.97
    assert right[doubtful].mean() >= sure[doubtful].mean() - 0.1


def test_what_cannot_be_read_is_unknown() -> None:
    """The same cards behind frosted glass: nothing is guessed."""
    import cv2

    reader = FaceReader()
    for seed in range(6):
        picture, _ = hard_picture(seed)
        assert reader.read(np.asarray(cv2.GaussianBlur(picture, (0, 0), 7.0), np.uint8)) == []
