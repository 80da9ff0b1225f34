"""What each player has done, counted by SQLite from the summaries of the games that are over."""

from __future__ import annotations

from typing import Final, NamedTuple

from cardtable.play.journal_errors import as_journal_errors
from cardtable.play.summaries import ALL, Choice, GameList


class PlayerStatistics(NamedTuple):
    """One player in one game, or, if `name` is None, in all games together.

    `played`: how many games that are over. `won`: how many of them, and `shared` of these together with another side.
    `average`, `best`: of the scores of the player's side; None for all games together. `revokes`: how many were proved.
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


class Against(NamedTuple):
    """Two players who were not partners: `played` games together, of which each won some without the other."""

    player: str
    other: str
    played: int
    won: int
    lost: int


# A player who has two seats in a game has played it once.
_GAMES: Final = """
    SELECT s.player AS player, m.name AS name, s.game AS game, max(s.won) AS won, max(s.shared) AS shared,
        max(s.score) AS score, sum(s.revokes) AS revokes
    FROM seat AS s JOIN summary AS m ON m.game = s.game
    WHERE m.over AND (?1 IS NULL OR s.player = ?1) AND (?2 IS NULL OR m.name = ?2)
    GROUP BY s.player, s.game
"""
# Two row numbers, of all games and of those with the same result, differ by the same number within a run.
_STATISTICS: Final = f"""
    WITH games AS ({_GAMES}),
    runs AS (
        SELECT player, name, max(length) AS run FROM (
            SELECT player, name, count(*) AS length FROM (
                SELECT player, {{name}} AS name, won,
                    row_number() OVER (PARTITION BY player, {{name}} ORDER BY game)
                    - row_number() OVER (PARTITION BY player, {{name}}, won ORDER BY game) AS island
                FROM games
            ) WHERE won GROUP BY player, name, island
        ) GROUP BY player, name
    )
    SELECT g.player, g.key, count(*), sum(g.won), sum(g.shared), {{average}}, {{best}}, sum(g.revokes),
        coalesce((SELECT run FROM runs WHERE runs.player = g.player AND runs.name IS g.key), 0)
    FROM (SELECT *, {{name}} AS key FROM games) AS g
    GROUP BY g.player, g.key
"""
_AGAINST: Final = """
    SELECT a.player, b.player, count(DISTINCT a.game), sum(a.won AND NOT b.won), sum(b.won AND NOT a.won)
    FROM seat AS a JOIN seat AS b ON b.game = a.game AND b.side <> a.side AND b.player <> a.player
    JOIN summary AS m ON m.game = a.game
    WHERE m.over AND (?1 IS NULL OR a.player = ?1) AND (?2 IS NULL OR m.name = ?2)
    GROUP BY a.player, b.player ORDER BY count(*) DESC, a.player, b.player
"""


def statistics(games: GameList, choice: Choice = ALL) -> list[PlayerStatistics]:
    """Return the statistics of each player, those who have won most first.

    The first entry of each player is that of all games together; one for each game follows, unless a game is named:
    then only that of this game. Raises `JournalError`.
    """
    with as_journal_errors(games.path):
        if not games.has_summaries():
            return []
        by_game = _STATISTICS.format(name="name", average="avg(g.score)", best="max(g.score)")
        found = [PlayerStatistics(*row) for row in games.database.execute(by_game, choice)]
        if choice.name is None:
            together = _STATISTICS.format(name="NULL", average="NULL", best="NULL")
            found += [PlayerStatistics(*row) for row in games.database.execute(together, choice)]
    first = {each.player: each for each in reversed(found) if each.name is None or choice.name is not None}

    def order(each: PlayerStatistics) -> tuple[object, ...]:
        whole = first[each.player]
        return -whole.won, whole.played, each.player, each.name is not None, -each.played, each.name or ""

    return sorted(found, key=order)


def head_to_head(games: GameList, choice: Choice = ALL) -> list[Against]:
    """Return, for each two players who have played against each other, how often each won, the most games first.

    Each two are there twice, once for each of them. Raises `JournalError`.
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
