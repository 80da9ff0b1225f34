"""What the board shows, as JSON: points, words, actions and troubles, in either language."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cardtable.languages import translator
from cardtable.table.live_game import LiveGame
from cardtable.table.snapshot import Snapshot
from cardtable.web.state import state_of
from engine.cards import parse_card
from engine.observations import Lost, Said
from engine.record import Header
from engine.rules.wording import describe
from engine.table import Table
from engine.texts import in_language
from engine.texts import text as marked_text
from tests.cardtable.web.states import random_game
from tests.engine.talk import action

HEADER = Header("all-fives", ("Ann", "Bo"), 0)


def shown_after(*texts: str) -> Snapshot:
    """What is shown after these actions."""
    return LiveGame(Table(HEADER), None, (), [action(text) for text in texts]).snapshot


def test_scored_points_have_their_reasons() -> None:
    state = state_of(shown_after("turn 4H", "1 say beg", "0 say take-one"), "All Fives")
    assert state["points"] == {"fresh": True, "list": [{"seat": 1, "points": 1, "for": "beg"}]}
    assert state["history"][0]["text"] == "Ann: “take one”"
    assert [seat["score"] for seat in state["seats"]] == [0, 1]


def test_the_dealer_starts_in_a_game_without_a_deal() -> None:
    game = LiveGame(Table(Header("its-15", ("Ann", "Bo"), 1)), None)
    state = state_of(game.snapshot, "It's 15")
    assert [seat["dealer"] for seat in state["seats"]] == [False, True]
    assert state["dealer_does"] == "starts"
    assert state_of(game.snapshot, "It's 15", translator("fr"))["dealer_does"] == "commence"
    assert state_of(shown_after(), "All Fives")["dealer_does"] == "deals"


def test_a_revoke_can_be_called_on_the_page() -> None:
    texts = ("turn 4H", "1 say stand", "1 play 10S", "0 play 2C")
    words = state_of(shown_after(*texts), "All Fives")["seats"][1]["words"]
    call = next(word for word in words if word["word"] == "revoke")
    assert (call["needs"], call["against"]) == (["against", "card"], [0])
    assert {"AS", "2S"} <= set(call["cards"]) and "10S" not in call["cards"]


def test_a_seat_is_not_accused_of_a_revoke_that_no_card_can_prove() -> None:
    shown = shown_after("turn 4H", "1 say stand", "1 play 10S", "0 play 2C")
    seen = frozenset(card for card in shown.view.deck if card.suit == "S")
    shown = replace(shown, view=replace(shown.view, seen=seen))
    assert [word["word"] for word in state_of(shown, "All Fives")["seats"][1]["words"]] == []


def test_partners_share_their_tricks_and_are_not_accused_of_a_revoke() -> None:
    table = Table(Header("whist", ("Ann", "Bo", "Cy", "Dee"), 0))
    texts = ("turn 2S", "1 play 3H", "2 play 4C", "3 play 5C", "0 play 6H")
    snapshot = LiveGame(table, None, (), [action(text) for text in texts]).snapshot
    seats = state_of(snapshot, "Whist")["seats"]
    assert [seat["won"] for seat in seats] == [1, 0, 1, 0]
    assert [[word["against"] for word in seat["words"]] for seat in seats] == [[[3]], [[2]], [[3]], [[2]]]


def test_undone_actions_are_not_shown() -> None:
    state = state_of(shown_after("turn 4H", "1 say beg", "undo"), "All Fives")
    assert [entry["text"] for entry in state["history"]] == ["4♥ is turned up"]
    assert state["n"] == 3


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0 play KD", "Ann plays K♦"),
        ("1 withdraw 10S", "Bo takes back 10♠"),
        ("0 say revoke 1 5S", "Ann: “revoke” against Bo · 5♠"),
        ("1 gather", "Bo gathers the trick"),
        ("0 discard", "Ann lays away cards"),
        ("0 take 5H 10D", "Ann takes 5♥ 10♦"),
        ("1 bid red-1 red-2", "Bo bids red 1, red 2"),
    ],
)
def test_actions_in_words(text: str, expected: str) -> None:
    assert describe(action(text), HEADER.players) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0 play KD", "Ann joue K♦"),
        ("0 say revoke 1 5S", "Ann\u00a0: «\u00a0renonce\u00a0» contre Bo · 5♠"),
        ("1 say take-one", "Bo\u00a0: «\u00a0un point\u00a0»"),
        ("0 discard", "Ann écarte des cartes"),
        ("crib show 5H", "Le crib montre 5♥"),
    ],
)
def test_actions_in_french(text: str, expected: str) -> None:
    translate = translator("fr")
    assert in_language(describe(action(text), HEADER.players), translate) == expected


def test_the_state_in_french() -> None:
    texts = ("turn 4H", "1 say stand", "1 play KS", "0 play 2S")
    state = state_of(shown_after(*texts), "All Fives", translator("fr"))
    assert state["history"][0]["text"] == "Ann joue 2♠"
    assert state["history"][0]["events"] == ["Bo gagne le pli"]
    assert state["facts"] == [["trumps", "atout", "cœur ♥", "symbol"]]
    assert state["prompts"][-1]["text"] == "Bo entame."


def test_trouble_and_refusals_in_french() -> None:
    template = "The recording {source} has ended, but the game has not. Start it again with another source to go on."
    lost = Lost(1.0, "camera", marked_text(template, source="a.mp4"))
    translate = translator("fr")
    game = LiveGame(Table(HEADER), None, ())
    game.take(lost)
    state = state_of(game.snapshot, "All Fives", translate)
    wanted = "L’enregistrement a.mp4 est fini et la partie ne l’est pas. Elle attend\u00a0: "
    wanted += "reprenez-la avec une autre source."
    assert state["sources"] == [{"name": "camera", "camera": False, "trouble": wanted, "works": False}]
    assert state["prompts"][0]["text"] == wanted
    game.take(Said(1.0, "page", 0, "beg"))
    state = state_of(game.snapshot, "All Fives", translate)
    assert "«\u00a0annoncer\u00a0» n’est pas possible maintenant\u00a0: donnez" in state["prompts"][1]["text"]


def test_every_card_of_the_words_can_be_parsed() -> None:
    words = state_of(shown_after("turn 4H", "1 say stand", "1 play 10S", "0 play 2C"), "")["seats"][1]["words"]
    for word in words:
        assert [str(parse_card(card)) for card in word.get("cards", [])] == word.get("cards", [])


def test_counted_cards_name_the_actions_that_laid_them() -> None:
    plays = ("1 play 10S", "0 play 5H", "1 play JD", "0 play 4S", "1 say go", "0 say go")
    deal = ("turn 5C", *plays, "1 play QH", "0 play KC", "1 play 9D", "0 play 3S", "crib show 2H 2D 8C 8S")
    table = Table(Header("cribbage", ("Ann", "Bo"), 0))
    past = [action(each) for each in deal]
    shown = LiveGame(table, None, (), past).snapshot
    counts = state_of(shown, "Cribbage")["counts"]
    assert [hand["lines"] for hand in counts] == [[3, 5, 9, 11, 2], [4, 6, 10, 12, 2], [13, 13, 13, 13, 2]]
    # In the next deal, cards of the same names were laid by later actions; and a crib that was not seen by none.
    again = [action(each) for each in ("turn 5C", "0 play 10S", "1 play 5H", "0 play JD", "1 play 4S")]
    again += [action(each) for each in ("0 say go", "1 say go", "0 play QH", "1 play KC", "0 play 9D", "1 play 3S")]
    shown = LiveGame(Table(table.header), None, (), [*past, *again]).snapshot
    counts = state_of(shown, "Cribbage")["counts"]
    assert [hand["lines"] for hand in counts] == [[15, 17, 21, 23, 14], [16, 18, 22, 24, 14]]


def test_the_seat_that_has_won_the_trick_takes_it_until_it_is_gathered() -> None:
    trick = ("turn 4H", "1 say stand", "1 play 10S", "0 play JS")
    takers = [state_of(shown_after(*texts), "All Fives")["taker"] for texts in (trick[:3], trick, (*trick, "0 gather"))]
    assert takers == [None, 0, None]


def test_the_score_sheet_has_the_points_of_each_hand() -> None:
    shown = random_game("all-fives", 2, 1)[-1]
    state = state_of(shown, "All Fives")
    ends = [done for done in shown.history if any(event.ends == "hand" for event in done.events)]
    sums = [sum(points) for points in zip(*state["sheet"], strict=True)]
    assert len(state["sheet"]) == len(ends) == state["hand"] - 1 > 1
    assert tuple(sums) == ends[-1].scores
    assert state_of(random_game("cribbage", 2, 4)[-1], "Cribbage")["sheet"] == []  # pegs tell it
