"""A restored backup may bring games of its own, which the process of the tests must forget."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from engine.games import remove_added_games


@pytest.fixture(autouse=True)
def games_of_this_project_alone() -> Iterator[None]:
    yield
    remove_added_games()
