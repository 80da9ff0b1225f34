"""Corrections of a record: what they change, which later action no longer fits, and what is refused."""

from __future__ import annotations

import pytest

from engine.actions import Action
from engine.cards import parse_card
from engine.corrections import add_card, give_to_seat, laid_by, remove_card, replace_card, undo_to
from engine.errors import Refused
from engine.observations import Zone
from engine.record import Header
from engine.views import TableCard
from tests.engine.talk import apply, played

HEADER = Header("all-fives", ("Ann", "Bo"), 0)


def act(*written: str) -> list[Action]:
    return [Action.parse(each) for each in written]


TRICK = act("turn 10H", "1 say stand", "1 play KS", "0 play 2S", "1 gather", "1 play 3C", "0 play 4C")


def test_a_correction_says_which_action_no_longer_fits() -> None:
    correction = replace_card(HEADER, TRICK, 3, parse_card("2S"), parse_card("AS"))
    assert correction.misfit is not None
    assert (correction.misfit.number, correction.misfit.code) == (4, "not-your-turn")
    assert "Ann" in correction.misfit.reason
    assert correction.actions == (*TRICK[:3], *act("0 play AS"))
    assert correction.lost == tuple(TRICK[4:])
    apply(HEADER, correction)


def test_what_the_rules_refuse_is_refused() -> None:
    with pytest.raises(Refused, match="already-seen"):
        replace_card(HEADER, TRICK, 6, parse_card("4C"), parse_card("10H"))
    with pytest.raises(Refused):
        give_to_seat(HEADER, TRICK, 2, 0)
    with pytest.raises(Refused, match="already-seen"):
        add_card(HEADER, TRICK, parse_card("KS"), Zone("play", 0))
    with pytest.raises(Refused, match="nothing-to-undo"):
        undo_to(HEADER, [], 0)
    with pytest.raises(ValueError, match="does not name"):
        replace_card(HEADER, TRICK, 2, parse_card("2S"), parse_card("3S"))


def test_two_cards_taken_for_each_other_change_places() -> None:
    record = act("turn 10H", "1 say stand", "1 play KS", "0 play KC")
    correction = replace_card(HEADER, record, 2, parse_card("KS"), parse_card("KC"))
    assert correction.misfit is None and correction.actions[2:] == tuple(act("1 play KC", "0 play KS"))


def test_a_card_that_was_not_there_and_withdrawn_goes_with_its_withdrawal() -> None:
    record = act("turn 10H", "1 say stand", "1 play KS", "1 withdraw KS", "1 play QS")
    correction = remove_card(HEADER, record, 2)
    assert correction.misfit is None and correction.actions == tuple(act("turn 10H", "1 say stand", "1 play QS"))


def test_a_missed_card_goes_to_the_latest_place_that_fits() -> None:
    header = Header("cribbage", ("Ann", "Bo"), 0)
    cut = Header("cribbage", ("Ann", "Bo"))
    assert add_card(cut, act("0 cut 5H"), parse_card("9S"), Zone("play", 1)).actions[1:] == tuple(act("1 cut 9S"))
    begun = act("0 discard", "1 discard", "turn 5H", "1 play 9S", "1 play 2S")
    correction = add_card(header, begun[:4], parse_card("KD"), Zone("play", 0))
    assert correction.actions[-1] == act("0 play KD")[0]


def test_a_card_of_a_bid_is_replaced_removed_and_added() -> None:
    header = Header("its-15", ("Ann", "Bo"), 0)
    record = act("turn green-5", "0 say stay", "1 say stay", "0 bid black-1 black-1")
    table = played(header, record[:3])
    colours = [card for card in table.view().deck.kinds if card.suit not in ("green", "brown")]
    ones = sorted((card for card in colours if card.rank == "1"), key=str)
    twos = {card.suit: card for card in colours if card.rank == "2"}
    mine = next(card for card in ones if table.can(Action("bid", 0, cards=(card, card))))
    record = [*record[:3], Action("bid", 0, cards=(mine, mine))]
    removed = remove_card(header, record, 3, mine)
    assert removed.actions[3].cards == (mine,)
    assert add_card(header, record[:3], mine, Zone("bid", 0)).actions[3].cards == (mine,)
    larger = add_card(header, record, twos[mine.suit], Zone("bid", 0))
    assert larger.actions[3].cards == (mine, mine, twos[mine.suit])
    other = replace_card(header, record, 3, mine, twos[mine.suit])
    assert other.actions[3].cards == (mine, twos[mine.suit])


def test_the_action_that_laid_a_card_is_found() -> None:
    assert laid_by(TRICK, TableCard(parse_card("4C"), Zone("play", 0))) == 6
    assert laid_by(TRICK, TableCard(parse_card("10H"), Zone("turn-up"))) == 0
    assert laid_by(TRICK, TableCard(parse_card("4C"), Zone("play", 1))) is None
    named_since = [*TRICK, *act("0 withdraw 4C", "0 deal 4C", "0 discard 4C", "0 say revoke 1 4C")]
    assert laid_by(named_since, TableCard(parse_card("4C"), Zone("play", 0))) == 6


def test_everything_may_be_undone() -> None:
    assert undo_to(HEADER, TRICK, 0).actions == ()
    assert undo_to(HEADER, TRICK, 6).actions == tuple(TRICK[:6])
    assert undo_to(HEADER, TRICK, 6).old == tuple(TRICK)
    for number in (-1, 7):
        with pytest.raises(Refused, match="nothing-to-undo"):
            undo_to(HEADER, TRICK, number)


def test_the_names_change_places_in_a_take_and_other_cards_stay() -> None:
    header = Header("le-quinze", ("Ann", "Bo"), 0)
    record = act("turn 6S", "turn 2D", "turn JH", "turn KC", "1 play 7C", "1 take 6S 2D", "0 play 6H")
    correction = replace_card(header, record, 0, parse_card("6S"), parse_card("6H"))
    assert correction.misfit is None
    assert correction.actions == tuple(
        act("turn 6H", "turn 2D", "turn JH", "turn KC", "1 play 7C", "1 take 6H 2D", "0 play 6S")
    )


def test_the_names_change_places_only_until_the_cards_are_shuffled() -> None:
    cut = Header("all-fives", ("Ann", "Bo"))
    record = act("0 cut KS", "1 cut 2S", "turn 10H", "1 say stand", "1 play KS", "0 play QS")
    correction = replace_card(cut, record, 0, parse_card("KS"), parse_card("QS"))
    assert correction.misfit is None
    assert correction.actions == (*act("0 cut QS"), *record[1:])


def test_a_card_exposed_before_it_was_played_is_added_there() -> None:
    record = act("turn 10H", "1 say stand", "1 play KS", "0 play 9S")
    correction = add_card(HEADER, record, parse_card("9S"), Zone("show", 0))
    assert correction.misfit is None
    assert correction.actions == (*record[:3], *act("0 expose 9S", "0 play 9S"))


def test_why_a_card_of_a_zone_that_all_share_cannot_be_added() -> None:
    record = act("turn 10C", "1 play 7H", "0 play KD", "1 play 8H", "0 play 6S", "1 play 9H", "0 play 5S")
    record += act("1 play QD", "0 play 4S")
    with pytest.raises(Refused, match="wrong-count"):
        add_card(Header("cribbage", ("Ann", "Bo"), 0), record, parse_card("2C"), Zone("crib"))
    record = act("turn 6S", "turn 2D", "turn JH", "turn KC")
    with pytest.raises(Refused, match="wrong-phase"):
        add_card(Header("le-quinze", ("Ann", "Bo"), 0), record, parse_card("3C"), Zone("table"))
