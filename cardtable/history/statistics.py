"""What each player has done, counted from the summaries of the games that are over."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Final, NamedTuple

from cardtable.play.journal_errors import as_journal_errors
from cardtable.play.summaries import ALL, Choice, GameList


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
        if not games.has_summaries():
            return Wins(0, 0)
        return Wins(*games.database.execute(_WINS, (player,)).fetchone())


def statistics(games: GameList, choice: Choice = ALL) -> list[PlayerStatistics]:
    """Return the statistics of each player, those who have won most first.

    The first entry of each player is that of all games together; one for each game follows, unless a game is named:
    then only that of this game. Raises `JournalError`.
    """
    with as_journal_errors(games.path):
        if not games.has_summaries():
            return []
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
        if not games.has_summaries():
            return []
        return [Against(*row) for row in games.database.execute(_AGAINST, choice)]


def known_players(games: GameList) -> list[str]:
    """Return the names of all players of games that have a summary, those who have played most first."""
    with as_journal_errors(games.path):
        if not games.has_summaries():
            return []
        query = "SELECT player FROM seat GROUP BY player ORDER BY count(*) DESC, player"
        return [player for (player,) in games.database.execute(query)]


def known_games(games: GameList) -> list[str]:
    """Return the names of all games that were played and have a summary, those played most first."""
    with as_journal_errors(games.path):
        if not games.has_summaries():
            return []
        query = "SELECT name FROM summary GROUP BY name ORDER BY count(*) DESC, name"
        return [name for (name,) in games.database.execute(query)]
