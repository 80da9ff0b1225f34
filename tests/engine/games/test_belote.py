"""Belote: taking, the auction, duties, declarations, and belote."""

from __future__ import annotations

from typing import Final

from engine.actions import Action
from engine.cards import Card, parse_card
from engine.table import Table
from tests.engine.talk import do, events, points, refusal, table_of

# Play goes to the right: seat 0 deals, then come 3, 2, 1.
FIRST: Final = ("7S 8S 9S AD KD", "7C 8C 9C AC KC", "10S JS QS 7D 8D", "KS AS 7H 8H 9D")
TURNED: Final = "JH"
HANDS: Final = ("7S 8S 9S AD KD 10H AH 10D", "7C 8C 9C AC KC QH KH 10C", "10S JS QS 7D 8D 9H QD QC")
"""Seat 3 has the others: KS AS 7H 8H 9D JH JD JC."""


def cards(written: str) -> tuple[Card, ...]:
    return tuple(map(parse_card, written.split()))


def contree(*actions: str, **options: object) -> Table:
    table = table_of("belote", 4, 0, **{"form": "contree", **options})
    for seat, hand in enumerate(HANDS):
        table.do(Action("deal", seat, cards=cards(hand)))
    table.do(Action("deal", 3, cards=cards("KS AS 7H 8H 9D JH JD JC")))
    do(table, *actions)
    return table


def taken(*actions: str) -> Table:
    table = table_of("belote", 4, 0)
    for seat, hand in enumerate(FIRST):
        table.do(Action("deal", seat, cards=cards(hand)))
    do(table, f"turn {TURNED}", *actions)
    return table


def words(table: Table) -> list[str]:
    return [action.word or "" for action in table.legal_actions() if action.do == "say"]


def test_the_turn_up_is_taken_in_the_first_round_or_with_another_suit() -> None:
    table = taken()
    assert (table.turn, words(table)) == (3, ["take-up", "pass"])
    do(table, "3 say pass", "2 say pass", "1 say pass", "0 say pass")
    assert (table.turn, words(table)) == (3, ["spade", "diamond", "club", "pass"])
    do(table, "3 say pass", "2 say spade")
    view = table.view(2)
    assert (view.trump, view.hands[2].size, table.phase, table.turn) == ("S", 8, "deal", 3)
    assert parse_card(TURNED) in view.hands[2].cards and not table.lying
    assert refusal(table, "2 deal 9H QD QC") == "wrong-count"
    assert refusal(table, "3 deal JH JD JC") == "already-seen"
    do(table, "2 deal QD QC", "3 deal 9H JD JC")
    assert len(table.view(2).hands[2].cards) == len(table.view(3).hands[3].cards) == 8
    do(table, "3 play 9D")
    assert (table.phase, table.turn, refusal(table, "0 deal 10H AH 10D")) == ("play", 2, "wrong-phase")


def test_all_pass_twice_and_the_deal_passes_to_the_right() -> None:
    table = taken(*(f"{seat} say pass" for seat in (3, 2, 1, 0, 3, 2, 1)))
    assert events(do(table, "0 say pass")) == ["passed"]
    assert (table.view().dealer, table.scores, table.lying) == (3, (0, 0), ())


def test_the_auction() -> None:
    table = contree()
    assert (table.turn, words(table)[:3], words(table)[-1]) == (3, ["pass", "80", "90"], "capot")
    do(table, "3 say pass", "2 say 100")
    assert (table.turn, words(table)) == (2, ["spade", "heart", "diamond", "club"])
    do(table, "2 say heart")
    assert (table.turn, words(table)[:3]) == (1, ["pass", "double", "110"])
    do(table, "1 say double")
    assert (table.turn, words(table)) == (0, ["pass", "redouble"])
    do(table, "0 say pass")
    assert words(table) == ["pass"]
    do(table, "3 say pass")
    assert words(table) == ["pass", "redouble"]
    do(table, "2 say redouble")
    assert (table.phase, table.turn, table.view().trump) == ("play", 3, "H")
    assert ("contract", "100 ♥ ×4, Cy") in table.view().facts
    assert table.view().calls[:3] == ((3, "pass"), (2, "100-heart"), (1, "double")) and len(table.view().calls) == 6


def test_no_trumps_and_all_trumps_if_the_table_plays_so() -> None:
    table = contree("3 say 80", "3 say no-trumps", "2 say 90", no_trumps=True)
    assert words(table)[-2:] == ["no-trumps", "all-suits"]
    do(table, "2 say all-suits", "1 say pass", "0 say pass", "3 say pass", "3 play 9D")
    assert refusal(table, "2 play QD") == "" and refusal(table, "2 play 10S") == "must-follow-suit"
    do(table, "2 play QD")
    assert refusal(table, "1 play QH") == ""


def test_a_known_hand_must_rise_and_a_hidden_one_revokes() -> None:
    table = contree("3 say 80", "3 say heart", "2 say pass", "1 say pass", "0 say pass", "3 play 7H", "2 play 9H")
    assert refusal(table, "1 play QH") == ""  # it has no higher trump
    hidden = table_of("belote", 4, 0, form="contree")
    do(hidden, "3 say 80", "3 say heart", "2 say pass", "1 say pass", "0 say pass")
    do(hidden, "3 play 7H", "2 play QH", "1 play 8H", "0 play KH")
    assert events(do(hidden, "0 play 7S", "3 play 8S", "2 play 9S", "1 play JH"))[0] == "revoke-proven 1 JH"
    hidden.undo()
    do(hidden, "1 play 7C")
    assert "revoke-proven 1 AH" in events(do(hidden, "2 play 8D", "1 play AH"))


def test_declarations_are_shown_and_the_best_side_scores_all() -> None:
    table = contree("3 say pass", "2 say pass", "1 say 80", "1 say club", "0 say pass", "3 say pass", "2 say pass")
    assert refusal(table, "3 say tierce") == "no-such-word"
    do(table, "3 play 9D", "2 say tierce", "2 play 7D", "1 say tierce", "1 play 7C", "0 say tierce", "0 play 10D")
    assert (table.phase, table.turn) == ("show", 2)
    assert refusal(table, "0 play 7S") == "wrong-phase"
    assert refusal(table, "2 show 10S JS") == "wrong-count"
    assert refusal(table, "2 show 10S JS 9S") == "already-seen"
    assert refusal(table, "2 show 10S JS QD") == "wrong-amount"
    do(table, "2 show JS 10S QS")
    assert table.turn == 1
    do(table, "1 say pass")
    assert table.turn == 0
    do(table, "0 show 7S 8S 9S")
    assert (table.phase, dict(table.view().facts)["declarations"]) == ("play", "Ann and Cy: 40")


def test_a_hidden_hand_declares_and_the_cards_shown_are_known() -> None:
    table = table_of("belote", 4, 0, form="contree")
    do(table, "3 say 80", "3 say heart", "2 say pass", "1 say pass", "0 say pass")
    do(table, "3 say carre", "3 say tierce", "3 play 7S")
    assert refusal(table, "2 say carre") == ""
    do(table, "2 play 8S", "1 play 9S", "0 say cent", "0 play 10S")
    assert refusal(table, "3 show JS JH JD JC 7D 8D 10D") == "wrong-amount"
    do(table, "3 show JS JH JD JC 7D 8D 9D")
    assert dict(table.view().facts)["declarations"] == "Bo and Dee: 220"
    assert refusal(table, "0 play JS") == "already-seen"


def test_belote_and_rebelote_from_one_hand() -> None:
    actions = ("3 say 80", "3 say heart", "2 say pass", "1 say pass", "0 say pass", "3 play JH", "2 play 9H")
    table = contree(*actions)
    assert "belote 1" not in events(do(table, "1 play KH", "0 play 10H", "3 play 7H", "2 play 7D"))
    assert "belote 1" in events(do(table, "1 play QH"))
    assert ("belote", "Bo") in table.view().facts
    table = contree(*actions, say_belote=True)
    do(table, "1 say rebelote")
    assert refusal(table, "1 say rebelote") == "no-such-word"  # once before each card
    do(table, "1 play KH", "0 play 10H", "3 play 7H", "2 play 7D")
    assert "belote 1" not in events(do(table, "1 play QH"))
    table = contree(*actions, say_belote=True)
    do(table, "1 play KH", "0 play 10H", "3 play 7H", "2 play 7D")
    assert "belote 1" in events(do(table, "1 say rebelote", "1 play QH"))


def test_a_hand_scores_all_points_without_what_was_taken_back() -> None:
    table = contree("3 say 80", "3 say heart", "2 say pass", "1 say pass", "0 say pass", declarations=False)
    do(table, "3 play JH", "3 withdraw JH")
    outcome = None
    while table.phase == "play":
        outcome = table.do(next(action for action in table.legal_actions() if action.do == "play"))
    assert outcome is not None
    made = [each for each in points(outcome) if each[2] != "contract"]
    assert sum(each[1] for each in made) in (162, 182, 252, 272)
    assert table.view().counted
