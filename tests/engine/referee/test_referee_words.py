"""The referee: words said with cards, buttons and on the page; cards exposed and called; revokes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.observations import Said, Sighting, Zone
from tests.engine.referee.table_top import TableTop, play, read


def test_a_card_exposed_by_accident_is_called_and_must_be_played() -> None:
    top = TableTop().started()
    exposed = top.lay("9S", "show", 0)
    top.lay("KS", "play", 1)
    top.say(1, "call")
    assert top.done[-1] == {"do": "say", "seat": 1, "word": "call", "card": "9S"}
    other = top.lay("3S", "play", 0)
    assert "take-back" in top.kinds
    top.lift(other)
    top.lift(exposed)
    top.lay("9S", "play", 0)
    assert top.done[-1] == play(0, "9S")


def test_an_exposed_card_that_is_moved_to_its_play_zone_is_played() -> None:
    top = TableTop().started()
    exposed = top.lay("9S", "show", 1)
    top.lying[exposed] = Sighting(exposed, read("9S"), Zone("play", 1), top.clock)
    top.show()
    assert top.done[-1] == play(1, "9S")
    assert top.kinds == ["turn"]


def test_a_call_that_would_revoke_is_refused() -> None:
    top = TableTop().started()
    top.lay("9D", "show", 0)
    top.lay("KS", "play", 1)
    top.lay("say:call", "say", 1)
    assert top.done[-1] == play(1, "KS")
    assert "take-back" in top.kinds


def test_with_two_exposed_cards_the_page_must_say_which_is_called() -> None:
    top = TableTop().started()
    top.lay("9S", "show", 0)
    top.lay("8S", "show", 0)
    top.lay("KS", "play", 1)
    top.lay("say:call", "say", 1)
    assert top.text("which-card") == "Bo says “call”: tap the card that is meant."


def test_a_revoke_is_called_with_evidence_in_either_order() -> None:
    for first_word in (True, False):
        top = TableTop().started()
        top.lay("KS", "play", 1)
        top.lay("3D", "play", 0)
        if first_word:
            top.lay("say:revoke", "say", 1)
            assert top.text("evidence").startswith("Bo calls a revoke: lay a card of spades")
            top.lay("4S", "show", 0)
        else:
            top.lay("4S", "show", 0)
            top.lay("say:revoke", "say", 1)
        assert top.done[-1] == {"do": "say", "seat": 1, "word": "revoke", "against": 0, "card": "4S"}
        assert top.table.scores[0] == -3


def test_evidence_is_asked_for_after_the_trick_has_been_gathered() -> None:
    top = TableTop().started()
    top.lift(top.lay("KS", "play", 1), top.lay("3D", "play", 0))
    top.lay("say:revoke", "say", 1)
    assert top.text("evidence").startswith("Bo calls a revoke: lay a card of the suit led")


@pytest.mark.parametrize("first_word", [True, False])
def test_misread_evidence_of_a_revoke_is_corrected(first_word: bool) -> None:
    top = TableTop().started()
    top.lay("KS", "play", 1)
    top.lay("3D", "play", 0)
    if first_word:
        top.lay("say:revoke", "say", 1)
    evidence = top.lay("4S", "show", 0)
    if not first_word:
        top.lay("say:revoke", "say", 1)
    top.turns_out(evidence, "5S")
    assert str(top.table.actions[-1].card) == "5S"
    assert top.kinds == ["turn"]


def test_a_word_said_by_button_and_its_refusal() -> None:
    top = TableTop()
    top.lay("2H", "turn-up")
    top.referee.observe(Said(3.0, "page", 0, "stand"))
    assert top.kinds == ["refused", "turn"]
    top.referee.observe(Said(4.0, "page", 1, "stand"))
    assert top.kinds == ["turn"]
    assert top.table.phase == "play"


def test_a_card_exposed_in_the_zone_of_a_neighbour_can_be_moved() -> None:
    top = TableTop().started()
    shown = top.lay("9S", "show", 0)
    top.lying[shown] = replace(top.lying[shown], zone=Zone("play", 1))
    top.show()
    assert [action.to_json() for action in top.table.actions][2:] == [play(1, "9S")]
    assert top.kinds == ["turn"]


def test_the_players_are_asked_to_run_the_cards() -> None:
    top = TableTop(options={"discard_to_six": True})
    top.lay("2H", "turn-up")
    top.say(1, "beg")
    top.say(0, "change")
    assert top.text("turn") == "Ann deals 3 more each and turns the next card up."
    top.lay("9C", "turn-up")
    assert top.text("turn") == "Everybody keeps 6 cards and lays the others away face down; then Bo leads."
    top.lay("KS", "play", 1)
    assert top.text("turn") == "Ann plays."


def test_a_call_of_an_impossible_revoke_asks_for_no_evidence() -> None:
    top = TableTop()
    card = top.lay("say:revoke", "say", 1)
    assert top.text("take-back") == "Bo: take back the card “revoke”, it cannot be said now."
    top.lift(card)
    assert top.kinds == ["turn"]


def test_a_card_exposed_while_another_word_waits_is_not_its_evidence() -> None:
    top = TableTop().started()
    top.lay("9S", "show", 0)
    top.lay("8S", "show", 0)
    top.lay("KS", "play", 1)
    top.referee.observe(Said(top.clock, "buttons", 1, "call"))
    assert top.text("which-card") == "Bo says “call”: tap the card that is meant."
    top.lay("7S", "show", 0)
    assert top.done[-1] == {"do": "expose", "seat": 0, "card": "7S"}
    assert top.kinds == ["turn"]


def test_evidence_that_is_taken_up_and_put_back_at_once_is_not_exposed() -> None:
    top = TableTop().started()
    top.lay("KS", "play", 1)
    top.lay("3D", "play", 0)
    top.lay("say:revoke", "say", 1)
    evidence = top.lay("4S", "show", 0)
    assert top.done[-1]["word"] == "revoke"
    top.lift(evidence)
    again = top.lay("4S", "show", 0)
    assert top.done[-1]["word"] == "revoke" and top.kinds == ["take-back", "turn"]
    top.lift(again)
    assert top.kinds == ["turn"]
    top.clock += 5
    top.lay("4S", "show", 0)
    assert top.done[-1] == {"do": "expose", "seat": 0, "card": "4S"}, "later it is an accident"


def test_a_word_laid_again_at_once_is_not_said_again_when_its_turn_comes() -> None:
    top = TableTop(("Ann", "Bo", "Cy"), game="skat", dealer=0)
    top.say(2, "18")
    top.say(1, "hold")
    again = top.lay("say:hold", "say", 1)
    assert top.text("take-back") == "Bo: take back the card “hold”, it was said already."
    top.lay("say:20", "say", 2)
    top.lift(again)
    assert [action["word"] for action in top.done] == ["18", "hold", "20"]
    top.lay("say:pass", "say", 1)
    assert top.done[-1]["word"] == "pass"


def test_a_word_laid_again_at_once_does_not_answer_what_was_said_since() -> None:
    top = TableTop(("Ann", "Bo", "Cy"), game="skat", dealer=0)
    top.say(2, "18")
    top.say(1, "hold")
    again = top.lay(None, "say", 1)
    raised = top.put("say:20", "say", 2, since=top.clock - 0.9)
    top.turns_out(again, "say:hold")  # read at last, with the card that asks again
    assert [action["word"] for action in top.done] == ["18", "hold", "20"]
    assert top.text("take-back") == "Bo: take back the card “hold”, it was said already."
    top.lift(again, raised)
    top.clock += 5.0
    top.say(1, "hold")
    assert [action["word"] for action in top.done] == ["18", "hold", "20", "hold"]


def test_a_word_laid_again_at_once_answers_a_card_laid_just_before_it() -> None:
    top = TableTop(("Ann", "Bo", "Cy"), game="skat", dealer=0)
    top.say(2, "18")
    top.say(1, "hold")
    top.put("say:20", "say", 2)
    top.put("say:hold", "say", 1, since=top.clock + 0.4)  # a quick answer to Cy's card
    top.show()
    assert [action["word"] for action in top.done] == ["18", "hold", "20", "hold"]
