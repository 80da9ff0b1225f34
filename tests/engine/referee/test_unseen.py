"""What people do while the table sees nothing, or only a part: it is not guessed, or players are asked to check it."""

from __future__ import annotations

import pytest

from engine.observations import Back, Lost, Scene, UndoAsked, Zone
from engine.referee.phases import BETWEEN_HANDS
from tests.engine.referee.table_top import TableTop, hand_over, play


@pytest.fixture
def top() -> TableTop:
    return TableTop().started()


def lose(top: TableTop) -> None:
    top.referee.observe(Lost(top.clock, "camera", "The lamp is off."))


def see(top: TableTop) -> None:
    top.referee.observe(Back(top.clock, "camera"))
    top.show()


def test_a_lead_gone_while_the_camera_was_lost_is_asked_for(top: TableTop) -> None:
    led = top.lay("3D", "play", 1)
    lose(top)
    del top.lying[led]  # with Ann's card, which was not seen
    see(top)
    assert top.done == [play(1, "3D")]
    assert top.text("put-back") == "Lay 3♦ back in front of Bo."


def test_a_lead_after_a_trick_that_was_not_seen_is_to_be_checked(top: TableTop) -> None:
    led = top.lay("3D", "play", 1)
    lose(top)
    del top.lying[led]
    top.put("KS", "play", 0)
    see(top)
    assert top.done == [play(1, "3D"), play(0, "KS")]
    assert top.text("check").startswith("Ann plays K♠. The table did not see how")


def test_a_trick_gathered_in_the_dark_is_named_until_the_next_hand(top: TableTop) -> None:
    trick = [top.lay("3D", "play", 1), top.lay("9D", "play", 0)]
    lose(top)
    for name in trick:
        del top.lying[name]
    see(top)
    assert top.done[-1] == {"do": "gather", "seat": 0}
    assert top.text("check").startswith("The trick 3♦ 9♦ was gathered.")
    top.lay("4C", "play", 0)
    assert "check" in top.kinds
    for _ in range(2):
        top.referee.observe(UndoAsked(top.clock, "page"))
    assert "check" not in top.kinds


def test_a_card_exchanged_in_the_dark_counts_and_is_to_be_checked(top: TableTop) -> None:
    led, last = top.lay("KD", "play", 1), top.lay("9D", "play", 0)
    lose(top)
    del top.lying[last]
    see(top)
    assert top.done == [play(1, "KD"), play(0, "9D")]
    top.lay("2D", "play", 0)
    assert top.done[-2:] == [{"do": "withdraw", "seat": 0, "card": "9D"}, play(0, "2D")]
    assert "Ann takes back 9♦; Ann plays 2♦" in top.text("check")
    assert led in top.lying


def test_nothing_is_withdrawn_beside_a_covered_zone(top: TableTop) -> None:
    led = top.lay("3D", "play", 1)
    zones = (Zone("play", 0),)
    top.referee.observe(Scene(top.clock, "camera", tuple(top.lying.values()), zones))
    assert top.text("covered") == "Something lies in front of Ann: cards under it are not seen."
    del top.lying[led]
    top.referee.observe(Scene(top.clock, "camera", tuple(top.lying.values()), zones))
    assert top.done == [play(1, "3D")]
    assert "put-back" in top.kinds
    top.show()
    assert top.done == [play(1, "3D")]
    assert "covered" not in top.kinds


def test_a_lead_taken_back_may_have_been_a_trick_too_quick_to_be_read(top: TableTop) -> None:
    top.lift(top.lay("3D", "play", 1))
    assert top.text("check") == (
        "Bo takes back 3♦. If it was a trick that the table did not see, press undo on the page and lay it again."
    )
    top.lay("4D", "play", 1)
    assert "check" in top.kinds
    top.lift(*[*list(top.lying)[1:], top.lay("5D", "play", 0)])
    top.lift(top.lay("6D", "play", 0), top.lay("7D", "play", 1))
    assert "check" not in top.kinds


def test_a_lead_taken_back_and_laid_again_is_not_to_be_checked(top: TableTop) -> None:
    top.lift(top.lay("3D", "play", 1))
    top.lay("3D", "play", 1)
    assert "check" not in top.kinds


def test_a_card_taken_back_from_a_trick_is_not_to_be_checked(top: TableTop) -> None:
    top.lay("3D", "play", 1)
    second = top.lay("9D", "play", 0)
    top.lift(second)
    top.lay("2D", "play", 0)
    assert "check" not in top.kinds


def test_the_old_turn_up_seen_again_unread_is_not_turned_up_again() -> None:
    top, turned = hand_over()
    assert top.table.phase in BETWEEN_HANDS
    top.lying.pop(turned)
    unread = top.lay(None, "turn-up")  # the camera was bumped, and has not read it yet
    before = list(top.done)
    top.turns_out(unread, "2H")
    assert top.done == before
