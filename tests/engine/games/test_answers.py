"""What the table answers a player: the codes of refusals, and the names, cards and numbers in texts.

The wording itself is in the catalogues (tests/engine/conftest.py); it is not repeated here.
"""

from __future__ import annotations

import pytest

from engine.actions import Action
from engine.cards import Card
from engine.errors import Refused
from engine.table import Table
from engine.views import Event
from tests.engine.talk import action, all_fives, do, table_of


def refused(table: Table, asked: str | Action, code: str, *parts: str) -> None:
    """Assert that the table refuses an action with this code, and that its sentence has these parts."""
    with pytest.raises(Refused) as refusal:
        table.do(action(asked) if isinstance(asked, str) else asked)
    assert refusal.value.code == code
    contains(refusal.value.message, *parts)


def contains(sentence: str, *parts: str) -> None:
    assert [part for part in parts if part not in sentence] == [], sentence


def laid() -> Table:
    """Le Quinze, with four cards on the table and hidden hands; Bo plays first."""
    table = table_of("le-quinze")
    do(table, "turn 6S", "turn 2D", "turn JH", "turn KC")
    return table


def test_a_take_that_is_refused() -> None:
    table = laid()
    do(table, "1 play 7C")
    refused(table, "0 take 6S 2D", "not-your-turn", "Bo")
    refused(table, "1 take 8H", "no-such-card", "Le Quinze", "8H")
    refused(table, "1 take 6S 6S", "not-on-table", "6♠", "twice")
    refused(table, "1 take 6S QD", "not-on-table", "Q♦", "table")
    refused(table, "1 take 6S KC", "not-fifteen", "23", "7♣", "15")
    refused(table, Action("take", 1, cards=()), "wrong-count")
    assert [str(each) for each in table.legal_actions() if each.do == "take"] == ["1 take 6S 2D", "1 take JH"]


def test_every_card_taken_in_a_deal_is_counted() -> None:
    table = laid()
    do(table, "1 play 7C", "1 take 6S 2D", "0 play AC", "1 play 7D", "1 take JH")
    assert table.view().won == (0, 5)


def test_the_hints_of_le_quinze() -> None:
    table = table_of("le-quinze")
    for left, card in enumerate(("KC", "JH", "2D", "6S")):
        contains(table.view().hint, "Ann", "3", "4", f" {4 - left} ")
        do(table, f"turn {card}")
    contains(table.view().hint, "Bo")
    do(table, "1 play 7C", "0 play 7D", "1 play AS", "0 play AH", "1 play 2H", "0 play 3C")
    contains(table.view().hint, "Ann", "3", "Bo")


def test_a_take_that_must_be_made() -> None:
    table = table_of("le-quinze", must_take=True)
    do(table, "turn 6S", "turn 2D", "turn JH", "turn KC", "1 play 7C")
    contains(table.view().hint, "Bo", "7♣", "15")


def test_the_hints_while_cards_are_laid_away() -> None:
    table = all_fives(discard_to_six=True)
    do(table, "0 deal AS KS QS JS 10S 9S", "1 deal AD KD QD JD 10D 9D", "turn 2H", "1 say beg", "0 say change")
    do(table, "0 deal 8S 7S 6S", "1 deal 8D 7D 6D", "turn 2C")
    assert table.phase == "discard"
    contains(table.view().hint, "6 cards")
    do(table, "0 discard 8S 7S 6S")
    contains(table.view().hint, "Bo", "3 cards")
    do(table, "1 discard 8D 7D 6D")
    assert (table.phase, table.view().hint) == ("play", "")


def test_bids_that_are_refused() -> None:
    table = table_of("its-15", 3)
    do(table, "turn green-5")
    for _ in range(3):
        do(table, f"{table.turn} say stay")
    bidder = table.turn
    assert bidder is not None
    refused(table, f"{bidder} bid brown-5", "no-such-card", "brown 5")
    refused(table, f"{bidder} bid AS", "no-such-card", "It's 15", "AS")
    refused(table, f"{bidder} bid {' '.join(['yellow-2'] * 9)}", "not-in-hand", table.header.players[bidder], "9 × ")
    refused(table, f"{bidder} bid {' '.join(['yellow-2'] * 9)}", "not-in-hand", "yellow 2")
    refused(table, Action("bid", bidder, cards=()), "wrong-count")


def test_a_card_that_is_not_green_is_not_turned_to_the_centre() -> None:
    table = table_of("its-15", 3)
    refused(table, "turn brown-5", "no-such-card", "brown 5")
    refused(table, "turn 5H", "no-such-card", "It's 15", "5H")


def test_a_card_that_is_not_of_the_game_and_no_card_at_all() -> None:
    table = all_fives()
    do(table, "turn 2H", "1 say stand")
    refused(table, Action("play", 1, Card("5X", "")), "no-such-card", "'5X'")
    refused(table, Action("play", 1), "no-such-card", "without a name")


def test_a_word_that_names_another_player_for_nothing() -> None:
    table = all_fives()
    do(table, "turn 2H")
    refused(table, Action("say", 1, word="stand", against=0), "no-such-word", "stand")


def test_calls_of_an_exposed_card_that_are_refused() -> None:
    table = all_fives()
    refused(table, "1 say call 9S", "bad-call")
    do(table, "turn 2H", "1 say stand")
    refused(table, "0 say call", "bad-call", "Bo")
    do(table, "1 expose 9S")
    assert "0 say call 9S" in [str(each) for each in table.legal_actions()]
    refused(table, "0 say call", "bad-call")
    refused(table, "1 say call 9S", "bad-call")
    refused(table, "0 say call 8S", "bad-call", "8♠", "Bo")
    do(table, "0 say call 9S")
    refused(table, "0 say call 9S", "bad-call", "9♠")
    refused(table, "1 play 8S", "must-play-called", "Bo", "9♠")


def test_a_call_that_would_be_a_revoke() -> None:
    table = all_fives()
    do(table, "turn 2H", "1 say stand", "0 expose 9D", "1 play KS")
    refused(table, "1 say call 9D", "bad-call", "Ann", "9♦")


def test_calls_of_a_revoke_that_are_refused() -> None:
    table = all_fives()
    do(table, "turn 2H", "1 say stand", "1 play KS")
    refused(table, "1 say revoke 0 4S", "bad-call")
    do(table, "0 play 3D")
    refused(table, "0 say revoke 1 4S", "bad-call", "Bo")
    refused(table, "0 say revoke 0 4S", "bad-call")
    refused(table, "1 say revoke 0 4H", "bad-call", "4♥", "spades")
    refused(table, "1 say revoke 0 KS", "bad-call", "K♠", "Ann")
    do(table, "1 say revoke 0 4S")
    refused(table, "1 say revoke 0 5S", "bad-call", "Ann")


@pytest.mark.parametrize(
    ("game", "event", "part"),
    [
        ("all-fives", Event("trick", 1), "Bo"),
        ("all-fives", Event("redeal"), " "),
        ("le-quinze", Event("sweep", 0), "Ann"),
        ("its-15", Event("round", 1), "Bo"),
        ("its-15", Event("round"), "Nobody"),
    ],
)
def test_events_in_sentences(game: str, event: Event, part: str) -> None:
    contains(table_of(game).view().describe(event), part)


def test_an_event_without_a_sentence_is_called_by_its_name() -> None:
    assert table_of("cribbage").view().describe(Event("encore", 1)) == "encore"


def test_an_event_with_a_card_in_a_sentence() -> None:
    table = all_fives()
    do(table, "turn 2H", "1 say stand", "1 play KS", "0 play 3D", "1 gather", "1 play 4D", "0 expose 4S")
    (event,) = table.view().events
    contains(table.view().describe(event), "Ann", "4♠")
    assert table.view().describe(Event("revoke-proven", 0)).strip().endswith(":")
