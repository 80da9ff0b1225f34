"""The referee: cards read with alternatives, of which the possible one counts."""

from __future__ import annotations

from dataclasses import replace

from engine.actions import Action
from engine.cards import parse_card
from engine.observations import Scene, UndoAsked
from engine.referee.referee import Referee
from tests.engine.referee.table_top import TableTop, play


def lay_uncertain(top: TableTop, face: str, alternatives: str, seat: int) -> str:
    """Lay a card that is read as `face` and has these alternatives."""
    name = top.put(face, "play", seat)
    cards = tuple(parse_card(card) for card in alternatives.split())
    top.lying[name] = replace(top.lying[name], confidence=0.8, alternatives=cards)
    top.show()
    return name


def known() -> TableTop:
    """Ann's and Bo's hands are known; Bo leads."""
    top = TableTop()
    for seat, cards in ((0, "KS 3S 4S 4D 6D 7D"), (1, "QS 9S 10S QD KD AD")):
        top.table.do(Action("deal", seat, cards=tuple(parse_card(card) for card in cards.split())))
    return top.started()


def test_a_card_not_in_a_known_hand_is_the_likeliest_alternative_in_it() -> None:
    top = known()
    lay_uncertain(top, "4D", "JD QD KD", 1)
    assert top.done == [play(1, "QD")]
    assert top.kinds == ["turn"]


def test_a_card_seen_already_is_taken_for_an_alternative() -> None:
    top = TableTop().started()
    top.lift(top.lay("KS", "play", 1), top.lay("3S", "play", 0))
    top.clock += 5
    lay_uncertain(top, "KS", "KC", 1)
    assert top.done[-1] == play(1, "KC")


def test_a_possible_card_is_not_taken_for_an_alternative() -> None:
    top = known()
    lay_uncertain(top, "QD", "QS KD", 1)
    assert top.done == [play(1, "QD")]


def test_a_card_without_an_alternative_is_refused_as_read() -> None:
    top = known()
    unsure = lay_uncertain(top, "4D", "4S 3S", 1)
    assert top.done == []
    assert top.text("take-back") == "Bo: take back 4♦, it was seen already: lay it again if it was misread."
    top.lying[unsure] = replace(top.lying[unsure], alternatives=(parse_card("QD"),))
    top.show()
    assert top.done == [play(1, "QD")], "a later look says what else it may be"


def test_a_card_read_with_certainty_is_never_taken_for_another() -> None:
    top = TableTop().started()
    top.lift(top.lay("KS", "play", 1), top.lay("3S", "play", 0))
    top.lay("KS", "play", 1)
    assert top.kinds == ["take-back", "turn"]


def test_a_card_keeps_its_alternative_until_a_third_face_is_read() -> None:
    top = known()
    unsure = lay_uncertain(top, "4D", "QD", 1)
    top.show()
    top.turns_out(unsure, "QD")
    assert top.done == [play(1, "QD")]
    top.turns_out(unsure, "KD")
    assert top.done[1:] == [{"do": "undo"}, play(1, "KD")]


def test_a_card_taken_for_an_alternative_is_recognised_after_a_restart() -> None:
    top = known()
    lay_uncertain(top, "4S", "QD", 1)
    top.referee = Referee(top.table)
    top.show()
    assert top.kinds == ["turn"]
    assert top.done == [play(1, "QD")]


def test_an_undone_card_taken_for_an_alternative_does_not_count_again() -> None:
    top = known()
    lay_uncertain(top, "4D", "QD", 1)
    top.referee.observe(UndoAsked(top.clock, "page"))
    top.referee.observe(Scene(top.clock, "camera", tuple(top.lying.values())))
    assert top.table.actions[-1].do == "say"
    assert top.text("take-back") == "Bo: pick up Q♦; that play was undone."


def test_a_nudged_card_taken_for_an_alternative_was_not_picked_up() -> None:
    top = known()
    unsure = lay_uncertain(top, "4D", "QD", 1)
    top.lying["pushed"] = replace(top.lying.pop(unsure), card_id="pushed")
    top.show()
    assert (top.done, top.kinds) == ([play(1, "QD")], ["turn"])


def test_a_card_taken_for_an_alternative_can_be_put_back() -> None:
    top = TableTop(("Ann", "Bo", "Cy")).started()
    top.lift(*[top.lay(card, "play", seat) for card, seat in (("4S", 1), ("KS", 2), ("3S", 0))])
    top.clock += 5
    unsure = lay_uncertain(top, "4S", "4C", 2)
    top.lay("6C", "play", 0)
    top.lift(unsure)
    assert top.text("put-back") == "Lay 4♣ back in front of Cy."
    top.clock += 5
    lay_uncertain(top, "4S", "4C", 2)
    assert top.kinds == ["turn"]
    assert top.done[-2:] == [play(2, "4C"), play(0, "6C")]


def test_a_certain_but_impossible_face_is_asked_about() -> None:
    """The face may be read correctly, if an earlier card was misread."""
    top = known()
    unsure = lay_uncertain(top, "4D", "QD", 1)
    top.turns_out(unsure, "4D")
    assert top.done == [play(1, "QD")]
    assert top.text("misread").startswith("4♦ lies in front of Bo instead of Q♦")


def test_a_card_refused_in_one_hand_never_counts_in_the_next() -> None:
    top = TableTop(options={"target": 1000}).started()
    top.lift(top.lay("KS", "play", 1), top.lay("3S", "play", 0))
    left = top.lay("KS", "play", 1)
    for rank in ("Q", "J", "9", "8", "7"):
        top.lift(top.lay(f"{rank}S", "play", 1), top.lay(f"{rank}C", "play", 0))
    top.lift(*[name for name in top.lying if name != left])
    top.clock += 5
    top.lay("2D", "turn-up")
    top.say(0, "stand")
    top.lay("4C", "play", 0)
    top.lying[left] = replace(top.lying[left], alternatives=(parse_card("KC"),))
    top.show()
    assert top.done[-1] == play(0, "4C")
    top.turns_out(left, "KD")
    assert top.done[-1] == play(0, "4C")
    assert top.kinds == ["take-back", "turn"]


def test_a_card_put_back_is_never_taken_for_an_alternative() -> None:
    top = TableTop().started()
    trick = top.lay("KS", "play", 1), top.lay("3S", "play", 0)
    top.lift(*trick)
    lay_uncertain(top, "KS", "KC", 1)  # within two seconds: Bo has put the king back
    assert top.done[-1]["do"] == "gather"
    assert top.kinds == ["take-back", "turn"]


def test_a_card_laid_too_early_counts_after_an_alternative() -> None:
    top = known()
    top.lay("3S", "play", 0)
    assert top.done == []
    top.clock += 5
    lay_uncertain(top, "4D", "QS", 1)
    assert top.done == [play(1, "QS"), play(0, "3S")]
    assert top.kinds == ["turn"]


def test_a_card_laid_for_one_to_put_back_counts_as_another() -> None:
    """Its face has not been laid before, so it was read right, though it comes too early."""
    top = TableTop(("Ann", "Bo", "Cy")).started()
    led = top.lay("KS", "play", 1)
    top.lay("4S", "play", 2)
    top.lift(led)
    top.clock += 5
    lay_uncertain(top, "9D", "KS", 1)
    assert top.text("put-back") == "Lay K♠ back in front of Bo."
    assert top.text("take-back") == "Bo: take back 9♦, it is Ann’s turn."
