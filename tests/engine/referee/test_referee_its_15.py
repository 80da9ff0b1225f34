"""The referee at It's 15: bids, cards drawn, showings and pots."""

from __future__ import annotations

from dataclasses import replace

from engine.observations import Zone
from engine.referee.referee import Referee
from tests.engine.referee.table_top import TableTop


def its_15(players: tuple[str, ...] = ("Ann", "Bo")) -> TableTop:
    """It's 15 with the green five in the centre: all players have drawn or stayed, and Ann bids next."""
    top = TableTop(players, 0, game="its-15")
    top.lay("green-5", "table")
    for seat in range(len(players)):
        top.say(seat, "stay")
    top.done.clear()
    return top


def test_value_cards_laid_one_after_another_are_one_bid() -> None:
    top = its_15()
    top.lay("red-1", "bid", 0)
    top.lay("red-2", "bid", 0)
    assert [action["do"] for action in top.done] == ["bid", "undo", "bid"]
    assert top.done[-1] == {"do": "bid", "seat": 0, "cards": ["red-1", "red-2"]}
    assert top.table.turn == 1


def test_a_bid_is_completed_after_a_restart() -> None:
    """The program is killed after the first of two cards made a bid; the second makes it another bid."""
    top = its_15()
    top.lay("red-2", "bid", 0)
    top.referee = Referee(top.table)
    top.done.clear()
    top.show()
    top.lay("red-2", "bid", 0)
    assert [action["do"] for action in top.done] == ["undo", "bid"]
    assert top.done[-1] == {"do": "bid", "seat": 0, "cards": ["red-2", "red-2"]}


def test_a_bid_that_is_too_low_waits_for_more() -> None:
    top = its_15()
    top.lay("red-2", "bid", 0)
    top.lay("red-1", "bid", 0)
    top.done.clear()
    top.lay("blue-1", "bid", 1)
    assert top.done == []
    assert top.text("unfinished") == "Bo must add 3 or more, not 1, or pass."
    top.lay("blue-1", "bid", 1)
    assert top.done == []
    top.lay("blue-1", "bid", 1)
    assert top.done == [{"do": "bid", "seat": 1, "cards": ["blue-1", "blue-1", "blue-1"]}]
    assert top.table.phase == "show"
    assert "unfinished" not in top.kinds


def test_a_bid_too_high_to_match_counts_when_one_card_is_taken_back() -> None:
    top = its_15(("Ann", "Bo", "Cy"))
    top.lay("red-1", "bid", 0)
    top.lay("blue-2", "bid", 1)  # a raise, the only one
    top.done.clear()
    much = top.lay("yellow-2", "bid", 2)
    assert top.done == [{"do": "bid", "seat": 2, "cards": ["yellow-2"]}]
    more = top.lay("yellow-1", "bid", 2)
    assert len(top.done) == 1
    assert top.text("take-back") == "Cy: take back yellow 1, it was not counted."
    top.lift(more)
    assert top.kinds == ["turn"]
    assert much in top.lying


def test_only_the_card_that_makes_a_bid_too_high_is_taken_back() -> None:
    top = its_15(("Ann", "Bo", "Cy"))
    for face, seat in (("red-1", 0), ("blue-2", 1), ("yellow-2", 2)):
        top.lay(face, "bid", seat)
    top.lay("yellow-1", "bid", 2)
    assert top.kinds.count("take-back") == 1
    bid = next(card for card in top.referee.seen() if str(card.face) == "yellow-2")
    assert not bid.refused and bid.number == len(top.table.actions) - 1


def test_a_second_card_face_down_says_card() -> None:
    top = TableTop(("Ann", "Bo"), 0, game="its-15")
    top.lay("green-5", "table")
    top.lay(None, "show", 0)
    top.lay(None, "show", 1)
    assert top.done == [{"do": "turn", "card": "green-5"}]
    assert top.kinds == ["turn"], "a brown card lies face down there by right"
    top.lay(None, "show", 0)
    assert top.done[-1] == {"do": "say", "seat": 0, "word": "card"}
    top.show()
    assert len(top.done) == 2
    top.lay(None, "show", 1)
    assert top.done[-1] == {"do": "say", "seat": 1, "word": "card"}


def test_face_down_cards_of_the_last_round_are_ignored() -> None:
    top = its_15()
    left = [top.lay(None, "show", 0), top.lay(None, "show", 0)]
    top.say(0, "pass")
    top.say(1, "pass")
    top.lay("brown-9", "show", 0)
    top.lay("brown-3", "show", 1)
    assert top.table.phase == "turn"
    top.done.clear()
    top.lay(None, "show", 0)
    top.lay("green-7", "table")
    assert top.done == [{"do": "turn", "card": "green-7"}], "of this round one card lies there"
    top.lift(*left)
    top.lay(None, "show", 0)
    assert top.done[-1] == {"do": "say", "seat": 0, "word": "card"}


def test_after_a_restart_only_a_newly_drawn_card_counts() -> None:
    top = TableTop(("Ann", "Bo"), 0, game="its-15")
    top.lay("green-5", "table")
    top.lay(None, "show", 0)
    top.referee = Referee(top.table)
    top.show()
    assert top.table.turn == 0
    top.lay(None, "show", 0)
    assert top.done[-1] == {"do": "say", "seat": 0, "word": "card"}


def test_too_few_value_cards_must_be_taken_back_after_a_pass() -> None:
    top = its_15(("Ann", "Bo", "Cy"))
    top.lay("red-2", "bid", 0)
    few = top.lay("blue-1", "bid", 1)
    assert top.text("unfinished") == "Bo must add 2 or more, not 1, or pass."
    top.say(1, "pass")
    assert top.text("take-back") == "Bo: take back blue 1, it was not counted."
    assert "unfinished" not in top.kinds
    top.lift(few)
    assert top.kinds == ["turn"]


def test_an_unreadable_card_of_a_showing_must_be_laid_again() -> None:
    top = TableTop(("Ann", "Bo"), 0, game="its-15")
    top.lay("green-5", "table")
    top.say(0, "card")
    top.say(1, "stay")
    top.say(0, "pass")
    top.say(1, "pass")
    top.lay("brown-9", "show", 0)
    top.lay(None, "show", 0)
    assert top.text("unreadable") == "The card in the show zone of Ann cannot be read: lay it again, face up."


def test_a_card_shown_in_the_zone_of_a_neighbour_can_be_moved() -> None:
    top = its_15()
    top.say(0, "pass")
    top.say(1, "pass")
    shown = top.lay("brown-5", "show", 1)
    top.lying[shown] = replace(top.lying[shown], zone=Zone("show", 0))
    top.show()
    assert top.table.actions[-1].to_json() == {"do": "show", "seat": 0, "cards": ["brown-5"]}
    assert top.text("turn") == "Bo: show your brown cards."


def test_all_players_show_as_many_cards_as_they_hold() -> None:
    top = TableTop(("Ann", "Bo"), 0, game="its-15")
    top.lay("green-5", "table")
    top.say(0, "card")
    top.say(1, "stay")
    top.lay("red-1", "bid", 0)
    top.lay("blue-1", "bid", 1)
    top.done.clear()
    assert top.text("turn") == "Ann and Bo: show your brown cards."
    top.lay("brown-3", "show", 0)
    assert top.done == []
    assert top.text("unfinished") == "Ann: 1 more card, please."
    top.lay("brown-9", "show", 1)
    assert top.done == [{"do": "show", "seat": 1, "cards": ["brown-9"]}]
    top.lay("brown-3", "show", 0)  # another copy of the same card
    assert top.done[-1] == {"do": "show", "seat": 0, "cards": ["brown-3", "brown-3"]}
    assert top.table.view().scores == (14, 16)


def test_a_brown_card_misread_in_a_showing_is_corrected() -> None:
    top = its_15()
    top.lay("red-1", "bid", 0)
    top.lay("blue-1", "bid", 1)
    shown = top.lay("brown-3", "show", 0)
    top.turns_out(shown, "brown-8")
    assert top.table.actions[-1].to_json() == {"do": "show", "seat": 0, "cards": ["brown-8"]}


def test_a_pot_left_by_a_tie_may_be_pushed_to_the_middle() -> None:
    top = TableTop(("Ann", "Bo"), 0, game="its-15")
    centre = top.lay("green-5", "table")
    top.say(0, "stay")
    top.say(1, "stay")
    bids = [top.lay("red-1", "bid", 0), top.lay("blue-1", "bid", 1)]
    shown = [top.lay("brown-9", "show", 0), top.lay("brown-9", "show", 1)]
    assert top.table.scores == (14, 14)
    top.lift(centre, *shown)
    for card in ("red-1", "blue-1"):
        top.lay(card, "table")
        assert top.kinds == ["turn"]
    top.lift(*bids)
    assert top.kinds == ["turn"]
    top.lay("green-7", "table")
    assert top.table.phase == "say"


def test_one_of_two_equal_cards_is_corrected_alone() -> None:
    top = its_15()
    top.lay("red-1", "bid", 0)
    top.turns_out(top.lay("red-1", "bid", 0), "red-2")
    assert top.table.actions[-1].to_json() == {"do": "bid", "seat": 0, "cards": ["red-1", "red-2"]}


def test_a_card_drawn_face_down_and_turned_over_where_it_lies_is_shown() -> None:
    """The camera follows it under the same name, because it saw nothing while it was turned over."""
    top = TableTop(("Ann", "Bo"), 0, game="its-15")
    top.lay("green-5", "table")
    held = top.lay(None, "show", 0)
    drawn = top.lay(None, "show", 0)
    assert top.done[-1] == {"do": "say", "seat": 0, "word": "card"}
    top.say(1, "stay")
    for seat in (0, 1):
        top.say(seat, "pass")
    top.turns_out(held, "brown-9")
    top.turns_out(drawn, "brown-6")
    assert top.done[-1] == {"do": "show", "seat": 0, "cards": ["brown-9", "brown-6"]}
    assert top.kinds == ["turn"]
