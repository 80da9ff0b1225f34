"""Whole hands of the games: what each action leads to, word by word as the transcripts have it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.games import remove_added_games
from tests.engine.games.transcripts import FOLDER, read, transcript


@pytest.fixture(autouse=True)
def added_games() -> Iterator[None]:
    yield
    remove_added_games()


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.txt")), ids=lambda path: path.stem)
def test_a_game_goes_as_its_transcript_says(path: Path) -> None:
    assert "\n".join(transcript(*read(path))) == path.read_text("utf-8").rstrip("\n")
