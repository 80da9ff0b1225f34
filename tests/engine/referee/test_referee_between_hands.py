"""The referee between two hands or two cuts: cards that stay, are nudged, or are put back."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.engine.referee.table_top import TableTop, hand_over


def test_a_card_refused_in_one_hand_is_never_led_in_the_next() -> None:
    top = TableTop().started()
    for rank in ("K", "Q", "J", "9", "8", "7"):
        top.lift(top.lay(f"{rank}S", "play", 1), top.lay(f"{rank}C", "play", 0))
    assert top.table.phase == "deal"
    top.lift(*top.lying)
    top.lay("4D", "play", 0)
    assert "take-back" in top.kinds
    top.lay("2D", "turn-up")
    top.say(0, "stand")
    assert top.done[-1] == {"do": "say", "seat": 0, "word": "stand"}, "Ann leads, but has not laid a card since"
    assert top.kinds == ["take-back", "turn"]


def test_the_same_card_turned_up_in_the_next_hand_counts() -> None:
    top = TableTop(options={"target": 1000})
    turned = top.lay("2H", "turn-up")
    top.say(1, "stand")
    ranks = ("3", "4", "5", "6", "7", "8")
    for rank in ranks:
        top.lift(top.lay(f"{rank}S", "play", 1), top.lay(f"{rank}D", "play", 0))
        if rank != "8":
            assert top.table.turn == 1
    assert top.table.phase == "deal"
    turns = [action for action in top.done if action["do"] == "turn"]
    assert len(turns) == 1
    top.lift(turned)
    top.clock += 5  # the pack is shuffled and dealt
    top.lay("2H", "turn-up")
    assert [action["do"] for action in top.done].count("turn") == 2


def test_a_turn_up_put_back_after_the_hand_is_not_turned_again() -> None:
    top, turned = hand_over()
    top.lift(turned)
    again = top.lay("2H", "turn-up")
    assert [action["do"] for action in top.done].count("turn") == 1
    assert top.kinds == ["turn"]
    top.lift(again)
    again = top.lay("2H", "turn-up")
    assert [action["do"] for action in top.done].count("turn") == 1
    assert top.kinds == ["take-back", "turn"], "a player who lays it again may mean it, and is asked"
    top.lift(again)
    top.lay("2H", "turn-up")
    assert [action["do"] for action in top.done].count("turn") == 2


def test_a_card_nudged_between_two_hands_is_not_turned_again() -> None:
    top = TableTop()
    turned = top.lay("2H", "turn-up")
    top.say(1, "stand")
    for rank in ("3", "4", "5", "6", "7", "8"):
        top.lift(top.lay(f"{rank}S", "play", 1), top.lay(f"{rank}D", "play", 0))
    top.lying["bumped"] = replace(top.lying.pop(turned), card_id="bumped")
    top.show()
    assert [action["do"] for action in top.done].count("turn") == 1


def test_after_a_tie_the_same_card_can_be_cut_again() -> None:
    top = TableTop(dealer=None)
    cut = [top.lay("9S", "play", 0), top.lay("9D", "play", 1)]
    top.lift(*cut)
    top.clock += 5
    cut = [top.lay("9S", "play", 0), top.lay("KD", "play", 1)]
    assert [action["do"] for action in top.done] == ["cut"] * 4
    assert top.table.view().dealer == 1


def test_the_tied_players_are_asked_to_cut_again() -> None:
    top = TableTop(("Ann", "Bo", "Cy"), dealer=None)
    assert top.text("turn") == "Cut for the deal: everybody lays the card they cut in front of them."
    top.lift(top.lay("KS", "play", 0), top.lay("KH", "play", 1), top.lay("2H", "play", 2))
    assert top.text("turn") == "Still to cut: Ann and Bo."


def test_a_recorded_card_read_as_another_is_judged_as_new() -> None:
    """The next turn-up is first read as the last one: the last hand must not be corrected with it."""
    top, turned = hand_over()
    top.lift(turned)
    top.clock += 5
    top.lift(top.lay("2H", "turn-up"))
    top.clock += 5
    top.say(0, "stand")
    before = len(top.done)
    top.clock += 5
    misread = top.lay("2H", "turn-up")
    top.turns_out(misread, "9C")
    assert top.done[before:] == []
    assert top.kinds == ["take-back", "turn"]


def test_a_card_put_back_after_the_hand_and_misread_is_asked_about() -> None:
    top, turned = hand_over()
    top.lift(turned)
    back = top.lay("2H", "turn-up")
    assert top.kinds == ["turn"]
    top.turns_out(back, "9C")
    assert top.kinds == ["take-back", "turn"]


@pytest.mark.parametrize("seat", [0, 2])
def test_the_card_cut_last_may_be_the_first_one_played(seat: int) -> None:
    top = TableTop(("Ann", "Bo", "Cy"), game="hearts", dealer=None)
    cut = [top.lay(card, "play", seat) for seat, card in enumerate(("9S", "KD", "2C"))]
    top.lift(*cut)
    top.clock += 20
    top.lay("2C", "play", seat)
    assert top.done[-1] == {"do": "play", "seat": seat, "card": "2C"}
    assert top.kinds == ["turn"]
