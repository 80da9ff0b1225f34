"""Cribbage compared with OpenSpiel, an independent implementation, if it is installed (`pip install open_spiel`).

OpenSpiel differs from the rules here in these points: a crib flush of four cards counts, the whole show is scored at
once and may go past 121, no card is cut for the deal, and a seat without cards says that it passes.
"""

from __future__ import annotations

import random
from typing import Any

import pytest

from engine.actions import Action
from engine.cards import Card, parse_card
from engine.record import Header
from engine.table import Table
from tests.engine.properties.plays import NAMES

pyspiel = pytest.importorskip("pyspiel")

DEALT = {2: (6, 0), 3: (5, 1), 4: (5, 0)}
"""By the number of players: the cards dealt to each, and from the stock to the crib."""


class Twins:
    """One game on both: OpenSpiel chooses at random, and our table does the same actions."""

    def __init__(self, players: int, seed: int) -> None:
        self.rng = random.Random(seed)
        self.players = players
        self.other: Any = pyspiel.load_game(f"cribbage(players={players})").new_initial_state()
        self.table = Table(Header("cribbage", NAMES[:players], 0))
        self.flushes = [0] * players
        self.hands = 0

    def step(self) -> tuple[int, list[Card]]:
        """Let OpenSpiel choose at random; return the seat (-1: chance) and the cards, none for a pass."""
        other, seat = self.other, self.other.current_player()
        chance = other.is_chance_node()
        action = self.rng.choice([a for a, _ in other.chance_outcomes()] if chance else other.legal_actions())
        words = other.action_to_string(seat, action).split()
        other.apply_action(action)
        return seat, [parse_card(card) for card in words[1:]]

    def compare(self, theirs: list[float]) -> None:
        """Compare the scores of every seat."""
        sides = len(self.table.scores)
        ours = [self.table.scores[seat % sides] + self.flushes[seat % sides] for seat in range(self.players)]
        assert ours == theirs, (self.hands, self.table.actions[-12:])

    def hand(self) -> bool:
        """Play a deal, comparing the scores before each card and after the show; return False at the end of a game."""
        dealt, to_crib = DEALT[self.players]
        dealer, do = self.table.view().dealer, self.table.do
        assert dealer is not None
        hands = [[self.step()[1][0] for _ in range(dealt)] for _ in range(self.players)]
        crib = [self.step()[1][0] for _ in range(to_crib)]
        for seat, cards in enumerate(hands):
            do(Action("deal", seat, cards=tuple(cards)))
        for _ in hands:
            seat, cards = self.step()
            crib += cards
            do(Action("discard", seat, cards=tuple(cards)))
        starter = self.step()[1][0]
        do(Action("turn", card=starter))
        if self.other.is_terminal():  # by his heels
            assert self.table.over or any(self.flushes)
            return False
        while not self.other.is_chance_node():
            before = self.other.returns()
            seat, cards = self.step()
            if cards:
                self.compare(before)
            if max(self.other.returns()) >= 121 or self.table.over:
                return False
            if cards:
                do(Action("play", seat, cards[0]))
            elif self.table.can(go := Action("say", seat, word="go")):
                do(go)
        if self.table.phase == "show":
            do(Action("show", "crib", cards=tuple(crib)))
        if len({card.suit for card in crib}) == 1 and starter.suit != crib[0].suit:
            self.flushes[dealer % len(self.table.scores)] += 4
        self.compare(self.other.returns())
        self.hands += 1
        return True


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_score_of_random_games_is_openspiels(players: int) -> None:
    for seed in range(6):
        twins = Twins(players, seed)
        while twins.hand():
            pass
        assert twins.hands > 3
