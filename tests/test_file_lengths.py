"""A file has at most 300 lines, and a game as many as its rules need with the shared parts of `engine/rules/`."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Final

import pytest

from tests.plain_words import ROOT, files

LONGEST: Final = 300
GAMES: Final = {
    **{"all_fives": 180, "fifteen": 180, "le_quinze": 180, "its_15": 220, "cribbage": 250},
    **{"bridge": 220, "skat": 220},
}
"""The most lines of a game; a trick game that is not listed has at most 120."""


def length(path: Path) -> int:
    return len(path.read_text("utf-8").splitlines())


def scripts() -> list[Path]:
    """The tracked and new files of the project whose first line names their interpreter, whatever their suffix."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    found = []
    for path in (ROOT / name for name in listed):
        if path.is_file():
            with path.open("rb") as file:
                if file.read(2) == b"#!":
                    found.append(path)
    return found


def test_scripts_without_a_suffix_are_found() -> None:
    names = {str(path.relative_to(ROOT)) for path in scripts()}
    assert {"tools/setup", "packaging/debian/updater/cardtable-updater", "packaging/image/cardtable-update"} <= names


def test_no_file_of_code_is_too_long() -> None:
    code = [*files(), *scripts(), ROOT / "pyproject.toml", ROOT / "Makefile"]
    assert {
        str(path.relative_to(ROOT)): length(path) for path in code if path.suffix != ".md" if length(path) > LONGEST
    } == {}


@pytest.mark.parametrize("path", sorted((ROOT / "engine" / "games").glob("[!_]*.py")), ids=lambda path: path.stem)
def test_a_game_is_short(path: Path) -> None:
    assert length(path) <= GAMES.get(path.stem, 120)
