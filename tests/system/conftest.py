"""The film of a short game, drawn once for all tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.system.film import frames, write_video
from vision.frames import Image


@pytest.fixture(scope="session")
def images() -> list[Image]:
    return list(frames())


@pytest.fixture(scope="session")
def film(images: list[Image], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("film") / "game.avi"
    write_video(path, images)
    return path
