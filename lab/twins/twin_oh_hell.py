"""Oh Hell here and in OpenSpiel: whole games for three to seven, deal after deal, with the options that both have."""

from __future__ import annotations

import random
from functools import cache
from typing import Any, Final

import pyspiel

from engine.actions import Action
from engine.cards import Card, parse_card
from engine.games.oh_hell import OhHell
from engine.record import Header
from engine.table import Table
from lab.benchmarks.agreement import agree

NAMES: Final = ("North", "East", "South", "West", "Zenith", "Nadir", "Centre")
DECK: Final = 52
CHOICES: Final = {option.name: option.choices for option in OhHell.options}

DIFFERENCES: Final = (
    ("length", "deals that grow and shrink by one card", "one deal; each deal is a new state there, of the same size"),
    ("deal size", "at most 13 cards each", "as many as the pack has; not compared"),
    ("dealer", "passes to the left", "drawn for each deal; set there to the one due here"),
    ("hook", "an option", "always; so is the option here"),
    ("missed bids", "nothing, the tricks, or minus the difference (option)", "the last two; nothing is expected as 0"),
)


@cache
def cards() -> tuple[Card, ...]:
    """Return the card of each of OpenSpiel's action numbers; those of a bid are 52 more than the bid."""
    state = pyspiel.load_game("oh_hell").new_initial_state()
    for _ in range(2):  # the number of tricks and the dealer
        state.apply_action(state.legal_actions()[0])
    return tuple(
        parse_card("".join(sorted(state.action_to_string(0, action), key="SHDC".find))) for action in range(DECK)
    )


def play(seed: int) -> int:
    """Play the game of this seed on both sides. Return the number of actions compared."""
    rng = random.Random(seed)
    players = rng.randrange(3, 8)
    options = {
        "cards": rng.randrange(1, 14),
        "course": rng.choice(CHOICES["course"]),
        "scoring": rng.choice(CHOICES["scoring"]),
    }
    table = Table(Header("oh-hell", NAMES[:players], rng.randrange(players), options))
    compared = 0
    while not table.over:
        compared += play_deal(rng, table)
    best = max(table.scores)
    agree("winners", table.winners, tuple(seat for seat in range(players) if table.scores[seat] == best), table)
    return compared


def play_deal(rng: random.Random, table: Table) -> int:
    """Deal, bid and play to the last card on both sides. Return the number of actions compared."""
    players, scoring = len(table.scores), table.header.options["scoring"]
    deal: Any = table.question.offers["deal"]
    count = deal.counts[0]
    settings = {"players": players, "num_tricks_fixed": count, "off_bid_penalty": scoring == "penalty"}
    other = pyspiel.load_game("oh_hell", settings).new_initial_state()
    other.apply_action(count)
    other.apply_action(table.view().dealer)
    dealt = rng.sample(range(DECK), count * players + 1)
    for action in dealt:
        other.apply_action(action)
    for seat in range(players):
        table.do(Action("deal", seat, cards=tuple(cards()[action] for action in dealt[seat:-1:players])))
    table.do(Action("turn", card=cards()[dealt[-1]]))
    before, bids, taken, compared = table.scores, [0] * players, [0] * players, 0
    while not other.is_terminal():
        compared += 1
        step(rng, table, other, bids, taken)
    theirs = [int(points) for points in other.returns()]
    if scoring == "exact":
        theirs = [points * (taken[seat] == bids[seat]) for seat, points in enumerate(theirs)]
    agree("scores", list(table.scores), [score + new for score, new in zip(before, theirs, strict=True)], table)
    return compared


def step(rng: random.Random, table: Table, other: Any, bids: list[int], taken: list[int]) -> None:
    """Bid, or play a card, on both sides, after comparing what may be done."""
    seat, legal = other.current_player(), other.legal_actions()
    agree("turn", table.turn, seat, table)
    there = {act(seat, action) for action in legal}
    agree("legal", {action for action in table.legal_actions() if action.do in ("play", "say")}, there, table)
    action = rng.choice(legal)
    other.apply_action(action)
    outcome = table.do(act(seat, action))
    if action >= DECK:
        bids[seat] = action - DECK
    winner = next((event.seat for event in outcome.events if event.event == "trick"), None)
    if winner is not None:
        taken[winner] += 1
        if not other.is_terminal():
            agree("trick", winner, other.current_player(), table)


def act(seat: int, action: int) -> Action:
    """Return OpenSpiel's action as one of this project."""
    if action >= DECK:
        return Action("say", seat, word=str(action - DECK))
    return Action("play", seat, cards()[action])
