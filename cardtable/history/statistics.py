"""What each player has done, counted from the summaries of the games that are over."""

from __future__ import annotations

import json
import sqlite3
import time
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

from cardtable.journal.file import UnreadableGame, as_journal_errors
from cardtable.journal.games import ALL, Choice, GameList, Games, Summary, keep_summaries, store_summaries
from cardtable.journal.schema import has_temporary_summaries, temporary_summaries

# The evenings: games one after the other, until a “good night” or a pause of more than six hours.
#
# A game belongs to the evening in which it ended.

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


class PlayerStatistics(NamedTuple):
    """One player in one game, or, if `name` is None, in all games together.

    `played`: how many games that are over. `won`: how many of them, and `shared` of these together with another side.
    `average`, `best`: of the scores of the player's side (`best` is the lowest where the lowest score wins); None for
    all games together. `revokes`: how many were proved.
    `run`: the longest run of games won, one after the other.
    """

    player: str
    name: str | None
    played: int
    won: int
    shared: int
    average: float | None
    best: int | None
    revokes: int
    run: int


class Wins(NamedTuple):
    """How many games that are over a player has played and won, alone or together with another side."""

    played: int
    won: int


class Against(NamedTuple):
    """Two players who were not partners: `played` games together, of which each won some without the other."""

    player: str
    other: str
    played: int
    won: int
    lost: int


# A player who has two seats in a game has played it once; the rows of the better one come first. ?3: the games in which
# the lowest score wins, as a JSON array.
_SEATS: Final = """
    SELECT s.game, s.player, m.name, s.won, s.shared, s.score, s.revokes
    FROM summary AS m JOIN seat AS s ON s.game = m.game
    WHERE m.over AND (?1 IS NULL OR s.player = ?1) AND (?2 IS NULL OR m.name = ?2)
    ORDER BY m.game, s.player, s.won DESC, CASE WHEN m.name IN (SELECT value FROM json_each(?3)) THEN s.score
        ELSE -s.score END
"""
_WINS: Final = """
    SELECT count(*), coalesce(sum(won), 0) FROM (
        SELECT max(s.won) AS won FROM seat AS s JOIN summary AS m ON m.game = s.game
        WHERE m.over AND s.player = ? GROUP BY s.game
    )
"""
_AGAINST: Final = """
    SELECT a.player, b.player, count(DISTINCT a.game), sum(a.won AND NOT b.won), sum(b.won AND NOT a.won)
    FROM seat AS a JOIN seat AS b ON b.game = a.game AND b.side <> a.side AND b.player <> a.player
    JOIN summary AS m ON m.game = a.game
    WHERE m.over AND (?1 IS NULL OR a.player = ?1) AND (?2 IS NULL OR m.name = ?2)
    GROUP BY a.player, b.player ORDER BY count(*) DESC, a.player, b.player
"""


# The games that were won with the lowest score more often than with the highest. The rules are not asked: loading them
# takes longer than counting, and those of another package may no longer be installed.
_LOWEST: Final = """
    SELECT name FROM (
        SELECT m.name, max(s.score) FILTER (WHERE s.won) AS won, max(s.score) AS high, min(s.score) AS low
        FROM summary AS m JOIN seat AS s ON s.game = m.game WHERE m.over GROUP BY m.game
    ) WHERE low < high GROUP BY name HAVING sum(won = low) > sum(won = high)
"""


class _Count:
    """Counts the games of one player, in the order in which they were begun; `better`: `max` or `min` of scores."""

    __slots__ = ("best", "better", "now", "played", "revokes", "run", "shared", "sum", "won")

    def __init__(self, better: Callable[[int, int], int]) -> None:
        self.better = better
        self.played = self.won = self.shared = self.sum = self.revokes = self.run = self.now = 0
        self.best: int | None = None

    def add(self, won: int, shared: int, score: int, revokes: int, again: bool) -> None:
        """Count a seat; `again`: the player's second one in the same game."""
        self.revokes += revokes
        if again:
            return
        self.played += 1
        self.won += won
        self.shared += shared
        self.sum += score
        self.best = score if self.best is None else self.better(self.best, score)
        self.now = self.now + 1 if won else 0
        if self.now > self.run:
            self.run = self.now


def wins_of(games: GameList, player: str) -> Wins:
    """Return how many games a player has played and won, counted as `statistics` counts them. Raises `JournalError`."""
    with as_journal_errors(games.path):
        return Wins(*games.database.execute(_WINS, (player,)).fetchone())


def statistics(games: GameList, choice: Choice = ALL) -> list[PlayerStatistics]:
    """Return the statistics of each player, those who have won most first.

    The first entry of each player is that of all games together; one for each game follows, unless a game is named:
    then only that of this game. Raises `JournalError`.
    """
    with as_journal_errors(games.path):
        lowest = [name for (name,) in games.database.execute(_LOWEST)]
        rows = games.database.execute(_SEATS, (*choice, json.dumps(lowest))).fetchall()
    counts: dict[tuple[str, str | None], _Count] = {}
    last: tuple[int, str] | None = None
    for game, player, name, won, shared, score, revokes in rows:
        again = (game, player) == last
        last = game, player
        for key in ((player, name), (player, None)) if choice.name is None else ((player, name),):
            count = counts.get(key)
            if count is None:
                count = counts[key] = _Count(min if name in lowest else max)
            count.add(won, shared, score, revokes, again)
    found = [
        PlayerStatistics(
            player,
            name,
            count.played,
            count.won,
            count.shared,
            None if name is None else count.sum / count.played,
            None if name is None else count.best,
            count.revokes,
            count.run,
        )
        for (player, name), count in counts.items()
    ]
    first = {each.player: each for each in reversed(found) if each.name is None or choice.name is not None}

    def order(each: PlayerStatistics) -> tuple[object, ...]:
        whole = first[each.player]
        return -whole.won, whole.played, each.player, each.name is not None, -each.played, each.name or ""

    return sorted(found, key=order)


def head_to_head(games: GameList, choice: Choice = ALL) -> list[Against]:
    """Return how often players who have played against each other won, the most games first. Every two opponents are
    there twice, once for each of them. Raises `JournalError`.
    """
    with as_journal_errors(games.path):
        return [Against(*row) for row in games.database.execute(_AGAINST, choice)]


def known_players(games: GameList) -> list[str]:
    """Return the names of all players of games that have a summary, those who have played most first."""
    with as_journal_errors(games.path):
        query = "SELECT player FROM seat GROUP BY player ORDER BY count(*) DESC, player"
        return [player for (player,) in games.database.execute(query)]


def known_games(games: GameList) -> list[str]:
    """Return the names of all games that were played and have a summary, those played most first."""
    with as_journal_errors(games.path):
        query = "SELECT name FROM summary GROUP BY name ORDER BY count(*) DESC, name"
        return [name for (name,) in games.database.execute(query)]


# Finding the summaries of games that have none, by replaying them: games of older versions of the program.
#
# Each game is replayed once. If there are many, they are replayed in steps, so that nothing has to wait.

BATCH: Final = 100
"""Number of replayed games after which their summaries are stored."""


class Filled(NamedTuple):
    """`faults`: why games cannot be read, by number. `left`: how many games are still to be replayed."""

    faults: dict[int, str]
    left: int


def fill(
    games: Games,
    numbers: Iterable[int],
    seconds: float | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Filled:
    """Find and store the summaries of these games. Raises `JournalError`.

    `seconds`: stop after about this time; at least one game is replayed. A file that cannot be written stays as it is;
    the summaries are then known to `games` only.
    """
    end = None if seconds is None else clock() + seconds
    found: list[Summary] = []
    faults: dict[int, str] = {}
    waiting = iter(numbers)
    for number in waiting:
        try:
            found.append(games.summary(number))
        except UnreadableGame as error:
            faults[number] = error.reason
        if len(found) == BATCH:
            keep(games, found)
            found = []
        if end is not None and clock() >= end:
            break
    if found:
        keep(games, found)
    return Filled(faults, sum(1 for _ in waiting))


def keep(games: Games, found: Sequence[Summary]) -> None:
    """Store summaries in the file of `games`, or, if that is not possible, in this connection to it."""
    with as_journal_errors(games.path):
        database = games.database
        if has_temporary_summaries(database):
            _store(database, found)
        elif not keep_summaries(games.path, found):
            temporary_summaries(database)
            _store(database, found)


def _store(database: sqlite3.Connection, found: Sequence[Summary]) -> None:
    with database:
        store_summaries(database, found)
