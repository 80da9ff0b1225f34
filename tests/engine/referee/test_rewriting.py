"""The record is rewritten as people ask: which cards on the table count then, and which must be laid again."""

from __future__ import annotations

import pytest

from engine.actions import Action
from engine.cards import parse_card
from engine.observations import Zone
from engine.record import Header
from engine.referee.corrections import NamedCard, Rewriting, SeenCard
from engine.referee.matching import RecordMatching
from engine.referee.observed_cards import ObservedCards, Status
from engine.table import Table
from tests.engine.referee.cards_in_states import in_status
from tests.engine.referee.table_top import TableTop, play
from tests.engine.talk import do


@pytest.fixture
def top() -> TableTop:
    return TableTop().started()


def rewrite(top: TableTop, kept: int, *actions: str, named: dict[str, NamedCard] | None = None) -> None:
    """Rewrite the record from action `kept` on; `named`: cards by the names that the table top gave them."""
    sightings = {("camera", name): card for name, card in (named or {}).items()}
    top.done.clear()
    top.referee.rewrite(kept, [Action.parse(written) for written in actions], sightings)


def seen(top: TableTop) -> dict[str, SeenCard]:
    return {str(card.face): card for card in top.referee.seen()}


def test_a_card_that_people_name_counts_as_that_card(top: TableTop) -> None:
    laid = top.lay("KS", "play", 1)
    rewrite(top, 2, "1 play QS", named={laid: NamedCard(parse_card("QS"), Zone("play", 1))})
    assert top.done == [{"do": "undo"}, play(1, "QS")]
    queen = SeenCard(parse_card("QS"), Zone("play", 1), 2, (), (("camera", laid),))
    assert (seen(top)["QS"], top.kinds) == (queen, ["turn"])


def test_a_refused_card_that_people_name_counts(top: TableTop) -> None:
    refused = top.lay("2H", "play", 1)  # the turn-up
    assert "take-back" in top.kinds
    rewrite(top, 2, "1 play 2D", named={refused: NamedCard(parse_card("2D"), Zone("play", 1))})
    assert (seen(top)["2D"].number, top.kinds) == (2, ["turn"])


def test_cards_of_actions_that_are_done_again_count_for_those(top: TableTop) -> None:
    top.lay("KS", "play", 1)
    top.lay("3S", "play", 0)
    rewrite(top, 2, "0 expose 9S", "1 play KS", "0 play 3S")
    assert {face: card.number for face, card in seen(top).items()} == {"2H": 0, "KS": 3, "3S": 4}
    assert top.kinds == ["put-back", "turn"] and top.text("put-back") == "Lay 9♠ back in the show zone of Ann."


def test_a_card_that_is_finished_with_stays_so() -> None:
    top = TableTop()
    top.lay("2H", "turn-up")
    top.lay("say:stand", "say", 1)
    rewrite(top, 1, "1 say stand")
    assert (list(seen(top)), top.kinds) == (["2H"], ["turn"])
    top.show()
    assert top.done == [{"do": "undo"}, {"do": "say", "seat": 1, "word": "stand"}]


@pytest.mark.parametrize("status", ["counted", "spent", "nudged"])
def test_a_card_has_the_number_of_its_action_in_the_new_record(status: Status, monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table(Header("all-fives", ("Ann", "Bo"), 0))
    do(table, "turn 2H", "1 say stand", "0 expose 9S", "1 play KS")
    card, cards = in_status(status, numbered=True), ObservedCards()
    assert (card.action, card.action_number) == (table.actions[3], 3)
    monkeypatch.setattr(cards, "_all", [card])
    rewriting = Rewriting(table, cards, RecordMatching(table, cards), table.do)
    rewriting.rewrite(2, [Action.parse("1 play KS")], {}, started=False)
    assert (card.action, card.action_number) == (table.actions[2], 2)
    assert card.is_done == (status != "counted")


def test_a_misread_card_of_an_action_that_is_kept_is_judged_again(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table(Header("all-fives", ("Ann", "Bo"), 0))
    do(table, "turn 2H", "1 say stand", "0 expose 9S", "1 play KS")
    card, cards = in_status("misread"), ObservedCards()
    monkeypatch.setattr(cards, "_all", [card])
    Rewriting(table, cards, RecordMatching(table, cards), table.do).rewrite(4, [], {}, started=False)
    assert card.status == "open"


def test_a_card_whose_action_is_undone_must_be_taken_back(top: TableTop) -> None:
    top.lay("KS", "play", 1)
    rewrite(top, 2)
    assert top.text("take-back") == "Bo: pick up K♠; that play was undone."
    assert (seen(top)["KS"].number, seen(top)["KS"].refused) == (None, True)
    top.show()
    assert top.done == [{"do": "undo"}]


def test_a_card_that_waited_for_what_is_undone_must_be_laid_again(top: TableTop) -> None:
    top.lay("KS", "play", 1)
    top.lay("QS", "play", 1)
    assert "take-back" in top.kinds, "it is Ann's turn"
    rewrite(top, 2)
    top.show()
    assert top.done == [{"do": "undo"}] and top.kinds.count("take-back") == 2


def test_a_card_that_came_too_early_is_judged_by_the_new_record(top: TableTop) -> None:
    top.lay("3S", "play", 0)
    assert "take-back" in top.kinds
    rewrite(top, 2, "1 play KS")
    top.lay("KS", "play", 1)
    assert top.done == [play(1, "KS"), play(0, "3S")]
    assert top.kinds == ["turn"]


def test_of_two_cards_laid_at_once_people_say_which_counts(top: TableTop) -> None:
    top.put("KS", "play", 1)
    top.put("QS", "play", 1)
    top.show()
    assert "two-cards" in top.kinds
    rewrite(top, 2, "1 play QS")
    assert seen(top)["QS"].number == 2
    top.show()
    assert top.done == [play(1, "QS")] and top.kinds == ["take-back", "turn"]


def test_a_misread_card_is_judged_by_the_new_record() -> None:
    top = TableTop(options={"target": 1000}).started()
    led = top.lay("KS", "play", 1)
    top.lay("AD", "play", 0)
    top.lift(*list(top.lying)[1:2])
    top.turns_out(next(reversed(top.lying)), "2H")
    assert "misread" in top.kinds
    top.put("KS", "play", 1)
    rewrite(top, 2, "1 play KS")
    assert "misread" not in top.kinds and led not in top.lying


def test_cards_are_not_looked_at_before_the_first_scene() -> None:
    top = TableTop()
    top.referee = type(top.referee)(top.table, awaited=("camera",))
    rewrite(top, 0, "turn 2H")
    assert top.referee.seen() == ()
    assert top.kinds == ["turn"], "the turn-up is not missed yet"
