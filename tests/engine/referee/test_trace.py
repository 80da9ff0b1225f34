"""The trace of a referee: the interpretation of each card, and every refusal with its code."""

from __future__ import annotations

from engine.actions import Action
from engine.cards import parse_card
from engine.observations import ActionCard, Said, UndoAsked, Zone
from engine.referee.trace import Ignored, NotTaken, Taken
from tests.engine.referee.table_top import TableTop, hand_over


def test_an_accepted_card_is_reported_once() -> None:
    top = TableTop().started()
    top.trace.clear()
    top.lay("KS", "play", 1)
    king = parse_card("KS")
    assert top.trace == [Taken(king, Zone("play", 1), Action("play", 1, king))]
    top.show()
    assert len(top.trace) == 1


def test_a_refused_card_is_reported_with_its_code_and_the_action_tried() -> None:
    top = TableTop().started()
    top.trace.clear()
    top.lay("KD", "play", 0)
    (event,) = top.trace
    king = parse_card("KD")
    assert isinstance(event, NotTaken)
    assert (event.card, event.zone, event.action) == (king, Zone("play", 0), Action("play", 0, king))
    assert (event.code, bool(event.message)) == ("not-your-turn", True)
    top.trace.clear()
    top.lay("KS", "play", 1)
    assert [type(event) for event in top.trace] == [Taken, Taken]  # once Bo has led, Ann's card counts


def test_words_and_undos_are_reported_without_a_card() -> None:
    top = TableTop()
    top.lay("2H", "turn-up")
    top.trace.clear()
    top.referee.observe(Said(top.clock, "page", 0, "beg"))
    (refused,) = top.trace
    assert isinstance(refused, NotTaken)
    assert (refused.card, refused.code) == (None, "not-your-turn")
    top.referee.observe(Said(top.clock, "page", 1, "stand"))
    assert top.trace[1:] == [Taken(None, None, Action("say", seat=1, word="stand"))]
    top.trace.clear()
    top.referee.observe(UndoAsked(top.clock, "page"))
    assert top.trace == [Taken(None, None, Action("undo"))]


def test_a_gathered_trick_is_reported_without_a_card() -> None:
    top = TableTop().started()
    trick = top.lay("KS", "play", 1), top.lay("3S", "play", 0)
    top.trace.clear()
    top.lift(*trick)
    assert top.trace == [Taken(None, None, Action("gather", seat=1))]


def test_a_refusal_without_an_action_has_the_code_of_the_referee() -> None:
    top = TableTop().started()
    top.trace.clear()
    top.put("KS", "play", 1)
    top.put("QS", "play", 1)
    top.show()
    assert [(event.code, event.action) for event in top.trace if isinstance(event, NotTaken)] == [
        ("two-cards", None)
    ] * 2


def test_a_card_put_back_between_two_hands_is_ignored() -> None:
    top, _ = hand_over()
    top.trace.clear()
    old = top.lay("8S", "play", 1)
    assert top.trace == [Ignored(parse_card("8S"), Zone("play", 1), "nudged")]
    top.lift(old)
    assert len(top.trace) == 1


def test_an_action_card_that_is_accepted_is_reported() -> None:
    top = TableTop()
    top.lay("2H", "turn-up")
    top.trace.clear()
    top.say(1, "stand")
    assert top.trace == [Taken(ActionCard("stand"), Zone("say", 1), Action("say", seat=1, word="stand"))]
