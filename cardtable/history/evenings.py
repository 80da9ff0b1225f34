"""The evenings: games one after the other, without a pause of more than six hours between them."""

from __future__ import annotations

from typing import Final, NamedTuple

from cardtable.play.journal_errors import as_journal_errors
from cardtable.play.summaries import GameList

PAUSE_S: Final = 6 * 3600.0
"""Seconds without a game after which another evening begins."""


class PlayerTally(NamedTuple):
    """What one player did in the games of an evening that are over; `shared`: wins together with another side."""

    player: str
    played: int
    won: int
    shared: int


class PastEvening(NamedTuple):
    """The games of an evening that are over. Times are in seconds since 1970; `players`: the best first."""

    began: float
    ended: float
    games: int
    players: tuple[PlayerTally, ...]


_GAMES: Final = """
    SELECT g.id, g.started, coalesce(s.ended, g.started) FROM game AS g JOIN summary AS s ON s.game = g.id
    WHERE s.over ORDER BY g.id DESC
"""
_PLAYERS: Final = """
    SELECT player, count(*), sum(won), sum(shared) FROM (
        SELECT player, max(won) AS won, max(shared) AS shared FROM seat
        WHERE game BETWEEN ? AND ? AND game IN (SELECT game FROM summary WHERE over)
        GROUP BY player, game
    ) GROUP BY player ORDER BY sum(won) DESC, count(*), player
"""


def evenings(games: GameList, most: int = 20) -> list[PastEvening]:
    """Return the last evenings, newest first, `most` at most. Raises `JournalError`."""
    with as_journal_errors(games.path):
        if not games.has_summaries():
            return []
        groups: list[list[tuple[int, float, float]]] = []
        for row in games.database.execute(_GAMES):
            if groups and groups[-1][-1][1] - row[2] <= PAUSE_S:
                groups[-1].append(row)
            elif len(groups) == most:
                break
            else:
                groups.append([row])
        return [_evening(games, group) for group in groups]


def _evening(games: GameList, group: list[tuple[int, float, float]]) -> PastEvening:
    rows = games.database.execute(_PLAYERS, (group[-1][0], group[0][0]))
    return PastEvening(group[-1][1], group[0][2], len(group), tuple(PlayerTally(*row) for row in rows))
