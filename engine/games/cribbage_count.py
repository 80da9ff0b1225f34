"""Counting at cribbage: every score as points with their reason, never a bare number.

In the play the cards since the count began are counted; in the show a hand, or the crib, with the starter. Fifteens,
pairs and runs hang on the ranks alone: there are 6,175 combinations of five, and each is worked out once.

>>> from engine.cards import parse_card as card
>>> hand = [card("5S"), card("5H"), card("5D"), card("JC")]
>>> sum(reason.points for reason in count_hand(hand, card("5C")))
29
>>> spoken(count_hand([card("4S"), card("5H"), card("6D"), card("KC")], card("8C")))
'fifteen-two, fifteen-four, and a run of three is seven'
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import combinations
from math import prod
from typing import Final, NamedTuple

from engine.cards import RANKS, Card
from engine.texts import both, commas, text

ORDER: Final = {rank: order for order, rank in enumerate(RANKS, start=1)}
"""Where a rank stands in a run, ace low: 1 to 13."""

VALUE: Final = {rank: min(order, 10) for rank, order in ORDER.items()}
"""What a card counts: ace 1, court cards 10."""

_PLACE: Final = {rank: 8**order for rank, order in ORDER.items()}
"""Their sum tells how many of each rank there are, in whatever order, and up to seven of each."""

FIFTEEN: Final = 15
LIMIT: Final = 31


class Reason(NamedTuple):
    """Points, and what they are for: `fifteen`, `pair`, `run`, `flush`, `nobs`, …."""

    points: int
    reason: str


NOBS: Final = Reason(1, "nobs")
FOUR_FLUSH: Final = Reason(4, "flush")
FIVE_FLUSH: Final = Reason(5, "flush")
TOTALS: Final = {FIFTEEN: Reason(2, "fifteen"), LIMIT: Reason(2, "thirty-one")}
PAIRS: Final = {2: Reason(2, "pair"), 3: Reason(6, "pair-royal"), 4: Reason(12, "double-pair-royal")}


def count_play(orders: Sequence[int], total: int) -> list[Reason]:
    """What the last card played scores: fifteen or thirty-one, pairs, a run.

    `orders`: where the ranks of the cards stand (`ORDER`) that were played since the count began; `total`: the count.

    >>> count_play([7, 9, 6, 8], 30)
    [Reason(points=4, reason='run')]
    """
    if len(orders) < 2:
        return []
    reasons = [TOTALS[total]] if total in TOTALS else []
    last = orders[-1]
    if last == orders[-2]:
        alike = next((back for back, order in enumerate(reversed(orders)) if order != last), len(orders))
        reasons.append(PAIRS[alike])
        return reasons
    if len(orders) > 2 and (run := _run(orders)):
        reasons.append(Reason(run, "run"))
    return reasons


def _run(orders: Sequence[int]) -> int:
    """How many of the last cards make a run; 0 where fewer than three do."""
    low = high = orders[-1]
    run = 0
    seen = 0
    for length, order in enumerate(reversed(orders), 1):
        if seen >> order & 1:
            break
        seen |= 1 << order
        if order < low:
            low = order
        elif order > high:
            high = order
        if high - low < length:  # no rank twice: as many cards as ranks
            run = length
    return run if run > 2 else 0


def count_hand(hand: Sequence[Card], starter: Card, crib: bool = False) -> list[Reason]:
    """What a hand of four scores with the starter: fifteens, pairs, runs, flush, nobs, one reason each.

    A flush is all four of the hand, or all five; in the crib only five count.
    """
    one, two, three, four = hand
    ranks = (one.rank, two.rank, three.rank, four.rank)
    key = _PLACE[ranks[0]] + _PLACE[ranks[1]] + _PLACE[ranks[2]] + _PLACE[ranks[3]] + _PLACE[starter.rank]
    reasons = [*_count_ranks(key)]
    suit = one.suit
    if suit == two.suit == three.suit == four.suit:
        if suit == starter.suit:
            reasons.append(FIVE_FLUSH)
        elif not crib:
            reasons.append(FOUR_FLUSH)
    if "J" in ranks and Card("J", starter.suit) in hand:
        reasons.append(NOBS)
    return reasons


@cache
def _count_ranks(key: int) -> tuple[Reason, ...]:
    """Fifteens, pairs and runs among ranks, given as the sum of their places."""
    orders = [order for rank, order in ORDER.items() for _ in range(key // _PLACE[rank] % 8)]
    values = [min(order, 10) for order in orders]
    fifteens = sum(sum(some) == FIFTEEN for size in range(2, 6) for some in combinations(values, size))
    pairs = sum(one == other for one, other in combinations(orders, 2))
    runs = [Reason(length, "run") for length, times in _runs(orders) for _ in range(times)]
    return (*[Reason(2, "fifteen")] * fifteens, *[Reason(2, "pair")] * pairs, *runs)


def _runs(orders: Sequence[int]) -> list[tuple[int, int]]:
    """The longest runs of three and more: how long, and how many, as a pair in a run doubles it."""
    copies = Counter(orders)
    found = []
    for first in copies:
        if first - 1 not in copies:
            length = next(length for length in range(1, 15) if first + length not in copies)
            if length >= 3:
                found.append((length, prod(copies[first + step] for step in range(length))))
    return found


_NUMBERS: Final = (
    text("nothing"), text("one"), text("two"), text("three"), text("four"), text("five"), text("six"), text("seven"),
    text("eight"), text("nine"), text("ten"), text("eleven"), text("twelve"), text("thirteen"), text("fourteen"),
    text("fifteen"), text("sixteen"), text("seventeen"), text("eighteen"), text("nineteen"), text("twenty"),
    text("twenty-one"), text("twenty-two"), text("twenty-three"), text("twenty-four"), text("twenty-five"),
    text("twenty-six"), text("twenty-seven"), text("twenty-eight"), text("twenty-nine"),
)  # fmt: skip
_PAIRS_SPOKEN: Final = {
    1: text("a pair"),
    2: text("two pairs"),
    3: text("a pair royal"),
    4: text("a pair royal and a pair"),
    6: text("a double pair royal"),
}


def spoken(reasons: Sequence[Reason]) -> str:
    """A count as players say it, in the order of the show: `fifteen-two, fifteen-four, and a pair is six`."""
    total = sum(reason.points for reason in reasons)
    each = Counter(reason.reason for reason in reasons)
    parts = [text("fifteen-{number}", number=_NUMBERS[2 * count]) for count in range(1, each["fifteen"] + 1)]
    if each["pair"]:
        parts.append(_PAIRS_SPOKEN[each["pair"]])
    if runs := each["run"]:
        length = _NUMBERS[next(reason.points for reason in reasons if reason.reason == "run")]
        if runs == 1:
            parts.append(text("a run of {length}", length=length))
        else:
            parts.append(text("{count} runs of {length}", count=_NUMBERS[runs], length=length))
    if each["flush"]:
        parts.append(text("a flush"))
    if each["nobs"]:
        parts.append(text("one for his nob"))
    if not parts:
        return _NUMBERS[0]
    if len(parts) == each["fifteen"]:
        return commas(parts)
    said = both(parts) if len(parts) < 3 else text("{these}, and {this}", these=commas(parts[:-1]), this=parts[-1])
    return text("{count} is {total}", count=said, total=_NUMBERS[total])
