"""The content of a small display: only what its seat may see."""

from __future__ import annotations

from dataclasses import replace

from engine.referee.prompts import turn
from engine.table import Table
from engine.views import Prompt
from hardware.screen import Player, Screen, screen_of
from tests.hardware.pictures import begging, counting, known, shown


def test_scores_turn_and_prompt() -> None:
    screen = shown(begging())
    assert screen.players == (Player("Ann", 0, False, True), Player("Bo", 0, True, False))
    assert (screen.prompt, screen.facts, screen.alarm) == ("Bo: stand or beg?", "♥", False)
    assert shown(counting()).facts == "count 17"


def test_a_game_says_which_facts_a_small_display_shows() -> None:
    view = counting().view()
    facts = (("pot", "3"), ("colour", "green"), ("round", "2"))
    view = replace(view, facts=facts, fact_displays={"colour": "symbol", "round": "large"})
    assert screen_of(view, []).facts == "pot 3"
    assert screen_of(replace(view, fact_displays={}), []).facts == "pot 3  colour green  round 2"


def test_only_the_display_of_a_seat_shows_the_meaning_of_its_buttons() -> None:
    assert shown(begging(), 1).hints == (("•", "stand"), ("—", "beg"))
    assert shown(begging(), 0).hints == ()
    assert shown(begging()).hints == ()
    assert shown(begging(), 1, chosen="beg").hints == (("•", "beg"),)


def test_words_are_translated() -> None:
    view = begging().view(1)
    screen = screen_of(
        view, [turn(view)], 1, translate=lambda text: {"stand": "je reste", "beg": "je demande"}.get(text, text)
    )
    assert screen.hints == (("•", "je reste"), ("—", "je demande"))


def test_prompt_for_the_seat_comes_first() -> None:
    prompts = (Prompt("source", None, "The camera is lost.", True), Prompt("take-back", 0, "Ann: take back A♠.", True))
    at_ann, public = shown(begging(), 0, *prompts), shown(begging(), None, *prompts)
    assert (at_ann.prompt, at_ann.alarm) == ("Ann: take back A♠.", True)
    assert (public.prompt, public.alarm) == ("The camera is lost.", False)


def texts(screen: Screen) -> str:
    return " ".join([screen.prompt, screen.facts, *screen.hand, *(word for _, word in screen.hints)])


def test_each_display_shows_only_what_its_seat_may_see() -> None:
    table: Table = known()
    hands = [table.view(seat).hands[seat].cards for seat in range(2)]
    assert [len(hand) for hand in hands] == [6, 5]
    for place in (None, 0, 1):
        seen = texts(shown(table, place))
        for seat, hand in enumerate(hands):
            for card in hand:
                assert (card.glyph in seen.split()) == (seat == place)


def test_no_hand_without_the_view_of_the_seat() -> None:
    view = known().view()
    assert screen_of(view, [turn(view)], 0).hand == ()
