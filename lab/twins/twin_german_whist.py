"""German Whist here, in OpenSpiel, and written a second time in this file.

It is written from docs/reference/games/german-whist.md and published rules alone, by another hand than the engine's,
and shares no code with it. OpenSpiel has the first thirteen tricks (`german_whist_foregame`), but its Python package is
built without them. If its program is built (`lab/benchmarks/foregame/CMakeLists.txt` says how), those tricks are played
there too.
"""

from __future__ import annotations

import random
from contextlib import nullcontext
from typing import Final

from engine.actions import Action
from engine.cards import STANDARD_DECK, Card
from engine.record import Header
from engine.table import Table
from lab.benchmarks.agreement import agree
from lab.benchmarks.openspiel_foregame import PROGRAM, Foregame
from lab.twins.revoking import Hand

NAMES: Final = ("Ann", "Bo")

DIFFERENCES: Final = (
    ("first thirteen tricks", "the engine", "this file, and OpenSpiel if its program is built"),
    ("last thirteen tricks, revokes, scores", "the engine", "this file: written from the rules by another hand"),
    ("hands", "known or hidden, half of the games each", "always known; players revoke if hidden here"),
)


def play(seed: int) -> int:
    """Play the game of this seed on both sides. Return the number of actions compared."""
    rng = random.Random(seed)
    dealer, scoring = rng.randrange(2), rng.choice(("hand", "tricks", "odd"))
    target, known = rng.choice((1, 3, 5, 13, 50)), rng.random() < 0.5
    table = Table(Header("german-whist", NAMES, dealer, {"target": target, "scoring": scoring}))
    scores = [0, 0]
    with Foregame() if PROGRAM.exists() and known else nullcontext() as other:
        while max(scores) < target or scores[0] == scores[1]:
            agree("dealer", table.view().dealer, dealer, table)
            won = play_deal(rng, table, dealer, known, other)
            for seat, tricks in enumerate(won):
                scores[seat] += {"hand": int(tricks > 6), "tricks": tricks, "odd": max(tricks - 6, 0)}[scoring]
            agree("scores", list(table.scores), scores, table)
            dealer = 1 - dealer
    agree("winner", (table.over, table.winners), (True, (scores.index(max(scores)),)), table)
    return len(table.actions)


def play_deal(rng: random.Random, table: Table, dealer: int, known: bool, other: Foregame | None) -> list[int]:
    """Deal and play to the last card on both sides; return the tricks that each player counts."""
    pack, leader = rng.sample(STANDARD_DECK.cards, 52), 1 - dealer
    hands, stock = {0: pack[:13], 1: pack[13:26]}, pack[26:]
    for seat in hands if known else ():
        table.do(Action("deal", seat, cards=tuple(hands[seat])))
    table.do(Action("turn", card=stock[0]))
    agree("trumps", table.view().trump, stock[0].suit, table)
    if other:
        other.deal(hands[leader], hands[dealer], stock[0])
    hand = Hand(rng, table, hands, (0, 1), stock[0].suit, known=frozenset(hands if known else ()))
    while stock:
        leader = hand.play_trick((leader, 1 - leader))
        turned, drawn, *stock = stock
        hands[leader].append(turned)
        hands[1 - leader].append(drawn)
        may_prove = {failed for failed in hand.failed if failed[0] == leader and failed[1] != turned.suit}
        hand.failed = {failed: hand.failed[failed] for failed in may_prove}
        if not known:
            hand.shown.setdefault(leader, set()).add(turned)
        else:
            table.do(Action("deal", 1 - leader, cards=(drawn,)))
        if other:
            follow_in(other, hand, drawn, stock, table)
        if stock:
            table.do(Action("turn", card=stock[0]))
    for left in range(13, 0, -1):
        leader = hand.play_trick((leader, 1 - leader), left == 1)
    return counted(hand)


def follow_in(other: Foregame, hand: Hand, drawn: Card, stock: list[Card], table: Table) -> None:
    """Play the last trick of `hand` in OpenSpiel too."""
    for _, card in hand.tricks[-1].cards:
        agree("legal in OpenSpiel", card in other.legal, True, table)
        other.next(card)
    for card in (drawn, *stock[:1]):
        other.next(card)
    agree("stock in OpenSpiel", other.over, not stock, table)


def counted(hand: Hand) -> list[int]:
    """Return the tricks that each player counts: those of the second part, and three of the other's for each revoke."""
    won = [sum(trick.winner == seat for trick in hand.tricks[13:]) for seat in (0, 1)]
    for revoke in hand.revokes:
        taken = min(won[revoke.seat], 3)
        won[revoke.seat] -= taken
        won[1 - revoke.seat] += taken
    return won
