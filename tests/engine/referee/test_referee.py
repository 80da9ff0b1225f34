"""The referee: cards laid, played, exchanged and gathered; the prompts about them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.actions import Action
from engine.cards import parse_card
from engine.observations import UndoAsked, Zone
from tests.engine.referee.table_top import TableTop, play


def test_a_hand_begins_with_turn_up_and_word() -> None:
    top = TableTop()
    assert top.text("turn") == "Ann deals and turns the next card up."
    top.lay("2H", "turn-up")
    assert top.text("turn") == "Bo: stand or beg?"
    top.say(1, "stand")
    assert top.done == [{"do": "turn", "card": "2H"}, {"do": "say", "seat": 1, "word": "stand"}]
    assert top.text("turn") == "Bo leads."


def test_cards_cut_for_the_deal() -> None:
    top = TableTop(dealer=None)
    a = top.lay("9S", "play", 0)
    b = top.lay("KD", "play", 1)
    top.lift(a, b)
    top.lay("2H", "turn-up")
    assert [action["do"] for action in top.done] == ["cut", "cut", "turn"]
    assert top.table.view().dealer == 1


def test_a_trick_is_played_and_gathered() -> None:
    top = TableTop().started()
    led = top.lay("KS", "play", 1)
    answer = top.lay("3S", "play", 0)
    top.lift(led)
    assert len(top.done) == 2, "half a trick taken up is not gathered"
    top.lift(answer)
    assert top.done == [play(1, "KS"), play(0, "3S"), {"do": "gather", "seat": 1}]
    assert top.kinds == ["turn"]


def test_the_next_lead_implies_the_gather() -> None:
    top = TableTop().started()
    top.lay("KS", "play", 1)
    top.lay("3S", "play", 0)
    top.lay("QS", "play", 1)
    assert top.done == [play(1, "KS"), play(0, "3S"), play(1, "QS")]
    assert top.kinds == ["turn"], "the old trick may still lie there"


def test_a_card_out_of_turn_is_refused_and_counts_when_its_turn_comes() -> None:
    top = TableTop().started()
    top.lay("3S", "play", 0)
    assert top.done == []
    assert top.text("take-back") == "Ann: take back 3♠, it is Bo’s turn."
    top.lay("KS", "play", 1)
    assert top.done == [play(1, "KS"), play(0, "3S")]
    assert top.kinds == ["turn"]


def test_a_card_out_of_turn_that_is_taken_back_never_counts() -> None:
    top = TableTop().started()
    top.lift(top.lay("3S", "play", 0))
    assert (top.done, top.kinds) == ([], ["turn"])


def test_a_revoke_from_a_known_hand_is_refused_with_the_suit_led() -> None:
    top = TableTop()
    hand = tuple(parse_card(card) for card in ("KD", "4H", "5H", "6H", "7C", "8C"))
    top.table.do(Action("deal", seat=0, cards=hand))
    top.started()
    top.lay("2D", "play", 1)
    wrong = top.lay("4H", "play", 0)
    assert top.text("take-back") == "Ann: take back 4♥, diamonds were led."
    top.lift(wrong)
    top.lay("KD", "play", 0)
    assert top.done == [play(1, "2D"), play(0, "KD")]


def test_the_last_card_picked_up_is_withdrawn() -> None:
    top = TableTop(players=("Ann", "Bo", "Cy")).started()
    top.lay("KS", "play", 1)
    second = top.lay("4D", "play", 2)
    top.lift(second)
    top.lay("4S", "play", 2)
    assert top.done[2:] == [{"do": "withdraw", "seat": 2, "card": "4D"}, play(2, "4S")]


def test_a_lead_picked_up_is_withdrawn() -> None:
    top = TableTop().started()
    top.lift(top.lay("KS", "play", 1))
    assert top.done == [play(1, "KS"), {"do": "withdraw", "seat": 1, "card": "KS"}]


def test_the_last_card_of_a_complete_trick_exchanged_is_withdrawn() -> None:
    top = TableTop().started()
    top.lay("KS", "play", 1)
    answer = top.lay("3D", "play", 0)
    top.lift(answer)
    assert len(top.done) == 2, "it may be the beginning of a gather"
    top.lay("3S", "play", 0)
    assert top.done[2:] == [{"do": "withdraw", "seat": 0, "card": "3D"}, play(0, "3S")]


@pytest.mark.parametrize("gathers", [True, False])
def test_the_winner_is_asked_whether_he_exchanges_his_card_or_leads(gathers: bool) -> None:
    top = TableTop().started()
    led = top.lay("3S", "play", 1)
    top.lift(top.lay("KS", "play", 0))
    lead = top.lay("4S", "play", 0)
    assert top.done == [play(1, "3S"), play(0, "KS")], "nothing is counted that may be wrong"
    assert top.text("unclear") == ("Ann: take up the trick if 4♠ leads; if it replaces a card, undo and lay it again.")
    if gathers:
        top.lift(led)
        assert top.done[2:] == [{"do": "gather", "seat": 0}, play(0, "4S")]
    else:
        top.referee.observe(UndoAsked(9.0, "page"))
        assert top.text("take-back") == "Ann: pick up 4♠; that play was undone."
        top.lift(lead)
        top.lay("4S", "play", 0)
        assert top.done[2:] == [{"do": "undo"}, play(0, "4S")]
    assert top.kinds == ["turn"]


def test_a_card_by_the_winner_of_the_last_trick_is_not_unclear() -> None:
    top = TableTop(options={"target": 1000}).started()
    for rank in ("3", "4", "5", "6", "7"):
        top.lift(top.lay(f"{rank}S", "play", 1), top.lay(f"{rank}D", "play", 0))
    top.lay("8S", "play", 1)
    last = top.lay("9S", "play", 0)
    assert top.table.phase == "deal"
    assert not top.table.can(Action("withdraw", 0, parse_card("9S"))), "the hand is counted"
    top.lift(last)
    top.lay("KC", "play", 0)
    assert top.kinds == ["take-back", "turn"]
    assert top.text("take-back") == "Ann: take back K♣, no card may be laid there now."


def test_another_card_of_the_trick_picked_up_must_be_put_back() -> None:
    top = TableTop(players=("Ann", "Bo", "Cy")).started()
    led = top.lay("KS", "play", 1)
    top.lay("4S", "play", 2)
    top.lift(led)
    assert len(top.done) == 2
    assert top.text("put-back") == "Lay K♠ back in front of Bo."
    top.lay("KS", "play", 1)
    assert (len(top.done), top.kinds) == (2, ["turn"])


def test_of_two_cards_laid_at_once_the_one_left_counts() -> None:
    top = TableTop().started()
    top.put("KS", "play", 1)
    second = top.put("QD", "play", 1)
    top.show()
    assert top.done == []
    assert top.text("two-cards") == "Bo laid two cards at once: take one of them back."
    top.lift(second)
    assert top.done == [play(1, "KS")]


def test_two_players_in_one_scene_count_in_the_order_of_play() -> None:
    top = TableTop().started()
    top.put("3S", "play", 0)
    top.put("KS", "play", 1)
    top.show()
    assert top.done == [play(1, "KS"), play(0, "3S")]


@pytest.mark.parametrize("zone", ["turn-up", "say", None])
def test_a_card_in_the_wrong_zone_is_never_a_play(zone: str | None) -> None:
    top = TableTop().started()
    seat = 1 if zone == "say" else None
    top.lay("KS", zone, seat)
    assert top.done == []
    assert len(top.kinds) == 2
    assert top.kinds[0] in ("take-back", "outside")


def test_a_card_cut_in_the_zone_of_a_neighbour_can_be_moved() -> None:
    for pushed in (True, False):
        top = TableTop(dealer=None)
        cut = top.lay("9S", "play", 1)
        if pushed:
            top.lying[cut] = replace(top.lying[cut], zone=Zone("play", 0))
            top.show()
        else:
            top.lift(cut)
            top.lay("9S", "play", 0)
        assert [action.to_json() for action in top.table.actions] == [{"do": "cut", "seat": 0, "card": "9S"}]
        assert top.kinds == ["turn"]


def test_a_card_to_be_put_back_is_not_to_be_taken_back_as_well() -> None:
    top = TableTop().started()
    shown = top.lay("9S", "show", 0)
    top.lay("KS", "play", 1)
    top.lift(shown)
    top.lay("9S", "turn-up")
    assert top.kinds == ["put-back", "turn"]


def test_a_card_laid_in_an_earlier_phase_must_be_laid_again() -> None:
    top = TableTop().started()
    top.lay("say:stand", "say", 0)
    top.lay("KS", "play", 1)
    assert "Ann: take back" in top.text("take-back")
    assert "lay it again" not in top.text("take-back")
    for index, rank in enumerate(("K", "Q", "J", "9", "8", "7")):
        led = [top.lay(f"{rank}S", "play", 1)] if index else [name for name, _ in list(top.lying.items())[-1:]]
        top.lift(*led, top.lay(f"{rank}C", "play", 0))
    top.lay("4D", "turn-up")
    assert top.text("turn") == "Ann: stand or beg?"
    assert top.text("take-back") == "Ann: take back the card “stand”, it came too early: lay it again."
