"""Hearts here and in OpenSpiel: whole games for four, deal after deal, with the options that both have."""

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
PASSED: Final = 3
DIRECTIONS: Final = (1, 3, 2, 0)
"""How many seats to the left cards are passed, deal after deal; OpenSpiel numbers its directions in the same way."""

DIFFERENCES: Final = (
    ("length", "deals until a score reaches the target", "one deal, so each deal is a new state there"),
    (
        "passing",
        "three cards at once, in any order of seats",
        "one card at a time, seat after seat; told here together",
    ),
    ("direction", "left, right, across, none in turn", "drawn at the start; set there to the one due here"),
    ("first lead", "no seat is on turn until the lowest club is led", "its holder is on turn; legal actions agree"),
    ("score", "points taken, added up over the deals", "26 minus the points of one deal, at its end"),
    ("moon", "the others score 26 or the shooter minus 26 (option)", "the others score 26; so is the option here"),
    ("players", "three to seven", "four"),
)


@cache
def cards() -> tuple[Card, ...]:
    """Return the card of each of OpenSpiel's action numbers."""
    state = pyspiel.load_game("hearts").new_initial_state()
    state.apply_action(0)
    return tuple(parse_card(state.action_to_string(0, action)) for action in range(52))


def new_game(seed: int) -> tuple[random.Random, Table, Any]:
    """Return the generator of random choices, the table, and OpenSpiel's game with the same options."""
    rng = random.Random(seed)
    jack, queen, early = (rng.random() < 0.5 for _ in range(3))
    target = rng.choice((1, 26, 50, 100))
    options = {"jack_of_diamonds": jack, "queen_breaks": queen, "early_points": early, "target": target}
    table = Table(Header("hearts", ("North", "East", "South", "West"), rng.randrange(PLAYERS), options))
    theirs = {"jd_bonus": jack, "qs_breaks_hearts": queen, "no_pts_on_first_trick": not early}
    return rng, table, pyspiel.load_game("hearts", theirs)


def play(seed: int) -> int:
    """Play the game of this seed on both sides. Return the number of actions compared."""
    rng, table, game = new_game(seed)
    compared = deal = 0
    while not table.over:
        compared += play_deal(rng, table, game.new_initial_state(), DIRECTIONS[deal % len(DIRECTIONS)])
        deal += 1
    low = min(table.scores)
    agree("winner", table.winners, (table.scores.index(low),), table)
    agree("end", max(table.scores) >= int(str(table.header.options["target"])), True, table)
    return compared


def play_deal(rng: random.Random, table: Table, other: Any, direction: int) -> int:
    """Deal, pass and play to the last card on both sides. Return the number of actions compared."""
    other.apply_action(direction)
    hands: list[list[Card]] = [[] for _ in range(PLAYERS)]
    for number in range(52):
        action = rng.choice(other.legal_actions())
        hands[number % PLAYERS].append(cards()[action])
        other.apply_action(action)
    for seat, hand in enumerate(hands):
        table.do(Action("deal", seat, cards=tuple(hand)))
    if direction:
        pass_cards(rng, table, other)
    before, compared = table.scores, 0
    while not other.is_terminal():
        compared += 1
        step(rng, table, other)
    taken = [26 - int(value) for value in other.returns()]
    agree("scores", list(table.scores), [score + new for score, new in zip(before, taken, strict=True)], table)
    return compared + PLAYERS * bool(direction)


def pass_cards(rng: random.Random, table: Table, other: Any) -> None:
    """Let each seat choose three cards in OpenSpiel, and pass them here."""
    for seat in range(PLAYERS):
        agree("passing seat", seat, other.current_player(), table)
        held = set(table.view(seat).hands[seat].cards)
        agree("cards to pass", held, {cards()[action] for action in other.legal_actions()}, table)
        passed = rng.sample(other.legal_actions(), PASSED)
        for action in passed:
            other.apply_action(action)
        table.do(Action("discard", seat, cards=tuple(cards()[action] for action in passed)))


def step(rng: random.Random, table: Table, other: Any) -> None:
    """Play one card on both sides, after comparing what may be played."""
    seat, legal = other.current_player(), other.legal_actions()
    ours = {(action.seat, action.card) for action in table.legal_actions() if action.do == "play"}
    agree("legal plays", ours, {(seat, cards()[action]) for action in legal}, table)
    action = rng.choice(legal)
    other.apply_action(action)
    outcome = table.do(Action("play", seat, cards()[action]))
    winner = next((event.seat for event in outcome.events if event.event == "trick"), None)
    if not other.is_terminal():
        agree("turn", table.turn, other.current_player(), table)
        if winner is not None:
            agree("trick", winner, other.current_player(), table)
