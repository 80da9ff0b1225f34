"""Belote here and in colver: whole games of contrée, and of classic Belote, whose taking of trumps colver lacks."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, Final

import colver

from engine.actions import Action
from engine.cards import Card
from engine.games.belote.bidding import BIDS
from engine.record import Header
from engine.rules.trumps import SUIT_OF
from engine.table import Table
from lab.benchmarks.agreement import agree

PLAYERS: Final = 4
SUITS: Final = ("spade", "heart", "diamond", "club")
CARDS: Final = tuple(Card(rank, suit) for suit in "SHDC" for rank in ("7", "8", "9", "J", "Q", "K", "10", "A"))
"""The card of each of colver's numbers."""
CALLS: Final = ("pass", *BIDS, "double", "redouble")
PASSES: Final = 0.5
"""Probability that a player passes although another call is possible."""

DIFFERENCES: Final = (
    ("seats", "play goes to the right", "play goes from seat 0 to seat 3; compared as in a mirror"),
    ("bids", "the points, then the suit", "both in one action"),
    ("redoubled", "the option `surcoinche`, 4", "3, which is set here"),
    ("undertrumping", "the option `undertrump`", "not needed, as in contrée; set so here"),
    ("declarations, belote said, no trumps", "options", "none; not played here"),
    ("classic Belote", "taking, litige, dedans, capot", "none; the scores are computed from the points made there"),
    ("length", "deals until a side has the target", "one deal, so each deal is a new state there"),
)


def play(seed: int) -> int:
    """Play the game of this seed on both sides. Return the number of actions compared."""
    rng, compared, held = random.Random(seed), 0, 0
    options: dict[str, Any] = {
        "form": rng.choice(("classic", "contree")),
        "target": 1000,
        "declarations": False,
        "keep_belote": "never",
        "undertrump": "never",
        "surcoinche": 3,
    }
    table = Table(Header("belote", ("Ann", "Bo", "Cy", "Dee"), rng.randrange(PLAYERS), options))
    while not table.over:
        dealer, before = mirrored(table.view().dealer or 0), table.scores
        cards = rng.sample(range(len(CARDS)), len(CARDS))
        hands = [cards[seat * 8 : seat * 8 + 8] for seat in range(PLAYERS)]
        other = colver.Env.deal_with_hands(dealer, hands)
        classic = options["form"] == "classic"
        compared += (take if classic else bid)(rng, table, other, hands)
        while not other.is_terminal():
            compared += play_card(rng, table, other)
        scored = [int(points) for points in other.rewards()]
        if classic:
            scored, held = classic_score(other, held)
        agree("score", [new - old for old, new in zip(before, table.scores, strict=True)], scored, table)
    agree("winner", {table.scores[side] for side in table.winners}, {max(table.scores)}, table)
    return compared


def mirrored(seat: int) -> int:
    """Return the seat here of a seat there, and the other way round."""
    return -seat % PLAYERS


def deal(table: Table, hands: Sequence[Sequence[int]]) -> None:
    """Name the cards of every seat here."""
    for seat, hand in enumerate(hands):
        table.do(Action("deal", mirrored(seat), cards=tuple(CARDS[number] for number in hand)))


def bid(rng: random.Random, table: Table, other: Any, hands: Sequence[Sequence[int]]) -> int:
    """Deal all cards and bid on both sides, after comparing what may be called. Return the number of calls."""
    deal(table, hands)
    compared = 0
    while other.phase() == 0 and not other.is_terminal():
        seat, legal = mirrored(other.current_player()), other.legal_actions()
        mine = {action.word for action in table.legal_actions() if action.do == "say"}
        agree("calls", (table.turn, mine), (seat, {call(action) for action in legal}), table)
        action = 0 if rng.random() < PASSES else rng.choice(legal[-1:] if rng.random() < 0.2 else legal[:9])
        other.step(action)
        table.do(Action("say", seat, word=call(action)))
        if call(action) in BIDS:
            table.do(Action("say", seat, word=SUITS[(action - 1) % len(SUITS)]))
        compared += 1
    return compared


def call(action: int) -> str:
    """Return this project's word for colver's action, without the suit."""
    suited = 1 + len(BIDS) * len(SUITS)
    return CALLS[(action + len(SUITS) - 1) // len(SUITS)] if action < suited else CALLS[action - suited - 2]


def take(rng: random.Random, table: Table, other: Any, hands: Sequence[Sequence[int]]) -> int:
    """Let one player take the turn-up here, so that all hands are as in colver. Return the words said."""
    taker = rng.randrange(PLAYERS)
    turned = hands[taker][5]
    deal(table, [hand[:5] for hand in hands])
    table.do(Action("turn", card=CARDS[turned]))
    again, calls = rng.random() < 0.5, 0
    for _ in range(2 * PLAYERS):
        seat, calls = table.turn or 0, calls + 1
        if seat == mirrored(taker) and (calls > PLAYERS or not again):
            break
        table.do(Action("say", seat, word="pass"))
    colour = SUITS["SHDC".index(CARDS[turned].suit)]
    word = rng.choice([suit for suit in SUITS if suit != colour]) if calls > PLAYERS else "take-up"
    table.do(Action("say", seat, word=word))
    deal(table, [hand[6 if seat == taker else 5 :] for seat, hand in enumerate(hands)])
    other.set_contract("SHDC".index(SUIT_OF.get(word, CARDS[turned].suit)), 80, taker % 2, 0)
    other.set_phase_playing()
    return calls


def play_card(rng: random.Random, table: Table, other: Any) -> int:
    """Play a card on both sides, after comparing whose turn it is and what may be played. Return 1."""
    seat, legal = mirrored(other.current_player()), other.legal_actions()
    mine = {(each.seat, each.card) for each in table.legal_actions() if each.do == "play"}
    agree("legal plays", mine, {(seat, CARDS[action]) for action in legal}, table)
    action = rng.choice(legal)
    other.step(action)
    outcome = table.do(Action("play", seat, CARDS[action]))
    winner = next((event.seat for event in outcome.events if event.event == "trick"), None)
    agree("end of the hand", any(event.event == "hand-over" for event in outcome.events), other.is_terminal(), table)
    if winner is not None and not other.is_terminal():
        agree("trick", winner, mirrored(other.current_player()), table)
    return 1


def classic_score(other: Any, held: int) -> tuple[list[int], int]:
    """Return what each side scores in classic Belote for the points made in colver, and what is then held over."""
    belotes = [20 if cards == 2 else 0 for cards in other.get_belote()]
    made = [points + belote for points, belote in zip(other.get_points(), belotes, strict=True)]
    takers = int(other.get_contract()["team"])
    if made[0] == made[1]:
        return [0 if side == takers else made[side] for side in (0, 1)], held + made[takers]
    winner = 0 if made[0] > made[1] else 1
    if winner != takers:
        made[winner] = (252 if other.get_tricks_won()[winner] == 8 else 162) + sum(belotes)
        made[takers] = 0
    made[winner] += held
    return made, 0
