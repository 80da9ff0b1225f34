"""What people do while the table sees nothing, or only a part: it is not guessed, or players are asked to check it."""

from __future__ import annotations

import pytest

from engine.observations import Back, Lost, Scene, UndoAsked, Zone
from engine.referee.observed_cards import BEFORE_HAND
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
    assert top.text("check").startswith("Not seen: Ann plays K♠.")


def test_a_card_unmoved_since_the_dark_may_have_been_led_again(top: TableTop) -> None:
    top.lay("JC", "play", 1)
    lose(top)
    see(top)  # JC was taken back, a trick was played, and JC was led
    assert top.text("check").startswith("Not seen: Bo plays J♣.")
    top.lay("9C", "play", 0)
    assert "check" in top.kinds
    for _ in range(2):
        top.referee.observe(UndoAsked(top.clock, "page"))
    assert "check" not in top.kinds


@pytest.mark.parametrize(("seat", "kinds"), [(1, ["check", "turn"]), (0, ["turn"])])
def test_a_card_that_was_covered_may_have_been_led_again(top: TableTop, seat: int, kinds: list[str]) -> None:
    top.lay("JC", "play", 1)
    top.referee.observe(Scene(top.clock, "camera", tuple(top.lying.values()), (Zone("play", seat),)))
    top.show()
    assert top.kinds == kinds


def test_an_empty_table_after_the_dark_is_not_to_be_checked(top: TableTop) -> None:
    top.lift(top.lay("JC", "play", 1), top.lay("9C", "play", 0))
    lose(top)
    see(top)
    assert top.kinds == ["turn"]


def test_a_trick_gathered_in_the_dark_is_named_until_the_next_hand(top: TableTop) -> None:
    trick = [top.lay("3D", "play", 1), top.lay("9D", "play", 0)]
    lose(top)
    for name in trick:
        del top.lying[name]
    see(top)
    assert top.done[-1] == {"do": "gather", "seat": 0}
    assert top.text("check").startswith("Not seen: trick 3♦ 9♦.")
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
    two, three = (*zones, Zone("play", 1)), (*zones, Zone("play", 1), Zone("turn-up"))
    for covered, named in ((two, "in front of Ann and in front of Bo"), (three, "on 3 zones")):
        top.referee.observe(Scene(top.clock, "camera", tuple(top.lying.values()), covered))
        assert top.text("covered") == f"Something lies {named}: cards under it are not seen."
    del top.lying[led]
    top.referee.observe(Scene(top.clock, "camera", tuple(top.lying.values()), zones))
    assert top.done == [play(1, "3D")]
    assert "put-back" in top.kinds
    top.show()
    assert top.done == [play(1, "3D")]
    assert "covered" not in top.kinds


def test_a_lead_taken_back_may_have_been_a_trick_too_quick_to_be_read(top: TableTop) -> None:
    top.lift(top.lay("3D", "play", 1))
    assert top.text("check") == ("Bo takes back 3♦. If it was a trick that was not seen, undo and lay it again.")
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
    assert top.table.phase in BEFORE_HAND
    top.lying.pop(turned)
    unread = top.lay(None, "turn-up")  # the camera was bumped, and has not read it yet
    before = list(top.done)
    top.turns_out(unread, "2H")
    assert top.done == before


def test_nothing_is_to_be_checked_if_only_a_word_was_said_in_the_dark() -> None:
    top = TableTop()
    top.lay("2H", "turn-up")
    lose(top)
    top.put("say:stand", "say", 1)
    see(top)
    assert top.done[-1]["word"] == "stand" and top.kinds == ["turn"]


def test_the_dark_ends_with_a_first_scene_of_the_whole_trick(top: TableTop) -> None:
    led = top.lay("3D", "play", 1)
    lose(top)
    see(top)
    top.lift(led)
    assert top.done[-1] == {"do": "withdraw", "seat": 1, "card": "3D"}


def test_the_dark_lasts_until_every_card_of_the_trick_is_read(top: TableTop) -> None:
    lose(top)
    unread = top.put(None, "play", 1)
    see(top)
    assert top.done == [] and "check" not in top.kinds
    top.turns_out(unread, "4C")
    assert top.done == [play(1, "4C")]
    assert top.text("check").startswith("Not seen: Bo plays 4♣.")


def test_what_was_concluded_step_by_step_is_one_thing_to_check(top: TableTop) -> None:
    trick = [top.lay("KD", "play", 1), top.lay("9D", "play", 0)]
    covered = (Zone("say", 0),)
    for name in trick:
        del top.lying[name]
    top.referee.observe(Scene(top.clock + 1, "camera", tuple(top.lying.values()), covered))
    top.put("4C", "play", 1)
    top.referee.observe(Scene(top.clock + 2, "camera", tuple(top.lying.values()), covered))
    assert top.done[-2:] == [{"do": "gather", "seat": 1}, play(1, "4C")]
    assert top.kinds.count("check") == 1
    assert top.text("check").startswith("Not seen: trick K♦ 9♦; Bo plays 4♣.")


def test_a_card_taken_back_beside_the_lead_is_not_to_be_checked() -> None:
    top = TableTop(("Ann", "Bo", "Cy")).started()
    top.lay("3D", "play", 1)
    top.lift(top.lay("9D", "play", 2))
    assert top.done[-1] == {"do": "withdraw", "seat": 2, "card": "9D"}
    assert top.kinds == ["turn"]


def test_what_ended_the_game_in_the_dark_is_to_be_checked_at_its_result() -> None:
    top = TableTop(game="cribbage", options={"target": 2})
    top.lay("AC", "turn-up")
    top.lay("KS", "play", 1)
    lose(top)
    top.put("5H", "play", 0)
    see(top)
    assert (top.kinds, top.table.winners) == (["check", "over"], (0,))
    assert top.text("check").startswith("Not seen: Ann plays 5♥.")
    top.referee.observe(Scene(top.clock + 1, "camera", tuple(top.lying.values()), (Zone("play", 1),)))
    assert top.kinds == ["check", "over"]
    top.referee.observe(UndoAsked(top.clock, "page"))
    assert "check" not in top.kinds
