"""People who have mishaps: the prompts lead to a correct record after every mishap."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

from cardtable.simulation.robots import ROBOTS
from engine.games import load_game
from tests.cardtable.people.at_any_time import left_from_another_game
from tests.cardtable.people.mishaps import MISHAPS
from tests.cardtable.people.of_taking import face_down_left, own_card_first, wrong_cards_taken
from tests.cardtable.people.people import Mishap, People
from tests.cardtable.people.table_top import Wrong

GAMES = [(game, players) for game in ROBOTS for players in load_game(game).seats]
SEEDS = 3
ACTS = 160
SHARE = 0.25
"""Share of acts with a mishap."""


@cache
def mishaps(game: str, players: int) -> Counter[str]:
    """Play a few games and return the number of each mishap. Raises `Wrong` if the referee makes an error."""
    happened: Counter[str] = Counter()
    for seed in range(SEEDS):
        happened += People(game, players, seed, known=seed % 2 == 1).play(SHARE, MISHAPS, ACTS)
    return happened


@pytest.mark.parametrize(("game", "players"), GAMES)
def test_prompts_correct_the_record_after_every_mishap(game: str, players: int) -> None:
    assert mishaps(game, players).total() > 5 * SEEDS


def test_every_mishap_happens() -> None:
    happened = sum((mishaps(*game) for game in GAMES), Counter[str]())
    assert happened.keys() == {mishap.__name__ for mishap in MISHAPS}


@pytest.mark.parametrize(
    ("game", "players", "mishap"),
    [
        ("all-fives", 2, own_card_first),
        ("fifteen", 2, left_from_another_game),
        ("its-15", 4, face_down_left),
        ("le-quinze", 3, wrong_cards_taken),
    ],
)
def test_rare_mishaps_happen_if_chosen(game: str, players: int, mishap: Mishap) -> None:
    assert sum(People(game, players, seed).play(1.0, [mishap], 300).total() for seed in range(2)) > 1


def test_an_undo_leaves_no_bid_that_must_be_completed() -> None:
    assert People("its-15", 2, 101, known=True).play(0.4, MISHAPS, ACTS).total() > 5


def test_an_action_that_was_not_done_is_detected() -> None:
    people = People("all-fives", 2, 0)
    first = next(act.action for act in people.plan if act.action)
    people.table.do(next(action for action in people.table.legal_actions() if action != first))
    with pytest.raises(Wrong, match="nobody did"):
        people.show()
