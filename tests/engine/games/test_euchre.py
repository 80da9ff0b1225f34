"""Euchre: who makes trumps, the bowers, lone hands, what the dealer lays away, and what a hand scores."""

from __future__ import annotations

from typing import Any, Final

import pytest

from engine.actions import Action
from engine.cards import Card, parse_card
from engine.rules.questions import ClaimOfHand
from engine.table import Table
from tests.engine.talk import do, events, points, refusal, rules_of, table_of

HANDS: Final = ("9S 10S QS 9C 10C", "JH JD AH KH AC", "AS KS JS QC KC", "9H 10H 9D AD KD")
"""Seat 0 deals and QH is turned up: seat 1 has the bowers, ace and king of hearts."""


def dealt(hands: tuple[str, ...] = HANDS, turned: str = "QH", **options: object) -> Table:
    table = table_of("euchre", 4, 0, **options)
    for seat, hand in enumerate(hands):
        table.do(Action("deal", seat, cards=tuple(map(parse_card, hand.split()))))
    do(table, f"turn {turned}")
    return table


def words(table: Table) -> list[str]:
    return [action.word or "" for action in table.legal_actions() if action.do == "say"]


def scored(maker: int, won: tuple[int, ...], alone: tuple[int, ...] = (), revokers: tuple[int, ...] = ()) -> Any:
    """The points of a hand with these tricks by seat."""
    game = rules_of(table_of("euchre", 4, 0))
    game.tricks_won = lambda: won
    game.alone, game.revokers = alone, revokers
    game.count_hand(maker)
    return [(game.side_of(point.seat), point.points, point.reason) for point in game.points]


@pytest.mark.parametrize(
    ("maker", "won", "alone", "score"),
    [
        (1, (1, 2, 1, 1), (), [(1, 1, "made")]),
        (1, (0, 3, 1, 1), (), [(1, 1, "made")]),
        (2, (2, 0, 3, 0), (), [(0, 2, "march")]),
        (2, (0, 0, 5, 0), (2,), [(0, 4, "lone-march")]),
        (2, (0, 1, 4, 0), (2,), [(0, 1, "made")]),
        (3, (2, 1, 1, 1), (), [(0, 2, "euchre")]),
        (3, (2, 0, 1, 2), (3,), [(0, 2, "euchre")]),
        (3, (3, 0, 0, 2), (3, 0), [(0, 4, "lone-euchre")]),
    ],
)
def test_worked_examples(
    maker: int, won: tuple[int, ...], alone: tuple[int, ...], score: list[tuple[int, int, str]]
) -> None:
    assert scored(maker, won, alone) == score


def test_after_a_revoke_only_the_other_side_scores() -> None:
    assert scored(1, (0, 3, 0, 2), revokers=(1,)) == [(0, 2, "revoke")]
    assert scored(1, (0, 3, 0, 2), revokers=(0,)) == [(1, 2, "revoke")]
    assert scored(1, (0, 5, 0, 0), (1,), revokers=(0,)) == [(1, 4, "revoke")]
    assert scored(1, (0, 3, 0, 2), revokers=(0, 1)) == []


@pytest.mark.parametrize(("alone", "points"), [((), 2), ((1,), 4), ((0,), 2)])
def test_what_a_revoke_costs_is_said(alone: tuple[int, ...], points: int) -> None:
    """Four points are scored against a side that revokes while a player of the other one is alone."""
    game = rules_of(table_of("euchre", 4, 0))
    game.alone = alone
    assert str(game.revoke_costs(0)).endswith(f"the others score {points}.")


def test_the_dealer_takes_the_turn_up_and_lays_a_card_away() -> None:
    table = dealt()
    assert (table.turn, words(table)) == (1, ["order-up", "alone", "pass"])
    do(table, "1 say pass", "2 say pass", "3 say pass")
    assert words(table) == ["take-up", "alone", "pass"]
    do(table, "0 say take-up")
    assert (table.phase, table.view().hands[0].size, table.lying) == ("discard", 6, ())
    assert refusal(table, "0 discard AH") == "already-seen"
    assert refusal(table, "1 discard AH") == "wrong-phase"
    do(table, "0 discard 9C")
    assert (table.phase, table.turn, table.view().trump) == ("play", 1, "H")
    assert ("made by", "Ann") in table.view().facts


def test_a_hidden_dealer_has_laid_away_at_the_first_lead() -> None:
    table = table_of("euchre", 4, 0)
    do(table, "turn QH", "1 say order-up")
    assert "Ann lays 1 card away face down; then Bo leads." in table.view().hint
    do(table, "1 play AC", "2 play QC", "3 play 9H", "0 play QH")
    assert table.turn == 0 and [hand.size for hand in table.view().hands] == [4] * 4


def test_the_left_bower_is_a_trump() -> None:
    table = dealt()
    do(table, "1 say order-up", "0 discard 9S", "1 play AC", "2 play QC")
    assert refusal(table, "3 play 9D") == ""
    do(table, "3 play KD", "0 play 10C", "1 play JD", "2 play KC")
    assert dict(table.view().facts)["trumps"] == "hearts ♥" and table.view().led == "H"
    assert refusal(table, "3 play AD") == "must-follow-suit"
    do(table, "3 play 9H")
    assert refusal(table, "0 play QS") == "must-follow-suit"
    assert events(do(table, "0 play QH")) == ["trick 1"]


def test_not_to_follow_a_left_bower_is_a_revoke() -> None:
    table = table_of("euchre", 4, 0)
    do(table, "turn QH", "1 say order-up", "1 play JD", "2 play KC", "3 play 9D", "0 play QH")
    assert refusal(table, "0 say revoke 3 AD") == "bad-call"
    assert {card.suit for card in table.view().choices("revoke")} == {"H"}
    assert refusal(table, "0 say revoke 3 9H") == ""
    assert events(do(table, "1 play AH", "2 play JS", "3 play 10H"))[0] == "revoke-proven 3 10H"


def test_if_all_pass_another_suit_is_named_and_the_dealer_must() -> None:
    table = dealt()
    do(table, *(f"{seat} say pass" for seat in (1, 2, 3, 0)))
    assert table.lying == () and words(table) == ["spade", "diamond", "club", "alone", "pass"]
    do(table, *(f"{seat} say pass" for seat in (1, 2, 3)))
    assert words(table) == ["spade", "diamond", "club", "alone"]
    do(table, "0 say alone")
    assert words(table) == ["spade", "diamond", "club"]
    do(table, "0 say spade")
    assert [hand.size for hand in table.view().hands] == [5, 5, 0, 5]
    assert ("alone", "Ann") in table.view().facts


def test_without_stick_the_dealer_all_may_pass_twice() -> None:
    table = dealt(stick_the_dealer=False)
    outcome = do(table, *(f"{seat} say pass" for seat in (1, 2, 3, 0, 1, 2, 3, 0)))
    assert events(outcome) == ["passed"] and points(outcome) == []
    assert (table.phase, table.view().dealer, table.scores) == ("deal", 1, (0, 0))


def test_a_lone_maker_and_a_lone_defender() -> None:
    table = dealt(lone_defender=True)
    do(table, "1 say pass", "2 say alone")  # the dealer is the partner who sits out, and takes no card up
    assert (table.turn, words(table)) == (1, ["alone", "pass"])
    do(table, "1 say alone")
    assert [hand.size for hand in table.view().hands] == [0, 5, 5, 0]
    outcome = do(table, "1 play JD", "2 play JS", "1 play JH", "2 play QC", "1 play AH", "2 play KS")
    assert events(outcome) == ["trick 1"]
    outcome = do(table, "1 play KH", "2 play KC", "1 play AC", "2 play AS")
    assert points(outcome) == [(1, 4, "lone-euchre")]


def test_if_the_player_left_of_the_dealer_sits_out_the_next_one_leads() -> None:
    table = dealt()
    do(table, "1 say pass", "2 say pass", "3 say alone", "0 discard 9S")
    assert table.turn == 2


def test_a_farmers_hand_is_dealt_again() -> None:
    hands = ("AS KS QS JS JC", "9S 10S 9C 10C 9H", "AC KC QC AH KH", "JH QD KD AD JD")
    table = dealt(hands, farmers_hand=True)
    assert "farmer" in table.view().words[1]
    assert events(do(Table(table.header), "turn QH", "1 say farmer")) == ["redeal"]
    assert events(do(table, "1 say farmer")) == ["redeal"]
    assert (table.phase, table.view().dealer) == ("deal", 0)
    other = dealt(farmers_hand=True)
    assert refusal(other, "1 say farmer") == "no-such-word" and "farmer" in other.view().words[1]
    assert refusal(dealt(hands), "1 say farmer") == "no-such-word"  # an option


def test_a_hand_of_nines_and_tens_is_a_farmers_hand() -> None:
    table = table_of("euchre", 4, 0, farmers_hand=True)
    do(table, "turn KD")
    say = table.question.offers["say"]
    assert isinstance(say, ClaimOfHand)
    assert say.is_true("farmer", 1, [Card(rank, "S") for rank in ("9", "10")])
    assert not say.is_true("farmer", 1, [Card("9", "S"), Card("J", "S")])
