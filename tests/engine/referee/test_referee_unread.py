"""A card that cannot be read: the referee draws no conclusion from cards picked up beside it."""

from __future__ import annotations

import pytest

from engine.referee.referee import Referee
from tests.engine.referee.table_top import TableTop, play


@pytest.fixture
def top() -> TableTop:
    return TableTop().started()


def test_a_card_that_cannot_be_read_is_asked_about_at_once(top: TableTop) -> None:
    top.lay("3D", "play", 1)
    top.lay(None, "play", 0)
    assert "unreadable" in top.kinds


def test_the_seat_on_turn_plays_beside_a_card_that_cannot_be_read(top: TableTop) -> None:
    top.lay(None, "play", 0)
    top.lay("3D", "play", 1)
    assert top.done == [play(1, "3D")]


def test_cards_swept_with_an_unread_one_are_asked_for(top: TableTop) -> None:
    led = top.lay("3D", "play", 1)
    unread = top.lay(None, "play", 0)
    top.lift(led, unread)
    assert top.done == [play(1, "3D")]
    assert top.text("put-back") == "Lay 3♦ back in front of Bo."
    top.lay("3D", "play", 1)
    assert "put-back" not in top.kinds
    top.lay("9C", "play", 0)
    assert top.done == [play(1, "3D"), play(0, "9C")]


@pytest.mark.parametrize("first", [0, 1])
def test_nothing_is_withdrawn_if_they_are_picked_up_one_after_the_other(top: TableTop, first: int) -> None:
    lying = [top.lay("3D", "play", 1), top.lay(None, "play", 0)]
    top.lift(lying.pop(first))
    if first == 1:  # the unread card was taken away: the led card may be withdrawn again
        assert top.done == [play(1, "3D")]
        return
    top.lift(*lying)
    assert top.done == [play(1, "3D")]
    assert "put-back" in top.kinds


def test_a_card_lifted_beside_an_unread_one_is_not_withdrawn(top: TableTop) -> None:
    led = top.lay("3D", "play", 1)
    unread = top.lay(None, "play", 0)
    top.lift(led)
    top.turns_out(unread, "9C")
    assert top.done == [play(1, "3D"), play(0, "9C")]


def test_a_card_put_back_may_be_withdrawn_afterwards(top: TableTop) -> None:
    led = top.lay("3D", "play", 1)
    unread = top.lay(None, "play", 0)
    top.lift(led, unread)
    top.lift(top.lay("3D", "play", 1))
    assert top.done[-1] == {"do": "withdraw", "seat": 1, "card": "3D"}


def test_a_card_exchanged_for_one_that_is_read_late_is_withdrawn(top: TableTop) -> None:
    led = top.lay("3D", "play", 1)
    del top.lying[led]
    other = top.lay(None, "play", 1)
    assert top.done == [play(1, "3D")]
    top.turns_out(other, "4D")
    assert top.done == [play(1, "3D"), {"do": "withdraw", "seat": 1, "card": "3D"}, play(1, "4D")]


def test_a_card_that_is_read_again_was_not_picked_up(top: TableTop) -> None:
    led = top.lay("3D", "play", 1)
    del top.lying[led]
    again = top.lay(None, "play", 1)
    top.turns_out(again, "3D")
    assert top.done == [play(1, "3D")]
    assert top.kinds == ["turn"]


def test_a_trick_beside_an_unread_card_is_gathered_once_it_is_gone(top: TableTop) -> None:
    trick = [top.lay("3D", "play", 1), top.lay("9D", "play", 0)]
    unread = top.lay(None, "play", 1)
    top.lift(*trick)
    assert top.done[-1]["do"] == "play"
    top.lift(unread)
    assert top.done[-1] == {"do": "gather", "seat": 0}


@pytest.mark.parametrize("where", [("play", 0), ("table", None)])
def test_cards_are_taken_once_the_card_beside_them_is_read(where: tuple[str, int | None]) -> None:
    top = TableTop(game="le-quinze", options={"target": 500})
    table = [top.lay(face, "table") for face in ("4S", "6S", "KS", "QS")]
    played = top.lay("5H", "play", 1)
    unread = top.lay(None, *where)
    top.lift(played, *table[:2])
    assert top.done[-1] == play(1, "5H")
    top.turns_out(unread, "KD")
    assert [action["do"] for action in top.done[-2:]] == ["take", "play"]


def test_nothing_is_withdrawn_in_a_first_scene_with_an_unread_card(top: TableTop) -> None:
    led = top.lay("3D", "play", 1)
    top.lay(None, "play", 0)
    del top.lying[led]
    top.referee = Referee(top.table)
    top.show()
    assert top.done == [play(1, "3D")]
    assert "put-back" in top.kinds


def test_a_card_laid_in_exchange_counts_once_the_trick_beside_it_is_read() -> None:
    """The camera took all cards for new ones, and read only the one laid in exchange at once."""
    top = TableTop(("Ann", "Bo", "Cy")).started()
    trick = [top.lay("3S", "play", 1), top.lay("AS", "play", 2), top.lay("4S", "play", 0)]
    for name in trick:
        del top.lying[name]
    unread = [top.put(None, "play", 1), top.put(None, "play", 2)]
    top.lay("8S", "play", 0)
    assert [done["do"] for done in top.done] == ["play"] * 3
    assert top.kinds == ["unreadable", "unreadable", "turn"]
    top.turns_out(unread[0], "3S")
    top.turns_out(unread[1], "AS")
    assert top.done[3:] == [{"do": "withdraw", "seat": 0, "card": "4S"}, play(0, "8S")]
