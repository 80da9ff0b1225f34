"""A short form of `lab.torture.resuming`: some cuts of a short game of each kind."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from engine.games import HOUSE, load_game
from lab.torture.cut_games import Journals, cuts, plan
from lab.torture.resuming import resume

CUTS = 3
"""Cuts of each game, spread over it."""
PLAYERS = {"its-15": 3}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("game", HOUSE)
def test_a_game_that_was_cut_anywhere_finishes(game: str, tmp_path: Path) -> None:
    whole = plan(game, PLAYERS.get(game, load_game(game).seats[0]), 1)
    journals = Journals(whole, tmp_path)
    every = list(cuts(whole, random.Random(1)))
    for cut in every[1 :: len(every) // CUTS]:
        journals.cut(cut.action)
        assert resume(whole, journals.path, cut) is None, cut
