"""Fixtures of the lab's own tests."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import pytest

from vision.faces import net_threads


@pytest.fixture
def any_threads(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """After the test OpenCV and the nets may use as many threads as before."""
    before = cv2.getNumThreads()
    monkeypatch.setattr(net_threads, "_most", net_threads._most)
    yield
    cv2.setNumThreads(before)
