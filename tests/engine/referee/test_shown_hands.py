"""A hand of a pack that is dealt out is known to the table once all its cards have lain in its show zone."""

from __future__ import annotations

import pytest

from tests.engine.referee.table_top import TableTop

BO = ("AS", "KS", "QS", "2H", "3H", "4H", "5D", "6D", "7D", "8C", "9C", "10C", "JC")


def table(game: str, **options: object) -> TableTop:
    return TableTop(("Ann", "Bo", "Cy", "Di"), 0, game=game, options=options)


@pytest.mark.parametrize("game", ["bridge", "spades", "hearts", "whist"])
def test_a_hand_laid_open_and_taken_up_is_known(game: str) -> None:
    top = table(game)
    laid = [top.lay(card, "show", 1) for card in BO[:3]]
    assert (top.done, top.text("unfinished")) == ([], "Bo: 10 more cards, please.")
    laid += [top.lay(card, "show", 1) for card in BO[3:]]
    assert top.done == [{"do": "deal", "seat": 1, "cards": [*BO]}]
    assert {str(card) for card in top.table.view(1).hands[1].cards} == {*BO}
    assert top.table.view(0).hands[1].cards == () == top.table.view().hands[1].cards
    assert "unfinished" not in top.kinds and not top.table.lying
    top.lift(*laid[:6])
    top.lift(*laid[6:])
    assert len(top.done) == 1 and top.kinds == ["turn"]


def test_a_revoke_of_a_hand_that_was_shown_is_refused_at_once() -> None:
    top = table("whist")
    top.lift(*[top.lay(card, "show", 1) for card in BO])
    top.lay("2S", "turn-up")
    top.lay("3H", "play", 1)
    for card, seat in (("AH", 2), ("5H", 3), ("6H", 0), ("AC", 2), ("2C", 3), ("3C", 0)):
        top.lay(card, "play", seat)
    top.lay("AS", "play", 1)
    assert top.done[-1] == {"do": "play", "seat": 0, "card": "3C"}
    assert top.text("take-back") == "Bo: take back A♠, clubs were led."


def test_a_hand_that_is_shown_in_part_stays_hidden() -> None:
    top = table("bridge")
    top.lift(*[top.lay(card, "show", 1) for card in BO[:12]])
    top.say(0, "1c")
    assert top.done == [{"do": "say", "seat": 0, "word": "1c"}]
    assert top.table.view(1).hands[1].cards == ()


def test_after_the_deal_a_card_there_is_not_one_of_the_hand() -> None:
    top = table("bridge")
    top.say(0, "1c")
    top.lay("AS", "show", 1)
    assert (len(top.done), "take-back" in top.kinds) == (1, True)


def test_a_card_too_many_is_taken_back() -> None:
    top = table("bridge")
    laid = [top.lay(card, "show", 1) for card in BO]
    more = top.lay("2C", "show", 1)
    assert len(top.done) == 1
    top.lift(more, *laid)
    assert top.kinds == ["turn"]


def test_the_hands_of_other_games_are_not_shown() -> None:
    top = TableTop(("Ann", "Bo"), 0, game="cribbage")
    for card in BO[:6]:
        top.lay(card, "show", 1)
    assert top.done == [] and "unfinished" not in top.kinds


def test_the_cards_that_a_shown_hand_passes_are_laid_open_too() -> None:
    top = table("hearts")
    top.lift(*[top.lay(card, "show", 1) for card in BO])
    assert top.table.phase == "discard"
    top.clock += 5.0  # a card that is laid back at once is not laid again
    passed = [top.lay(card, "show", 1) for card in ("AS", "KS")]
    assert top.text("unfinished") == "Bo: 1 more card, please."
    top.lift(*passed, top.lay("QS", "show", 1))
    assert top.done[-1] == {"do": "discard", "seat": 1, "cards": ["AS", "KS", "QS"]}
    top.lay("2C", "play", 2)
    assert top.done[-1] == {"do": "play", "seat": 2, "card": "2C"}
    assert len(top.table.view(1).hands[1].cards) == 10  # those received were not named


def test_a_declarer_whose_hand_is_known_lays_the_two_cards_open() -> None:
    top = TableTop(("Ann", "Bo", "Cy"), 0, game="skat")
    hands = ("AS KS QS JS 10S 9S 8S 7S AH KH", "QH JH 10H 9H 8H 7H AD KD QD JD", "10D 9D 8D 7D AC KC QC JC 10C 9C")
    for seat, hand in enumerate(hands):
        top.lift(*[top.lay(card, "show", seat) for card in hand.split()])
    for seat, word in ((2, "18"), (1, "pass"), (0, "pass"), (2, "take-up")):
        top.say(seat, word)
    assert top.table.phase == "discard"
    top.clock += 5.0
    top.lift(top.lay("8C", "show", 2), top.lay("7C", "show", 2))
    assert top.done[-1] == {"do": "discard", "seat": 2, "cards": ["8C", "7C"]}
    top.say(2, "grand")
    assert top.table.phase == "play"
