"""The press for each word of every game."""

from __future__ import annotations

from engine.games import HOUSE, load_game
from engine.record import Header
from engine.table import Table
from hardware.buttons import presses, sayable, words_of
from tests.hardware.bench import all_fives, do


def test_presses_follow_the_order_of_the_rules() -> None:
    table = all_fives()
    assert presses(words_of(table.view(), 1)) == {"short": "stand", "long": "beg"}
    assert presses(words_of(table.view(), 0)) == {}
    do(table, do="say", seat=1, word="beg")
    assert presses(words_of(table.view(), 0)) == {"short": "take-one", "long": "change"}


def test_word_that_needs_a_card_is_never_a_short_press() -> None:
    table = all_fives()
    for what in ({"do": "say", "seat": 1, "word": "stand"}, {"do": "play", "seat": 1, "card": "KS"}):
        do(table, **what)
    do(table, do="play", seat=0, card="2D")  # seat 1 may call a revoke now
    view = table.view()
    assert "revoke" in view.words[1]
    assert presses(words_of(view, 1)) == {"long": "revoke"}


def test_a_button_can_say_every_word_that_needs_nothing_else() -> None:
    need_more = set()
    for game in HOUSE:
        players = ("Ann", "Bo", "Cy", "Dee")[: load_game(game).seats[-1]]
        table = Table(Header(game, players, 0))
        vocabulary = load_game(game).vocabulary
        need_more |= set(vocabulary) - set(sayable(table.view(), tuple(vocabulary)))
    assert need_more == {"revoke", "call"}


def test_empty_seat_says_nothing() -> None:
    assert words_of(all_fives().view(), 5) == ()
