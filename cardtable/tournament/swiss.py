"""Swiss pairings: players with similar scores meet, and no two meet twice as long as that is possible.

The pairs are a matching of the least cost in the graph of all possible games (networkx; the blossom algorithm), so a
round is found whenever there is one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

import networkx as nx

NEAR: Final = 16
"""Places apart up to which games are tried first; all of them if no round is found without a repeated game."""


class Round(NamedTuple):
    """The pairs of a round, the best players first, and the player who has a bye; None if everybody plays."""

    pairs: list[tuple[str, str]]
    bye: str | None


def pair(
    standing: Sequence[str],
    scores: Mapping[str, float],
    played: Iterable[tuple[str, str]] = (),
    byes: Iterable[str] = (),
) -> Round:
    """Return the next round for players in the order of `standing`.

    `played`: the games so far. `byes`: who has had a bye, once for each. The bye goes to the last of the players with
    the fewest byes for whom the others can be paired without a repeated game. Within a group of equal scores the upper
    half meets the lower half, as in all Swiss systems; between groups, the differences of the scores are as small as
    possible. Games are repeated only if every other round is impossible, and then those that were played least often.
    """
    met = Counter(frozenset(game) for game in played)
    if len(standing) % 2 == 0:
        return Round(_pairs(standing, scores, met), None)
    had = Counter(byes)
    order = sorted(reversed(standing), key=lambda player: had[player])
    for player in order:
        rest = [each for each in standing if each != player]
        if _matching(rest, scores, met, NEAR, 0) or _matching(rest, scores, met, len(rest), 0):
            return Round(_pairs(rest, scores, met), player)
    return Round(_pairs([each for each in standing if each != order[0]], scores, met), order[0])


def _pairs(order: Sequence[str], scores: Mapping[str, float], met: Counter[frozenset[str]]) -> list[tuple[str, str]]:
    most = max(met.values(), default=0)
    for near, repeats in ((NEAR, 0), (len(order), 0), (len(order), most)):
        found = _matching(order, scores, met, near, repeats)
        if found is not None:
            return found
    return []


def _matching(
    order: Sequence[str], scores: Mapping[str, float], met: Counter[frozenset[str]], near: int, repeats: int
) -> list[tuple[str, str]] | None:
    """Return the pairs of the least cost among players at most `near` places apart; None if someone stays alone."""
    groups = Counter(scores[player] for player in order)
    seen: Counter[float] = Counter()
    places = []
    for player in order:
        places.append(seen[scores[player]])
        seen[scores[player]] += 1
    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(range(len(order)))
    for high, player in enumerate(order):
        for low in range(high + 1, min(high + near + 1, len(order))):
            times = met[frozenset((player, order[low]))]
            if times > repeats:
                continue
            apart = scores[player] - scores[order[low]]
            size = groups[scores[player]]
            half = size // 2
            fold = abs(places[low] - places[high] - half) if apart == 0 else 0
            fold += apart == 0 and (places[low] < half or places[high] >= size - half)
            cost = times * 10**12 + round(apart * apart * 10**6) + fold * fold
            graph.add_edge(high, low, weight=-cost)
    found = nx.max_weight_matching(graph, maxcardinality=True)
    if 2 * len(found) < len(order):
        return None
    return [(order[high], order[low]) for high, low in sorted(tuple(sorted(edge)) for edge in found)]
