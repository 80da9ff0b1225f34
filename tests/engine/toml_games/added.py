"""A game that is installed for one test."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from engine.games import add_game, remove_added_games
from engine.rules.game import Game


@contextmanager
def added(kind: type[Game]) -> Iterator[str]:
    """Install `kind`, and return its name."""
    add_game(kind)
    try:
        yield kind.name
    finally:
        remove_added_games()
