"""What is shown for declarations has room beside the cards that the hand is known to hold."""

from __future__ import annotations

from typing import Final

from engine.actions import Action
from engine.record import Header
from engine.table import Table
from tests.engine.talk import do, events, refusal


def test_a_hand_of_known_cards_shows_no_more_than_it_can_hold() -> None:
    """Seven cards are left, five of them known: at most two of those shown are others."""
    table = Table(Header("belote", ("Ann", "Bo", "Cy", "Dee"), 2))
    do(table, "3 deal 10D JC KS AH 9S", "turn KD", "1 say pass", "0 say take-up", "1 play JH", "0 play 9D")
    do(table, "3 say carre", "3 say tierce", "3 play 9H", "2 play 7C")
    assert refusal(table, "3 show QS QH QD QC 8S 9S 10S") == "not-in-hand"
    assert not list(table.question.offers["show"].actions())
    assert refusal(table, "3 say pass") == ""


def test_it_shows_what_fits_beside_them() -> None:
    table = Table(Header("belote", ("Ann", "Bo", "Cy", "Dee"), 2))
    do(table, "3 deal 10D JC KS AH 9S", "turn KD", "1 say pass", "0 say take-up", "1 play JH", "0 play 9D")
    do(table, "3 say tierce", "3 play 9H", "2 play 7C")
    assert refusal(table, "3 show QS KS AS") == ""


SHOWN: Final = "0 show QS KS AS"


def declared(*played: str) -> Table:
    """Hidden hands; seat 0 has declared a tierce and played to the first trick, which is complete."""
    table = Table(Header("belote", ("Ann", "Bo", "Cy", "Dee"), 1))
    do(table, "turn KD", "0 say take-up", "0 say tierce", *played)
    return table


def test_the_showings_that_are_possible_are_listed() -> None:
    table = declared("0 play QH", "3 play 9H", "2 play 7H", "1 play 8H")
    showings = [*table.question.offers["show"].actions()]
    assert Action.parse(SHOWN) in showings and all(table.can(action) for action in showings)
    assert {(action.do, action.seat, len(action.cards or ())) for action in showings} == {("show", 0, 3)}


def test_a_card_that_is_shown_may_prove_a_revoke() -> None:
    table = Table(Header("belote", ("Ann", "Bo", "Cy", "Dee"), 0))
    do(table, "turn KD", "3 say take-up", "3 play 7S", "2 say tierce", "2 play 7C", "1 play 8S", "0 play 9S")
    assert events(do(table, "2 show QS KS AS"))[0] == "revoke-proven 2 QS"
