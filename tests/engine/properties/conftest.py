"""A game that a program adds, played by the same tests as the games of this project."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from engine.games import add_game, remove_added_games
from tests.engine.games.test_games import HIGH_CARD


@pytest.fixture(scope="module", autouse=True)
def high_card() -> Iterator[None]:
    """Add the game `high-card`."""
    names: dict[str, Any] = {}
    exec(HIGH_CARD, names)
    add_game(names["HighCard"])
    yield
    remove_added_games()
