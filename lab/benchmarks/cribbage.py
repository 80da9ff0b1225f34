"""Speed of cribbage, compared with other engines in the same run: `python -m lab.benchmarks.cribbage`.

- checked actions a second: whole games for two, every hand known; `Table.do` checks and does each action;
  python-chess and rlcard's bridge as in `lab.benchmarks.engine`;
- hands counted a second: random hands of four with a starter, each counted with all its reasons.

`--all` counts each of the 12,994,800 hands and compares the numbers of hands by score with the known ones.
Every number is the best of several rounds, in one process on one core.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from itertools import combinations
from typing import Final

from engine.actions import Action
from engine.cards import STANDARD_DECK
from engine.games.cribbage.counting import count_hand
from engine.record import Header
from engine.table import Table
from lab.benchmarks.engine import GAMES, Timed, bridge, chess, rates, replay

GOAL: Final = 2.5
"""Required speed as a multiple of python-chess's."""

KNOWN: Final = {0: 1_009_008, 24: 3_680, 28: 76, 29: 4}
"""The number of hands by their points."""

ALL: Final = 12_994_800
MEAN: Final = 4.7692
HANDS: Final = 5_000


def game_of_cribbage(seed: int) -> Table:
    """A random game for two without mistakes, in which every card dealt is named."""
    rng, table = random.Random(seed), Table(Header("cribbage", ("Ann", "Bo"), 0))
    while not table.over:
        if table.phase == "deal":
            cards = rng.sample(STANDARD_DECK.cards, 13)
            for seat in range(2):
                table.do(Action("deal", seat, cards=tuple(cards[6 * seat : 6 * seat + 6])))
            for seat in range(2):
                table.do(Action("discard", seat, cards=tuple(cards[6 * seat : 6 * seat + 2])))
            table.do(Action("turn", card=cards[12]))
        else:
            table.do(rng.choice(table.legal_actions()))
    return table


def cribbage() -> list[tuple[str, Timed]]:
    """Return the timed function for this engine."""
    games = [(table.header, table.actions) for table in map(game_of_cribbage, range(GAMES))]
    return [("cribbage, Table.do", lambda: replay(games))]


def counting() -> list[tuple[str, Timed]]:
    """Return the timed function that counts hands in the show."""
    rng = random.Random(5)
    hands = [rng.sample(STANDARD_DECK.cards, 5) for _ in range(HANDS)]

    def count() -> int:
        for first, second, third, fourth, starter in hands:
            count_hand((first, second, third, fourth), starter)
        return HANDS

    return [("cribbage, hands counted", count)]


def count_all() -> Counter[int]:
    """Count every hand of four with every starter. Return the number of hands by points."""
    scores: Counter[int] = Counter()
    for hand in combinations(STANDARD_DECK, 4):
        scores.update(
            [
                sum([points for points, _ in count_hand(hand, starter)])
                for starter in STANDARD_DECK
                if starter not in hand
            ]
        )
    return scores


def mean(scores: Counter[int]) -> float:
    """Return the mean score."""
    return sum(score * times for score, times in scores.items()) / scores.total()


def check_all() -> int:
    """Count every hand. Return 1 if a number differs from the known one."""
    begin = time.perf_counter()
    scores = count_all()
    took = time.perf_counter() - begin
    print(f"{scores.total():,} hands in {took:.0f} s, {scores.total() / took:,.0f} a second; mean {mean(scores):.4f}")
    wrong = [
        f"{score} points: {scores[score]:,} times, not {times:,}"
        for score, times in KNOWN.items()
        if scores[score] != times
    ]
    print(
        "\n".join(wrong)
        or "as known: " + ", ".join(f"{score} points {times:,} times" for score, times in KNOWN.items())
    )
    return int(bool(wrong) or scores.total() != ALL or round(mean(scores), 4) != MEAN)


def main() -> int:
    """Print the table. Return 1 if this engine is slower than the goal."""
    if "--all" in sys.argv[1:]:
        return check_all()
    timed, missing = cribbage(), []
    ours = timed[0][0]
    for make, package in ((chess, "chess"), (bridge, "rlcard")):
        try:
            timed += make()
        except ImportError as error:
            missing.append(f"{package} is not installed, so there is nothing to compare with: {error}")
    found = rates(timed + counting())
    print(f"{'engine':<36} {'a second':>10} {'ours is':>10}")
    slower = False
    for name, rate in found.items():
        compared = name != ours and "counted" not in name
        print(f"{name:<36} {rate:>10,.0f} {f'{found[ours] / rate:.1f} x' if compared else '':>10}")
        slower |= compared and found[ours] < rate * (GOAL if "chess" in name else 1)
    for line in missing:
        print(line)
    print(f"goal: {GOAL:g} x python-chess, and above rlcard: {'NOT reached' if slower else 'reached'}")
    return int(slower)


if __name__ == "__main__":
    raise SystemExit(main())
