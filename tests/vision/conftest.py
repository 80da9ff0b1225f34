"""Fixtures of the tests of frame sources."""

from __future__ import annotations

from pathlib import Path

import cv2
import pytest

from tests.vision.cameras.numbered_pictures import picture


@pytest.fixture
def video(tmp_path: Path) -> Path:
    path = tmp_path / "game.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 20, (160, 120))
    for number in range(20):
        writer.write(picture(number))
    writer.release()
    return path
