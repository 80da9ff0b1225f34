"""Which observed cards are those that lie there by the record: what does not show in what players do."""

from __future__ import annotations

from engine.cards import parse_card
from engine.observations import Scene, Sighting, Zone
from engine.referee.matching import laid_in_hand, revive_after_undo
from engine.referee.observed_cards import ObservedCards
from engine.referee.referee import Referee
from engine.table import Table
from tests.engine.referee.table_top import TableTop
from tests.engine.talk import do, table_of


def led() -> tuple[Table, ObservedCards]:
    """Bo has led K♠ by the record; it lies there, and the referee has not judged it."""
    table = Table("all-fives", ["Ann", "Bo"], dealer=0)
    do(table, "turn 2H", "1 say stand", "1 play KS")
    cards = ObservedCards()
    cards.update(Scene(2.0, "camera", (Sighting("a", parse_card("KS"), Zone("play", 1), 1.0),)), 0)
    return table, cards


def test_an_undone_or_finished_card_counts_again_after_an_undo() -> None:
    table, cards = led()
    (card,) = cards
    card.refuse("undone")
    revive_after_undo(table, cards)
    assert card.status == "counted"
    card.retire()
    revive_after_undo(table, cards)
    assert card.status == "counted"


def test_a_card_refused_for_another_reason_does_not_count_after_undo() -> None:
    table, cards = led()
    (card,) = cards
    card.refuse("two-cards")
    revive_after_undo(table, cards)
    assert (card.status, card.code) == ("refused", "two-cards")


def test_after_a_restart_equal_cards_belong_to_the_bids_that_laid_them() -> None:
    top = TableTop(("Ann", "Bo"), 0, game="its-15")
    top.lay("green-5", "table")
    for seat in (0, 1):
        top.say(seat, "stay")
    for face, seat in (("red-1", 0), ("blue-2", 1), ("red-1", 0)):
        top.lay(face, "bid", seat)
    bids = [number for number, action in enumerate(top.table.actions) if action.seat == 0 and action.do == "bid"]
    top.referee = Referee(top.table)
    top.show()
    reds = [card for card in top.referee.seen() if card.face == parse_card("red-1")]
    assert sorted(card.number or 0 for card in reds) == bids


def test_the_cards_laid_in_a_hand_are_those_since_its_turn_up() -> None:
    table = table_of("oh-hell", 3, cards=2, course="up-down")
    do(table, "turn 2H", "1 say 0", "2 say 0", "0 say 0", "1 play 3S", "2 play 4S", "0 play 5S")
    assert laid_in_hand(table) == {*map(parse_card, ("2H", "3S", "4S", "5S"))}
    do(table, "turn 6C")
    assert laid_in_hand(table) == {parse_card("6C")}


def test_cards_are_cut_before_the_first_hand_without_a_turn_up() -> None:
    table = table_of("hearts", 4, None)
    do(table, "0 cut 2S", "1 cut 3S", "2 cut 4S", "3 cut 5S")
    assert (table.turns_up, table.phase) == (False, "deal")
    assert laid_in_hand(table) == {*map(parse_card, ("2S", "3S", "4S", "5S"))}
