"""Schedules that are known before the first round: round robin, knock-out, and the order of a ladder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeVar

T = TypeVar("T")
MOST_ABOVE: Final = 3
"""Places above one's own that a player of a ladder may challenge."""


def round_robin(count: int) -> list[list[tuple[int, int]]]:
    """Return the rounds in which each of `count` players, numbered from 0, meets each other player once.

    These are the Berger tables (FIDE Handbook C.05, annex 1); the first player of each pair has the first deal. If
    `count` is odd, the player who is missing from a round has a bye.

    >>> round_robin(4)
    [[(0, 3), (1, 2)], [(3, 2), (0, 1)], [(1, 3), (2, 0)]]
    """
    even = count + count % 2
    last, half = even - 1, even // 2
    rounds = []
    for number in range(last if count > 1 else 0):
        middle = number * half % last
        pairs = [(middle, last) if number % 2 == 0 else (last, middle)]
        pairs += [((middle + step) % last, (middle - step) % last) for step in range(1, half)]
        rounds.append([pair for pair in pairs if max(pair) < count])
    return rounds


def seeded(count: int) -> list[int]:
    """Return the seeds of a knock-out, numbered from 0, in the order of the bracket; one of `count` or more is a bye.

    The best two can meet in the final only, the best four in the semi-finals.

    >>> seeded(6)
    [0, 7, 3, 4, 1, 6, 2, 5]
    """
    order = [0]
    while len(order) < count:
        size = 2 * len(order)
        order = [each for seed in order for each in (seed, size - 1 - seed)]
    return order


def knockout_round(order: Sequence[T | None]) -> list[tuple[T | None, T | None]]:
    """Return the pairs of neighbours in a bracket; None stands for a bye. The length is a power of two."""
    return list(zip(order[::2], order[1::2], strict=True))


def may_challenge(ladder: Sequence[T], challenger: T, other: T, most: int = MOST_ABOVE) -> bool:
    """Return whether `challenger` stands at most `most` places below `other`."""
    return 0 < ladder.index(challenger) - ladder.index(other) <= most


def after_challenge(ladder: Sequence[T], winner: T, loser: T) -> list[T]:
    """Return the ladder after a game: a winner from below takes the loser's place, who moves down with those between.

    >>> after_challenge(["Ann", "Bo", "Cy"], winner="Cy", loser="Ann")
    ['Cy', 'Ann', 'Bo']
    """
    found = list(ladder)
    if found.index(winner) > found.index(loser):
        found.remove(winner)
        found.insert(found.index(loser), winner)
    return found
