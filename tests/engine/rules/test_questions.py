"""Questions and offers: one predicate decides what is legal, and the kinds of action are one table."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from engine.actions import ACTION_KINDS, Action, kinds_in_zone
from engine.cards import STANDARD_DECK, parse_card
from engine.errors import Refused
from engine.rules.game import Game
from engine.rules.questions import NotNow, Offer, Question
from engine.rules.wording import ACTIONS, describe, must_act
from tests.engine.talk import table_of


class Bare(Game):
    name = "bare"
    title = "Bare"
    seats = range(2, 5)


class PlayAnAce(Offer):
    __slots__ = ()
    do = "play"

    def check(self, action: Action) -> None:
        if action.seat == 1:
            raise NotNow
        self.check_deck(action.card)
        self.check_seat(action)
        if action.card and action.card.rank != "A":
            raise Refused("not-in-hand", "an ace, please")


class PlayARedAce(PlayAnAce):
    __slots__ = ()

    def candidates(self) -> Iterator[Action]:
        return (Action("play", 0, card) for card in STANDARD_DECK if card.suit in "HD")


@pytest.fixture
def game() -> Game:
    return Bare(("Ann", "Bo", "Cy"), 0, {})


def test_the_legal_actions_are_the_candidates_that_pass_the_check(game: Game) -> None:
    question = Question("play", 0, {"play": PlayAnAce(game, (0,))})
    assert [str(action) for action in question.actions()] == ["0 play AS", "0 play AH", "0 play AD", "0 play AC"]
    assert [str(action) for action in PlayARedAce(game, (0,)).actions()] == ["0 play AH", "0 play AD"]


def test_a_kind_of_action_impossible_in_the_phase_is_wrong_phase(game: Game) -> None:
    question = Question("play", 0, {"play": PlayAnAce(game, (0,))})
    for action, code in (
        (Action("play", 1, parse_card("AS")), "wrong-phase"),
        (Action("gather", 0), "wrong-phase"),
        (Action("play", 2, parse_card("AS")), "not-your-turn"),
        (Action("play", 0, parse_card("2S")), "not-in-hand"),
    ):
        with pytest.raises(Refused) as refusal:
            question.check(action)
        assert refusal.value.code == code
    question.check(Action("play", 0, parse_card("AS")))


@pytest.mark.parametrize(
    ("zone", "kinds"),
    [
        ("play", ["cut", "play"]),
        ("turn-up", ["turn", "give"]),
        ("table", ["turn", "play"]),
        ("show", ["show", "expose"]),
        ("bid", ["bid"]),
        ("crib", ["show"]),
        ("say", ["say"]),
        ("stock", []),
    ],
)
def test_a_zone_stands_for_kinds_of_action(zone: str, kinds: list[str]) -> None:
    assert [kind.name for kind in kinds_in_zone(zone)] == kinds


def test_every_kind_of_action_has_its_sentences() -> None:
    assert ACTIONS.keys() == ACTION_KINDS.keys()
    for name, texts in ACTIONS.items():
        assert texts.quoted == f"“{name}”"
        if name != "undo":
            assert re.fullmatch(r"Only Ann may [a-z ]+ now\.", must_act(name, "Ann"))


@pytest.mark.parametrize(
    ("written", "sentence"),
    [
        ("0 cut KD", "Ann cuts K♦"),
        ("0 deal KD 2S", "Ann is dealt cards"),
        ("turn KD", "K♦ is turned up"),
        ("1 say take-one", "Bo: “take one”"),
        ("1 say call KD", "Bo: “call” · K♦"),
        ("1 say revoke 0 KD", "Bo: “revoke” against Ann · K♦"),
        ("0 discard KD 2S", "Ann lays away cards"),
        ("0 give KD", "Ann exchanges the turn-up for K♦"),
        ("0 play KD", "Ann plays K♦"),
        ("0 withdraw KD", "Ann takes back K♦"),
        ("0 gather", "Ann gathers the trick"),
        ("0 take KD 2S", "Ann takes K♦ 2♠"),
        ("0 bid red-1 red-2", "Ann bids red 1, red 2"),
        ("0 show KD", "Ann shows K♦"),
        ("crib show KD", "The crib shows K♦"),
        ("0 expose KD", "Ann exposes K♦"),
    ],
)
def test_an_action_is_described_in_a_sentence(written: str, sentence: str) -> None:
    assert describe(Action.parse(written), ("Ann", "Bo")) == sentence


def test_the_deals_that_could_be_named() -> None:
    table = table_of("german-whist")
    deals = table.question.offers["deal"].actions()
    first = next(deals)
    assert (first.do, first.seat, first.cards) == ("deal", 0, tuple([*STANDARD_DECK][:13]))
    assert table.can(first)
