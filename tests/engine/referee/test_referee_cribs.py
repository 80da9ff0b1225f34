"""The referee at Cribbage and Fifteen: the crib, the count, the turn-up."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.actions import Action
from engine.cards import parse_card
from engine.games.le_quinze import LeQuinze
from engine.observations import UndoAsked, Zone
from engine.referee.referee import Referee
from tests.engine.deal_readers import DealReaders
from tests.engine.referee.table_top import TableTop, play


def crib_game(game: str, dealer: int = 0) -> TableTop:
    return TableTop(("Ann", "Bo"), dealer, game=game)


def test_the_crib_is_shown_card_by_card() -> None:
    top = crib_game("cribbage")
    assert top.text("turn") == ("Ann deals 6 each. Everyone puts 2 in the crib, then cut the starter.")
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
    assert top.text("unfinished") == "Ann: 1 more card, please."
    top.lay("9C", "crib")
    assert top.done == [{"do": "show", "seat": "crib", "cards": ["9S", "9H", "9D", "9C"]}]


def test_the_next_play_implies_a_go_that_was_not_said() -> None:
    top = crib_game("cribbage")
    top.lay("KD", "turn-up")
    for card, seat in zip(["10S", "10H", "9S", "2S"], [1, 0, 1, 1], strict=True):
        top.lay(card, "play", seat)
    assert [action["do"] for action in top.done] == ["turn", *["play"] * 4]
    assert [point.reason for point in top.table.view().points] == ["thirty-one"]


def test_a_misread_card_that_made_thirty_one_is_corrected() -> None:
    top = crib_game("cribbage")
    top.lay("KD", "turn-up")
    for card, seat in zip(["10S", "10H", "JS"], [1, 0, 1], strict=True):
        top.lay(card, "play", seat)
    ace = top.lay("AS", "play", 0)
    assert [point.reason for point in top.table.view().points] == ["thirty-one"]
    top.turns_out(ace, "AH")
    assert top.table.actions[-1].to_json() == play(0, "AH")
    assert top.kinds == ["turn"]


def test_a_card_brought_back_by_an_undo_is_recognised_in_place() -> None:
    top = crib_game("cribbage")
    top.lay("KD", "turn-up")
    for card, seat in zip(["10S", "10H", "JS", "5C"], [1, 0, 1, 0], strict=True):
        last = top.lay(card, "play", seat)
    assert [lying.card.rank for lying in top.table.lying] == ["K", "5"], "a new count"
    top.referee.observe(UndoAsked(9.0, "page"))
    assert top.kinds == ["take-back", "turn"], "nothing is asked back that lies there"
    top.lift(last)
    assert top.kinds == ["turn"]


@pytest.mark.parametrize("unread_at_first", [False, True])
def test_a_card_whose_count_is_over_may_be_put_back(unread_at_first: bool) -> None:
    top = crib_game("cribbage")
    top.lay("KD", "turn-up")
    for card, seat in zip(["10S", "10H", "JS"], [1, 0, 1], strict=True):
        top.lay(card, "play", seat)
    ace = top.lay("AS", "play", 0)
    top.lift(ace)
    again = top.lay(None if unread_at_first else "AS", "play", 0)
    top.turns_out(again, "AS")
    assert top.kinds == ["turn"], "31: it has had its effect, and may lie in front of Ann"
    top.lay("9S", "play", 1)
    assert top.done[-1] == play(1, "9S")
    assert top.kinds == ["turn"]


@pytest.mark.parametrize("seat", [0, 1])
def test_a_card_of_an_earlier_count_is_not_played_again(seat: int) -> None:
    top = crib_game("cribbage")
    top.lay("KD", "turn-up")
    for card, other in zip(["10S", "10H", "JS"], [1, 0, 1], strict=True):
        top.lay(card, "play", other)
    ace = top.lay("AS", "play", 0)
    if seat == 0:
        top.lift(ace)
        top.clock += 5.0
        top.lay("AS", "play", 0)
    else:
        top.lift(ace)
        top.lay("AS", "play", 1)
    assert top.done[-1] == play(0, "AS")
    assert top.kinds == ["take-back", "turn"]


def test_partners_win_together() -> None:
    top = TableTop(("Ann", "Bo", "Cy", "Di"), 0, game="cribbage", options={"target": 1})
    top.lay("JD", "turn-up")
    assert top.text("over") == "The game is over: Ann and Cy won, 1–0."


def test_the_dealer_gives_a_card_for_the_turn_up() -> None:
    top = crib_game("fifteen")
    turned = top.lay("5S", "turn-up")
    top.say(1, "beg")
    assert top.text("turn") == "Ann: say take one, or replace the turn-up with a card of another suit and rank."
    top.lift(turned)
    top.lay("9H", "turn-up")
    assert top.done[-1] == {"do": "give", "seat": 0, "card": "9H"}
    assert top.kinds == ["turn"]
    top.lay("5S", "play", 0)
    assert top.done[-1] == {"do": "play", "seat": 0, "card": "5S"}


def test_a_card_that_cannot_be_given_must_be_taken_back() -> None:
    top = crib_game("fifteen")
    top.lay("5S", "turn-up")
    top.say(1, "beg")
    top.lay("5H", "turn-up")
    assert top.text("take-back") == "Take back 5♥. Give a card that is neither a 5 nor one of the spades."


def test_the_next_card_is_turned_after_a_switch() -> None:
    top = crib_game("fifteen")
    turned = top.lay("5S", "turn-up")
    top.say(1, "switch")
    top.lift(turned)
    top.lay("9H", "turn-up")
    assert top.done[-1] == {"do": "turn", "card": "9H"}
    assert top.text("turn") == "Ann leads."


def test_a_second_turn_up_is_not_given_for_a_later_beg() -> None:
    top = crib_game("fifteen")
    top.lay("2H", "turn-up")
    top.lay("KS", "turn-up")
    assert "take-back" in top.kinds
    top.say(1, "beg")
    assert top.done[-1] == {"do": "say", "seat": 1, "word": "beg"}


@pytest.mark.parametrize("pushed", [True, False])
def test_a_card_laid_as_the_deal_ends_is_not_the_next_turn_up(pushed: bool) -> None:
    top = TableTop(dealer=0, game="le-quinze")
    while sum(action.do == "play" for action in top.table.actions) < 34:
        can = [action for action in top.table.legal_actions() if action.do in ("take", "turn", "play")]
        top.table.do(max(can, key=lambda action: action.do))  # a player who can take does so
    top.done.clear()
    top.referee = Referee(top.table)
    for lying in top.table.lying:
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
    """Two cards not seen yet in this deal."""
    first, second, *_ = (
        card for card in LeQuinze.deck if top.table.can(Action("play", seat=top.table.turn, card=card))
    )
    return str(first), str(second)


def test_cards_read_while_they_are_dealt_and_laid_away() -> None:
    top = TableTop(game="cribbage")
    held = tuple(parse_card(f"{rank}S") for rank in range(2, 8))
    readers = DealReaders()
    top.referee.observe(readers.swipe(1.0, 0, held))
    top.referee.observe(readers.swipe(2.0, 0, held[4:]))
    assert top.done == [
        {"do": "deal", "seat": 0, "cards": ["2S", "3S", "4S", "5S", "6S", "7S"]},
        {"do": "discard", "seat": 0, "cards": ["6S", "7S"]},
    ]
