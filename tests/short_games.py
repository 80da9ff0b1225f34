"""Options with which a game of any kind is short."""

from __future__ import annotations

from typing import Final

from engine.games import load_game

LENGTHS: Final = {"target": 1, "limit": 1, "rounds": 1, "boards": 1, "cards": 3}
"""The options that say how long a game is, with the least that is useful here: hands of one card show little."""


def short_options(game: str, part: int = 10) -> dict[str, bool | int | str]:
    """Return options with which `game` has fewer hands: with `part` 10, a tenth of the usual points or rounds."""
    short: dict[str, bool | int | str] = {}
    for option in load_game(game).options:
        if option.name in LENGTHS and isinstance(option.default, int):
            short[option.name] = max(LENGTHS[option.name], option.default // part)
        elif "duplicate" in option.choices:
            short[option.name] = "duplicate"  # a number of boards; a rubber may be of any length
    return short
