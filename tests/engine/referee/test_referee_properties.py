"""Properties of the referee under random sequences of cards laid, picked up and misread, and words said."""

from __future__ import annotations

import random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.actions import Action
from engine.cards import STANDARD_DECK, Card
from engine.observations import (
    ActionCard,
    Back,
    Lost,
    Observation,
    Said,
    Scene,
    Sighting,
    Swipe,
    Swiped,
    UndoAsked,
    Zone,
)
from engine.record import Header
from engine.referee.referee import Referee
from engine.table import Table
from tests.engine.properties.plays import examples

WORDS = ("stand", "beg", "take-one", "change", "revoke", "call", "hello")
NAMES = ("play", "play", "play", "say", "show", "turn-up", "stock")
CARDS = tuple(STANDARD_DECK)


class Chaos:
    """Players who lay, pick up, nudge and turn cards at random, seen by two sources that do not always agree."""

    def __init__(self, seed: int, players: int) -> None:
        self.chance = random.Random(seed)
        self.players = players
        self.lying: dict[str, Sighting] = {}
        self.made = 0

    def zone(self) -> Zone | None:
        if self.chance.random() < 0.05:
            return None
        name = self.chance.choice(NAMES)
        return Zone(name, self.chance.randrange(self.players) if name in ("play", "say", "show") else None)

    def face(self, zone: Zone | None) -> object:
        if self.chance.random() < 0.05:
            return None
        if zone and zone.name == "say" and self.chance.random() < 0.9:
            return ActionCard(self.chance.choice(WORDS))
        return self.chance.choice(CARDS)

    def observation(self, time: float) -> Observation:
        roll = self.chance.random()
        if roll < 0.04:
            return UndoAsked(time, "page")
        if roll < 0.08:
            return Said(time, "page", self.chance.randrange(self.players), self.chance.choice(WORDS))
        if roll < 0.1:
            return self.chance.choice([Lost(time, "camera", "unplugged"), Back(time, "camera")])
        for _ in range(self.chance.randint(1, 2)):
            self._disturb(time)
        return Scene(time, self.chance.choice(["camera", "camera", "readers"]), tuple(self.lying.values()))

    def _disturb(self, time: float) -> None:
        roll = self.chance.random()
        if roll < 0.3 and self.lying:
            del self.lying[self.chance.choice(sorted(self.lying))]
        elif roll < 0.4 and self.lying:
            name = self.chance.choice(sorted(self.lying))
            old = self.lying[name]
            self.lying[name] = Sighting(name, self.face(old.zone), old.zone, old.since)
        else:
            self.made += 1
            zone = self.zone()
            self.lying[f"p{self.made}"] = Sighting(f"p{self.made}", self.face(zone), zone, time)


@pytest.mark.slow
@examples(20)
@given(st.integers(0, 2**32), st.integers(2, 3), st.sampled_from([None, 0]))
def test_the_record_stays_legal_and_there_is_always_a_prompt(seed: int, players: int, dealer: int | None) -> None:
    table = Table(Header("all-fives", ("Ann", "Bo", "Cy")[:players], dealer, {}))
    stored: list[Action] = []

    referee = Referee(table)
    chaos = Chaos(seed, players)
    for step in range(80):
        for done in referee.observe(chaos.observation(float(step))):
            if done.action.do == "undo":
                stored.pop()
            else:
                stored.append(done.action)
        assert referee.prompts, "there is always something that the table waits for"
        assert tuple(stored) == table.actions
    replayed = Table(table.header)
    for action in stored:
        replayed.do(action)
    assert replayed.view().scores == table.view().scores


@pytest.mark.slow
@examples(10)
@given(st.integers(0, 2**32))
@example(25228)
def test_a_scene_shown_twice_changes_nothing_the_second_time(seed: int) -> None:
    table = Table(Header("all-fives", ("Ann", "Bo"), 0, {}))
    referee = Referee(table)
    chaos = Chaos(seed, 2)
    for step in range(60):
        observation = chaos.observation(float(step))
        referee.observe(observation)
        if isinstance(observation, Scene):
            before = (table.actions, referee.prompts)
            referee.observe(observation)
            assert (table.actions, referee.prompts) == before


class ChaosWithReaders(Chaos):
    """The same players, who also swipe cards across deal readers."""

    def __init__(self, seed: int, players: int) -> None:
        super().__init__(seed, players)
        self.swipes: dict[Card, Swipe] = {}
        self.swiped = 0

    def observation(self, time: float) -> Observation:
        if self.chance.random() > 0.4:
            return super().observation(time)
        seat = self.chance.randrange(self.players)
        for card in self.chance.sample(CARDS, self.chance.randint(1, 6)):
            self.swiped += 1
            self.swipes.pop(card, None)
            self.swipes[card] = Swipe(self.swiped, seat, card)
        for card in self.chance.sample([*self.swipes], min(len(self.swipes), self.chance.randint(0, 3))):
            del self.swipes[card]  # it is seen elsewhere
        return Swiped(time, "readers", tuple(self.swipes.values()))


@pytest.mark.slow
@examples(20)
@given(st.integers(0, 2**32), st.sampled_from(["all-fives", "cribbage"]))
def test_cards_swiped_again_change_nothing(seed: int, game: str) -> None:
    table = Table(Header(game, ("Ann", "Bo"), 0, {}))
    referee = Referee(table)
    chaos = ChaosWithReaders(seed, 2)
    for step in range(60):
        observation, before = chaos.observation(float(step)), table.actions
        referee.observe(observation)
        if isinstance(observation, Swiped):
            swiped = {(swipe.seat, swipe.card) for swipe in observation.swipes}
            for action in table.actions[len(before) :]:
                assert action.do in ("deal", "discard")
                assert {(action.seat, card) for card in action.cards or ()} <= swiped
            after = (table.actions, referee.prompts)
            referee.observe(observation)
            assert (table.actions, referee.prompts) == after
    replayed = Table(table.header)
    for action in table.actions:
        replayed.do(action)
    assert replayed.scores == table.scores
