"""Fixtures of the tests of frame sources, and of threads."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import cv2
import pytest

from tests.vision.cameras.numbered_pictures import picture
from vision.faces import net_threads


@pytest.fixture
def any_threads(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """After the test OpenCV and the nets may use as many threads as before."""
    before = cv2.getNumThreads()
    monkeypatch.setattr(net_threads, "_most", net_threads._most)
    yield
    cv2.setNumThreads(before)


@pytest.fixture
def video(tmp_path: Path) -> Path:
    path = tmp_path / "game.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 20, (160, 120))
    for number in range(20):
        writer.write(picture(number))
    writer.release()
    return path
