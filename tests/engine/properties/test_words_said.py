"""Every word with any card and player is either accepted or refused with a code."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.actions import Action
from engine.cards import Card, parse_card
from engine.errors import Refused
from engine.games import game_names, load_game
from engine.record import Header
from engine.table import Table
from tests.engine.properties.plays import examples, plays
from tests.engine.talk import do, refusal, table_of

GAMES = (*game_names(), "high-card")
FOREIGN = (parse_card("2S"), parse_card("brown-1"), Card("joker", ""), Card("11", "S"))


def everything_said(table: Table, start: int) -> list[Action]:
    """Words of the game, and one of no game, from every seat, with and without cards and accused seats.

    A game of many words, such as the bids of bridge, says about eight of them, from `start`.
    """
    kind = load_game(table.header.game)
    names = [word.name for word in kind.words]
    words = [*(names if len(names) < 16 else names[start :: len(names) // 8]), "nonsense", ""]
    deck = list(kind.deck)
    cards = (None, deck[0], deck[len(deck) // 2], *(lying.card for lying in table.lying[:2]), *FOREIGN)
    seats = range(len(table.header.players))
    return [
        Action("say", seat, card, word=word, against=against)
        for seat, word, card, against in product(seats, words, cards, (None, *seats))
    ]


@pytest.mark.parametrize("game", GAMES)
@examples(4)
@given(st.data())
def test_a_word_is_accepted_with_its_own_keys_only(game: str, data: st.DataObject) -> None:
    table = data.draw(plays(game, 60)).finished().table
    vocabulary = load_game(game).vocabulary
    actions = everything_said(table, data.draw(st.integers(0, 7)))
    for action in actions:
        if table.can(action):
            keys = vocabulary[action.word or ""].keys
            assert (action.card is not None) == ("card" in keys)
            assert (action.against is not None) == ("against" in keys)
            table.do(action)
            table.undo()
        else:
            with pytest.raises(Refused):
                table.do(action)


def test_go_takes_no_card() -> None:
    table = table_of("cribbage")
    do(table, "turn AC", "1 play KS", "0 play 9S", "1 play KD")
    for card, code in (("brown-1", "no-such-card"), ("red-2", "no-such-card"), ("2S", "no-such-card")):
        assert refusal(table, f"0 say go {card}") == code
    assert refusal(table, "0 say go 1") == "no-such-word"
    assert refusal(table, "0 say go") == ""


def test_the_words_of_all_fives_take_what_they_need() -> None:
    table = table_of("all-fives")
    do(table, "turn AC")
    assert refusal(table, "1 say stand 5S") == "no-such-card"
    assert refusal(table, "1 say stand 0") == "no-such-word"
    assert refusal(table, "1 say call 0 5S") == "bad-call"
    assert refusal(table, "0 say revoke 1 brown-1") == "no-such-card"
    do(table, "1 say stand", "0 expose 5S", "1 play KH")
    assert refusal(table, "1 say call 0 5S") == "bad-call"  # the seat on turn is meant; nothing else can be named


def test_stay_takes_no_card() -> None:
    table = Table(Header("its-15", ("Ann", "Bo"), 0))
    do(table, "turn green-5")
    assert refusal(table, "0 say stay brown-1") == "no-such-card"
    assert refusal(table, "0 say stay 5S") == "no-such-card"
    assert refusal(table, "0 say stay 1") == "no-such-word"
    assert refusal(table, "0 say stay") == ""


def test_precedence_of_a_superfluous_card() -> None:
    """After `wrong-phase`, with `no-such-card`, before `not-your-turn`."""
    table = table_of("cribbage")
    assert refusal(table, "0 say go 5S") == "wrong-phase"
    do(table, "turn AC")
    assert refusal(table, "0 say go 5S") == "no-such-card"
    assert refusal(table, "0 say go") == "not-your-turn"
    assert refusal(table, "0 say nonsense 5S") == "no-such-word"
    assert refusal(table, "0 say nonsense brown-1") == "no-such-card"
