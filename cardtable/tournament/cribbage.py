"""Scores of cribbage tournaments by the rules of the American Cribbage Congress (ACC).

Grass Roots: nine games against nine opponents. A win counts 2 game points, a skunk (a win by 31 or more) 3. Equal game
points are ranked by games won, then by net spread. The best quarter of a larger event goes on to a knock-out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

GAMES: Final = 9
WIN: Final = 2
SKUNK: Final = 3
SKUNKED: Final = 31
"""The difference of the scores from which on a win is a skunk."""


class Card(NamedTuple):
    """What a player's scorecard adds up to. `spread`: points won by, less points lost by."""

    points: int = 0
    won: int = 0
    spread: int = 0
    played: int = 0


def points_of(own: int, other: int) -> int:
    """Return the game points of a game that ended `own` to `other`.

    >>> points_of(121, 90), points_of(121, 91), points_of(90, 121)
    (3, 2, 0)
    """
    return 0 if own <= other else SKUNK if own - other >= SKUNKED else WIN


def with_game(card: Card, own: int, other: int) -> Card:
    """Return the scorecard with one game more."""
    spread = card.spread + own - other
    return Card(card.points + points_of(own, other), card.won + (own > other), spread, card.played + 1)


def ranked(cards: Mapping[str, Card]) -> list[tuple[int, str, Card]]:
    """Return rank, player and scorecard, the best first; those with the same points, wins and spread share a rank."""
    order = sorted(cards.items(), key=lambda each: (each[1].points, each[1].won, each[1].spread), reverse=True)
    return [(1 + sum(_key(other) > _key(card) for _, other in order), player, card) for player, card in order]


def qualifiers(players: Iterable[str]) -> list[str]:
    """Return those of ranked players who go on to the knock-out: a quarter, rounded up."""
    found = list(players)
    return found[: -(-len(found) // 4)]


def _key(card: Card) -> tuple[int, int, int]:
    return card.points, card.won, card.spread
