"""The feats that games note, from which the history makes its records."""

from __future__ import annotations

import random

import pytest

from engine.cards import STANDARD_DECK
from engine.games import HOUSE, load_game
from engine.record import Header
from engine.table import Table
from tests.engine.games import test_hearts, test_knock_out_whist, test_oh_hell, test_whist
from tests.engine.properties.plays import legal_action
from tests.engine.talk import do, table_of


@pytest.mark.parametrize("name", HOUSE)
def test_feats_are_of_a_known_kind_and_show_only_open_cards(name: str) -> None:
    """An undo takes a feat back, and only it."""
    rng, kind = random.Random(name), load_game(name)
    table = Table(Header(name, tuple("ABCDEFGH"[: kind.seats[-1]]), 0, {}))
    for _ in range(400):
        if table.over:
            break
        before, seen = table.feats, table.view().seen
        table.do(legal_action(table, rng.randrange(1 << 24)))
        new = table.feats[len(before) :]
        if new:
            assert table.feats[: len(before)] == before
            assert {feat.kind for feat in new} <= {*table.feat_kinds}
            shown = {card for feat in new for card in feat.cards if table.view().deck.copies(card) == 1}
            counted = {card for hand in table.view().counted for card in (*hand.cards, hand.starter)}
            assert shown <= seen | table.view().seen | counted
            again = table.actions[-1]
            table.undo()
            assert table.feats == before
            table.do(again)
            assert table.feats == before + new


def noted(table: Table) -> list[tuple[str, int, int]]:
    return [(feat.kind, feat.seat, feat.value) for feat in table.feats]


def test_a_slam_at_whist() -> None:
    table = test_whist.slam(honours=True, target=10)
    test_whist.play_out(table)
    first = [feat for feat in noted(table) if feat[1] == 0]
    assert first == [("every-trick", 0, 1), ("tricks", 0, 13), ("honours", 0, 1)]


def test_bids_made_in_a_row() -> None:
    table = table_of("oh-hell", 3, cards=2, course="down", hook=False)
    do(table, "turn KD")
    test_oh_hell.bid(table, 0, 2, 1)
    do(table, "1 play 2S", "2 play 2D", "0 play 3S", "2 play 3D", "0 play 4S", "1 play 4C", "turn KH")
    test_oh_hell.bid(table, 0, 0, 0)
    do(table, "2 play 2C", "0 play 3C", "1 play 5C")
    rows = [(seat, value) for kind, seat, value in noted(table) if kind == "row"]
    assert rows == [(1, 1), (2, 1), (2, 2), (0, 1)]


def test_a_trick_with_the_dogs_life() -> None:
    table = test_knock_out_whist.with_a_dog(4)
    do(table, "0 say heart", "2 play KS", "3 play 3H", "0 play 2S", "1 say knock", "0 play AD", "1 play 2D")
    assert noted(table) == []
    do(table, "2 play 3D")
    assert noted(table) == [("dog", 3, 1)]


def test_the_queen_is_caught_by_one_player_and_nobody_if_one_shoots_the_moon() -> None:
    rng = random.Random(1)
    cards = rng.sample([*map(str, STANDARD_DECK)], 52)
    table = test_hearts.dealt(*(cards[13 * seat : 13 * seat + 13] for seat in range(4)))
    while not table.between_hands:
        table.do(rng.choice([each for each in table.legal_actions() if each.do == "play"]))
    taken = next(seat for seat in range(4) if 13 <= table.scores[seat] < 26)
    assert [(kind, seat) for kind, seat, _ in noted(table) if kind == "queen"] == [("queen", taken)]
    assert {seat for kind, seat, _ in noted(table) if kind == "clean"} == {
        seat for seat in range(4) if not table.scores[seat]
    }
    assert {kind for kind, *_ in noted(test_hearts.shoot())} == {"every-trick", "moon"}
