"""Bridge here and in OpenSpiel: boards of duplicate, with the auction, the play and the score of each."""

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

NAMES: Final = ("North", "East", "South", "West")
PLAYERS: Final = 4
PASSES: Final = 0.4
"""Share of the calls that are passes, because otherwise every auction ends at the level of seven."""
NEXT: Final = 6
"""Most bids are among this many lowest ones."""
BOARDS: Final = 16

DIFFERENCES: Final = (
    ("length", "boards of duplicate, a rubber, or Chicago (option)", "one deal, so each board is a new state there"),
    ("dealer, vulnerability", "by the number of the board", "parameters; set there to those of the board here"),
    ("dummy", "the seat on turn; its cards are laid open one by one", "the declarer is on turn; compared with `actor`"),
    ("claims, revokes", "possible", "none; not compared"),
    ("score", "added to the score of the side that wins points", "that of North and South, minus that of the others"),
    ("rubber, Chicago, honours", "options", "none; worked examples from the laws"),
)


@cache
def actions() -> dict[int, Card | str]:
    """Return the card, or the word, of each of OpenSpiel's action numbers."""
    state = pyspiel.load_game("bridge").new_initial_state()
    found: dict[int, Card | str] = {number: parse_card(name(state, number)) for number in range(52)}
    calls = {"Pass": "pass", "Dbl": "double", "RDbl": "redouble"}
    for number in range(52, 90):
        written = state.action_to_string(0, number)
        level, suit = written[0], {"♣": "c", "♦": "d", "♥": "h", "♠": "s"}.get(written[1:], "nt")
        found[number] = calls.get(written, level + suit)
    return found


def name(state: Any, number: int) -> str:
    """Return OpenSpiel's name of a card as it is written here."""
    written: str = state.action_to_string(0, number)
    return written[1:] + {"♣": "C", "♦": "D", "♥": "H", "♠": "S"}[written[0]]


def play(seed: int) -> int:
    """Play the game of this seed on both sides. Return the number of actions compared."""
    rng = random.Random(seed)
    first = rng.randint(1, BOARDS)
    options = {"scoring": "duplicate", "first_board": first, "boards": rng.randint(1, 3)}
    table = Table(Header("bridge", NAMES, (first - 1) % PLAYERS, options))
    compared = 0
    while not table.over:
        compared += play_board(rng, table)
    return compared


def play_board(rng: random.Random, table: Table) -> int:
    """Deal, bid and play one board on both sides. Return the number of actions compared."""
    view = table.view()
    dealer, vulnerable = view.dealer or 0, dict(view.facts)["vulnerable"]
    sides = [vulnerable == "all" or vulnerable == f"{NAMES[side]} and {NAMES[side + 2]}" for side in (0, 1)]
    game = pyspiel.load_game(
        "bridge",
        {
            "use_double_dummy_result": False,
            "dealer": dealer,
            "dealer_vul": sides[dealer % 2],
            "non_dealer_vul": sides[1 - dealer % 2],
        },
    )
    other, before = game.new_initial_state(), table.scores
    hands: list[list[Card]] = [[] for _ in NAMES]
    for number in range(52):
        action = rng.choice(other.legal_actions())
        hands[number % PLAYERS].append(parse_card(name(other, action)))
        other.apply_action(action)
    for seat, hand in enumerate(hands):
        table.do(Action("deal", seat, cards=tuple(hand)))
    compared = 0
    while not other.is_terminal():
        step(rng, table, other)
        compared += 1
    gained = [new - old for old, new in zip(before, table.scores, strict=True)]
    agree("score", gained[0] - gained[1], int(other.returns()[0]), table)
    return compared


def step(rng: random.Random, table: Table, other: Any) -> None:
    """Call or play a card on both sides, after comparing what is legal."""
    view = table.view()
    agree("player", view.actor, other.current_player(), table)
    seat = table.turn or 0
    legal = {ours(action, seat): action for action in other.legal_actions()}
    mine = {each for each in table.legal_actions() if each.do in ("say", "play") and each.word != "claim"}
    agree("legal actions", mine, legal.keys(), table)
    chosen = sorted(legal, key=lambda each: legal[each])
    if view.phase == "bid":
        chosen = chosen[:1] if rng.random() < PASSES else chosen[1 : NEXT + 1] or chosen
    action = rng.choice(chosen)
    other.apply_action(legal[action])
    outcome = table.do(action)
    winner = next((event.seat for event in outcome.events if event.event == "trick"), None)
    if winner is not None and not other.is_terminal():
        agree("trick", winner, table.turn, table)
    open_cards = table.question.offers.get("expose")
    for each in list(open_cards.actions()) if open_cards else ():
        if rng.random() < 0.5:
            table.do(each)


def ours(action: int, seat: int) -> Action:
    """Return OpenSpiel's action as it is here."""
    found = actions()[action]
    return Action("say", seat, word=found) if isinstance(found, str) else Action("play", seat, found)
