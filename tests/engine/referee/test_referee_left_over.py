"""The referee: cards that lie on the table already when the program starts or a new hand begins."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.actions import Action
from engine.cards import parse_card
from engine.observations import Scene, Sighting, UndoAsked, Zone
from engine.record import Header
from engine.referee.referee import Referee
from engine.table import Table
from tests.engine.referee.table_top import TableTop, hand_over, play


def test_a_resumed_game_recognises_the_cards_on_the_table() -> None:
    top = TableTop().started()
    top.lay("KS", "play", 1)
    top.referee = Referee(top.table)
    top.done.clear()
    top.show()
    assert (top.done, top.kinds) == ([], ["turn"])
    top.lay("3S", "play", 0)
    assert top.done == [play(0, "3S")]


def test_an_action_card_left_over_from_before_a_restart_is_not_said_again() -> None:
    top = TableTop()
    top.lay("2H", "turn-up")
    top.lay("say:stand", "say", 1)
    top.referee = Referee(top.table)
    top.done.clear()
    top.show()
    assert (top.done, top.kinds) == ([], ["turn"])


def test_cards_on_the_table_before_a_game_begins_must_be_laid_again() -> None:
    table = Table(Header("all-fives", ("Ann", "Bo"), 0, {}))
    referee = Referee(table)
    old = Sighting("a", parse_card("2H"), Zone("turn-up"), 0.0)
    referee.observe(Scene(1.0, "camera", (old,)))
    assert table.actions == ()
    assert referee.prompts[0].text == "Pick up 2♥; it is left over."
    referee.observe(Scene(2.0, "camera", ()))
    assert [prompt.kind for prompt in referee.prompts] == ["turn"]
    referee.observe(Scene(9.0, "camera", (replace(old, card_id="b", since=9.0),)))
    assert [action.do for action in table.actions] == ["turn"]


def test_cards_finished_with_before_a_restart_may_stay() -> None:
    """Earlier tricks, all first seen at the same time, are neither cards laid at once nor cards to take back."""
    top = TableTop().started()
    for card, seat in (("KS", 1), ("3S", 0), ("QS", 1), ("4S", 0), ("JS", 1)):
        top.lay(card, "play", seat)
    for name, old in top.lying.items():
        top.lying[name] = replace(old, since=99.0)
    top.clock = 99.0
    top.referee = Referee(top.table)
    top.show()
    assert top.kinds == ["turn"]
    top.lay("5S", "play", 0)
    assert top.done[-1] == play(0, "5S")
    top.referee.observe(UndoAsked(101.0, "page"))
    top.referee.observe(UndoAsked(101.0, "page"))
    assert "put-back" not in top.kinds, "the trick before lies there still"


def test_an_action_card_laid_while_the_program_was_off_must_be_laid_again() -> None:
    top = TableTop()
    top.lay("2H", "turn-up")
    top.put("say:stand", "say", 1)
    top.referee = Referee(top.table)
    top.show()
    assert top.table.phase == "say"
    assert top.text("take-back").startswith("Bo: pick up the card “stand”; it is left over")


def test_a_card_misread_before_a_restart_is_corrected_after_it() -> None:
    top = TableTop().started()
    misread = top.lay("QS", "play", 1)
    top.referee = Referee(top.table)
    top.show()
    top.lay("3C", "play", 0)
    top.turns_out(misread, "QC")
    assert [action.to_json() for action in top.table.actions][-2:] == [play(1, "QC"), play(0, "3C")]


def test_after_an_undo_a_card_recognised_at_restart_is_taken_back() -> None:
    top = TableTop().started()
    top.lay("QS", "play", 1)
    top.referee = Referee(top.table)
    top.show()
    top.referee.observe(UndoAsked(9.0, "page"))
    assert top.text("take-back") == "Bo: pick up Q♠; that play was undone."


def restarted(top: TableTop) -> None:
    """Restart the program: the cards on the table are seen for the first time."""
    top.referee = Referee(top.table)
    top.show()


def test_the_players_are_asked_about_a_left_over_card_that_can_be_played() -> None:
    """Ann cut the king and may have been dealt it: on her turn only she knows whether she plays it."""
    top = TableTop(dealer=None)
    cut = top.lay("KD", "play", 0), top.lay("9S", "play", 1)
    top.lift(cut[1])
    top.lay("2H", "turn-up")
    top.say(1, "stand")
    restarted(top)
    assert top.kinds == ["turn"], "Bo is to lead"
    top.lay("4D", "play", 1)
    assert top.text("take-back") == "Ann: pick up K♦; it is left over."
    top.lift(cut[0])
    top.lay("KD", "play", 0)
    assert top.done[-1] == play(0, "KD")


def test_a_card_cut_for_a_deal_whose_cards_were_named_is_left_over() -> None:
    top = TableTop(dealer=None, game="cribbage")
    cut = top.lay("KD", "play", 0), top.lay("9S", "play", 1)
    top.lift(cut[1])
    for seat, cards in ((1, "2S 3S 4S 5S 6S 7S"), (0, "2H 3H 4H 5H 6H 7H")):
        held = tuple(parse_card(card) for card in cards.split())
        top.table.do(Action("deal", seat, cards=held))
        top.table.do(Action("discard", seat, cards=held[:2]))
    top.lay("QC", "turn-up")
    restarted(top)
    assert cut[0] in top.lying and top.kinds == ["turn"]


def test_a_card_given_for_the_turn_up_is_left_over_after_the_hand() -> None:
    top = TableTop(game="fifteen")
    for written in ("turn 4S", "1 say beg", "0 give QD", "0 play AS", "1 play 2S", "0 play KS", "1 play 3S"):
        top.table.do(written)
    for written in ("0 play AH", "1 play 2H", "0 play KH", "1 play 3H", "0 play AC", "1 play 2C"):
        top.table.do(written)
    top.table.do("crib show 5C 6C 7C 8C")
    top.put("QD", "play", 0)
    restarted(top)
    assert top.kinds == ["turn"]


def test_a_card_taken_back_and_played_while_the_program_was_off_counts() -> None:
    top = TableTop().started()
    top.lift(top.lay("KS", "play", 1))
    assert top.done[-1]["do"] == "withdraw"
    top.put("KS", "play", 1)
    restarted(top)
    assert top.done[-1] == play(1, "KS")


def test_after_a_restart_a_card_cut_in_two_rounds_is_asked_about() -> None:
    top = TableTop(dealer=None)
    for tied in ("9", "8"):
        top.lift(top.lay(f"{tied}S", "play", 0), top.lay(f"{tied}D", "play", 1))
    top.lay("KD", "play", 0)
    again = top.put("9D", "play", 1)
    restarted(top)
    assert top.kinds == ["take-back", "turn"]
    top.lift(again)
    top.lay("9D", "play", 1)
    assert top.table.view().dealer == 0


def test_one_request_is_enough_for_a_whole_trick_that_is_left_over() -> None:
    top = TableTop(players=("Ann", "Bo", "Cy", "Dee"), game="spades")
    old = [top.put(card, "play", seat) for seat, card in enumerate(("8S", "8D", "9S", "2C"))]
    restarted(top)
    assert top.kinds == ["take-back", "turn"]
    assert top.text("take-back") == "Pick up the last trick."
    top.lift(*old[1:])
    assert top.text("take-back") == "Ann: pick up 8♠; it is left over."


def test_a_left_over_card_read_as_another_begins_no_hand() -> None:
    top, turned = hand_over()
    del top.lying[turned]
    left = top.put("5S", "turn-up")
    restarted(top)
    assert top.kinds == ["take-back", "turn"]
    top.turns_out(left, "9C")
    assert [action["do"] for action in top.done].count("turn") == 1
    assert top.text("take-back") == "Pick up 9♣; it is left over."
    top.lift(left)
    top.lay("9C", "turn-up")
    assert [action["do"] for action in top.done].count("turn") == 2


def test_a_card_refused_as_left_over_stays_refused_when_read_as_another() -> None:
    top = TableTop()
    left = top.put("2H", "turn-up")
    restarted(top)
    top.turns_out(left, "2D")
    assert top.done == []
    assert top.text("take-back") == "Pick up 2♦; it is left over."


def test_a_card_unreadable_when_the_program_started_must_be_laid_again() -> None:
    top = TableTop()
    left = top.put(None, "turn-up")
    restarted(top)
    assert top.kinds == ["unreadable", "turn"]
    top.turns_out(left, "2D")
    assert (top.done, top.kinds) == ([], ["take-back", "turn"])


@pytest.mark.parametrize("face", ["2H", "3S", "9C"], ids=["turned up before", "played before", "new"])
def test_a_turn_up_laid_while_off_is_asked_about_and_laid_again(face: str) -> None:
    top, turned = hand_over()
    top.lift(turned)
    laid = top.put(face, "turn-up")
    restarted(top)
    card = parse_card(face).glyph
    assert top.text("take-back") == f"Pick up {card}; it is left over."
    top.lift(laid)
    top.lay(face, "turn-up")
    assert top.done[-1] == {"do": "turn", "card": face}


def test_the_green_card_of_the_last_round_is_asked_about_after_a_restart() -> None:
    top = TableTop(game="its-15")
    green = top.lay("green-1", "table")
    for word in ("stay", "stay", "pass", "pass"):
        top.say(top.table.turn or 0, word)
    top.lay("brown-1", "show", 0)
    top.lay("brown-2", "show", 1)
    assert top.table.phase in ("deal", "turn")
    restarted(top)
    assert "take-back" in top.kinds
    top.lift(green)
    top.lay("green-1", "table")
    assert [action["do"] for action in top.done].count("turn") == 2


def test_a_turn_up_asked_about_lies_there_again_after_an_undo() -> None:
    top, _ = hand_over()
    restarted(top)
    assert top.kinds == ["take-back", "turn"]
    top.referee.observe(UndoAsked(top.clock, "page"))
    top.referee.observe(UndoAsked(top.clock, "page"))
    assert top.table.phase == "play"
    assert not any("2♥" in prompt.text for prompt in top.referee.prompts)
