"""Schedules that are known before the first round: bridge movements, round robin, knock-out and ladder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations, product
from typing import Final, NamedTuple, TypeVar

from cardtable_club.tournament import TournamentError
from engine.texts import text

# Movements of duplicate bridge: which pairs play which boards at which table in which round.
#
# In a Mitchell movement the pairs that sit North and South stay, those that sit East and West go up one table after
# each round, and the boards go down one: two fields, two winners. In a Howell movement every pair meets every other
# pair, and there is one winner. Pairs, tables, rounds and sets of boards are numbered from 0.

MOST_HOWELL: Final = 9
"""The most tables for which a Howell movement is searched."""


class Place(NamedTuple):
    """A table in a round: the pairs and the set of boards. All pairs, `ns` and `ew`, share one numbering."""

    table: int
    ns: int
    ew: int
    boards: int


class Movement(NamedTuple):
    """A movement for `pairs` pairs with `sets` sets of boards. `fields`: the number of separate rankings."""

    rounds: tuple[tuple[Place, ...], ...]
    pairs: int
    sets: int
    fields: int


def mitchell(pairs: int, rounds: int | None = None) -> Movement:
    """Return the Mitchell movement of `pairs` pairs, of which the first half sit North and South.

    With an even number of tables, East and West skip a table after half of the rounds, so that no pair plays a board
    twice; then there is one round fewer. With an odd number of pairs, the last table has no East and West, and its pair
    sits out. Raises `TournamentError` for fewer than four pairs, or for more rounds than are possible.
    """
    tables = (pairs + 1) // 2
    most = tables if tables % 2 else tables - 1
    count = most if rounds is None else rounds
    if pairs < 4 or not 1 <= count <= most:
        message = "a Mitchell movement needs 4 pairs or more, and at most one round for each table (here: {most})"
        raise TournamentError(text(message, most=max(most, 0)))
    found = []
    for number in range(count):
        skipped = tables % 2 == 0 and number >= tables // 2
        places = []
        for table in range(tables):
            east = (table - number - skipped) % tables
            if tables + east < pairs:
                places.append(Place(table, table, tables + east, (table + number) % tables))
        found.append(tuple(places))
    return Movement(tuple(found), pairs, tables, 2)


def howell(pairs: int) -> Movement:
    """Return a complete Howell movement: each pair meets every other pair once, and plays no board twice.

    The sides are chosen so that the pairs are compared as evenly as possible (`imbalance`). With an odd number of
    pairs, the opponent of the missing pair sits out. With four or six pairs, all tables of a round share their boards,
    because no movement exists otherwise. Raises `TournamentError` for fewer than four pairs or
    more than 18.
    """
    even = pairs + pairs % 2
    if not 4 <= pairs <= 2 * MOST_HOWELL:
        raise TournamentError(text("a Howell movement has 4 to {most} pairs", most=2 * MOST_HOWELL))
    whole = _complete(even)
    rounds = tuple(tuple(place for place in each if max(place.ns, place.ew) < pairs) for each in whole)
    return Movement(rounds, pairs, even - 1, 1)


@lru_cache(maxsize=16)
def _complete(pairs: int) -> tuple[tuple[Place, ...], ...]:
    rounds = pairs - 1
    starter, sets = next(_starters(rounds, shared=pairs <= 6))
    tables = pairs // 2
    orders = product((False, True), repeat=tables - 1) if tables <= 7 else (
        tuple(bool(number >> bit & 1) for bit in range(tables - 1)) for number in range(0, 1 << (tables - 1), 7)
    )  # fmt: skip
    best = min(orders, key=lambda turned: imbalance(_turned(starter, sets, rounds, turned), pairs))
    return _turned(starter, sets, rounds, best)


def _turned(
    starter: tuple[tuple[int, int], ...], sets: tuple[int, ...], rounds: int, turned: tuple[bool, ...]
) -> tuple[tuple[Place, ...], ...]:
    """Return the movement that a starter generates. The last pair stays at table 0 and changes sides every round."""
    found = []
    for number in range(rounds):
        places = [Place(0, rounds, number, (sets[0] + number) % rounds)]
        for table, ((first, second), boards, turn) in enumerate(zip(starter, sets[1:], turned, strict=True), start=1):
            ns, ew = (first + number) % rounds, (second + number) % rounds
            places.append(Place(table, *((ew, ns) if turn else (ns, ew)), (boards + number) % rounds))
        found.append(tuple(places))
    return tuple(found)


def _starters(rounds: int, shared: bool) -> Iterator[tuple[tuple[tuple[int, int], ...], tuple[int, ...]]]:
    """Yield starters, pairs of numbers whose differences are all different, with the sets of boards for them.

    Pair 0 meets the pair that stays. If at table `t` the pairs `x + r` and `y + r` play set `b + r` in round r, a pair
    plays each set once exactly if all `b - x` and `b - y` are different (Room squares; W. D. Wallis, 1972).
    """

    def grow(
        left: tuple[int, ...], gaps: frozenset[int], pairs: tuple[tuple[int, int], ...]
    ) -> Iterator[tuple[tuple[int, int], ...]]:
        if not left:
            yield pairs
            return
        first = left[0]
        for second in left[1:]:
            gap = min(second - first, rounds - second + first)
            if gap not in gaps:
                remaining = tuple(each for each in left[1:] if each != second)
                yield from grow(remaining, gaps | {gap}, (*pairs, (first, second)))

    def boards(
        pairs: tuple[tuple[int, int], ...], met: frozenset[int], sets: tuple[int, ...]
    ) -> tuple[int, ...] | None:
        if len(sets) == len(pairs) + 1:
            return sets
        first, second = pairs[len(sets) - 1]
        for each in range(rounds):
            new = {(each - first) % rounds, (each - second) % rounds}
            if (shared or each not in sets) and not new & met:
                found = boards(pairs, met | new, (*sets, each))
                if found is not None:
                    return found
        return None

    for pairs in grow(tuple(range(1, rounds)), frozenset(), ()):
        sets = boards(pairs, frozenset({0}), (0,))
        if sets is not None:
            yield pairs, sets


def comparisons(rounds: tuple[tuple[Place, ...], ...], pairs: int) -> list[list[int]]:
    """Return how often any two pairs are compared: +1 for a board in the same direction, -1 in opposite directions.

    A board at which they meet counts once for each other table: what one pair gains there, the other loses.
    """
    boards: dict[int, list[tuple[int, int]]] = {}
    for places in rounds:
        for place in places:
            boards.setdefault(place.boards, []).append((place.ns, place.ew))
    found = [[0] * pairs for _ in range(pairs)]
    for lines in boards.values():
        sides = {pair: side for line in lines for side, pair in enumerate(line)}
        met = {frozenset(line) for line in lines}
        for first, second in combinations(sorted(sides), 2):
            same = 1 if sides[first] == sides[second] else -1
            change = len(lines) - 1 if frozenset((first, second)) in met else same
            found[first][second] += change
            found[second][first] += change
    return found


def imbalance(rounds: tuple[tuple[Place, ...], ...], pairs: int) -> int:
    """Return how unevenly the pairs are compared with each other: 0 if any two are compared equally often.

    It is the sum of the squares of the differences from the mean, times the number of comparisons.
    """
    table = comparisons(rounds, pairs)
    values = [table[first][second] for first, second in combinations(range(pairs), 2)]
    return len(values) * sum(value * value for value in values) - sum(values) ** 2


T = TypeVar("T")
MOST_ABOVE: Final = 3
"""How many places above their own the players of a ladder may challenge."""


def round_robin(count: int) -> list[list[tuple[int, int]]]:
    """Return the rounds in which each of `count` players, numbered from 0, meets every other player once.

    These are the Berger tables (FIDE Handbook C.05, annex 1); the first player of each pair deals first. If `count` is
    odd, the player who is missing from a round has a bye.

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
    """Return the seeds of a knock-out, numbered from 0, in the order of the bracket; `count` and above are byes.

    The best two can meet only in the final, the best four only from the semi-finals on.

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
    """Return the ladder after a game: a winner from below takes the loser's place, and those between move down.

    >>> after_challenge(["Ann", "Bo", "Cy"], winner="Cy", loser="Ann")
    ['Cy', 'Ann', 'Bo']
    """
    found = list(ladder)
    if found.index(winner) > found.index(loser):
        found.remove(winner)
        found.insert(found.index(loser), winner)
    return found
