"""A card of a trick that counted for the wrong player, in games of every kind of trick."""

from __future__ import annotations

import random

import pytest

from engine.actions import Action
from engine.corrections import give_card
from engine.errors import Refused
from engine.record import Header
from engine.rules.open_hand import LayOpen
from engine.table import Table
from engine.views import TableCard
from tests.engine.talk import action

OPTIONS: dict[str, dict[str, object]] = {"belote": {"declarations": False}}


def choose(table: Table, rng: random.Random) -> Action:
    """Return an action that moves the game on: no dealing by name, no penalty. A dummy's hand is laid open."""
    offer = table.question.offers.get("expose")
    opened = [*offer.actions()] if isinstance(offer, LayOpen) else []
    legal = table.legal_actions()
    usual = [each for each in legal if each.do in ("turn", "play")]
    usual += [each for each in legal if each.do == "say" and not each.against and each.card is None]
    return rng.choice(opened or usual)


def second_trick(game: str, players: int, seed: int) -> tuple[Table, list[TableCard]]:
    """Return a random game with two cards of its second trick on the table."""
    rng, tricks = random.Random(seed), 0
    table = Table(game, ("Ann", "Bo", "Cy", "Di")[:players], 0, **OPTIONS.get(game, {}))
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


AUCTION = ("0 say 1nt", "1 say pass", "2 say pass", "3 say pass", "1 play KS")
DUMMY = tuple(
    f"2 expose {card}" for card in ["2S", "3S", "4S", "5S", "2H", "3H", "4H", "5H", "2D", "3D", "4D", "5D", "2C"]
)


@pytest.mark.parametrize(("number", "seat"), [(len(AUCTION) + len(DUMMY), 3), (len(AUCTION) + len(DUMMY) + 1, 2)])
def test_a_card_of_dummy_changes_places_with_that_of_a_defender(number: int, seat: int) -> None:
    """Dummy's 9 was read as the 2 of the defender, in the open hand and in the trick."""
    header = Header("bridge", ("Ann", "Bo", "Cy", "Dee"), 0)
    actions = [action(each) for each in (*AUCTION, *DUMMY, "2 play 2S", "3 play 9S", "0 play AS")]
    correction, other = give_card(header, actions, number, seat)
    assert (correction.misfit, other) == (None, 2 * (len(AUCTION) + len(DUMMY)) + 1 - number)
    changed = ["2 expose 9S", "2 play 9S", "3 play 2S"]
    new = [str(each) for old, each in zip(actions, correction.actions, strict=True) if each != old]
    assert new == changed


def test_a_card_changes_its_seat_if_the_other_may_have_laid_it() -> None:
    header = Header("all-fives", ("Ann", "Bo"), 0)
    actions = [action(each) for each in ("turn 10H", "1 say stand", "0 expose 9S")]
    correction, other = give_card(header, actions, 2, 1)
    assert ([str(each) for each in correction.redone], correction.misfit, other) == (["1 expose 9S"], None, None)


def test_a_card_of_dummy_changes_places_after_the_first_trick_too() -> None:
    """The 9 of hearts in the open hand was read as the 2 of the defender."""
    header = Header("bridge", ("Ann", "Bo", "Cy", "Dee"), 0)
    tricks = ("2 play 3S", "3 play 9S", "0 play AS", "0 gather", "0 play KH", "1 play 6H", "2 play 2H", "3 play 9H")
    actions = [action(each) for each in (*AUCTION, *DUMMY, *tricks)]
    correction, other = give_card(header, actions, len(actions) - 2, 3)
    assert (correction.misfit, other) == (None, len(actions) - 1)
    new = [str(each) for old, each in zip(actions, correction.actions, strict=True) if each != old]
    assert new == ["2 expose 9H", "2 play 9H", "3 play 2H"]
