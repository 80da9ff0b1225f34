"""Options with which a trick game is short."""

from __future__ import annotations

from typing import Final

SHORT: Final[dict[str, dict[str, bool | int | str]]] = {
    "belote": {"target": 100},
    "bridge": {"scoring": "duplicate", "boards": 1},
    "euchre": {"target": 2},
    "german-whist": {"target": 1},
    "hearts": {"target": 10},
    "knock-out-whist": {"cards": 5, "dogs_life": True},
    "oh-hell": {"cards": 3},
    "skat": {"rounds": 1},
    "spades": {"target": 40, "limit": 40},
    "whist": {"target": 2},
}
"""By the name of the game."""
