"""Cards swiped across deal readers: which hands and discards they complete."""

from __future__ import annotations

import pytest

from engine.actions import Action
from engine.cards import Card, parse_card
from engine.observations import Swipe, Swiped, UndoAsked
from engine.record import Header
from engine.referee.referee import Referee
from engine.table import Table

HAND = tuple(map(parse_card, ("KS", "QS", "2S", "3D", "4D", "AH")))
OTHER = tuple(map(parse_card, ("5C", "6C", "7C", "8C", "9C", "10C")))


def swiped(*cards: tuple[int, int, Card], source: str = "readers") -> Swiped:
    return Swiped(0.0, source, tuple(Swipe(*card) for card in cards))


def hand(seat: int, cards: tuple[Card, ...] = HAND, first: int = 1) -> list[tuple[int, int, Card]]:
    return [(number, seat, card) for number, card in enumerate(cards, first)]


@pytest.fixture
def table() -> Table:
    return Table(Header("cribbage", ("Ann", "Bo"), 0))


@pytest.fixture
def referee(table: Table) -> Referee:
    return Referee(table)


def test_a_hand_is_known_once_all_of_it_was_swiped(table: Table, referee: Referee) -> None:
    for count in range(1, 6):
        referee.observe(swiped(*hand(1)[:count]))
    assert not table.actions
    assert [prompt.kind for prompt in referee.prompts] == ["turn"]
    referee.observe(swiped(*hand(1)))
    assert table.actions == (Action("deal", 1, cards=HAND),)


def test_hands_dealt_by_turns_are_known(table: Table, referee: Referee) -> None:
    cards = [(2 * number - first, seat, card) for seat, first in ((1, 1), (0, 0)) for number, _, card in hand(seat)]
    cards = [(number, seat, card if seat else OTHER[HAND.index(card)]) for number, seat, card in cards]
    for count in range(1, 13):
        referee.observe(swiped(*sorted(cards)[:count]))
    assert table.actions == (Action("deal", 1, cards=HAND), Action("deal", 0, cards=OTHER))


def test_the_same_report_again_changes_nothing(table: Table, referee: Referee) -> None:
    for _ in range(3):
        referee.observe(swiped(*hand(1)))
    assert [action.do for action in table.actions] == ["deal"]


def test_cards_of_the_hand_that_are_swiped_again_are_laid_away(table: Table, referee: Referee) -> None:
    referee.observe(swiped(*hand(1)))
    referee.observe(swiped(*hand(1)[1:], (7, 1, HAND[0])))
    assert len(table.actions) == 1
    referee.observe(swiped(*hand(1)[2:], (7, 1, HAND[0]), (8, 1, HAND[1])))
    assert table.actions[1:] == (Action("discard", 1, cards=HAND[:2]),)


def test_cards_of_an_unknown_hand_are_not_laid_away(table: Table, referee: Referee) -> None:
    referee.observe(swiped(*hand(1)))
    referee.observe(swiped(*hand(1), *hand(0, OTHER[:2], 7)))
    assert [action.seat for action in table.actions] == [1]


def test_a_deal_that_was_undone_is_not_repeated_by_its_swipes(table: Table, referee: Referee) -> None:
    referee.observe(swiped(*hand(1)))
    referee.observe(UndoAsked(1.0, "page"))
    referee.observe(swiped(*hand(1), (7, 0, OTHER[0])))
    assert not table.actions
    referee.observe(swiped((7, 0, OTHER[0]), *hand(1, first=8)))
    assert table.actions == (Action("deal", 1, cards=HAND),)


def test_each_reader_board_numbers_its_own_swipes(table: Table, referee: Referee) -> None:
    referee.observe(swiped(*hand(1), source="board 0"))
    referee.observe(swiped(*hand(0, OTHER), source="board 1"))
    assert table.actions == (Action("deal", 1, cards=HAND), Action("deal", 0, cards=OTHER))


def test_a_new_referee_goes_on_with_the_swipes_of_the_last(table: Table, referee: Referee) -> None:
    referee.observe(swiped(*hand(1)))
    table.do(Action("undo"))
    Referee(table, swipes=referee.swipes).observe(swiped(*hand(1)))
    assert not table.actions


def test_what_was_swiped_before_something_else_is_of_another_deal() -> None:
    table = Table(Header("all-fives", ("Ann", "Bo"), 0))
    referee = Referee(table)
    referee.observe(swiped(*hand(1)[:5]))
    table.do(Action("turn", card=parse_card("9H")))
    referee.observe(swiped(*hand(1)))
    assert [action.do for action in table.actions] == ["turn"]


def test_swipes_whose_effect_is_not_kept_count_again(table: Table) -> None:
    """The record is put back and another referee begins, as when nothing can be stored."""
    first = Referee(table)
    before = first.swipes
    first.observe(swiped(*hand(1)))
    table.do(Action("undo"))
    Referee(table, swipes=before).observe(swiped(*hand(1)))
    assert table.actions == (Action("deal", 1, cards=HAND),)
