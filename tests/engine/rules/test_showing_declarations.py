"""What is shown for declarations has room beside the cards that the hand is known to hold."""

from __future__ import annotations

from engine.record import Header
from engine.table import Table
from tests.engine.talk import do, refusal


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
