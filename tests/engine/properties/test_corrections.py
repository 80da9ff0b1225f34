"""Corrections in random games: a misread, missing or extra card put right gives exactly the true record."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.actions import Action
from engine.cards import Card, Deck
from engine.corrections import add_card, remove_card, replace_card, undo_to
from engine.games import load_game
from engine.observations import Zone
from engine.table import Table
from tests.engine.properties.plays import examples, legal_action, plays
from tests.engine.properties.test_every_game import GAMES, state
from tests.engine.talk import apply, played

LAID = ("cut", "turn", "play", "give", "expose", "bid", "show")


def swapped(action: Action, first: Card, second: Card) -> Action:
    names = {first: second, second: first}
    cards = None if action.cards is None else tuple(names.get(card, card) for card in action.cards)
    return replace(action, card=names.get(action.card, action.card) if action.card else None, cards=cards)


def seen_wrongly(true: Table, number: int, wrong: Action, was: Card, card: Card) -> list[Action]:
    """The record of a table that took `card` in action `number` for `was`, as far as the rules allow it.

    What refers to the card later names it as it was read; a card that cannot lie there is taken for the other one.
    """
    single = all(load_deck(true).copies(each) == 1 for each in (was, card))
    table = played(true.header, (*true.actions[:number], wrong))
    for action in true.actions[number + 1 :]:
        if table.between_hands or wrong.do == "cut":
            single = single and wrong.do == "cut" and table.phase == "cut"
        other = swapped(action, was, card) if single else action
        order = (other, action) if action.do in ("take", "say", "withdraw", "show") else (action, other)
        fitting = next((each for each in order if table.can(each)), None)
        if fitting is None:
            break
        if "redeal" in {event.event for event in table.do(fitting).events}:
            single = False
    return list(table.actions)


def load_deck(table: Table) -> Deck:
    header = table.header
    return load_game(header.game)(header.players, header.dealer, header.options).deck


def true_game(data: st.DataObject, game: str) -> Table:
    play = data.draw(plays(game, 90, legal=True)).finished()
    return played(play.header, play.table.actions)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("game", GAMES)
@examples(7)
@given(st.data())
def test_a_misread_card_put_right_gives_the_true_record(game: str, data: st.DataObject) -> None:
    true = true_game(data, game)
    numbers = [n for n, action in enumerate(true.actions) if action.do in LAID and (action.card or action.cards)]
    if not numbers:
        return
    number = data.draw(st.sampled_from(numbers))
    action = true.actions[number]
    card = action.card or data.draw(st.sampled_from(action.cards or ()))
    before = played(true.header, true.actions[:number])
    kinds = [each for each in view_deck(true) if each != card and (not action.cards or each not in action.cards)]
    random.Random(data.draw(st.integers(0, 999))).shuffle(kinds)
    wrong = next(
        (
            (each, misread)
            for each in kinds
            if before.can(misread := one_replaced(action, card, each)) and misread != action
        ),
        None,
    )
    if wrong is None:
        return
    was, misread = wrong
    record = seen_wrongly(true, number, misread, was, card)
    correction = replace_card(true.header, record, number, was, card)
    assert correction.misfit is None, (correction.misfit, record)
    expected = played(true.header, true.actions[: len(record)])
    assert state(apply(true.header, correction)) == state(expected)


def view_deck(table: Table) -> tuple[Card, ...]:
    deck = table.view().deck
    return tuple(sorted(deck.kinds, key=str))


def one_replaced(action: Action, card: Card, other: Card) -> Action:
    cards = list(action.cards or ())
    if card in cards:
        cards[len(cards) - 1 - cards[::-1].index(card)] = other
    return replace(
        action, card=other if action.card == card else action.card, cards=tuple(cards) if action.cards else None
    )


@pytest.mark.sampled(4)
@pytest.mark.parametrize("game", GAMES)
@examples(7)
@given(st.data())
def test_a_card_that_was_not_there_is_removed(game: str, data: st.DataObject) -> None:
    """Something that never happened is in the record, and of what follows all that the rules still allowed."""
    true = true_game(data, game)
    number = data.draw(st.integers(0, len(true.actions)))
    table = played(true.header, true.actions[:number])
    if table.over:
        return
    extra = legal_action(table, data.draw(st.integers(1, 10_000)))
    if extra.do in ("deal", "discard"):
        return
    table.do(extra)
    for action in true.actions[number:]:
        if not table.can(action):
            break
        table.do(action)
    correction = remove_card(true.header, table.actions, number)
    assert correction.misfit is None
    expected = played(true.header, true.actions[: len(table.actions) - 1])
    assert state(apply(true.header, correction)) == state(expected)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("game", GAMES)
@examples(7)
@given(st.data())
def test_a_card_that_was_missed_is_added(game: str, data: st.DataObject) -> None:
    true = true_game(data, game)
    numbers = [n for n, action in enumerate(true.actions) if action.do in ("cut", "turn", "play") and action.card]
    if not numbers:
        return
    number = data.draw(st.sampled_from(numbers))
    missed = true.actions[number]
    table = played(true.header, true.actions[:number])
    for action in true.actions[number + 1 :]:
        if not table.can(action):
            break
        table.do(action)
    zone = Zone("turn-up") if missed.do == "turn" else Zone("play", missed.seat if missed.seat != "crib" else None)
    assert missed.card is not None
    correction = add_card(true.header, table.actions, missed.card, zone, before=number)
    assert correction.misfit is None
    expected = played(true.header, true.actions[: len(table.actions) + 1])
    assert state(apply(true.header, correction)) == state(expected)
    if len(table.actions) == number:  # nothing could follow: without a place, it is the end
        assert add_card(true.header, table.actions, missed.card, zone).actions == correction.actions


@pytest.mark.sampled(4)
@pytest.mark.parametrize("game", GAMES)
@examples(7)
@given(st.data())
def test_undo_to_any_point_equals_the_prefix(game: str, data: st.DataObject) -> None:
    true = true_game(data, game)
    if not true.actions:
        return
    number = data.draw(st.integers(0, len(true.actions) - 1))
    correction = undo_to(true.header, true.actions, number)
    assert correction.steps == len(true.actions) - number
    assert state(apply(true.header, correction)) == state(played(true.header, true.actions[:number]))
