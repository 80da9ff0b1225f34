"""Properties of single games in random play: scores and sizes computed again from the actions."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.actions import Action
from engine.cards import STANDARD_DECK
from engine.record import Header
from engine.table import Table
from tests.engine.properties.plays import Play, examples, plays
from tests.engine.talk import rules_of

some, few = examples(10), examples(5)


@some
@given(plays("all-fives", 250))
def test_all_fives_scores_are_what_the_tricks_hold(play: Play) -> None:
    play.finished()
    table = Table(play.header)
    trump, tricks, trick = "", [], []  # type: ignore[var-annotated]
    worth = {"A": 4, "K": 3, "Q": 2, "J": 1, "10": 10, "5": 5}
    counted = [0] * len(play.header.players)
    for action in play.table.actions:
        outcome = table.do(action)
        if action.do == "turn" and action.card:
            trump = action.card.suit
        if action.do == "withdraw":
            trick = trick or tricks.pop()[1]
            trick.pop()
        if action.do == "play":
            trick.append(action.card)
        for event in outcome.events:
            if event.event == "trick":
                tricks.append((event.seat, trick))
                trick = []
            if event.event == "hand-over":
                for seat, cards in tricks:
                    counted[seat] += sum(worth.get(card.rank, 0) for card in cards if card.suit == trump)
                tricks = []
        for point in outcome.points:
            if point.reason in ("beg", "revoke"):
                counted[point.seat] += point.points
        assert table.scores == tuple(counted)


@some
@given(plays("all-fives", 150))
def test_all_fives_hands_are_as_large_as_the_actions_say(play: Play) -> None:
    """Six cards, plus three for each run, minus those played; with `discard_to_six` six before the first lead."""
    header = Header("all-fives", play.header.players, 0, dict(play.header.options))
    table = Table(header)
    sizes, played = [0] * len(header.players), 0
    for action in Play(header, play.steps, play.naming).finished().table.actions:
        outcome = table.do(action)
        if action.do == "turn":
            sizes = [size + 3 if any(sizes) else 6 for size in sizes]
        elif action.do == "play" and isinstance(action.seat, int):
            if header.options.get("discard_to_six") and not played:
                sizes = [min(size, 6) for size in sizes]
            sizes[action.seat] -= 1
            played += 1
        elif action.do == "withdraw" and isinstance(action.seat, int):
            sizes[action.seat] += 1
            played -= 1
        elif action.do == "discard" and isinstance(action.seat, int):
            sizes[action.seat] = 6
        if any(event.event in ("redeal", "hand-over") for event in outcome.events):
            sizes, played = [0] * len(sizes), 0
        if table.phase == "play" and (played or not header.options.get("discard_to_six")):
            assert [hand.size for hand in table.view().hands] == sizes


@some
@given(st.permutations([card for card in STANDARD_DECK if str(card) not in ("2C", "2H", "3S")]))
def test_all_fives_deals_that_differ_in_every_hidden_card_look_alike(cards: list[Any]) -> None:
    views = []
    for order in (cards, cards[::-1]):
        table = Table("all-fives", ("Ann", "Bo"), 0, discard_to_six=True)
        hands = [tuple(order[:9]), tuple(order[9:18])]
        seen = []
        for action in (
            *(Action("deal", seat, cards=hand[:6]) for seat, hand in enumerate(hands)),
            "turn 2C",
            "1 say beg",
            "0 say change",
            *(Action("deal", seat, cards=hand[6:]) for seat, hand in enumerate(hands)),
            "turn 2H",
            *(Action("discard", seat, cards=hand[2:5]) for seat, hand in enumerate(hands)),
        ):
            table.do(action)
            seen.append(table.view())
        views.append(seen)
    assert views[0] == views[1]


@some
@given(plays("le-quinze", 150))
def test_le_quinze_every_card_played_is_captured_or_on_the_table(play: Play) -> None:
    for _ in play.actions():
        if play.table.phase != "play":
            continue
        rules = rules_of(play.table)
        if not rules.just_played:
            continue
        captured = [card for pile in rules.captured for card in pile]
        lying = [entry.card for entry in play.table.lying if entry.zone.name in ("play", "table")]
        named = [card for card, where in rules.pack.place.items() if where not in rules.hands]
        assert sorted(map(str, captured + lying)) == sorted(map(str, named))


@few
@given(plays("le-quinze", 120))
def test_le_quinze_lists_every_take(play: Play) -> None:
    for _ in play.actions():
        lying = [entry.card for entry in play.table.lying if entry.zone.name == "table"]
        if len(lying) > 7:
            continue
        legal = {(a.seat, frozenset(a.cards or ())) for a in play.table.legal_actions() if a.do == "take"}
        for seat in range(len(play.header.players)):
            for size in range(len(lying) + 1):
                for cards in combinations(lying, size):
                    accepted = play.table.can(Action("take", seat, cards=cards))
                    assert accepted == ((seat, frozenset(cards)) in legal)


@pytest.mark.parametrize("game", ("cribbage", "fifteen"))
@few
@given(st.data())
def test_every_discard_is_listed(game: str, data: st.DataObject) -> None:
    play = data.draw(plays(game, 40))
    for _ in play.actions():
        offer: Any = play.table.question.offers.get("discard")
        if offer is None:
            continue
        legal = {(a.seat, frozenset(a.cards or ())) for a in play.table.legal_actions() if a.do == "discard"}
        cards = offer.game.deck.cards
        for seat in range(len(play.header.players)):
            bare = Action("discard", seat)
            assert play.table.can(bare) == ((seat, frozenset()) in legal)
            for first in range(0, len(cards), 7):
                for some_cards in (cards[first : first + 1], cards[first : first + 2], cards[first : first + 9 : 4]):
                    named = Action("discard", seat, cards=tuple(some_cards))
                    assert play.table.can(named) == ((seat, frozenset(some_cards)) in legal)


@some
@given(plays("its-15", 200))
def test_its_15_value_cards_are_held_put_forward_or_in_the_pot(play: Play) -> None:
    worth = sum(play.table.scores)
    for _ in play.actions():
        if play.table.over:
            continue
        rules = rules_of(play.table)
        forward = [int(card.rank) for cards in rules.stakes.forward for card in cards]
        pot = [int(card.rank) for card in rules.match.more["pot"]]
        between = play.table.phase == "turn"
        for seat, held in enumerate(rules.stakes.held):
            assert min(held.values(), default=0) >= 0
            assert sum(int(card.rank) * number for card, number in held.items()) == play.table.scores[seat]
        assert sum(play.table.scores) + (0 if between else sum(forward)) + sum(pot) == worth


@few
@given(plays("its-15", 120))
def test_its_15_lists_one_bid_for_each_amount(play: Play) -> None:
    for _ in play.actions():
        bids = [action for action in play.table.legal_actions() if action.do == "bid"]
        amounts = [sum(int(card.rank) for card in bid.cards or ()) for bid in bids]
        assert len(set(amounts)) == len(amounts)
        if play.table.phase == "bid":
            held = list(rules_of(play.table).stakes.held[play.table.turn].elements())
            ones, twos = ([card for card in held if card.rank == rank] for rank in ("1", "2"))
            possible = {
                2 * n + m
                for n in range(len(twos) + 1)
                for m in range(len(ones) + 1)
                if play.table.can(Action("bid", play.table.turn, cards=tuple(twos[:n] + ones[:m])))
            }
            assert possible == set(amounts)
