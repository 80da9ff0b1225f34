"""The parser of games in TOML, for fuzzing."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Final

from cardtable.config.load import GameFileError, read_game
from lab.torture.fuzzing_files import folder

GAME_FILES: Final = tuple(
    path.read_bytes() for path in sorted(Path(__file__).parents[1].glob("benchmarks/descriptions/*.toml"))
)


def game_file(data: bytes) -> None:
    """A game in TOML."""
    path = folder() / "fuzzed.toml"
    path.write_bytes(data)
    with contextlib.suppress(GameFileError):
        read_game(path)
