"""Counting at cribbage: what a card played scores, and what a hand or the crib scores in the show.

`count_play` scores a card played; `count_hand` scores a hand with the starter, and `count_ranks` its fifteens, pairs
and runs alone. `combinations_of` finds the cards of each score, and `spoken` writes a count as players say it.

>>> from engine.cards import parse_card as card
>>> count_ranks([card("5S"), card("JC"), card("5H")])
(Reason(points=2, reason='fifteen'), Reason(points=2, reason='fifteen'), Reason(points=2, reason='pair'))
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import combinations
from math import prod
from typing import Final, NamedTuple

from engine.cards import RANKS, Card
from engine.texts import both, commas, text
from engine.views import Combination

ORDER: Final = {rank: order for order, rank in enumerate(RANKS, start=1)}
"""The place of a rank in a run, ace low: 1 to 13."""

VALUE: Final = {rank: min(order, 10) for rank, order in ORDER.items()}
"""What a card counts: ace 1, court cards 10."""

RANK_KEY: Final = {rank: 8**order for rank, order in ORDER.items()}
"""A number for each rank, whose sum over some cards encodes how many of each rank there are, up to seven of each."""


class Reason(NamedTuple):
    """Points and what they are for: `fifteen`, `pair`, `run`, `flush`, `nobs`, …."""

    points: int
    reason: str


FIFTEEN: Final = 15
LIMIT: Final = 31
"""The highest count in the play."""
TOTALS: Final = {FIFTEEN: Reason(2, "fifteen"), LIMIT: Reason(2, "thirty-one")}
PAIRS: Final = {2: Reason(2, "pair"), 3: Reason(6, "pair-royal"), 4: Reason(12, "double-pair-royal")}
HEELS: Final = Reason(2, "heels")
NOBS: Final = Reason(1, "nobs")
FOUR_FLUSH: Final = Reason(4, "flush")
FIVE_FLUSH: Final = Reason(5, "flush")


_RUNS: Final = {
    sum(1 << order for order in range(low, low + length)): length
    for length in range(3, len(RANKS) + 1)
    for low in range(1, len(RANKS) + 2 - length)
}
"""The length of every run, by the set of its ranks, in which each rank sets bit `ORDER[rank]`."""


def alike_at_end(orders: Sequence[int]) -> int:
    """Return how many numbers at the end of `orders` are equal, at least 1 unless it is empty.

    >>> alike_at_end([9, 4, 4, 4])
    3
    """
    return next((back for back, order in enumerate(reversed(orders)) if order != orders[-1]), len(orders))


def run_at_end(orders: Sequence[int]) -> int:
    """Return how many numbers at the end of `orders` make a run in any order; 0 if fewer than three do.

    >>> run_at_end([7, 9, 6, 8]), run_at_end([9, 9, 8])
    (4, 0)
    """
    run = seen = 0
    for order in reversed(orders):
        rank = 1 << order
        if seen & rank:
            break
        seen |= rank
        run = _RUNS.get(seen, run)
    return run


def count_play(orders: Sequence[int], total: int) -> list[Reason]:
    """Return what the last card played scores: fifteen or thirty-one, pairs, a run.

    `orders`: the places of the ranks (`ORDER`) of the cards played since the count began; `total`: the count.

    >>> count_play([7, 9, 6, 8], 30)
    [Reason(points=4, reason='run')]
    """
    if len(orders) < 2:
        return []
    reasons = [TOTALS[total]] if total in TOTALS else []
    apart = abs(orders[-1] - orders[-2])
    if apart == 0:
        reasons.append(PAIRS[alike_at_end(orders)])
    elif apart < len(orders) > 2 and (run := run_at_end(orders)):  # further apart, they are in no run of these cards
        reasons.append(Reason(run, "run"))
    return reasons


def count_ranks(cards: Iterable[Card]) -> tuple[Reason, ...]:
    """Return a reason for each fifteen, each pair and each run among up to five cards."""
    return count_rank_key(sum([RANK_KEY[card.rank] for card in cards]))


@cache
def count_rank_key(key: int) -> tuple[Reason, ...]:
    """Do the same for `key`, the sum of the cards' `RANK_KEY`. Each of the 6,175 keys of five cards is counted once."""
    orders = [order for rank, order in ORDER.items() for _ in range(key // RANK_KEY[rank] % 8)]
    values = [min(order, 10) for order in orders]
    fifteens = sum(sum(some) == FIFTEEN for size in range(2, 6) for some in combinations(values, size))
    pairs = sum(order == other for order, other in combinations(orders, 2))
    runs = [Reason(length, "run") for length, times in _runs(orders) for _ in range(times)]
    return (*[Reason(2, "fifteen")] * fifteens, *[Reason(2, "pair")] * pairs, *runs)


def _runs(orders: Sequence[int]) -> list[tuple[int, int]]:
    """Return the length of the longest run of three or more, and how many there are: a pair in it doubles it."""
    copies = Counter(orders)
    found = []
    for first in copies:
        if first - 1 not in copies:
            length = next(length for length in range(1, 15) if first + length not in copies)
            if length >= 3:
                found.append((length, prod(copies[first + step] for step in range(length))))
    return found


def count_hand(hand: Sequence[Card], starter: Card, crib: bool = False) -> list[Reason]:
    """Return a reason for each score of a hand of four with the starter: fifteens, pairs, runs, flush, nobs.

    A flush is four cards of the hand, or all five cards; in the crib only a flush of five counts.

    >>> from engine.cards import parse_card as card
    >>> hand = [card("5S"), card("5H"), card("5D"), card("JC")]
    >>> sum(reason.points for reason in count_hand(hand, card("5C")))
    29
    """
    first, second, third, fourth = hand
    ranks = (first.rank, second.rank, third.rank, fourth.rank)
    key = RANK_KEY[ranks[0]] + RANK_KEY[ranks[1]] + RANK_KEY[ranks[2]] + RANK_KEY[ranks[3]] + RANK_KEY[starter.rank]
    reasons = [*count_rank_key(key)]
    suit = first.suit
    if suit == second.suit == third.suit == fourth.suit:
        if suit == starter.suit:
            reasons.append(FIVE_FLUSH)
        elif not crib:
            reasons.append(FOUR_FLUSH)
    if "J" in ranks and Card("J", starter.suit) in hand:
        reasons.append(NOBS)
    return reasons


def combinations_of(hand: Sequence[Card], starter: Card, reasons: Iterable[Reason]) -> tuple[Combination, ...]:
    """Return the cards that score for each of `reasons`, in the same order.

    `hand`: up to four cards; `reasons`: what they score with the starter.

    >>> from engine.cards import parse_card as card
    >>> hand, starter = [card("5S"), card("JC")], card("5H")
    >>> [" ".join(map(str, found.cards)) for found in combinations_of(hand, starter, count_ranks([*hand, starter]))]
    ['5S JC', 'JC 5H', '5S 5H']
    """
    cards = (*hand, starter)
    subsets = [found for size in range(2, len(cards) + 1) for found in combinations(cards, size)]
    runs = [found for found in subsets if _is_run([ORDER[card.rank] for card in found])]
    sets: dict[str, list[tuple[Card, ...]]] = {
        "fifteen": [found for found in subsets if sum(VALUE[card.rank] for card in found) == FIFTEEN],
        "pair": [found for found in subsets if len(found) == 2 and found[0].rank == found[1].rank],
        "run": [found for found in runs if len(found) == max(map(len, runs))],
        "flush": [tuple(card for card in cards if card.suit == hand[0].suit)],
        "nobs": [(Card("J", starter.suit), starter)],
    }
    return tuple([Combination(points, reason, sets[reason].pop(0)) for points, reason in reasons])


def _is_run(orders: Sequence[int]) -> bool:
    return len(set(orders)) == len(orders) == max(orders) - min(orders) + 1 > 2


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


def spoken(reasons: Sequence[Reason | Combination]) -> str:
    """Return a count as players say it.

    >>> spoken([Reason(2, "fifteen"), Reason(2, "fifteen"), Reason(2, "pair")])
    'fifteen-two, fifteen-four, and a pair is six'
    """
    total = sum(reason.points for reason in reasons)
    each = Counter(reason.reason for reason in reasons)
    parts = [text("fifteen-{number}", number=_NUMBERS[2 * number]) for number in range(1, each["fifteen"] + 1)]
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
    count = both(parts) if len(parts) < 3 else text("{these}, and {this}", these=commas(parts[:-1]), this=parts[-1])
    return text("{count} is {total}", count=count, total=_NUMBERS[total])
