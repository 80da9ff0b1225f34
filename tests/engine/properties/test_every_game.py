"""Properties of every game in random play: those of this project, of installed packages, and one that is added."""

from __future__ import annotations

import copy
import random
from collections.abc import Sequence
from typing import Any
from unittest.mock import ANY

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.actions import Action
from engine.cards import Card
from engine.errors import Refused
from engine.games import HOUSE, game_names, load_game
from engine.record import Header, read_record, write_record
from engine.rules.hands import Hand
from engine.rules.offers import Deal
from engine.table import Table, answers, replay
from tests.engine.properties.plays import NAMES, Play, any_action, examples, legal_action, plays
from tests.engine.talk import rules_of
from tests.short_games import short_options

GAMES = (*game_names(), "high-card")
ONE_PACK = tuple(name for name in GAMES if name != "its-15")
"""The games whose deck has one copy of each card; It's 15 counts copies itself (test_its_15.py)."""

some, few = examples(12), examples(5)
every_game = pytest.mark.parametrize("game", GAMES)


def state(table: Table) -> tuple[Any, ...]:
    """The public state of a table; the list of discards, which is long, as its length."""
    views = [table.view(seat) for seat in (None, *range(len(table.header.players)))]
    legal = table.legal_actions()
    listed = [action for action in legal if action.do != "discard"]
    question = table.question
    kinds = sorted(question.offers)
    return (*views, listed, len(legal), question.phase, question.turn, kinds, table.actions, table.result)


def assert_no_card_is_lost_or_doubled(table: Table) -> None:
    rules = rules_of(table)
    place = rules.pack.place
    piled = [card for card, where in place.items() if not isinstance(where, Hand)]
    for hand in rules.hands:
        assert hand.size >= 0
        assert all(place[card] is hand for card in hand.known)
        assert not hand.complete or len(hand.known) == hand.size
    assert len(piled) + sum(hand.size for hand in rules.hands) <= len(rules.deck)
    cards = [lying.card for lying in table.lying if lying.zone.name in ("play", "table")]
    if not rules.match.cut:  # a card cut twice may be in front of two players
        assert len(set(cards)) == len(cards)


def assert_everything_is_declared(table: Table) -> None:
    """All reasons are declared, so the catalogues have them; every event has a sentence."""
    view = table.view()
    assert {point.reason for point in view.points} <= set(load_game(table.header.game).reasons)
    assert all(view.describe(event) != event.event for event in view.events)


def assert_unlisted_offers_know_their_actions(table: Table) -> None:
    for offer in table.question.offers.values():
        assert all(map(table.can, offer.known_actions()))
        if not offer.listed and offer.do != "show":
            assert all(table.can(action) for action, _ in zip(offer.actions(), range(40), strict=False))


def assert_views_can_be_printed(table: Table) -> None:
    game, players = table.header.game, table.header.players
    assert str(table).startswith(game) and repr(table).startswith(f"<Table {game}: Ann")
    assert table._repr_svg_().endswith("</svg>")
    assert all(name in str(table) for name in players)


def assert_record_replays_the_same(play: Play) -> None:
    lines = list(write_record(play.header, play.tried))
    record = read_record(lines)
    assert (record.header, list(record.actions)) == (play.header, play.tried)
    assert list(write_record(record.header, record.actions)) == lines
    *_, end = answers(record)
    assert end["accepted"] + end["refused"] == len(play.tried)
    assert end["scores"] == list(play.table.scores)
    *_, end_of_accepted = replay(list(write_record(play.header, play.table.actions)))
    assert end_of_accepted["refused"] == 0
    assert end_of_accepted["scores"] == end["scores"]


def assert_text_and_json_name_the_same_action(action: Action) -> None:
    assert Action.from_json(action.to_json()) == action
    if action.seat != "crib" or action.do == "show":
        assert Action.parse(str(action)) == action


@every_game
@some
@given(st.data())
def test_a_random_game_and_its_record(game: str, data: st.DataObject) -> None:
    """One game is played for all that can be checked on the way, and for its record."""
    play = data.draw(plays(game, 150))
    for number, action in enumerate(play.actions()):
        assert_text_and_json_name_the_same_action(action)
        if game in ONE_PACK and not play.table.over:
            assert_no_card_is_lost_or_doubled(play.table)
        if game != "high-card":  # it declares nothing
            assert_everything_is_declared(play.table)
        if number % 4 == 0:
            assert_unlisted_offers_know_their_actions(play.table)
            assert_views_can_be_printed(play.table)
    assert_record_replays_the_same(play)


@every_game
@few
@given(st.data())
def test_undo_restores_the_exact_state_at_any_depth(game: str, data: st.DataObject) -> None:
    play = data.draw(plays(game, 80)).finished()
    table = Table(play.header)
    states = [state(table)]
    for action in play.table.actions:
        table.do(action)
        states.append(state(table))
    rng = random.Random(len(states))
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
@few
@given(st.data())
def test_a_copy_is_the_same_and_independent(game: str, data: st.DataObject) -> None:
    play = data.draw(plays(game, 60)).finished()
    table, before = play.table, state(play.table)
    other = copy.copy(table)
    assert state(other) == state(copy.deepcopy(table)) == before
    rng = random.Random(len(table.actions))
    for _ in range(8):
        if not other.over:
            other.do(legal_action(other, rng.randrange(100)))
    while other.actions:
        other.undo()
    assert state(table) == before


@pytest.mark.parametrize("game", ONE_PACK)
@few
@given(st.data())
def test_what_a_seat_sees_depends_on_no_card_that_it_has_not_seen(game: str, data: st.DataObject) -> None:
    """With other cards in the hands of the others, as they may be, it sees the same."""
    header = Header(game, NAMES[: data.draw(st.sampled_from(load_game(game).seats))], 0)
    table = data.draw(plays(game, 70, naming=1.0, legal=True, header=header)).finished().table
    rng = random.Random(len(table.actions))
    for seat in range(len(header.players)):
        seen = table.seen_by(seat)
        assert (seen.scores, seen.winners, seen.holds(seat)) == (table.scores, table.winners, table.holds(seat))
        if table.turn == seat and table.holds(seat):
            assert [seen.phase, seen.legal_actions()] in (["deal", ANY], [table.phase, table.legal_actions()])
        world = seen.deal_random(rng)
        if seen.holds(seat):
            assert state(world.seen_by(seat)) == state(seen)


def every_action(game: str, players: int) -> list[Action]:
    """Every action of a listed kind with at most one card; for words, those that declare what they need."""
    kind = load_game(game)
    cards = list(kind.deck)
    out = [Action("turn", card=card) for card in cards]
    for seat in range(players):
        out.append(Action("gather", seat))
        out += [Action(do, seat, card) for do in ("cut", "play", "withdraw", "give") for card in cards]
        out.append(Action("say", seat, word="nonsense"))
        for word in kind.words:
            accused = range(players) if "against" in word.keys else (None,)
            named = cards if "card" in word.keys else (None,)
            out += [Action("say", seat, card, word=word.name, against=other) for other in accused for card in named]
    return out


def assert_legal_actions_are_complete(table: Table, universe: Sequence[Action]) -> None:
    """Cribbage accepts more plays than it lists: those that imply a go, by another seat or past 31."""
    legal = table.legal_actions()
    assert len(set(legal)) == len(legal)
    assert all(map(table.can, legal))
    accepted = {action for action in universe if table.can(action)}
    listed = {action for action in legal if action.do not in ("discard", "take", "bid")}
    game = table.header.game
    if game != "cribbage" or table.phase != "play":
        assert accepted == listed
        return
    assert listed <= accepted
    total = int(dict(table.view().facts)["count"])
    for action in accepted - listed:
        assert action.card and action.do == "play"
        value = min(load_game(game).cut_order[action.card.rank], 10)
        assert action.seat != table.turn or total + value > 31


@every_game
@few
@given(st.data())
def test_legal_actions_are_listed_and_others_change_nothing(game: str, data: st.DataObject) -> None:
    play = data.draw(plays(game, 70))
    universe = every_action(game, len(play.header.players))
    for number, _ in enumerate(play.actions()):
        if number % 5:
            continue
        assert_legal_actions_are_complete(play.table, universe)
        before = state(play.table)
        for pick in range(number * 10, number * 10 + 10):
            action = any_action(play.table, pick)
            if not play.table.can(action):
                with pytest.raises(Refused) as refusal:
                    play.table.do(action)
                assert refusal.value.message
        assert state(play.table) == before


@pytest.mark.sampled(5)
@pytest.mark.parametrize("game", [game for game in HOUSE if game in ONE_PACK])
@some
@given(st.data())
def test_a_hidden_hand_changes_no_public_view(game: str, data: st.DataObject) -> None:
    """Everybody sees the same whether the table knows the hands or not, and so does a seat whose hand is known."""
    header = Header(game, NAMES[: data.draw(st.sampled_from(load_game(game).seats))], 0)
    play = data.draw(plays(game, 150, naming=1.0, legal=True, header=header)).finished()
    known, blind, one_known = Table(header), Table(header), Table(header)  # `one_known` knows the hand of seat 1
    switched = False
    for action in play.table.actions:
        if action.do == "say" and action.card is not None and action.against is None:
            continue  # a call: whether a known hand would revoke with the card depends on its cards
        crib = () if known.over else getattr(rules_of(known), "crib", ())
        passed = game == "hearts" and action.do == "discard"
        switched = passed or action.word == "switch" or (switched and action.do != "deal")  # it holds another's cards
        known.do(action)
        for table, seats in ((blind, ()), (one_known, (1,))):
            if action.do == "deal" and action.seat not in seats:
                continue
            if action.do == "discard" and action.seat not in seats:
                if table.can(unnamed := Action("discard", action.seat)):  # in Skat only when the game has been named
                    table.do(unnamed)
                continue
            if action.do in ("show", "gather") and not table.can(action):  # the crib was shown earlier here
                continue
            table.do(action)
            if table.phase == "show" and known.phase != "show":
                table.do(Action("show", "crib", cards=crib))
            if known.phase in ("play", "say") and action.do not in ("deal", "show"):
                assert table.view() == known.view()
                for seat in () if switched else seats:
                    assert table.view(seat) == known.view(seat)


def dealt(table: Table) -> set[Card]:
    """The cards that were dealt by name or turned up in this hand."""
    actions = table.actions[table.hand_starts[-1] :]
    return {card for action in actions for card in (action.card, *(action.cards or ())) if card}


@every_game
def test_games_come_to_an_end(game: str) -> None:
    kind = load_game(game)
    rng = random.Random(0)
    table = Table(Header(game, NAMES[: rng.choice(kind.seats)], 0, short_options(game)))
    for _ in range(6000):
        if table.over:
            break
        action = legal_action(table, rng.randrange(1, 2**24), naming=1.0)
        deal = table.question.offers.get("deal")
        if getattr(kind, "proof_costs", False) and isinstance(deal, Deal) and deal.seats:
            # Hidden hands that play at random revoke in every deal, and then neither side wins.
            unseen = [card for card in table.view().deck if card not in dealt(table)]
            action = Action("deal", deal.seats[0], cards=tuple(rng.sample(unseen, deal.counts[deal.seats[0]])))
        table.do(action)
    assert table.over and table.winners
    assert table.legal_actions() == []


@pytest.mark.long
def test_a_failing_play_shrinks_to_few_simple_steps() -> None:
    """The strategies find the smallest play with a card played in All Fives: a turn-up, a word and a card."""
    from hypothesis import find

    header = Header("all-fives", ("Ann", "Bo"), 0)

    def has_a_play(play: Play) -> bool:
        return any(action.do == "play" for action in Play(play.header, play.steps, 0.0).finished().table.actions)

    found = find(plays("all-fives", 80, naming=0.0, header=header), has_a_play, settings=settings())
    assert [action.do for action in found.finished().table.actions] == ["turn", "say", "play"]
    assert all(kind == 0 for kind, _ in found.steps)
