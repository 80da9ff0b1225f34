"""A revoke costs the same, whether a player calls it or a card that is played later proves it."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from engine.actions import Action
from engine.games import HOUSE, load_game
from engine.record import Header
from engine.rules.penalties import PenaltyTrickGame
from engine.table import Outcome, Table
from tests.engine.properties.plays import NAMES

GAMES = [name for name in HOUSE if name != "all-fives" and issubclass(load_game(name), PenaltyTrickGame)]
"""In All Fives only a call costs anything (docs/reference/games/all-fives.md)."""


def proven(outcome: Outcome) -> tuple[int, str] | None:
    """Return the seat and the card of the revoke that an action proves, if it proves one."""
    found = [(event.seat, str(event.card)) for event in outcome.events if event.event == "revoke-proven"]
    return next(((seat, card) for seat, card in found if seat is not None), None)


def played_at_random(header: Header, seed: int) -> tuple[Table, list[tuple[int, str]]]:
    """Play a hand in which no player calls a revoke or ends it early; return also what later cards prove."""
    rng, table, revokes = random.Random(seed), Table(header), []
    while not table.over and not (table.actions and table.between_hands):
        actions = [each for each in table.legal_actions() if each.do != "say" or each.word not in ("revoke", "claim")]
        outcome = table.do(rng.choice(actions))
        if table.actions[-1].do == "play" and (found := proven(outcome)):
            revokes.append(found)
    return table, revokes


def called_in(header: Header, actions: Sequence[Action], seat: int, card: str) -> Table | None:
    """Do `actions`, and call the revoke of `seat` as soon as `card` is evidence; None if that is never."""
    table, call = Table(header), Action.parse(f"{(seat + 1) % len(header.players)} say revoke {seat} {card}")
    called = False
    for action in actions:
        if not called and table.can(call):
            table.do(call)
            called = True
        if not table.can(action):
            return None  # such as more cards of a hand, of which some are known now
        table.do(action)
    return table if called else None


@pytest.mark.parametrize("game", GAMES)
def test_a_revoke_costs_the_same_called_or_proven_later(game: str) -> None:
    seats = load_game(game).seats
    header = Header(game, NAMES[: 4 if 4 in seats else seats[-1]], 0)
    compared = 0
    for seed in range(30):
        if compared > 3:
            break
        table, revokes = played_at_random(header, seed)
        for seat, card in revokes[:1]:
            called = called_in(header, table.actions, seat, card)
            if called:
                compared += 1
                assert called.scores == table.scores, (seed, seat, card)
    assert compared > 3, compared
