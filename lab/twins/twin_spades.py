"""Spades here and in OpenSpiel: whole games for four, one deal after the other, each with the bags so far."""

from __future__ import annotations

import random
from functools import cache
from typing import Any, Final

import pyspiel

from engine.actions import Action
from engine.cards import Card, parse_card
from engine.record import Header
from engine.table import Table
from lab.benchmarks.agreement import agree

PLAYERS: Final = 4
FEW: Final = 5
"""Half of the bids are at most this, because otherwise hardly any bid is made."""

DIFFERENCES: Final = (
    ("length", "deals until the target or the limit is reached", "one deal, so each deal is a new state there"),
    ("dealer", "any seat", "the last seat; the seats there are counted from the dealer's left"),
    (
        "breaking",
        "spades may be led once one was played",
        "never from a hand with another suit; such leads are left out",
    ),
    ("bags", "counted by themselves", "the last digit of the score; told there as the score before the deal"),
    (
        "twenty bags of two nils",
        "minus 100 for each ten, so minus 200",
        "minus 400, unless a partner bid a number; corrected by 200 in the comparison",
    ),
    ("blind nil", "from 100 points behind (option)", "none; not played here"),
    ("failed nil", "its tricks count for the partner, or not (option)", "they count; so is the option here"),
    ("end", "500 points, or 200 below zero (options)", "thresholds without effect; not compared"),
    ("players", "three or four", "four"),
)


@cache
def cards() -> tuple[Card, ...]:
    """Return the card of each of OpenSpiel's action numbers."""
    state = pyspiel.load_game("spades").new_initial_state()
    names = [state.action_to_string(0, action) for action in range(52)]
    return tuple(parse_card(name[1] + name[0]) for name in names)


def play(seed: int) -> int:
    """Play the game of this seed on both sides. Return the number of actions compared."""
    rng = random.Random(seed)
    options = {"target": rng.choice((100, 300, 500)), "limit": rng.choice((200, 400)), "blind_nil": False}
    table = Table(Header("spades", ("North", "East", "South", "West"), rng.randrange(PLAYERS), options))
    game, bags, compared = pyspiel.load_game("spades"), [0, 0], 0
    while not table.over:
        compared += play_deal(rng, table, game.new_initial_state(), bags)
    return compared


def play_deal(rng: random.Random, table: Table, other: Any, bags: list[int]) -> int:
    """Deal, bid and play to the last card on both sides. Return the number of actions compared.

    `bags`: of each side before this deal; changed to those after it.
    """
    eldest = ((table.view().dealer or 0) + 1) % PLAYERS
    sides = [(side + eldest) % 2 for side in (0, 1)]  # of this table, by the number of the side there
    other.set_current_scores([bags[side] for side in sides])
    hands: list[list[Card]] = [[] for _ in range(PLAYERS)]
    for number in range(52):
        action = rng.choice(other.legal_actions())
        hands[(number + eldest) % PLAYERS].append(cards()[action])
        other.apply_action(action)
    for seat, hand in enumerate(hands):
        table.do(Action("deal", seat, cards=tuple(hand)))
    before, done = table.scores, list[Action]()
    while not other.is_terminal():
        lead = len(done) >= PLAYERS and len(done) % PLAYERS == 0
        done.append(step(rng, table, other, (other.current_player() + eldest) % PLAYERS, lead))
    gained = [new - old for old, new in zip(before, table.scores, strict=True)]
    points = [int(value) for value in other.returns()[:2]]
    over = [sum(p.points for p in table.view().points if p.reason == "bags" and p.seat % 2 == side) for side in (0, 1)]
    for there, side in enumerate(sides):
        total = bags[side] + over[side]
        nils = sum(each.word == "nil" and (each.seat or 0) % 2 == side for each in done)
        agree("score", gained[side], points[there] + 200 * (total >= 20 and nils == 2), table)
        bags[side] = total % 10
    return len(done)


def step(rng: random.Random, table: Table, other: Any, seat: int, lead: bool) -> Action:
    """Bid or play a card on both sides, after comparing what is legal. `lead`: the card leads to a trick."""
    agree("turn", table.turn, seat, table)
    legal = {action: ours(other, action, seat) for action in other.legal_actions()}
    mine = {each for each in table.legal_actions() if each.do in ("say", "play")}
    if lead:  # there, spades are never broken
        mine = {each for each in mine if each.card and each.card.suit != "S"} or mine
    agree("legal actions", mine, {*legal.values()}, table)
    chosen = sorted(legal, key=lambda action: str(legal[action]))
    if legal[chosen[0]].do == "say" and rng.random() < 0.8:
        chosen = [action for action in chosen if legal[action].word in ("nil", *map(str, range(FEW + 1)))]
    action = rng.choice(chosen)
    other.apply_action(action)
    outcome = table.do(legal[action])
    winner = next((event.seat for event in outcome.events if event.event == "trick"), None)
    if winner is not None and not other.is_terminal():
        agree("trick", winner, table.turn, table)
    return legal[action]


def ours(other: Any, action: int, seat: int) -> Action:
    """Return OpenSpiel's action as it is here."""
    if action < 52:
        return Action("play", seat, cards()[action])
    return Action("say", seat, word=other.action_to_string(seat, action).lower())
