"""A card of a trick that counted for the wrong player, in games of every kind of trick."""

from __future__ import annotations

import random

import pytest

from engine.errors import Refused
from engine.exchanging import give_card
from engine.table import Table
from engine.views import TableCard
from tests.cardtable.board.states import choose


def second_trick(game: str, players: int, seed: int) -> tuple[Table, list[TableCard]]:
    """Return a random game with two cards of its second trick on the table."""
    rng, tricks = random.Random(seed), 0
    table = Table(game, ("Ann", "Bo", "Cy", "Di")[:players], 0)
    while True:
        ends = [event.ends for event in table.do(choose(table, rng)).events]
        tricks = 0 if "hand" in ends else tricks + ends.count("trick")
        lying = [entry for entry in table.view().lying if entry.zone.name == "play"]
        if (tricks, len(lying)) == (1, 2):
            return table, lying


@pytest.mark.parametrize(
    ("game", "players", "seed"), [("bridge", 4, 1), ("hearts", 4, 3), ("skat", 3, 3), ("belote", 4, 3)]
)
def test_the_two_cards_change_places(game: str, players: int, seed: int) -> None:
    table, (first, second) = second_trick(game, players, seed)
    number = next(n for n, action in enumerate(table.actions) if action.card == first.card and action.do == "play")
    assert first.zone.seat is not None and second.zone.seat is not None
    correction, other = give_card(table.header, table.actions, number, second.zone.seat)
    assert correction.misfit is None and other is not None
    for each, card, seat in ((number, second.card, first.zone.seat), (other, first.card, second.zone.seat)):
        assert (correction.actions[each].card, correction.actions[each].seat) == (card, seat)
    absent = next(seat for seat in range(players) if seat not in (first.zone.seat, second.zone.seat))
    with pytest.raises(Refused, match="It was not the turn of"):
        give_card(table.header, table.actions, number, absent)
