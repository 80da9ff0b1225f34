"""What the game waits for, in general texts: for games that give no hint of their own."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.referee import prompts
from engine.referee.prompts import Prompt
from engine.table import Table


@pytest.mark.parametrize(
    ("phase", "turn", "expected"),
    [
        ("cut", None, Prompt("turn", None, "Cut for the deal: everybody lays the card they cut in front of them.")),
        ("deal", None, Prompt("turn", 0, "Ann deals and turns the next card up.")),
        ("turn", None, Prompt("turn", 0, "Ann deals and turns the next card up.")),
        ("discard", None, Prompt("turn", None, "Lay the cards away face down.")),
        ("show", None, Prompt("turn", None, "Lay the cards face up to be counted.")),
        ("play", None, Prompt("turn", None, "The table waits.")),
        ("play", 1, Prompt("turn", 1, "Bo leads.")),
        ("bid", 1, Prompt("turn", 1, "Bo: bid, or say something.")),
    ],
)
def test_what_the_game_waits_for(phase: str, turn: int | None, expected: Prompt) -> None:
    view = Table("all-fives", ["Ann", "Bo"], dealer=0).view()
    assert prompts.turn(replace(view, phase=phase, turn=turn, hint="")) == expected
