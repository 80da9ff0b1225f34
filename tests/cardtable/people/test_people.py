"""People who have mishaps: the prompts lead to a correct record after every mishap."""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest

from engine.games import HOUSE, load_game
from tests.cardtable.people.at_any_time import left_from_another_game
from tests.cardtable.people.mishaps import MISHAPS
from tests.cardtable.people.of_taking import face_down_left, own_card_first, wrong_cards_taken
from tests.cardtable.people.people import Mishap, People
from tests.cardtable.people.table_top import Wrong

GAMES = [(game, players) for game in HOUSE for players in load_game(game).seats]
ACTS = 160
SHARE = 0.25
"""Share of acts with a mishap."""
RARE = [
    ("all-fives", 2, own_card_first),
    ("fifteen", 2, left_from_another_game),
    ("its-15", 4, face_down_left),
    ("le-quinze", 3, wrong_cards_taken),
]
"""Mishaps that are possible in few situations only, each with a game in which they are."""


def played(game: str, players: int, seed: int) -> Counter[str]:
    """Play a game and return the number of each mishap. Raises `Wrong` if the referee makes an error."""
    return People(game, players, seed, known=seed % 2 == 1).play(SHARE, MISHAPS, ACTS)


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("game", "players"), GAMES)
def test_prompts_correct_the_record_after_every_mishap(game: str, players: int) -> None:
    assert played(game, players, seed=GAMES.index((game, players))).total() > 5


@pytest.mark.long
@pytest.mark.parametrize(("game", "players"), GAMES)
def test_prompts_correct_the_record_in_other_games(game: str, players: int) -> None:
    assert sum((played(game, players, seed) for seed in range(100, 104)), Counter[str]()).total() > 20


@pytest.mark.long
def test_every_mishap_happens() -> None:
    missing = {mishap.__name__ for mishap in MISHAPS} - {mishap.__name__ for _, _, mishap in RARE}
    for seed, (game, players) in product((100, 101), GAMES[::2]):
        missing -= played(game, players, seed).keys()
        if not missing:
            return
    assert not missing


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("game", "players", "mishap"), RARE)
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
