"""The referee: evidence of a revoke that is seen before its action card, and the same after a restart."""

from __future__ import annotations

from engine.referee.referee import Referee
from tests.engine.referee.table_top import TableTop, play

REVOKE = {"do": "say", "seat": 1, "word": "revoke", "against": 0, "card": "4S"}
EXPOSE = {"do": "expose", "seat": 0, "card": "4S"}


def revoked() -> TableTop:
    """Ann did not follow suit; the trick is gathered."""
    top = TableTop().started()
    top.lift(top.lay("KS", "play", 1), top.lay("3D", "play", 0))
    top.done.clear()
    return top


def revoke_called(top: TableTop) -> bool:
    """Whether the revoke is called, no card is exposed, and the cards may be taken up."""
    last = [action.to_json() for action in top.table.actions][-1]
    return last == REVOKE and not any(action.do == "expose" for action in top.table.actions[-2:])


def take_up(top: TableTop) -> list[str]:
    """Take up the action card and the evidence; return the kinds of prompts then."""
    top.lift(*(name for name, card in top.lying.items() if card.zone and card.zone.name in ("say", "show")))
    return top.kinds


def test_evidence_read_before_the_action_card_beside_it_is_not_exposed() -> None:
    top = revoked()
    word = top.put(None, "say", 1)
    top.lay("4S", "show", 0)
    top.turns_out(word, "say:revoke")
    assert revoke_called(top) and take_up(top) == ["turn"]


def test_evidence_reported_before_the_action_card_is_not_exposed() -> None:
    top = revoked()
    laid = top.clock
    top.clock += 1
    top.lay("4S", "show", 0)
    top.clock += 30
    top.put("say:revoke", "say", 1, since=laid)
    top.show()
    assert revoke_called(top) and take_up(top) == ["turn"]


def test_evidence_laid_just_before_the_action_card_is_not_exposed() -> None:
    top = revoked()
    top.lay("4S", "show", 0)
    assert top.done == [EXPOSE]
    top.lay("say:revoke", "say", 1)
    assert revoke_called(top) and take_up(top) == ["turn"]


def test_a_card_exposed_by_accident_that_proves_a_revoke_stays_open() -> None:
    top = revoked()
    top.lay("4S", "show", 0)
    top.clock += 5
    top.lay("say:revoke", "say", 1)
    assert top.done == [EXPOSE, REVOKE]
    assert take_up(top) == ["put-back", "turn"]


def test_evidence_laid_after_a_restart_completes_an_action_card() -> None:
    top = revoked()
    top.put("say:revoke", "say", 1)
    top.referee = Referee(top.table)
    top.show()
    assert top.text("take-back").startswith("Bo: pick up the card “revoke”; it is left over")
    top.lay("4S", "show", 0)
    assert top.done == [REVOKE] and take_up(top) == ["turn"]


def test_an_exposed_card_is_no_evidence_for_a_forgotten_action_card() -> None:
    top = revoked()
    top.put("say:revoke", "say", 1)
    top.referee = Referee(top.table)
    top.show()
    top.lay("4D", "show", 0)
    assert top.done == [{**EXPOSE, "card": "4D"}], "spades were led"


def test_a_call_laid_while_the_program_was_down_counts_with_its_evidence() -> None:
    top = revoked()
    top.put("4S", "show", 0)
    top.put("say:revoke", "say", 1)
    top.referee = Referee(top.table)
    top.show()
    assert revoke_called(top) and take_up(top) == ["turn"]


def test_a_call_whose_evidence_is_reported_first_after_a_restart_counts() -> None:
    top = revoked()
    laid = top.clock
    top.put("4S", "show", 0)
    top.referee = Referee(top.table)
    top.clock += 10
    top.show()
    top.put("say:revoke", "say", 1, since=laid)
    top.show()
    assert revoke_called(top) and take_up(top) == ["turn"]
    top.lay("5S", "play", 1)
    assert top.done[-1] == play(1, "5S")


def test_two_action_cards_of_one_word_have_their_effect_together() -> None:
    top = revoked()
    top.put("say:revoke", "say", 1)
    top.put("say:revoke", "say", 1)
    top.lay("4S", "show", 0)
    top.show()
    assert revoke_called(top) and top.kinds == ["turn"]
