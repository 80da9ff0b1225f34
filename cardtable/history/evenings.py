"""The evenings: games one after the other, until a “good night” or a pause of more than six hours.

A game belongs to the evening in which it ended.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from typing import Final, NamedTuple

from cardtable.play.journal_errors import as_journal_errors
from cardtable.play.journal_schema import GOOD_NIGHTS_SINCE, version_of
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


class _Game(NamedTuple):
    id: int
    started: float
    ended: float


_GAMES: Final = """
    SELECT g.id, g.started, coalesce(s.ended, g.started) AS ended FROM game AS g JOIN summary AS s ON s.game = g.id
    WHERE s.over ORDER BY ended DESC, g.id DESC
"""
_PLAYERS: Final = """
    SELECT player, count(*), sum(won), sum(shared) FROM (
        SELECT player, max(won) AS won, max(shared) AS shared FROM seat
        WHERE game IN (SELECT value FROM json_each(?))
        GROUP BY player, game
    ) GROUP BY player ORDER BY sum(won) DESC, count(*), player
"""


def evenings(games: GameList, most: int = 20) -> list[PastEvening]:
    """Return the last evenings, newest first, `most` at most. Raises `JournalError`."""
    with as_journal_errors(games.path):
        if not games.has_summaries():
            return []
        nights = _good_nights(games)
        groups: list[list[_Game]] = []
        for game in map(_Game._make, games.database.execute(_GAMES)):
            if groups and not _apart(game, groups[-1][-1], nights):
                groups[-1].append(game)
            elif len(groups) == most:
                break
            else:
                groups.append([game])
        return [_evening(games, group, nights) for group in groups]


def _good_nights(games: GameList) -> list[float]:
    """Return when people said good night, in order."""
    if version_of(games.database) < GOOD_NIGHTS_SINCE:
        return []
    return [time for (time,) in games.database.execute("SELECT time FROM good_night ORDER BY time")]


def _apart(earlier: _Game, later: _Game, nights: list[float]) -> bool:
    """Return whether an evening ended between the ends of two games."""
    return later.started - earlier.ended > PAUSE_S or _night_between(earlier.ended, later.ended, nights)


def _night_between(start: float, end: float, nights: list[float]) -> bool:
    following = bisect_left(nights, start)
    return following < len(nights) and nights[following] < end


def _evening(games: GameList, group: list[_Game], nights: list[float]) -> PastEvening:
    rows = games.database.execute(_PLAYERS, (json.dumps([game.id for game in group]),))
    # A game that was continued after a good night began in an earlier evening.
    starts = [game.started for game in group if not _night_between(game.started, game.ended, nights)]
    began = min(starts, default=group[-1].ended)
    return PastEvening(began, group[0].ended, len(group), tuple(PlayerTally(*row) for row in rows))
