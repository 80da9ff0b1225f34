"""What holds for every game, whatever happens in it. The games are random; each is named by its seed."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.actions import Action
from engine.cards import STANDARD_DECK, Card
from engine.errors import Refused
from engine.record import Header, read_record, write_record
from engine.replay import answers, replay
from engine.rules.hands import Hand
from engine.table import Table
from tests.engine.random_games import Player, random_action, random_game

seeds = st.integers(0, 2**32)
some = settings(max_examples=25, deadline=None, derandomize=True)
few = settings(max_examples=10, deadline=None, derandomize=True)


def state(table: Table) -> tuple[Any, ...]:
    """All that can be seen of a table from outside."""
    views = [table.view(seat) for seat in (None, *range(len(table.header.players)))]
    ask = table.ask
    return (*views, table.legal_actions(), ask.phase, ask.turn, sorted(ask.offers), table.actions, table.result)


@some
@given(seeds)
def test_every_sequence_of_actions_keeps_52_cards(seed: int) -> None:
    player = Player(seed)
    for _ in player.actions(120):
        game = player.table._game
        piles = [card for card, where in game.pack.place.items() if not isinstance(where, Hand)]
        for hand in game.hands:
            assert hand.size >= 0
            assert all(game.pack.place[card] is hand for card in hand.known)
            if hand.complete:
                assert len(hand.known) == hand.size
        unseen = sum(hand.size for hand in game.hands) + game.in_stock()
        unnamed = 52 - len(piles) - unseen
        assert unnamed == 0 or (unnamed > 0 and player.header.options.get("discard_to_six")), "laid away unnamed"
        assert len(set(piles)) == len(piles)


@some
@given(seeds)
def test_hands_are_as_large_as_they_really_are(seed: int) -> None:
    player = Player(seed)
    for _ in player.actions(200):
        if player.table.phase == "play":
            assert [hand.size for hand in player.table.view(None).hands] == [len(h) for h in player.world.hands]


@some
@given(seeds)
def test_scores_are_what_the_tricks_hold(seed: int) -> None:
    """Counted again from the actions alone, by somebody who only knows what was played and who won."""
    player = random_game(seed, 300)
    table = Table(player.header)
    trump, tricks, trick = "", [], []  # type: ignore[var-annotated]
    worth = {"A": 4, "K": 3, "Q": 2, "J": 1, "10": 10, "5": 5}
    counted = [0] * len(player.header.players)
    for action in player.table.actions:
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


@few
@given(seeds)
def test_undo_restores_the_exact_state_at_any_depth(seed: int) -> None:
    player = random_game(seed, 90)
    table = Table(player.header)
    states = [state(table)]
    for action in player.table.actions:
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


@some
@given(seeds)
def test_record_replay_record_is_the_identity(seed: int) -> None:
    player = random_game(seed, 150)
    lines = list(write_record(player.header, player.tried))
    record = read_record(lines)
    assert record.header == player.header
    assert list(record.actions) == player.tried
    assert list(write_record(record.header, record.actions)) == lines
    *_, end = answers(record)
    assert end["accepted"] + end["refused"] == len(player.tried)
    assert end["scores"] == list(player.table.scores)
    kept = list(write_record(player.header, player.table.actions))
    *_, end_of_kept = replay(kept)
    assert end_of_kept["refused"] == 0
    assert end_of_kept["scores"] == end["scores"]


@some
@given(seeds)
def test_a_refused_action_changes_nothing(seed: int) -> None:
    player = Player(seed)
    rng = random.Random(seed)
    for _ in player.actions(60):
        before = state(player.table)
        for _ in range(5):
            action = random_action(rng, len(player.header.players))
            if not player.table.can(action):
                try:
                    player.table.do(action)
                except Refused as refusal:
                    assert refusal.message
                else:
                    raise AssertionError(f"can() refuses {action}, do() does not")
        assert state(player.table) == before


def every_action(players: int) -> list[Action]:
    """Every action of a listed kind with one card or none."""
    out = []
    words = ("stand", "beg", "take-one", "change", "revoke", "call", "go")
    for seat in range(players):
        out += [Action("gather", seat), *(Action("say", seat, word=word) for word in words)]
        for card in STANDARD_DECK:
            out += [Action(do, seat, card) for do in ("cut", "play", "withdraw", "give")]
            out.append(Action("say", seat, card, word="call"))
            out += [Action("say", seat, card, word="revoke", against=other) for other in range(players)]
    return out + [Action("turn", card=card) for card in STANDARD_DECK]


@few
@given(seeds)
def test_the_legal_list_is_sound_and_complete(seed: int) -> None:
    player = Player(seed)
    universe = every_action(len(player.header.players))
    for number, _ in enumerate(player.actions(60)):
        if number % 4:
            continue
        table = player.table
        legal = table.legal_actions()
        assert len(set(legal)) == len(legal)
        accepted = {action for action in universe if table.can(action)}
        assert accepted == set(legal)


@some
@given(seeds)
def test_offers_that_are_not_listed_know_their_actions_too(seed: int) -> None:
    player = Player(seed)
    for _ in player.actions(60):
        for do in ("expose", "discard"):
            offer = player.table.ask.offers.get(do)
            if offer:
                first = [action for action, _ in zip(offer.actions(), range(60), strict=False)]
                assert all(player.table.can(action) for action in first)


@some
@given(seeds)
def test_a_hidden_hand_changes_no_public_view(seed: int) -> None:
    """What everybody sees is the same whether the table knows the hands or not; what a seat sees, likewise."""
    player = random_game(seed, 200, Header("all-fives", ("Ann", "Bo", "Cy"), 0, {"target": 16}), naming=1.0)
    told = Table(player.header)
    blind = Table(player.header)
    sighted = Table(player.header)  # knows the hand of seat 1 alone
    for action in player.table.actions:
        if action.word == "call":  # whether a known hand would revoke with the card is for its cards to say
            continue
        told.do(action)
        if action.do == "deal":
            if action.seat == 1:
                sighted.do(action)
            continue
        blind.do(action)
        sighted.do(action)
        assert told.view(None) == blind.view(None)
        assert told.view(1) == sighted.view(1)


@some
@given(seeds)
def test_other_cards_in_a_hidden_hand_make_no_difference(seed: int) -> None:
    """Before anything is played, two deals that differ in every card look alike from outside."""
    rng = random.Random(seed)
    views = []
    for _ in range(2):
        table = Table(Header("all-fives", ("Ann", "Bo"), 0, {"discard_to_six": True}))
        cards: list[Card] = [card for card in STANDARD_DECK if str(card) not in ("2C", "2H", "3S")]
        rng.shuffle(cards)
        hands = [tuple(cards.pop() for _ in range(9)) for _ in range(2)]
        seen = []
        for action in (
            *(Action("deal", seat, cards=hand[:6]) for seat, hand in enumerate(hands)),
            Action("turn", card=Card("2", "C")),
            Action("say", 1, word="beg"),
            Action("say", 0, word="change"),
            *(Action("deal", seat, cards=hand[6:]) for seat, hand in enumerate(hands)),
            Action("turn", card=Card("2", "H")),
            *(Action("discard", seat, cards=hand[2:5]) for seat, hand in enumerate(hands)),
        ):
            table.do(action)
            seen.append(table.view(None))
        views.append(seen)
    assert views[0] == views[1]
