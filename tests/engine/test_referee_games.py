"""The referee in the other games: bids, showings, takes, the crib, cards given and drawn."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.actions import Action
from engine.cards import Card
from engine.games.le_quinze import FIFTEEN, VALUE, LeQuinze
from engine.games.le_quinze import takes as ways
from engine.observations import UndoAsked, Zone
from engine.referee import Referee
from tests.engine.table_top import TableTop, play


def its_15(players: tuple[str, ...] = ("Ann", "Bo")) -> TableTop:
    """It's 15, the green five turned: everybody has said what he takes, Ann is to bid."""
    top = TableTop(players, 0, game="its-15")
    top.lay("green-5", "table")
    for seat in range(len(players)):
        top.say(seat, "stay")
    top.done.clear()
    return top


def crib_game(game: str, dealer: int = 0) -> TableTop:
    return TableTop(("Ann", "Bo"), dealer, game=game)


# It's 15


def test_value_cards_laid_one_after_another_are_one_bid() -> None:
    top = its_15()
    top.lay("red-1", "bid", 0)
    top.lay("red-2", "bid", 0)
    assert [action["do"] for action in top.done] == ["bid", "undo", "bid"]
    assert top.done[-1] == {"do": "bid", "seat": 0, "cards": ["red-1", "red-2"]}
    assert top.table.turn == 1


def test_a_bid_goes_on_after_the_program_was_started_again() -> None:
    """Killed after the first of two cards had made a bid: with the second it is another bid, not one out of turn."""
    top = its_15()
    top.lay("red-2", "bid", 0)
    top.referee = Referee(top.table, lambda action: top.act(action))
    top.done.clear()
    top.show()
    top.lay("red-2", "bid", 0)
    assert [action["do"] for action in top.done] == ["undo", "bid"]
    assert top.done[-1] == {"do": "bid", "seat": 0, "cards": ["red-2", "red-2"]}


def test_a_bid_that_does_not_reach_waits_for_more() -> None:
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


def test_too_much_for_a_match_is_counted_when_one_card_is_taken_back() -> None:
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


def test_cards_face_down_left_from_the_round_before_say_nothing() -> None:
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


def test_a_card_drawn_counts_after_a_restart_and_one_that_lay_there_does_not() -> None:
    top = TableTop(("Ann", "Bo"), 0, game="its-15")
    top.lay("green-5", "table")
    top.lay(None, "show", 0)
    top.referee = Referee(top.table, lambda action: top.act(action))
    top.show()
    assert top.table.turn == 0
    top.lay(None, "show", 0)
    assert top.done[-1] == {"do": "say", "seat": 0, "word": "card"}


def test_value_cards_too_few_before_a_pass_are_to_be_taken_back() -> None:
    top = its_15(("Ann", "Bo", "Cy"))
    top.lay("red-2", "bid", 0)
    few = top.lay("blue-1", "bid", 1)
    assert top.text("unfinished") == "Bo must add 2 or more, not 1, or pass."
    top.say(1, "pass")
    assert top.text("take-back") == "Bo: take back blue 1, it was not counted."
    assert "unfinished" not in top.kinds
    top.lift(few)
    assert top.kinds == ["turn"]


def test_a_card_of_a_showing_that_cannot_be_read_is_asked_for() -> None:
    top = TableTop(("Ann", "Bo"), 0, game="its-15")
    top.lay("green-5", "table")
    top.say(0, "card")
    top.say(1, "stay")
    top.say(0, "pass")
    top.say(1, "pass")
    top.lay("brown-9", "show", 0)
    top.lay(None, "show", 0)
    assert top.text("unreadable") == "The card in the show zone of Ann cannot be read: lay it again, face up."


def test_a_card_shown_before_a_neighbour_is_moved_to_its_owner() -> None:
    top = its_15()
    top.say(0, "pass")
    top.say(1, "pass")
    shown = top.lay("brown-5", "show", 1)
    top.lying[shown] = replace(top.lying[shown], zone=Zone("show", 0))
    top.show()
    assert top.table.actions[-1].to_json() == {"do": "show", "seat": 0, "cards": ["brown-5"]}
    assert top.text("turn") == "Bo: turn your brown cards over and lay them open in your show zone."


def test_everybody_shows_as_many_cards_as_he_holds() -> None:
    top = TableTop(("Ann", "Bo"), 0, game="its-15")
    top.lay("green-5", "table")
    top.say(0, "card")
    top.say(1, "stay")
    top.lay("red-1", "bid", 0)
    top.lay("blue-1", "bid", 1)
    top.done.clear()
    assert top.text("turn") == "Ann and Bo: turn your brown cards over and lay them open in your show zone."
    top.lay("brown-3", "show", 0)
    assert top.done == []
    assert top.text("unfinished") == "Ann: 2 cards are wanted here, not 1."
    top.lay("brown-9", "show", 1)
    assert top.done == [{"do": "show", "seat": 1, "cards": ["brown-9"]}]
    top.lay("brown-3", "show", 0)  # another copy of the same card
    assert top.done[-1] == {"do": "show", "seat": 0, "cards": ["brown-3", "brown-3"]}
    assert top.table.view(None).scores == (14, 16)


def test_a_brown_card_misread_in_a_showing_is_put_right() -> None:
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


# Le Quinze


def le_quinze(*table: str) -> tuple[TableTop, list[str]]:
    """Bo, to the right of Ann who deals, is to play; the names of the four cards on the table."""
    top = TableTop(("Ann", "Bo"), 0, game="le-quinze")
    names = [top.lay(card, "table") for card in table]
    top.done.clear()
    return top, names


def test_cards_lifted_with_the_card_just_played_are_taken() -> None:
    top, (six, _, two, _) = le_quinze("6S", "JH", "2D", "KC")
    seven = top.lay("7C", "play", 1)
    top.lift(six, two, seven)
    assert top.done == [
        {"do": "play", "seat": 1, "card": "7C"},
        {"do": "take", "seat": 1, "cards": ["6S", "2D"]},
    ]
    assert top.kinds == ["turn"]


def test_a_take_goes_on_card_by_card_without_a_prompt() -> None:
    top, (six, _, two, _) = le_quinze("6S", "JH", "2D", "KC")
    seven = top.lay("7C", "play", 1)
    top.lift(two)
    assert top.kinds == ["turn"]
    top.lift(seven)
    assert len(top.done) == 1
    top.lift(six)
    assert top.done[-1] == {"do": "take", "seat": 1, "cards": ["6S", "2D"]}


def test_cards_that_do_not_make_fifteen_are_wanted_back() -> None:
    top, (six, jack, *_) = le_quinze("6S", "JH", "2D", "KC")
    seven = top.lay("7C", "play", 1)
    top.lift(six, jack, seven)
    assert len(top.done) == 1
    assert top.kinds.count("put-back") == 3


def test_a_take_that_was_undone_is_laid_back_card_by_card() -> None:
    top, (six, _, two, _) = le_quinze("6S", "JH", "2D", "KC")
    seven = top.lay("7C", "play", 1)
    top.lift(six, two, seven)
    top.referee.observe(UndoAsked(9.0, "page"))
    assert sorted(prompt.text for prompt in top.referee.prompts if prompt.kind == "put-back") == [
        "Lay 2♦ back in the table zone.",
        "Lay 6♠ back in the table zone.",
        "Lay 7♣ back in front of Bo.",
    ]
    top.done.clear()
    for card, zone, seat in (("7C", "play", 1), ("6S", "table", None), ("2D", "table", None)):
        top.lay(card, zone, seat)
    assert (top.done, top.kinds) == ([], ["turn"])


def test_the_last_card_of_a_deal_laid_among_the_others_is_not_turned_for_the_next() -> None:
    top = TableTop(dealer=0, game="le-quinze")
    while sum(action.do == "play" for action in top.table.actions) < 35:
        can = [action for action in top.table.legal_actions() if action.do in ("take", "turn", "play")]
        top.table.do(max(can, key=lambda action: action.do))
    top.referee = Referee(top.table, top._act)
    for lying in top.table.view(None).lying:
        top.put(str(lying.card), lying.zone.name, lying.zone.seat)
    top.show()
    plays = [action for action in top.table.legal_actions() if action.do == "play"]
    last = next(str(a.card) for a in plays if not takes(cards_on_table(top), a.card))
    played = top.lay(last, "play", 0)
    assert top.table.phase in ("deal", "turn")
    top.lift(played)
    top.lay(last, "table")
    assert top.done == [play(0, last)]


def cards_on_table(top: TableTop) -> list[Card]:
    return [lying.card for lying in top.table.view(None).lying]


def takes(table: list[Card], card: Card | None) -> bool:
    return card is None or any(ways(table, FIFTEEN - VALUE[card.rank]))


def test_a_card_that_cannot_take_is_wanted_back_when_it_is_taken_up() -> None:
    top, _ = le_quinze("6S", "JH", "2D", "KC")
    top.lift(top.lay("4S", "play", 1))
    assert top.text("put-back") == "Lay 4♠ back in front of Bo."


def test_a_new_packet_is_asked_for() -> None:
    top, _ = le_quinze("6S", "JH", "2D", "KC")
    for card, seat in zip(["AS", "AH", "2S", "2H", "3S", "3H"], [1, 0] * 3, strict=True):
        top.lay(card, "play", seat)
    assert top.text("turn") == "Ann deals 3 each. Bo plays."


def test_a_card_laid_straight_onto_the_table_is_the_play_of_the_seat_on_turn() -> None:
    top, _ = le_quinze("6S", "JH", "2D", "KC")
    top.lay("3C", "table")
    assert top.done == [{"do": "play", "seat": 1, "card": "3C"}]
    top.lay("AC", "play", 0)
    assert top.kinds == ["turn"]
    assert [str(lying.card) for lying in top.table.view(None).lying] == ["6S", "JH", "2D", "KC", "3C", "AC"]


def test_a_card_that_did_not_take_may_be_pushed_to_the_table_or_stay() -> None:
    top, _ = le_quinze("6S", "JH", "2D", "KC")
    played = top.lay("3C", "play", 1)
    top.lift(played)
    top.lay("3C", "table")
    top.lay("AC", "play", 0)
    top.lay("2C", "play", 1)
    assert [action["do"] for action in top.done] == ["play", "play", "play"]
    assert top.kinds == ["turn"]


# Cribbage and Fifteen


def test_the_crib_is_shown_card_by_card() -> None:
    top = crib_game("cribbage")
    assert top.text("turn") == (
        "Ann deals 6 each; everybody lays 2 face down into the crib; then the next card is turned up."
    )
    crib = [top.lay(None, "crib") for _ in range(4)]
    top.lay("KD", "turn-up")
    assert top.kinds == ["turn"], "the crib lies face down by right"
    for card, seat in zip(["2S", "2H", "3S", "3H", "4S", "4H", "5S", "5H"], [1, 0] * 4, strict=True):
        top.lay(card, "play", seat)
    assert top.table.phase == "show"
    assert top.text("turn") == "Ann: turn the crib over and lay its cards open in the crib zone."
    top.lift(*crib)
    top.done.clear()
    for card in ["9S", "9H", "9D"]:
        top.lay(card, "crib")
    assert top.done == []
    assert top.text("unfinished") == "Ann: 4 cards are wanted here, not 3."
    top.lay("9C", "crib")
    assert top.done == [{"do": "show", "seat": "crib", "cards": ["9S", "9H", "9D", "9C"]}]


def test_a_go_left_out_is_implied_by_the_next_play() -> None:
    top = crib_game("cribbage")
    top.lay("KD", "turn-up")
    for card, seat in zip(["10S", "10H", "9S", "2S"], [1, 0, 1, 1], strict=True):
        top.lay(card, "play", seat)
    assert [action["do"] for action in top.done] == ["turn", *["play"] * 4]
    assert [point.reason for point in top.table.view(None).points] == ["thirty-one"]


def test_a_card_that_made_thirty_one_and_was_misread_is_put_right() -> None:
    top = crib_game("cribbage")
    top.lay("KD", "turn-up")
    for card, seat in zip(["10S", "10H", "JS"], [1, 0, 1], strict=True):
        top.lay(card, "play", seat)
    ace = top.lay("AS", "play", 0)
    assert [point.reason for point in top.table.view(None).points] == ["thirty-one"]
    top.turns_out(ace, "AH")
    assert top.table.actions[-1].to_json() == play(0, "AH")
    assert top.kinds == ["turn"]


def test_what_an_undo_brings_back_is_found_where_it_still_lies() -> None:
    top = crib_game("cribbage")
    top.lay("KD", "turn-up")
    for card, seat in zip(["10S", "10H", "JS", "5C"], [1, 0, 1, 0], strict=True):
        last = top.lay(card, "play", seat)
    assert [lying.card.rank for lying in top.table.view(None).lying] == ["K", "5"], "a new count"
    top.referee.observe(UndoAsked(9.0, "page"))
    assert top.kinds == ["take-back", "turn"], "nothing is asked back that lies there"
    top.lift(last)
    assert top.kinds == ["turn"]


def test_partners_win_together() -> None:
    top = TableTop(("Ann", "Bo", "Cy", "Di"), 0, game="cribbage", options={"target": 1})
    top.lay("JD", "turn-up")
    assert top.text("over") == "The game is over: Ann and Cy won, 1–0."


def test_the_dealer_gives_a_card_for_the_turn_up() -> None:
    top = crib_game("fifteen")
    turned = top.lay("5S", "turn-up")
    top.say(1, "beg")
    assert top.text("turn") == "Ann: take one, or take up the turn-up and lay a card of another suit and rank there."
    top.lift(turned)
    top.lay("9H", "turn-up")
    assert top.done[-1] == {"do": "give", "seat": 0, "card": "9H"}
    assert top.kinds == ["turn"]
    top.lay("5S", "play", 0)
    assert top.done[-1] == {"do": "play", "seat": 0, "card": "5S"}


def test_a_card_that_may_not_be_given_is_taken_back() -> None:
    top = crib_game("fifteen")
    top.lay("5S", "turn-up")
    top.say(1, "beg")
    top.lay("5H", "turn-up")
    assert top.text("take-back") == "Take back 5♥. Give a card that is neither one of spades nor a 5."


def test_the_next_card_is_turned_after_a_switch() -> None:
    top = crib_game("fifteen")
    turned = top.lay("5S", "turn-up")
    top.say(1, "switch")
    top.lift(turned)
    top.lay("9H", "turn-up")
    assert top.done[-1] == {"do": "turn", "card": "9H"}
    assert top.text("turn") == "Ann leads."


def test_a_second_card_turned_up_is_not_given_when_the_dealer_is_begged_later() -> None:
    top = crib_game("fifteen")
    top.lay("2H", "turn-up")
    top.lay("KS", "turn-up")
    assert "take-back" in top.kinds
    top.say(1, "beg")
    assert top.done[-1] == {"do": "say", "seat": 1, "word": "beg"}


@pytest.mark.parametrize("pushed", [True, False])
def test_a_card_brought_to_the_table_as_the_deal_ends_is_not_turned_up_for_the_next(pushed: bool) -> None:
    top = TableTop(dealer=0, game="le-quinze")
    while sum(action.do == "play" for action in top.table.actions) < 34:
        can = [action for action in top.table.legal_actions() if action.do in ("take", "turn", "play")]
        top.table.do(max(can, key=lambda action: action.do))  # who can take does
    top.referee = Referee(top.table, top._act)
    for lying in top.table.view(None).lying:
        top.put(str(lying.card), lying.zone.name, lying.zone.seat)
    top.show()
    second_last, last = unseen(top)
    before = top.lay(second_last, "play", 1)
    if not pushed:
        top.lift(before)
    top.lay(last, "play", 0)
    assert top.table.phase in ("deal", "turn")
    if pushed:
        top.lying[before] = replace(top.lying[before], zone=Zone("table"))
        top.show()
    else:
        top.lay(second_last, "table")
    assert top.done == [play(1, second_last), play(0, last)], "the pack has not been shuffled yet"
    top.lift(*top.lying)
    top.clock += 5
    top.lay(second_last, "table")
    assert top.done[-1] == {"do": "turn", "card": second_last}


def unseen(top: TableTop) -> tuple[str, str]:
    """Two cards that have not been seen in this deal."""
    one, other, *_ = (card for card in LeQuinze.deck if top.table.can(Action("play", seat=top.table.turn, card=card)))
    return str(one), str(other)
