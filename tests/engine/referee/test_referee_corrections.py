"""The referee: cards misread, undone, seen by two sources, or counted by an action that could not be stored."""

from __future__ import annotations

from dataclasses import replace

from engine.observations import Back, Lost, UndoAsked, Zone
from tests.engine.referee.table_top import TableTop, hand_over, play


def test_a_misread_card_is_corrected_in_the_record() -> None:
    top = TableTop().started()
    misread = top.lay("QS", "play", 1)
    top.lay("3C", "play", 0)
    top.turns_out(misread, "QC")
    undo = {"do": "undo"}
    assert top.done[2:] == [undo, undo, play(1, "QC"), play(0, "3C")]
    assert [action.to_json() for action in top.table.actions][-2:] == [play(1, "QC"), play(0, "3C")]
    assert top.kinds == ["turn"]


def test_a_correction_that_the_rules_refuse_becomes_a_prompt() -> None:
    top = TableTop().started()
    misread = top.lay("QS", "play", 1)
    top.lay("3C", "play", 0)
    before = top.table.view()
    top.turns_out(misread, "2H")
    assert top.table.view() == before
    assert "2♥ lies in front of Bo instead of Q♠" in top.text("misread")


def test_a_refused_card_read_as_another_is_judged_again() -> None:
    top = TableTop().started()
    misread = top.lay("2H", "play", 1)
    assert top.text("take-back") == "Bo: take back 2♥, it was seen already: lay it again if it was misread."
    top.turns_out(misread, "3H")
    assert top.done == [play(1, "3H")]


def test_an_unreadable_card_must_be_laid_again_unless_it_is_in_the_stock() -> None:
    top = TableTop().started()
    top.lay(None, "stock")
    assert top.kinds == ["turn"]
    unread = top.lay(None, "play", 1)
    assert top.text("unreadable") == "The card in front of Bo cannot be read: lay it again, face up."
    top.turns_out(unread, "KS")
    assert top.done == [play(1, "KS")]


def test_an_undone_card_must_be_taken_back_and_does_not_count_again() -> None:
    top = TableTop().started()
    led = top.lay("KS", "play", 1)
    top.referee.observe(UndoAsked(9.0, "page"))
    assert top.text("take-back") == "Bo: pick up K♠; that play was undone."
    top.show()
    assert top.done == [play(1, "KS"), {"do": "undo"}]
    top.lift(led)
    top.lay("KS", "play", 1)
    assert top.done[2:] == [play(1, "KS")]


def test_undoing_a_gather_does_not_gather_again_by_itself() -> None:
    top = TableTop().started()
    trick = [top.lay("KS", "play", 1), top.lay("3S", "play", 0)]
    top.lift(*trick)
    top.referee.observe(UndoAsked(9.0, "page"))
    top.show()
    assert top.done[-1] == {"do": "undo"}


def test_two_sources_report_one_card_laid_once() -> None:
    top = TableTop().started()
    top.lay("KS", "play", 1)
    top.show("readers")
    assert top.done == [play(1, "KS")]
    top.lying.clear()
    top.show("camera")
    assert top.done == [play(1, "KS")], "the readers still see it"


def test_a_source_is_lost_and_comes_back() -> None:
    top = TableTop()
    top.referee.observe(Lost(1.0, "camera", "The camera is unplugged: plug it in."))
    assert top.text("source") == "The camera is unplugged: plug it in."
    top.referee.observe(Back(2.0, "camera"))
    assert top.kinds == ["turn"]


def test_a_card_laid_too_early_does_not_count_after_an_undo() -> None:
    top = TableTop().started()
    top.lay("5S", "play", 1)
    top.lay("6S", "play", 1)
    top.referee.observe(UndoAsked(top.clock, "page"))
    assert [prompt.text for prompt in top.referee.prompts if prompt.kind == "take-back"] == [
        "Bo: pick up 5♠; that play was undone.",
        "Bo: pick up 6♠; that play was undone.",
    ]
    top.show()
    assert top.done[-1] == {"do": "undo"}


def test_a_misread_action_card_becomes_a_prompt_and_does_not_count_again() -> None:
    top = TableTop()
    top.lay("2H", "turn-up")
    word = top.lay("say:beg", "say", 1)
    top.turns_out(word, "say:stand")
    assert top.done[-1] == {"do": "say", "seat": 1, "word": "beg"}
    assert "instead of the card “beg”" in top.text("misread")
    top.lift(word)
    assert "misread" not in top.kinds


def test_a_misread_card_of_an_earlier_hand_becomes_a_prompt() -> None:
    top = TableTop().started()
    top.lay("5S", "play", 1)
    king = top.lay("KS", "play", 0)
    top.lay("3D", "play", 0)
    top.turns_out(king, "2S")
    assert "instead of K♠" in top.text("misread")


def test_an_undone_cut_stays_undone_despite_an_equal_earlier_cut() -> None:
    top = TableTop(dealer=None)
    top.lift(top.lay("9S", "play", 0), top.lay("9D", "play", 1))
    top.clock += 5  # the pack is shuffled
    top.lay("KD", "play", 0)
    again = top.lay("9D", "play", 1)
    top.referee.observe(UndoAsked(top.clock, "page"))
    assert top.text("take-back") == "Bo: pick up 9♦; that play was undone."
    top.lift(again)
    top.lay("9D", "play", 1)
    assert top.table.view().dealer == 0


def laid_back(top: TableTop, name: str) -> str:
    """Pick the card up, and lay it again after the time in which it would be put back."""
    old = top.lying[name]
    top.lift(name)
    top.clock += 10
    top.lying["back"] = replace(old, card_id="back", since=top.clock)
    top.show()
    return "back"


def test_a_card_put_back_and_misread_after_its_trick_is_no_lead() -> None:
    top = TableTop(options={"target": 1000}).started()
    laid = top.lay("KS", "play", 1)
    top.lay("3S", "play", 0)
    back = laid_back(top, laid)
    top.lay("QS", "play", 1)
    top.lay("QC", "play", 0)
    record = list(top.done)
    top.turns_out(back, "KC")
    assert top.done == record
    assert top.text("misread").startswith("K♣ lies in front of Bo instead of K♠")


def test_an_exposed_card_put_back_and_then_played_is_corrected_as_a_play() -> None:
    top = TableTop().started()
    back = laid_back(top, top.lay("KS", "show", 1))
    top.lying[back] = replace(top.lying[back], zone=Zone("play", 1))
    top.show()
    assert top.done[-1] == play(1, "KS")
    top.turns_out(back, "KC")
    assert top.table.actions[-1].to_json() == play(1, "KC")


def test_a_misread_card_of_the_last_hand_read_right_again_needs_nothing() -> None:
    top, turned = hand_over()
    top.turns_out(turned, "2D")
    assert top.kinds == ["misread", "turn"]
    top.turns_out(turned, "2H")
    assert top.kinds == ["turn"]


def test_a_card_put_back_and_read_as_another_corrects_the_record() -> None:
    top = TableTop(players=("Ann", "Bo", "Cy")).started()
    led = top.lay("QS", "play", 1)
    top.lay("3C", "play", 2)
    top.lift(led)
    assert top.text("put-back") == "Lay Q♠ back in front of Bo."
    back = top.lay("QS", "play", 1)
    assert top.kinds == ["turn"]
    top.turns_out(back, "QC")
    undo = {"do": "undo"}
    assert top.done[2:] == [undo, undo, play(1, "QC"), play(2, "3C")]
    assert top.kinds == ["turn"]
