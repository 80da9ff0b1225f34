"""A game of another package, played by the same tests as the games of this project."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator

import pytest

from tests.engine.games.test_games import HIGH_CARD


@pytest.fixture(scope="module", autouse=True)
def club(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Install the package `club_games`, whose entry point is the game `high-card`."""
    folder = tmp_path_factory.mktemp("club")
    (folder / "club_games.py").write_text(HIGH_CARD)
    info = folder / "club_games-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: club-games\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[cardtable.games]\nhigh-card = club_games:HighCard\n")
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    yield
    sys.path.remove(str(folder))
    sys.modules.pop("club_games", None)
