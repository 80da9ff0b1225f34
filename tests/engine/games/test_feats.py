"""The feats that games note, from which the history makes its records."""

from __future__ import annotations

import random

import pytest

from engine.games import HOUSE, load_game
from engine.record import Header
from engine.table import Table
from tests.engine.properties.plays import legal_action


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
