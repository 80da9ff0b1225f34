"""Robots of every game: whole games by the rules, face-down and equal cards."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from functools import cache

import pytest

from cardtable.simulation.director import Act, Director, PlacedCard, ShownBoard, imagine
from cardtable.simulation.players import Players
from cardtable.simulation.source import ROBOTS, Setting, marks_for
from cardtable.simulation.stage import FAST, Stage
from engine.actions import Action
from engine.cards import Card, parse_card
from engine.games import load_game, word_marks
from engine.games.cribbage.counting import LIMIT, VALUE
from engine.observations import Zone
from engine.table import Table
from engine.views import Prompt, View
from vision.mat.layout import lay_out

GAMES = [(game, players) for game in ROBOTS for players in load_game(game).seats]
SEEDS = 4
RED_1, RED_2 = parse_card("red-1"), parse_card("red-2")


def robots(game: str, players: int, seed: int) -> Players:
    header = Setting(game, players, seed, marks_for(game)).header
    return ROBOTS[game](header, random.Random(f"{game}/{players}/{seed}"))


@cache
def whole(game: str, players: int, seed: int) -> list[Act]:
    return list(robots(game, players, seed).acts())


def actions(acts: list[Act]) -> list[Action]:
    return [act.action for act in acts if act.action]


@pytest.mark.sampled(5)
@pytest.mark.parametrize(("game", "players"), GAMES)
def test_robots_play_by_the_rules_with_the_cards_that_lie_on_the_table(game: str, players: int) -> None:
    for seed in range(2):
        acts = whole(game, players, seed)
        judge = Table(Setting(game, players, seed, marks_for(game)).header)
        lying: list[PlacedCard] = []
        for act in acts:
            imagine(act, lying)  # raises if a card is taken that is not there
            if act.action:
                judge.do(act.action)
            there = Counter((placed.face, placed.zone) for placed in lying)
            if act.lays:
                card, zone = act.lays
                copies = load_game(game).deck.copies(card) if isinstance(card, Card) else 1
                assert card is None or sum(n for (other, _), n in there.items() if other == card) <= copies, act
                assert zone.name in load_game(game).zones
            if act.expect and game != "le-quinze":  # there the card just played may be among the table cards
                assert Counter((card.card, card.zone) for card in act.expect.lying if card.firm) <= there, act
        assert judge.over
        assert not lying, "all cards are cleared away"


def test_the_last_of_several_cards_completes_the_action() -> None:
    found = 0
    for game, players in (("fifteen", 2), ("cribbage", 3), ("its-15", 6)):
        laid: list[Card] = []
        for act in whole(game, players, 1):
            if act.kind != "lay" or act.face is None:
                continue
            if act.action is None:
                assert act.expect is None
                laid.append(act.face)
            else:
                if act.action.cards:
                    assert act.expect is not None
                    assert [*laid, act.face] == list(act.action.cards)
                    found += 1
                laid = []
    assert found > 20


@pytest.mark.parametrize(
    ("game", "players", "words"),
    [
        ("fifteen", 2, "cut turn accept beg switch take-one give play withdraw gather show"),
        ("cribbage", 2, "cut turn play go show"),
        ("le-quinze", 3, "cut turn play take"),
        ("its-15", 4, "turn card stay bid pass show"),
    ],
)
def test_robots_use_every_kind_of_action_and_word_of_their_game(game: str, players: int, words: str) -> None:
    games = [actions(whole(game, players, seed)) for seed in range(SEEDS)]
    assert {action.word or action.do for done in games for action in done} == set(words.split())


def test_go_is_sometimes_said_and_sometimes_left_out() -> None:
    called = left_out = 0
    for seed in range(SEEDS):
        playing = robots("cribbage", 3, seed)
        table = Table(playing.table.header)
        list(playing.acts())
        for action in playing.table.actions:
            called += action.word == "go"
            if action.do == "play" and action.card:
                total = sum(VALUE[lying.card.rank] for lying in table.lying if lying.zone.name == "play")
                left_out += action.seat != table.turn or total + VALUE[action.card.rank] > LIMIT
            table.do(action)
    assert called > 20
    assert left_out > 20


def test_a_card_of_le_quinze_is_pushed_to_the_table_or_laid_there_at_once() -> None:
    acts = whole("le-quinze", 2, 1)
    played = Counter(act.zone.name for act in acts if act.action and act.action.do == "play" and act.zone)
    assert min(played["play"], played["table"]) > 10
    assert all(act.tidy for act in acts if act.kind == "move")
    for act in acts:
        if act.action and act.action.do == "take":
            assert {face for face, _ in act.faces} > set(act.action.cards or ())


def test_a_second_brown_card_is_asked_for_or_laid_down_without_a_word() -> None:
    drawn = [act for act in whole("its-15", 6, 1) if act.action and act.action.word == "card"]
    assert {act.zone.name for act in drawn if act.zone} == {"say", "show"}
    assert all(act.face is None for act in drawn if act.zone and act.zone.name == "show")


def test_the_seed_decides_who_begins_its_15() -> None:
    assert [Setting("its-15", 4, seed, "aruco").header.dealer for seed in (3, 4, 5)] == [3, 0, 1]
    assert Setting("cribbage", 4, 3).header.dealer is None


# The director: cards face down, and equal ones


def director(acts: Iterator[Act], game: str, players: int = 2, already: tuple[Action, ...] = ()) -> Director:
    mat = lay_out(players, load_game(game).zones)
    return Director(Stage(mat, "aruco", FAST, 1, word_marks()), acts, random.Random(1), already)


def finish(play: Director, most: int = 20000) -> None:
    for number, _ in enumerate(play.run()):
        play.stage.move_on(number / 30)
        assert number < most


def lies(play: Director) -> Counter[tuple[object, Zone]]:
    return Counter((card.face, card.place.zone) for card in play.stage.lying() if card.place.zone)


def test_each_of_several_equal_cards_is_laid_and_taken_once() -> None:
    bid, show = Zone("bid", 0), Zone("show", 0)
    acts = [
        *(Act("lay", 0, None, show) for _ in range(2)),
        *(Act("lay", 0, face, bid) for face in (RED_1, RED_2, RED_1)),
        Act("lift", 0, None, show),
        Act("move", 1, RED_1, bid, to=Zone("table")),
    ]
    play = director(iter([*acts, Act("sweep", 0, faces=((RED_1, bid), (None, show)))]), "its-15")
    finish(play)
    assert lies(play) == {(RED_2, bid): 1, (RED_1, Zone("table")): 1}


def test_a_card_that_is_not_there_cannot_be_taken() -> None:
    lying = [PlacedCard(RED_1, Zone("bid", 0), 0)]
    with pytest.raises(ValueError, match="red-1 does not lie in bid 1"):
        imagine(Act("lift", 0, RED_1, Zone("bid", 1)), lying)
    with pytest.raises(ValueError, match="face down"):
        imagine(Act("lift", 0, None, Zone("bid", 0)), lying)


def test_the_sprites_of_cards_taken_away_are_freed() -> None:
    acts = [Act("lay", 0, RED_1, Zone("bid", 0)), Act("lift", 0, RED_1, Zone("bid", 0))]
    play = director(iter(acts), "its-15")
    finish(play)
    (card,) = play.stage.cards_laid
    assert card.lifted is not None
    with pytest.raises(KeyError):
        play.stage.sprite(card)


class Blind:
    """A board that shows an action only after a number of cards have been laid."""

    def __init__(self, before: View, after: View, laid: int) -> None:
        self._views = before, after
        self._laid = laid
        self.stage: Stage | None = None

    def view(self) -> View:
        assert self.stage is not None
        return self._views[len(self.stage.cards_laid) >= self._laid]

    def prompts(self) -> tuple[Prompt, ...]:
        return ()


def test_several_cards_of_an_action_are_laid_again_in_turn() -> None:
    table = Table(Setting("its-15", 2, 0, "aruco").header)
    for action in (Action("turn", card=parse_card("green-4")), *(Action("say", seat, word="stay") for seat in (0, 1))):
        table.do(action)
    before = table.view()
    bid = Action("bid", 0, cards=(RED_1, RED_2, RED_1))
    table.do(bid)
    zone = Zone("bid", 0)
    acts = [Act("lay", 0, RED_1, zone), Act("lay", 0, RED_2, zone)]
    acts.append(Act("lay", 0, RED_1, zone, action=bid, expect=table.view()))
    play = director(iter(acts), "its-15")
    board = Blind(before, table.view(), laid=3 + 2)
    board.stage, play.board = play.stage, ShownBoard(board.view, board.prompts)
    finish(play)
    assert (play.laid_again, play.again, play.done) == (2, {0}, [bid])
    assert [card.face for card in play.stage.cards_laid] == [RED_1, RED_2, RED_1, RED_1, RED_2]
    assert lies(play) == {(RED_1, zone): 2, (RED_2, zone): 1}
