"""Plain words of a game that need a card or another player: they are refused without, and listed with each."""

from __future__ import annotations

import pytest

from engine.actions import Action
from engine.cards import STANDARD_DECK, parse_card
from engine.errors import Refused
from engine.rules.game import Game
from engine.rules.questions import Say
from engine.words import Word


class Asking(Game):
    name = "asking"
    title = "Asking"
    seats = range(2, 5)
    words = (
        Word("pass"),
        Word("swap", needs=("card",)),
        Word("ask", needs=("against",)),
        Word("beg", needs=("against", "card")),
    )


def saying(*words: str) -> Say:
    return Say(Asking(("Ann", "Bo", "Cy"), 0, {}), 1, words)


def refusal(offer: Say, *written: str) -> list[str]:
    codes = []
    for each in written:
        try:
            offer.check(Action.parse(each))
        except Refused as refused:
            assert refused.message
            codes.append(refused.code)
        else:
            codes.append("")
    return codes


def test_a_word_without_what_it_needs_is_refused() -> None:
    offer = saying("pass", "swap", "ask", "beg")
    assert refusal(offer, "1 say pass", "1 say swap KS", "1 say ask 2", "1 say beg 0 KS") == [""] * 4
    assert refusal(offer, "1 say swap", "1 say beg 0") == ["wrong-count", "wrong-count"]
    assert refusal(offer, "1 say ask", "1 say beg KS") == ["no-such-word", "no-such-word"]
    assert refusal(offer, "1 say beg") == ["wrong-count"]
    with pytest.raises(Refused, match="“swap” needs a card: name it"):
        offer.check(Action.parse("1 say swap"))
    with pytest.raises(Refused, match="“ask” needs a player: name the one meant"):
        offer.check(Action.parse("1 say ask"))


def test_the_turn_and_the_moment_come_first() -> None:
    assert refusal(saying("swap"), "0 say swap", "1 say ask", "1 say swap brown-1") == [
        "not-your-turn",
        "no-such-word",
        "no-such-card",
    ]


@pytest.mark.parametrize(("word", "count"), [("pass", 1), ("swap", 52), ("ask", 2), ("beg", 104)])
def test_the_legal_actions_name_what_a_word_needs(word: str, count: int) -> None:
    offer = saying(word)
    actions = list(offer.actions())
    assert len(actions) == len(set(actions)) == count
    for action in actions:
        offer.check(action)
    assert {action.card for action in actions} in ({None}, set(STANDARD_DECK))
    assert {action.against for action in actions} in ({None}, {0, 2})


# Actions made in Python


def test_a_card_may_be_given_as_text() -> None:
    king, queen = parse_card("KS"), parse_card("QS")
    assert Action("play", 1, "ks") == Action("play", 1, king)  # type: ignore[arg-type]
    assert Action("show", 0, cards=("KS", queen)).cards == (king, queen)  # type: ignore[arg-type]
    assert Action("say", 0, "KS", word="revoke", against=1).card == king  # type: ignore[arg-type]
    for cards in ((), None, (king,)):
        assert Action("show", 0, cards=cards).cards == cards


@pytest.mark.parametrize("written", ["", "K", "King of spades", "1 KS"])
def test_text_that_is_not_a_card_is_refused_at_once(written: str) -> None:
    with pytest.raises(ValueError, match="card"):
        Action("play", 1, written)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="card"):
        Action("show", 1, cards=(parse_card("KS"), written))  # type: ignore[arg-type]
