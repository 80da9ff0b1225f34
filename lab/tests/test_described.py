"""`lab.benchmarks.described`: games described in TOML play as those in Python."""

from __future__ import annotations

import pytest

from engine.games import remove_added_games
from lab.benchmarks import described


@pytest.mark.parametrize("game", sorted(described.OPTIONS))
def test_described_games_agree_with_those_in_python(game: str) -> None:
    try:
        assert described.play(game, seed=5) > 100
    finally:
        remove_added_games()
