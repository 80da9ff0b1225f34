"""A file has at most 300 lines, and a game as many as its rules need with the shared parts of `engine/rules/`."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tests.plain_words import ROOT, files

LONGEST: Final = 300
GAMES: Final = {
    **{"all_fives": 180, "fifteen": 180, "le_quinze": 180, "its_15": 220, "cribbage": 250},
    **{"bridge": 220, "skat": 220, "belote": 220},  # Belote is two games, classic and with an auction
}
"""The most lines of a game; a trick game that is not listed has at most 120."""


def length(path: Path) -> int:
    return len(path.read_text("utf-8").splitlines())


def test_no_file_of_code_is_too_long() -> None:
    code = [*files(), ROOT / "pyproject.toml", ROOT / "Makefile"]
    assert {
        str(path.relative_to(ROOT)): length(path) for path in code if path.suffix != ".md" if length(path) > LONGEST
    } == {}


@pytest.mark.parametrize("path", sorted((ROOT / "engine" / "games").glob("[!_]*.py")), ids=lambda path: path.stem)
def test_a_game_is_short(path: Path) -> None:
    assert length(path) <= GAMES.get(path.stem, 120)
