"""Games of robots that were interrupted are resumed."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from cardtable.simulation.director import same
from cardtable.simulation.source import Setting, marks_for
from engine.actions import Action
from engine.table import Table
from tests.cardtable.simulation.test_simulation_robots import (
    GAMES,
    RED_1,
    RED_2,
    actions,
    director,
    finish,
    lies,
    whole,
)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("game", "players"), GAMES)
def test_the_cards_of_an_interrupted_game_are_on_the_table_again(game: str, players: int) -> None:
    acts = whole(game, players, 2)
    done = actions(acts)
    stored = random.Random(f"{game} {players}").randrange(len(done) // 4, len(done))
    play = director(iter(acts), game, players, tuple(done[:stored]))
    next(play.run())
    assert play.done == done[:stored]
    table = Table(Setting(game, players, 2, marks_for(game)).header)
    for action in done[:stored]:
        table.do(action)
    firm = Counter((lying.card, lying.zone) for lying in table.lying if lying.firm)
    if game == "le-quinze":  # a card laid directly in the table zone is there before the next one is played
        assert {card for card, _ in firm} <= {card for card, _ in lies(play)}
    else:
        assert firm <= lies(play)


def test_face_down_cards_of_an_interrupted_game_are_on_the_table_again() -> None:
    acts = whole("its-15", 4, 2)
    done = actions(acts)
    bidding = next(number for number, action in enumerate(done) if action.word == "pass" or action.do == "bid")
    play = director(iter(acts), "its-15", 4, tuple(done[:bidding]))
    next(play.run())
    drawn = {action.seat for action in done[:bidding] if action.word == "card"}
    assert 0 < len(drawn) < 4
    down = {zone.seat: number for (face, zone), number in lies(play).items() if face is None}
    assert down == {seat: 1 + (seat in drawn) for seat in range(4)}


@pytest.mark.parametrize(("game", "players"), [("fifteen", 2), ("its-15", 3)])
def test_a_game_interrupted_within_an_action_of_several_cards_is_resumed(game: str, players: int) -> None:
    acts = whole(game, players, 2)
    done = actions(acts)
    several = next(number for number, action in enumerate(done) if action.cards and len(action.cards) > 1)
    upto = next(number for number, act in enumerate(acts) if act.action is done[several]) + 1
    play = director(iter(acts[:upto]), game, players, tuple(done[:several]))
    finish(play)
    assert play.done == done[: several + 1]
    at, zone = acts[upto - 1].action, acts[upto - 1].zone
    assert at is not None
    assert Counter(card for card, where in lies(play).elements() if where == zone) == Counter(at.cards)


def test_the_order_of_an_actions_cards_in_the_record_makes_no_difference() -> None:
    bid, turned = Action("bid", 0, cards=(RED_1, RED_2, RED_1)), Action("bid", 0, cards=(RED_2, RED_1, RED_1))
    assert same(bid, turned)
    assert not same(bid, Action("bid", 0, cards=(RED_2, RED_1)))
    assert not same(bid, Action("bid", 1, cards=(RED_2, RED_1, RED_1)))
    assert not same(bid, None)
