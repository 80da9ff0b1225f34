"""What the board shows beside the players, as its poster and as tallies never comes from a hidden hand."""

from __future__ import annotations

import random
from itertools import islice

import pytest

from cardtable.simulation.robots import load_robots
from cardtable.simulation.source import Setting, marks_for
from engine.errors import Refused
from engine.games import HOUSE, load_game
from engine.table import Table

ACTIONS = 120


@pytest.mark.parametrize("game", HOUSE)
def test_a_table_that_knows_all_hands_shows_no_more_than_one_that_knows_none(game: str) -> None:
    """The same game twice; the second table is told neither the cards dealt nor those laid away."""
    header = Setting(game, load_game(game).seats[-1], 1, marks_for(game)).header
    robots = load_robots(game)(header, random.Random(game))
    robots.across = robots.deals
    knows, knows_not, shown = Table(header), Table(header), set()
    for action in islice((act.action for act in robots.acts() if act.action), ACTIONS):
        knows.do(action)
        if action.do not in ("deal", "discard"):
            try:
                knows_not.do(action)
            except Refused:  # it must be shown a crib first
                break
        views = knows.view(), knows_not.view()
        if views[0].phase == views[1].phase:
            first, second = ((view.notes, view.poster, view.tallies) for view in views)
            assert first == second
            shown.add(first)
    assert len(shown) > 1
