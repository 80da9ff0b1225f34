"""What holds for Cribbage, Fifteen, Le Quinze and It's 15, whatever happens. Each random game is named by its seed."""

from __future__ import annotations

import random
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.actions import Action
from engine.cards import Card
from engine.errors import Refused
from engine.games import load_game
from engine.record import Header, read_record, write_record
from engine.replay import answers, replay
from engine.rules.hands import Hand
from engine.table import Table
from tests.engine.random_play import NAMES, WORDS, Play, random_action, random_game

GAMES = ("cribbage", "fifteen", "its-15", "le-quinze")

seeds = st.integers(0, 2**32)
some = settings(max_examples=20, deadline=None, derandomize=True)
few = settings(max_examples=8, deadline=None, derandomize=True)
every_game = pytest.mark.parametrize("game", GAMES)


def state(table: Table) -> tuple[Any, ...]:
    """All that can be seen of a table from outside; the many discards as a number."""
    views = [table.view(seat) for seat in (None, *range(len(table.header.players)))]
    ask = table.ask
    legal = table.legal_actions()
    listed = [action for action in legal if action.do != "discard"]
    return (*views, listed, len(legal), ask.phase, ask.turn, sorted(ask.offers), table.actions, table.result)


@pytest.mark.parametrize("game", ("cribbage", "fifteen", "le-quinze"))
@some
@given(seed=seeds)
def test_no_card_is_lost_or_doubled(game: str, seed: int) -> None:
    play = Play(seed, game)
    for _ in play.actions(150):
        rules: Any = play.table._game
        named = [card for card, where in rules.pack.place.items() if not isinstance(where, Hand)]
        assert len(set(named)) == len(named)
        for hand in rules.hands:
            assert hand.size >= 0
            assert all(rules.pack.place[card] is hand for card in hand.known)
            assert not hand.complete or len(hand.known) == hand.size
        if game == "le-quinze":
            captured = [card for pile in rules.captured for card in pile]
            # Until the first deal the cards cut lie before the players, and one that was cut again may lie there twice.
            zones = ("play", "table") if play.table.phase == "play" else ("table",)
            lying = [entry.card for entry in play.table.view(None).lying if entry.zone.name in zones]
            assert len(set(captured + lying)) == len(captured + lying)
            if play.table.phase == "play" and rules.just_played:
                assert len(captured) + len(lying) == len(named)
        assert len(named) + sum(hand.size for hand in rules.hands) <= len(rules.deck)


@some
@given(seed=seeds)
def test_value_cards_are_held_put_forward_in_the_pot_or_left_to_nobody(seed: int) -> None:
    play = Play(seed, "its-15")
    rules: Any = play.table._game
    worth = sum(rules.match.scores)
    for _ in play.actions(200):
        rules = play.table._game
        forward = [int(card.rank) for cards in rules.stakes.forward for card in cards]
        pot = [int(card.rank) for card in rules.match.more["pot"]]
        between = play.table.phase in ("turn", "over")
        for seat, held in enumerate(rules.stakes.held):
            assert min(held.values()) >= 0
            assert sum(int(card.rank) * number for card, number in held.items()) == play.table.scores[seat]
        assert sum(play.table.scores) + (0 if between else sum(forward)) + sum(pot) == worth


@every_game
@few
@given(seed=seeds)
def test_undo_restores_the_exact_state_at_any_depth(game: str, seed: int) -> None:
    play = random_game(seed, game, 80)
    table = Table(play.header)
    states = [state(table)]
    for action in play.table.actions:
        table.do(action)
        states.append(state(table))
    rng = random.Random(seed)
    while table.actions:
        depth = rng.randint(1, len(table.actions))
        again = table.actions[-depth:]
        for _ in range(depth):
            table.undo()
        assert state(table) == states[len(table.actions)]
        if rng.random() < 0.5:
            for action in again[: depth // 2]:
                table.do(action)
            assert state(table) == states[len(table.actions)]


@every_game
@some
@given(seed=seeds)
def test_record_replay_record_is_the_identity(game: str, seed: int) -> None:
    play = random_game(seed, game, 150)
    lines = list(write_record(play.header, play.tried))
    record = read_record(lines)
    assert (record.header, list(record.actions)) == (play.header, play.tried)
    assert list(write_record(record.header, record.actions)) == lines
    *_, end = answers(record)
    assert end["accepted"] + end["refused"] == len(play.tried)
    assert end["scores"] == list(play.table.scores)
    *_, end_of_kept = replay(list(write_record(play.header, play.table.actions)))
    assert end_of_kept["refused"] == 0
    assert end_of_kept["scores"] == end["scores"]


@every_game
@few
@given(seed=seeds)
def test_a_refused_action_changes_nothing(game: str, seed: int) -> None:
    play = Play(seed, game)
    rng = random.Random(seed)
    for number, _ in enumerate(play.actions(60)):
        if number % 3:
            continue
        before = state(play.table)
        for _ in range(10):
            action = random_action(rng, play.table)
            if not play.table.can(action):
                try:
                    play.table.do(action)
                except Refused as refusal:
                    assert refusal.message
                else:
                    raise AssertionError(f"can() refuses {action}, do() does not")
        assert state(play.table) == before


def every_action(game: str, players: int) -> list[Action]:
    """Every action of a listed kind with one card or none."""
    out = []
    deck = load_game(game).deck
    for seat in range(players):
        out += [Action("gather", seat), *(Action("say", seat, word=word) for word in WORDS)]
        out += [Action(do, seat, card) for card in deck for do in ("cut", "play", "withdraw", "give")]
    return out + [Action("turn", card=card) for card in deck]


@every_game
@few
@given(seed=seeds)
def test_the_legal_list_is_sound_and_complete(game: str, seed: int) -> None:
    """Cribbage accepts more plays than it lists: those of other seats, or past 31, that imply a go."""
    play = Play(seed, game)
    universe = every_action(game, len(play.header.players))
    for number, _ in enumerate(play.actions(70)):
        if number % 5:
            continue
        table = play.table
        legal = table.legal_actions()
        assert len(set(legal)) == len(legal)
        assert all(map(table.can, legal))
        accepted = {action for action in universe if table.can(action)}
        listed = {action for action in legal if action.do not in ("discard", "take", "bid")}
        if game == "cribbage" and table.phase == "play":
            implying = accepted - listed
            assert listed <= accepted
            total = int(dict(table.view(None).facts)["count"])
            for action in implying:
                assert action.card and action.do == "play"
                value = load_game(game).cut_order[action.card.rank]
                assert action.seat != table.turn or total + min(value, 10) > 31
        else:
            assert accepted == listed


@pytest.mark.parametrize("game", ("cribbage", "fifteen"))
@few
@given(seed=seeds)
def test_the_list_of_discards_is_complete(game: str, seed: int) -> None:
    play = Play(seed, game)
    rng = random.Random(seed)
    for _ in play.actions(40):
        offer: Any = play.table.ask.offers.get("discard")
        if offer is None:
            continue
        legal = {(a.seat, frozenset(a.cards or ())) for a in play.table.legal_actions() if a.do == "discard"}
        for seat in range(len(play.header.players)):
            bare = Action("discard", seat)
            assert play.table.can(bare) == ((seat, frozenset()) in legal)
            for _ in range(30):
                cards = rng.sample(offer.game.deck.cards, rng.choice((1, 2, 2, 3)))
                named = Action("discard", seat, cards=tuple(cards))
                assert play.table.can(named) == ((seat, frozenset(cards)) in legal)


@few
@given(seed=seeds)
def test_the_list_of_takes_is_complete(seed: int) -> None:
    play = Play(seed, "le-quinze")
    for _ in play.actions(120):
        table = [entry.card for entry in play.table.view(None).lying if entry.zone.name == "table"]
        if len(table) > 7:
            continue
        legal = {(a.seat, frozenset(a.cards or ())) for a in play.table.legal_actions() if a.do == "take"}
        for seat in range(len(play.header.players)):
            for size in range(len(table) + 1):
                for cards in combinations(table, size):
                    accepted = play.table.can(Action("take", seat, cards=cards))
                    assert accepted == ((seat, frozenset(cards)) in legal)


@few
@given(seed=seeds)
def test_one_bid_is_listed_for_each_amount(seed: int) -> None:
    play = Play(seed, "its-15")
    for _ in play.actions(120):
        rules: Any = play.table._game
        bids = [a for a in play.table.legal_actions() if a.do == "bid"]
        amounts = [sum(int(card.rank) for card in bid.cards or ()) for bid in bids]
        assert len(set(amounts)) == len(amounts)
        if play.table.phase == "bid":
            held = rules.stakes.held[play.table.turn]
            possible = set()
            for twos in range(sum(number for card, number in held.items() if card.rank == "2") + 1):
                for ones in range(sum(number for card, number in held.items() if card.rank == "1") + 1):
                    cards = [card for card in held.elements() if card.rank == "2"][:twos]
                    cards += [card for card in held.elements() if card.rank == "1"][:ones]
                    if play.table.can(Action("bid", play.table.turn, cards=tuple(cards))):
                        possible.add(2 * twos + ones)
            assert possible == set(amounts)


@pytest.mark.parametrize("game", ("cribbage", "fifteen", "le-quinze"))
@some
@given(seed=seeds)
def test_a_hidden_hand_changes_no_public_view(game: str, seed: int) -> None:
    """What everybody sees is the same whether the table knows the hands or not; what a seat sees, likewise."""
    rng = random.Random(seed)
    header = Header(game, NAMES[: rng.choice(load_game(game).seats)], 0, {})
    play = random_game(seed, game, 150, header, naming=1.0)
    told, blind, sighted = Table(header), Table(header), Table(header)  # `sighted` knows the hand of seat 1 alone
    switched = False
    for action in play.table.actions:
        crib: tuple[Card, ...] = getattr(told._game, "crib", ())
        switched = action.word == "switch" or (switched and action.do != "deal")  # then the hand is half another's
        told.do(action)
        for table, knows in ((blind, ()), (sighted, (1,))):
            if action.do == "deal" and action.seat not in knows:
                continue
            if action.do == "discard" and action.seat not in knows:
                table.do(Action("discard", action.seat))
                continue
            if action.do in ("show", "gather") and not table.can(action):  # after the crib, which is shown at once
                continue
            table.do(action)
            if table.phase == "show" and told.phase != "show":
                table.do(Action("show", "crib", cards=crib))
            if told.phase in ("play", "say") and action.do not in ("deal", "show"):
                assert table.view(None) == told.view(None)
                for seat in () if switched else knows:
                    assert table.view(seat) == told.view(seat)


@pytest.mark.parametrize("game", ("cribbage", "fifteen", "its-15", "le-quinze"))
def test_games_come_to_an_end(game: str) -> None:
    for seed in range(4):
        play = Play(seed, game, naming=1.0)
        for _ in play.actions(4000, nonsense=0, undo=0):
            pass
        assert play.table.over
        assert play.table.winners
        assert play.table.legal_actions() == []
