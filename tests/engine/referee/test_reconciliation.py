"""Which observed cards are those that lie there by the record: what does not show in what players do."""

from __future__ import annotations

from engine.actions import Action
from engine.cards import parse_card
from engine.observations import Scene, Sighting, Zone
from engine.referee.observed_cards import ObservedCards
from engine.referee.reconciliation import revive_after_undo
from engine.referee.referee import Referee
from engine.table import Table
from tests.engine.referee.table_top import TableTop
from tests.engine.talk import do


def led() -> tuple[Table, ObservedCards]:
    """Bo has led K♠ by the record; it lies there, and the referee has not judged it."""
    table = Table("all-fives", ["Ann", "Bo"], dealer=0)
    do(table, "turn 2H", "1 say stand", "1 play KS")
    cards = ObservedCards()
    cards.update(Scene(2.0, "camera", (Sighting("a", parse_card("KS"), Zone("play", 1), 1.0),)), 0)
    return table, cards


def test_after_an_undo_a_card_counts_again_that_was_undone_or_finished_with() -> None:
    table, cards = led()
    (card,) = cards
    card.refuse("undone")
    revive_after_undo(table, cards)
    assert card.status == "counted"
    card.retire()
    revive_after_undo(table, cards)
    assert card.status == "counted"


def test_after_an_undo_a_card_that_was_refused_for_another_reason_does_not_count() -> None:
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
    top.referee = Referee(top.table, top.apply)
    top.show()
    reds = [card for card in top.referee._cards if card.face == parse_card("red-1")]
    assert sorted(card.action_number or 0 for card in reds) == bids
    assert all(card.action == Action("bid", 0, cards=(parse_card("red-1"),)) for card in reds)
