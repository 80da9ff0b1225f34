"""Accidents at the table: what is recorded then is right, or the players are asked to check it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.observations import Back, Lost, Scene, UndoAsked, Zone
from tests.engine.referee.table_top import TableTop, play

SAY_CALL = {"do": "say", "seat": 1, "word": "call", "card": "9S"}


def cribbage(*cards: tuple[str, int]) -> TableTop:
    """A game of Ann and Bo, Ann deals: the crib lies face down, K♦ is the starter, these cards were played."""
    top = TableTop(game="cribbage")
    for _ in range(4):
        top.lay(None, "crib")
    top.lay("KD", "turn-up")
    for card, seat in cards:
        top.lay(card, "play", seat)
    top.done.clear()
    return top


def sweep(top: TableTop) -> None:
    """Take up the cards in front of the players, without showing it yet."""
    for name in [name for name, card in top.lying.items() if card.zone and card.zone.name == "play"]:
        del top.lying[name]


# Counts


@pytest.mark.parametrize("at_once", [True, False])
def test_a_count_swept_before_it_was_over_by_the_record_is_to_be_checked(at_once: bool) -> None:
    """Bo's ace made thirty-one, and was gone before it could be read."""
    top = cribbage(("10S", 1), ("10H", 0), ("10C", 1))
    top.say(0, "go")
    sweep(top)
    if not at_once:
        top.show()
        assert "put-back" in top.kinds
    top.lay("9S", "play", 0)
    assert top.done[1:] == [play(0, "9S")]
    assert top.text("check").startswith("Not seen: trick 10♠ 10♥ 10♣; Ann plays 9♠.")


def test_a_swept_count_before_a_card_of_the_seat_on_turn_is_checked() -> None:
    top = cribbage(("10S", 1), ("10H", 0), ("10C", 1))
    sweep(top)
    top.lay("9S", "play", 0)
    assert top.done == [play(0, "9S")]
    assert "check" in top.kinds


def test_a_count_that_ends_with_the_cards_lying_is_not_to_be_checked() -> None:
    top = cribbage(("10S", 1), ("10H", 0), ("10C", 1))
    top.lay("9S", "play", 0)
    assert top.kinds == ["turn"]


def test_of_two_laid_at_once_the_seat_on_turn_comes_first() -> None:
    top = cribbage(("10S", 1), ("10H", 0), ("5C", 1))
    now = top.clock
    top.put("3S", "play", 1, since=now)
    top.put("2S", "play", 0, since=now + 0.3)
    top.show()
    assert top.done == [play(0, "2S"), play(1, "3S")]


def test_no_seat_is_passed_over_while_a_card_is_unread() -> None:
    top = cribbage(("10S", 1), ("10H", 0), ("5C", 1))
    unread = top.lay(None, "play", 0)
    top.lay("2S", "play", 1)
    assert top.done == [] and "unreadable" in top.kinds
    top.turns_out(unread, "3S")
    assert top.done == [play(0, "3S"), play(1, "2S")]
    assert top.kinds == ["turn"]


# Calls


@pytest.mark.parametrize("seconds", [0.0, 30.0])
def test_a_call_stands_after_an_earlier_card_is_laid_again(seconds: float) -> None:
    top = TableTop().started()
    exposed = top.lay("9S", "show", 0)
    led = top.lay("KS", "play", 1)
    top.say(1, "call")
    card = top.lying[exposed]
    top.lift(led, exposed)
    assert top.done[-1] == {"do": "withdraw", "seat": 1, "card": "KS"}
    top.clock += seconds
    top.lying[exposed] = card
    top.lay("KS", "play", 1)
    assert top.table.actions[-1].to_json() == SAY_CALL
    other = top.lay("3S", "play", 0)
    assert "take-back" in top.kinds, "the call stands"
    top.lift(other)
    assert top.kinds == ["turn"]


def test_a_card_taken_back_at_once_and_laid_again_is_recorded_so() -> None:
    top = TableTop().started()
    top.lift(top.lay("KS", "play", 1))
    top.clock += 5
    top.lay("KS", "play", 1)
    assert top.done == [play(1, "KS"), {"do": "withdraw", "seat": 1, "card": "KS"}, play(1, "KS")]


# Cuts


@pytest.mark.parametrize("where", [("say", 1), ("play", 0), ("turn-up", None)])
def test_pushing_a_card_of_a_finished_cut_does_not_cut_again(where: tuple[str, int | None]) -> None:
    top = TableTop(dealer=None, game="cribbage")
    cut = [top.lay("8D", "play", 1), top.lay("8H", "play", 0)]
    assert len(top.done) == 2 and top.table.phase == "cut"
    for name in cut:
        card = top.lying[name]
        for zone in (Zone(*where), card.zone):
            top.lying[name] = type(card)(name, card.face, zone, top.clock)
            top.show()
    assert len(top.done) == 2
    top.lift(*cut)
    top.clock += 30
    top.lay("8D", "play", 1)
    assert top.done[-1] == {"do": "cut", "seat": 1, "card": "8D"}


def test_a_card_cut_in_another_zone_is_moved_to_its_owner() -> None:
    top = TableTop(dealer=None, game="cribbage")
    name = top.lay("8D", "play", 1)
    card = top.lying[name]
    top.lying[name] = type(card)(name, card.face, Zone("play", 0), top.clock)
    top.show()
    assert [action.to_json() for action in top.table.actions] == [{"do": "cut", "seat": 0, "card": "8D"}]


# Tricks


@pytest.mark.parametrize(("seconds", "kinds"), [(0.0, ["turn"]), (5.0, ["check", "turn"])])
def test_a_trick_whose_last_card_left_early_is_checked(seconds: float, kinds: list[str]) -> None:
    """It may have been exchanged for one that was not read; swept up, the last card may only go first."""
    top = TableTop().started()
    led, last = top.lay("10D", "play", 1), top.lay("8D", "play", 0)
    top.lift(last)
    top.clock += seconds
    top.lift(led)
    assert top.done[-1] == {"do": "gather", "seat": 1}
    assert top.kinds == kinds
    if seconds:
        assert top.text("check").startswith("Not seen: trick 10♦ 8♦.")


def test_an_unread_card_does_not_stop_the_last_card_time() -> None:
    """The trick is judged only once the next card is read; it was swept up long after its last card was taken up."""
    top = TableTop().started()
    led, last = top.lay("10D", "play", 1), top.lay("8D", "play", 0)
    top.lift(last)
    top.clock += 5.0
    del top.lying[led]
    lead = top.lay(None, "play", 1)
    assert "gather" not in [action["do"] for action in top.done]
    top.turns_out(lead, "JD")
    assert {"do": "gather", "seat": 1} in top.done
    assert "check" in top.kinds


@pytest.mark.parametrize(("pushed", "kinds"), [(False, ["turn"]), (True, ["check", "turn"])])
def test_a_take_with_a_card_that_was_pushed_to_the_table_is_to_be_checked(pushed: bool, kinds: list[str]) -> None:
    """Who pushes a card to the table takes nothing with it; a card not seen may have been laid since."""
    top = TableTop(game="le-quinze")
    lying = [top.lay(card, "table") for card in ("7D", "KC", "KD", "KH")]
    played = top.lay("JH", "play", 1)
    if pushed:
        top.lift(played)
        played = top.lay("JH", "table")
    top.lift(lying[0], played)
    assert top.done[-1] == {"do": "take", "seat": 1, "cards": ["7D"]}
    assert top.kinds == kinds


@pytest.mark.parametrize(("where", "name"), [(Zone("play", 0), "Ann: pick up 3♥"), (None, "Pick up 3♥")])
def test_a_card_pushed_and_then_undone_is_asked_for_where_it_lies(where: Zone | None, name: str) -> None:
    top = TableTop().started()
    led = top.lay("3H", "play", 1)
    top.lying[led] = replace(top.lying[led], zone=where)
    top.show()
    assert top.kinds == ["turn"], "a card of a trick may be pushed"
    top.referee.observe(UndoAsked(top.clock, "page"))
    assert top.text("take-back") == f"{name}; that play was undone."


# Covered zones


def test_a_bid_made_larger_beside_a_covered_zone_is_still_to_be_checked() -> None:
    top = TableTop(("Ann", "Bo", "Cy"), 0, game="its-15", options={"ones": 5, "twos": 5})
    top.lay("green-5", "table")
    for seat in (0, 1, 2):
        top.say(seat, "stay")
    top.lay("red-1", "bid", 0)
    for name in ("red-1", "red-2"):
        top.put(name, "bid", 0)
        top.clock += 1
        top.referee.observe(Scene(top.clock, "camera", tuple(top.lying.values()), (Zone("bid", 1),)))
    assert top.done[-1] == {"do": "bid", "seat": 0, "cards": ["red-1", "red-1", "red-2"]}
    assert top.text("check").startswith("Not seen: Ann bids red 1, red 1, red 2.")
    top.referee.observe(UndoAsked(top.clock, "page"))
    assert "check" not in top.kinds


def test_bids_read_after_the_dark_are_all_checked() -> None:
    top = TableTop(("Ann", "Bo", "Cy"), 0, game="its-15", options={"ones": 5, "twos": 5})
    top.lay("green-5", "table")
    for seat in (0, 1, 2):
        top.say(seat, "stay")
    top.lay("red-1", "bid", 0)
    top.referee.observe(Lost(top.clock, "camera", "The lamp is off."))
    for face, seat in (("red-1", 0), (None, 0), ("blue-1", 1), ("blue-1", 1), (None, 1)):
        top.put(face, "bid", seat)
        top.clock += 1
    unread = [name for name, card in top.lying.items() if card.face is None]
    top.referee.observe(Back(top.clock, "camera"))
    top.show()
    assert [each["do"] for each in top.done[-2:]] == ["bid", "bid"]
    top.turns_out(unread[1], "blue-1")
    top.turns_out(unread[0], "red-1")
    assert "take-back" in top.kinds, "Ann can add nothing now"
    assert top.text("check").startswith("Not seen: Ann bids red 1, red 1; 1 more.")
